"""Stated needs of a report: lowest acceptable values, judged by lower limits."""

import math

from skrobust._validation import invalid
from skrobust.metrics.registry import find_metric
from skrobust.report.core._summary import summary_rows
from skrobust.report.core.undefined_numbers import is_known

OF_CLASSIFIERS = (
    "accuracy",
    "mean_accuracy",
    "worst_accuracy",
    "robust_accuracy",
    "certified_accuracy",
    "robust_ratio",
    "asi",
    "normalized",
)
OF_REGRESSORS = ("r2", "mean_r2", "worst_r2", "robust_r2")
NAMES = (*OF_CLASSIFIERS, *OF_REGRESSORS)
WORDS = {
    "accuracy": "clean accuracy",
    "mean_accuracy": "mean accuracy under perturbation",
    "worst_accuracy": "accuracy under the worst condition",
    "robust_accuracy": "robust accuracy under attack",
    "certified_accuracy": "certified accuracy",
    "robust_ratio": "robust ratio",
    "asi": "Accuracy-Stability Index",
    "normalized": "normalized score",
    "r2": "clean R2",
    "mean_r2": "mean R2 under perturbation",
    "worst_r2": "R2 under the worst condition",
    "robust_r2": "R2 under attack",
}


def check_needs(thresholds, metrics, caller):
    """Return thresholds as a dict of floats, or raise.

    Parameters
    ----------
    thresholds : dict of str to float or None
        Lowest acceptable value of each measure.
    metrics : list of str
        Metrics of the report that may be named as well.
    caller : str
        Name of the function or command that the user called.

    Returns
    -------
    dict of str to float
        Empty for None.
    """
    known = (*NAMES, *metrics)
    if thresholds is None:
        return {}
    rule = f"None or a dict of numbers by {', '.join(known)}"
    if not isinstance(thresholds, dict):
        raise invalid("thresholds", caller, rule, thresholds)
    for name, value in thresholds.items():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if name not in known or not is_number or not math.isfinite(value):
            raise invalid("thresholds", caller, rule, thresholds)
        spec = find_metric(name)
        most = spec.bounds[1] if spec else 1
        if value > most:
            rule = f"at most {most:g} for {name}"
            raise invalid("thresholds", caller, rule, thresholds)
    return {name: float(value) for name, value in thresholds.items()}


def measured_values(collected):
    """Return what thresholds apply to: values and lower limits of each model.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.

    Returns
    -------
    values, limits : dict of str to dict
        By model and measure; None where it was not measured.
    """
    values, limits = {}, {}
    rows = summary_rows(collected)
    for model, row in zip(collected["models"], rows, strict=True):
        found, lows = _of_model(model, row)
        values[model["name"]], limits[model["name"]] = found, lows
    return values, limits


def _of_model(model, row):
    is_class = model["kind"] == "classifier"
    score = "accuracy" if is_class else "r2"
    cells = {name: row.get(name) for name in model.get("metrics") or {}}
    cells |= {"normalized": row["normalized"], "asi": row["asi"]}
    cells |= {score: row["clean"], "robust_ratio": row["ratio"]}
    found = {name: cell and cell["value"] for name, cell in cells.items()}
    lows = {
        name: cell["interval"][0]
        for name, cell in cells.items()
        if cell and cell["interval"]
    }
    stability = model["stability"]
    if stability:
        worst, mean = stability["worst"], stability.get("mean_interval")
        found |= {f"worst_{score}": worst["score"], f"mean_{score}": stability["mean"]}
        if worst["interval"]:
            lows[f"worst_{score}"] = worst["interval"][0]
        if mean:
            lows[f"mean_{score}"] = mean[0]
    name, attacked = f"robust_{score}", attacked_scores(model)
    found[name] = min((one[0] for one in attacked), default=None)
    ends = [one[1][0] for one in attacked if one[1]]
    lows[name] = min(ends, default=None)
    bracket = bracket_of(model)
    if bracket:
        found["certified_accuracy"] = bracket["lower"]
        lows["certified_accuracy"] = bracket["lower_interval"][0]
    return found, lows


def attacked_scores(model):
    """Return (score, interval, name of the attack) for each attack on a model."""
    name = "robust_accuracy" if model["kind"] == "classifier" else "robust_r2"
    return [
        (results[name], results.get(f"{name}_interval"), attack)
        for attack, results in (model["attacks"] or {}).items()
        if results and is_known(results.get(name))
    ]


def bracket_of(model):
    """Return the certified and the attacked robust accuracy of a model, or None.

    Parameters
    ----------
    model : dict
        One of the ``models`` of a collected report.

    Returns
    -------
    dict or None
        ``attack``, ``lower``, ``upper``, their intervals and the ``certificate``, of
        the attack with the lowest certified accuracy.
    """
    name = "robust_accuracy_lower"
    proved = [
        (attack, results)
        for attack, results in (model["attacks"] or {}).items()
        if results and is_known(results.get(name))
    ]
    if not proved:
        return None
    attack, results = min(proved, key=lambda pair: pair[1][name])
    return {
        "attack": attack,
        "lower": results[name],
        "lower_interval": results[f"{name}_interval"],
        "upper": results["robust_accuracy"],
        "upper_interval": results["robust_accuracy_interval"],
        "certificate": results.get("certificate"),
    }


def judged(thresholds, values, limits):
    """Return one dict for each need: measure, words, threshold, value, low, status.

    The status is "met" where the lower 95 % limit reaches the threshold, "missed" where
    the value does not, "not shown" between, and "not measured".
    """
    rows = []
    for measure, threshold in thresholds.items():
        value, low = values.get(measure), limits.get(measure)
        value = value if value is not None and math.isfinite(value) else None
        low = low if low is not None and math.isfinite(low) else None
        status = "not measured"
        if value is not None and value < threshold:
            status = "missed"
        elif value is not None:
            status = "met" if low is not None and low >= threshold else "not shown"
        words = WORDS.get(measure, measure.replace("_", " "))
        row = {"measure": measure, "words": words, "threshold": threshold}
        rows.append(row | {"value": value, "low": low, "status": status})
    return rows
