"""Summary of many scores: indices, curves, and errors against a reference."""

import warnings

import numpy as np

from skrobust import metrics
from skrobust._results import Results
from skrobust._stacklevel import level_outside
from skrobust._validation import invalid
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.simultaneous import worst_case
from skrobust.metrics.stability.asi_interval import asi_interval


def overall(table, clean_score):
    """Return the summary of the scores of all conditions.

    Parameters
    ----------
    table : dict
        Columns of :func:`read_conditions`, and ``score``.
    clean_score : float
        Score on the clean rows.

    Returns
    -------
    dict
        Mean, coefficient of variation and Accuracy-Stability Index (nan where a score
        lies outside [0, 1]), clean score, worst condition, and the severity curves.
    """
    scores = table["score"]
    bounded = bool(scores.min() >= 0 and scores.max() <= 1)  # False for nan
    known = np.isfinite(scores).any()
    worst = int(np.nanargmin(scores)) if known else 0
    is_whole = not np.isnan(scores).any()  # else the worst may be one that failed
    variation = index = float("nan")
    if bounded:
        variation = metrics.coefficient_of_variation(scores)
        index = metrics.accuracy_stability_index(scores)
    return {
        "mean": float(scores.mean()),
        "coefficient_of_variation": variation,
        "accuracy_stability_index": index,
        "clean_score": clean_score,
        "worst_condition": str(table["name"][worst]) if is_whole else "",
        "worst_score": float(scores[worst]) if is_whole else float("nan"),
        **_curves(table, clean_score),
    }


def _curves(table, clean_score):
    """Return the area under each severity curve, and the mean of these."""
    names = curve_names(table)
    if not names:
        return {}
    areas = curve_areas(table, table["score"], clean_score)
    rows = []
    for name, area in zip(names, areas, strict=True):
        on = table["corruption"] == name
        n_severities = np.unique(table["severity"][on & (table["severity"] > 0)]).size
        rows.append((name, n_severities, float(table["score"][on].mean()), float(area)))
    columns = ("corruption", "n_severities", "mean_score", "area")
    parts = map(np.array, zip(*rows, strict=True))
    corruptions = Results(columns=columns, **dict(zip(columns, parts, strict=True)))
    whole = float(corruptions["area"].mean())
    return {"area_under_severity_curve": whole, "corruptions": corruptions}


def curve_names(table):
    """Return the names of the corruptions with a severity, as they come."""
    return [name for name in dict.fromkeys(table["corruption"].tolist()) if name]


def curve_areas(table, scores, clean_score):
    """Return the area under the severity curve of each corruption.

    ``scores`` has shape (..., n_conditions), ``clean_score`` the shape before, and the
    areas shape (..., n_corruptions).
    """
    areas = []
    for name in curve_names(table):
        on = table["corruption"] == name
        severity, score = table["severity"][on], scores[..., on]
        levels = np.unique(np.append(severity, 0.0))
        # Severity 0 is the clean score, whether or not a condition says so.
        height = [
            score[..., severity == s].mean(axis=-1) if s else clean_score
            for s in levels
        ]
        width = levels[-1] - levels[0]
        area = np.trapezoid(height, levels, axis=0) / width if width else clean_score
        areas.append(area)
    return np.stack(areas, axis=-1)


def _index_interval(correct, units, confidence, caller):
    """Return the interval of the Accuracy-Stability Index, None for one condition."""
    if correct.shape[1] < 2:
        return None
    return asi_interval(correct, units, confidence, caller)


def correctness_intervals(correct, units, confidence, caller):
    """Return the intervals that need the correctness of each sample, by name.

    None where there are too few units, or conditions for the index.
    """
    worst = None
    if units.enough:
        worst = worst_case(ColumnMeans(correct, units), confidence)
    return {
        "worst_interval": worst,
        "accuracy_stability_index_interval": _index_interval(
            correct, units, confidence, caller
        ),
    }


def no_intervals(table):
    """Return None for all intervals over the conditions, of which some failed."""
    names = ["worst", "accuracy_stability_index", "mean", "coefficient_of_variation"]
    if curve_names(table):
        names.append("area_under_severity_curve")
    return dict.fromkeys(f"{name}_interval" for name in names)


def check_reference_model(reference, table, scorer, caller):
    """Return name, table, clean score and results of the reference model, or raise.

    It is checked before the work begins: same conditions, accuracies, and errors that
    one can divide by.
    """
    if reference is None:
        return None
    is_named = isinstance(reference, dict) and not isinstance(reference, Results)
    others = list(reference.values()) if is_named else []
    if len(others) != 1 or not isinstance(others[0], Results):
        rule = "{name: results}, the results of one other model under its name"
        raise invalid("reference", caller, rule, reference)
    name, results = next(iter(reference.items()))
    other = results.get("conditions", results)
    if scorer is not None or "flip_rate" not in other:
        text = f"{caller} compares errors with a reference for accuracy only."
        raise ValueError(text)
    for column in ("number", "name", "corruption", "severity"):
        parts = table[column], other[column]
        if not np.array_equal(*parts, equal_nan=column == "severity"):
            text = "scored under the same conditions"
            raise ValueError(f"{caller} needs the reference {name!r} {text}.")
    if not (table["severity"] > 0).any():
        raise ValueError(
            f"{caller} needs conditions with a severity for the mean corruption error; "
            "leave the reference out."
        )
    _errors(other, other, name, caller)
    return name, other, results["clean_score"], results


def _errors(table, other, reference, caller, **clean):
    """Return the corruption error of each corruption, as the metric defines it."""
    values = []
    for name in dict.fromkeys(table["corruption"].tolist()):
        on = (table["corruption"] == name) & (table["severity"] > 0)
        if not on.any():
            continue
        # One corruption a call: severities may differ in number between them.
        pair = ((1 - t["score"][on])[None] for t in (table, other))
        settings = {"reference": reference, "names": [name], "relative": bool(clean)}
        try:
            found = metrics.mean_corruption_error(*pair, **settings, **clean)
        except ValueError as error:
            raise ValueError(f"{caller}: {error}") from error
        values.append(found.value)
    return np.array(values)


def against_reference(results, table, clean_score, reference, caller):
    """Add mCE and relative mCE against the reference to the results."""
    name, other, other_clean, _ = reference
    results["reference"] = name
    if np.isnan(table["score"]).any():
        results["mean_corruption_error"] = float("nan")
        results["relative_mean_corruption_error"] = float("nan")
        return
    corruptions = results["corruptions"]
    data = table, other, name, caller
    corruptions["corruption_error"] = _errors(*data)
    results["mean_corruption_error"] = float(corruptions["corruption_error"].mean())
    corruptions["columns"] += ("corruption_error",)
    clean = {"clean_error": 1 - clean_score, "reference_clean_error": 1 - other_clean}
    try:
        relative = _errors(*data, **clean)
    except ValueError as error:
        # A reference that does not get worse has no rise to divide by.
        warnings.warn(
            f"The relative mCE is nan. {error}", UserWarning, stacklevel=level_outside()
        )
        results["relative_mean_corruption_error"] = float("nan")
        return
    corruptions["relative_corruption_error"] = relative
    corruptions["columns"] += ("relative_corruption_error",)
    results["relative_mean_corruption_error"] = float(relative.mean())
