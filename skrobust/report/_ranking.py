"""Models side by side: who leads, by how much, and what could be chance."""

import numpy as np
from sklearn.metrics import r2_score

from skrobust._random import seed_number
from skrobust.metrics import compare_models

LEVEL = 0.05  # of adjusted p-values
_N_RESAMPLES = 1000
_WORDS = {
    "clean accuracy": "clean accuracy",
    "stability": "stability (ASI without sampling noise)",
    "R2": "R2",
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
    settings = {"random_state": random_state, "n_resamples": _N_RESAMPLES}
    if measure == "R2":
        settings |= {"metric": r2_score, "y_true": y}
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
    words = _WORDS.get(measure, measure)
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
    if not np.isfinite(p):
        return "undefined"
    if p < LEVEL:
        return "real"
    return "could be chance"


def _sentences(words, ranking, pairs):
    """Say in plain words which differences are real."""
    first = ranking[0]
    ahead = [row["name"] for row in ranking[1:] if row.get("verdict") == "real"]
    near = [row["name"] for row in ranking[1:] if row.get("verdict") != "real"]
    said = [f"{first['name']} has the highest {words}, {first['value']:.3f}."]
    if first["value"] - ranking[1]["value"] < 1e-12:
        said = [f"The highest {words} is {first['value']:.3f}, and models share it."]
    if ahead:
        said.append(f"{first['name']} is really ahead of {_listed(ahead)}.")
    if near:
        less = [row for row in ranking[1:] if row.get("verdict") != "real"]
        if all(first["value"] - row["value"] < 1e-12 for row in less):
            said.append(f"It shows no difference to {_listed(near)}.")
        else:
            said.append(
                f"Between {first['name']} and {_listed(near)} the difference could be "
                "chance: these rows do not tell them apart."
            )
    if len(pairs) > 1:
        real = sum(pair["verdict"] == "real" for pair in pairs)
        said.append(f"{real} of {len(pairs)} pairs differ for real.")
    return said


def _listed(names):
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
