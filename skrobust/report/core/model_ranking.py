"""Ranking of models with their paired differences."""

import numpy as np
from sklearn.metrics import r2_score

from skrobust._keyed_noise.generator import seed_number
from skrobust.metrics import compare_models
from skrobust.metrics.callable_metrics import mean_score

LEVEL = 0.05  # of adjusted p-values
_N_RESAMPLES = 2000
DECISION_WORDS = {
    "real": "significant",
    "could be chance": "not significant",
    "none": "none",
    "undefined": "undefined",
}
_NAMED = 5  # models that a message lists
_METRICS = {
    "R2": r2_score,
    "mean accuracy": mean_score,
    "stability": "accuracy_stability_index",
}
_NUMBERS = ("difference", "low", "high", "p_value", "p_adjusted")
_ABOUT = ("method", "correction", "confidence", "n", "unit")
_WORDS = {
    "mean accuracy": "mean accuracy under perturbation",
    "stability": "stability (ASI without sampling noise)",
}


def compare_all(paired, y, random_state, log):
    """Compare the models on each measure that two or more of them have.

    Parameters
    ----------
    paired : dict of (str, str or None) to dict
        By (measure, target) and model the values that are paired: correctness, or the
        predictions for "R2".
    y : ndarray of shape (n_samples,) or dict of str to ndarray
        True labels or values, by target where there are several.
    random_state : int, RandomState, Generator or None
        Seed of the resamples.
    log : Log
        Takes reasons and warnings.

    Returns
    -------
    comparisons : list of dict
        From :func:`compare_measure`.
    """
    seed, found = seed_number(random_state, "collect_report"), []
    for (measure, target), models in paired.items():
        if len(models) > 1:
            section = f"comparison, {measure}" + (f", {target}" if target else "")
            data = measure, models, y[target] if target else y, seed, target
            found.append(log.run("all models", section, compare_measure, *data))
    return [comparison for comparison in found if comparison is not None]


def compare_measure(measure, models, y, random_state, target=None):
    """Rank models on one measure, with their paired differences.

    Parameters
    ----------
    measure : str
        Name of the measure.
    models : dict of str to ndarray
        Values that are paired.
    y : ndarray of shape (n_samples,)
        True labels or values.
    random_state : int
        Seed of the resamples.
    target : str, default=None
        Name of the target, where there are several.

    Returns
    -------
    dict
        ``measure``, ``words``, ``ranking`` (rank with its confidence limits
        ``rank_low`` and ``rank_high``, name, value, and the ``difference`` to the first
        with ``low``, ``high``, ``p_adjusted`` and ``verdict``), ``pairs``
        (better and worse model, with the same), ``sentences``, ``method``,
        ``correction``, ``confidence`` and ``n``.
    """
    # The smallest adjusted p-value is the number of pairs over that of resamples.
    n_pairs = len(models) * (len(models) - 1) // 2
    n_resamples = min(max(_N_RESAMPLES, 200 * n_pairs), 5 * _N_RESAMPLES)
    settings = {"random_state": random_state, "n_resamples": n_resamples}
    if measure in _METRICS:
        settings["metric"] = _METRICS[measure]
    if measure == "R2":
        settings["y_true"] = y
    results = compare_models(models, **settings)
    pairs = [_pair(results, i) for i in range(len(results["first"]))]
    values = {
        str(name): float(value)
        for side in ("first", "second")
        for name, value in zip(results[side], results[f"value_{side}"], strict=True)
    }
    names = sorted(models, key=lambda name: -values[name])
    order = {name: place for place, name in enumerate(names)}
    pairs.sort(key=lambda pair: (order[pair["better"]], order[pair["worse"]]))
    lead = {p["worse"]: p for p in pairs if p["better"] == names[0]}
    lead |= {p["better"]: p for p in pairs if p["worse"] == names[0]}  # a tie
    places = dict(zip(results.ranks.model, range(len(models)), strict=True))
    ranking = []
    for name in names:
        rank = 1 + sum(other > values[name] + 1e-12 for other in values.values())
        pair = lead.get(name, {})
        found = {k: v for k, v in pair.items() if k not in ("better", "worse")}
        row = {"rank": rank, "name": name, "value": values[name], **found}
        for side in ("rank_low", "rank_high"):
            row[side] = int(results.ranks[side][places[str(name)]])
        ranking.append(row)
    words = _WORDS.get(measure, measure.replace("accuracy, ", "accuracy under "))
    words += f" of {target}" if target else ""
    return {
        "measure": f"{measure}, {target}" if target else measure,
        "words": words,
        "ranking": ranking,
        "pairs": pairs,
        "sentences": _messages(words, ranking, pairs),
        **{name: results[name] for name in _ABOUT},
    }


def _pair(results, i):
    """Return one pair with the better model first, so that differences are positive."""
    names = [str(results[side][i]) for side in ("first", "second")]
    row = {name: float(results[name][i]) for name in _NUMBERS}
    if row["difference"] < 0:
        names = names[::-1]
        row["difference"] *= -1
        row["low"], row["high"] = -row["high"], -row["low"]
    decision = _decision(row["difference"], row["p_adjusted"])
    return {"better": names[0], "worse": names[1], **row, "verdict": decision}


def _decision(difference, p):
    if difference < 1e-12:
        return "none"
    if not np.isfinite(p):
        return "undefined"
    if p < LEVEL:
        return "real"
    return "could be chance"


def _messages(words, ranking, pairs):
    """Return messages on who leads and which differences are significant."""
    first, others = ranking[0], ranking[1:]
    value = f"{first['value']:.3f}".replace("-", "\N{MINUS SIGN}")
    tied = [r for r in others if first["value"] - r["value"] < 1e-12]
    rest = [r for r in others if r not in tied]
    behind = [r for r in rest if r.get("verdict") == "real"]
    near = [r for r in rest if r.get("verdict") != "real"]
    name = f"\u201c{first['name']}\u201d"
    messages = [f"{name} has the highest {words}, {value}."]
    if tied:
        messages = [f"The highest {words} is {value}: {_listed([first, *tied])}."]
    if behind:
        p_value = _largest_p(behind)
        messages.append(f"{name} is better than {_listed(behind)} ({p_value}).")
    if near:
        text = f"The lead over {_listed(near)} is not significant; "
        messages.append(text + "it may be due to chance.")
    if len(pairs) > 1:
        n_real = sum(pair["verdict"] == "real" for pair in pairs)
        messages.append(f"{n_real} of {len(pairs)} pairs differ significantly.")
    return messages


def _largest_p(rows):
    p = max(row["p_adjusted"] for row in rows)
    sign = "=" if len(rows) == 1 else "\N{LESS-THAN OR EQUAL TO}"
    return "adjusted p < 0.001" if p < 0.001 else f"adjusted p {sign} {p:.3f}"


def _listed(rows):
    names = [f"\u201c{row['name']}\u201d" for row in rows]
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} others"]
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
