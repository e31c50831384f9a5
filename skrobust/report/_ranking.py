"""Models side by side: who leads, by how much, and what could be chance."""

import numpy as np
from sklearn.metrics import r2_score

from skrobust._keyed_noise.generator import seed_number
from skrobust.metrics import compare_models

LEVEL = 0.05  # of adjusted p-values
_N_RESAMPLES = 2000
_NAMED = 5  # models that a sentence lists
_WORDS = {
    "mean accuracy": "mean accuracy under perturbation",
    "stability": "stability (ASI without sampling noise)",
}


def compare_all(right, y, random_state, log):
    """Compare the models on each measure that two or more of them have.

    Parameters
    ----------
    right : dict of str to dict
        For each measure the names of models and what is paired: correctness, or the
        predictions for "R2".
    y : ndarray of shape (n_samples,)
        True labels or values.
    random_state : int, RandomState, Generator or None
        Seed of the resamples.
    log : Log
        Takes reasons and warnings.

    Returns
    -------
    comparisons : list of dict
        From :func:`compare_measure`.
    """
    seed = seed_number(random_state, "collect_report")
    found = []
    for measure, models in right.items():
        if len(models) > 1:
            comparison = log.run(
                "all models", f"comparison, {measure}", compare_measure,
                measure, models, y, seed,
            )  # fmt: skip
            if comparison is not None:
                found.append(comparison)
    return found


def compare_measure(measure, models, y, random_state):
    """Rank models on one measure, with their paired differences.

    Parameters
    ----------
    measure : str
        What is compared.
    models : dict of str to ndarray
        What is paired.
    y : ndarray of shape (n_samples,)
        True labels or values.
    random_state : int
        Seed of the resamples.

    Returns
    -------
    dict
        ``measure``, ``words``, ``ranking`` (rank, name, value, and the ``difference``
        to the first with ``low``, ``high``, ``p_adjusted`` and ``verdict``), ``pairs``
        (better and worse model, with the same), ``sentences``, ``method``,
        ``correction``, ``confidence``, ``n`` and ``ranking_kept``.
    """
    # The smallest adjusted p-value is the number of pairs over that of resamples.
    n_pairs = len(models) * (len(models) - 1) // 2
    n_resamples = min(max(_N_RESAMPLES, 200 * n_pairs), 5 * _N_RESAMPLES)
    settings = {"random_state": random_state, "n_resamples": n_resamples}
    if measure == "R2":
        settings |= {"metric": r2_score, "y_true": y}
    elif measure == "mean accuracy":
        settings["metric"] = np.mean
    elif measure == "stability":
        settings["metric"] = "accuracy_stability_index"
    results = compare_models(models, **settings)
    pairs = [_pair(results, i) for i in range(len(results["first"]))]
    values = {}
    for i in range(len(results["first"])):
        values[str(results["first"][i])] = float(results["value_first"][i])
        values[str(results["second"][i])] = float(results["value_second"][i])
    names = sorted(models, key=lambda name: -values[name])
    order = {name: place for place, name in enumerate(names)}
    pairs.sort(key=lambda pair: (order[pair["better"]], order[pair["worse"]]))
    lead = {p["worse"]: p for p in pairs if p["better"] == names[0]}
    lead |= {p["better"]: p for p in pairs if p["worse"] == names[0]}  # a tie
    ranking = [
        {
            "rank": 1 + sum(other > values[name] + 1e-12 for other in values.values()),
            "name": name,
            "value": values[name],
            **{k: v for k, v in lead.get(name, {}).items() if k not in _NAMES},
        }
        for name in names
    ]
    words = measure.replace("accuracy, ", "accuracy under ")
    words = _WORDS.get(measure, words)
    return {
        "measure": measure,
        "words": words,
        "ranking": ranking,
        "pairs": pairs,
        "sentences": _sentences(words, ranking, pairs),
        "method": results["method"],
        "correction": results["correction"],
        "confidence": results["confidence"],
        "n": results["n"],
        "unit": results["unit"],
        "ranking_kept": results["ranking_kept"],
    }


_NAMES = ("better", "worse")


def _pair(results, i):
    """Return one pair with the better model first, so that differences are positive."""
    names = [str(results[side][i]) for side in ("first", "second")]
    difference, low, high = (
        float(results[k][i]) for k in ("difference", "low", "high")
    )
    if difference < 0:
        names, difference, low, high = names[::-1], -difference, -high, -low
    p = float(results["p_adjusted"][i])
    return {
        "better": names[0],
        "worse": names[1],
        "difference": difference,
        "low": low,
        "high": high,
        "p_value": float(results["p_value"][i]),
        "p_adjusted": p,
        "verdict": _verdict(difference, p),
    }


def _verdict(difference, p):
    if difference < 1e-12:
        return "none"
    if not np.isfinite(p):
        return "undefined"
    if p < LEVEL:
        return "real"
    return "could be chance"


def _sentences(words, ranking, pairs):
    """Say in plain words which differences are real."""
    first, others = ranking[0], ranking[1:]
    name, value = f"\u201c{first['name']}\u201d", f"{first['value']:.3f}"
    value = value.replace("-", "\N{MINUS SIGN}")
    equal = [r for r in others if first["value"] - r["value"] < 1e-12]
    ahead = [r for r in others if r not in equal and r.get("verdict") == "real"]
    near = [r for r in others if r not in equal and r.get("verdict") != "real"]
    if equal:
        said = [f"The highest {words} is {value}: {_listed([first, *equal])}."]
    else:
        said = [f"{name} has the highest {words}, {value}."]
    if ahead:
        said.append(f"{name} is really ahead of {_listed(ahead)}.")
    if near:
        said.append(
            f"The lead over {_listed(near)} could be chance: these rows do not tell "
            "them apart."
        )
    if len(pairs) > 1:
        real = sum(pair["verdict"] == "real" for pair in pairs)
        said.append(f"{real} of {len(pairs)} pairs differ for real.")
    return said


def _listed(rows):
    names = [f"\u201c{row['name']}\u201d" for row in rows]
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} others"]
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
