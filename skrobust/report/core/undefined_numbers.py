"""Numbers of a report that are undefined, each with its reason."""

import math

import numpy as np

_TARGETS = "R2 needs at least three rows and targets that are not all equal."
_INSIDE = "The index is defined for scores within 0 and 1, and some lie outside."
_FAILED = "Some of the conditions failed."
_ZERO = "The mean of the scores is 0."


def undefined_numbers(collected):
    """Return the numbers of a report that are undefined.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.

    Returns
    -------
    list of dict
        ``model``, ``number`` (its name), ``key`` of the summary (or None) and
        ``reason``.
    """
    found = []
    for model in collected["models"]:
        for key, number, value, reason in _of_model(model):
            if is_known(value):
                continue
            said = _said(collected["warnings"], model["name"], number)
            row = {"model": model["name"], "number": number, "key": key}
            found.append(row | {"reason": said or reason})
    return found


def undefined_of(collected):
    """Return the undefined numbers that a report lists, else find them.

    Reports of earlier versions list none; an empty list says that all are defined.
    """
    found = collected.get("undefined")
    return undefined_numbers(collected) if found is None else found


def is_known(value):
    """Return whether a number is defined: neither None, as in JSON, nor NaN."""
    return value is not None and math.isfinite(value)


def reason_of(collected, model, key):
    """Return why a number of the summary is undefined, or None."""
    for row in collected.get("undefined") or ():
        if row["model"] == model and row["key"] == key:
            return row["reason"]
    return None


def _said(warnings, model, section):
    for row in warnings:
        is_it = row["model"] == model and row["section"] == section
        if is_it and row["category"] == "UndefinedMetricWarning":
            return row["text"]
    return None


def _of_model(model):
    """Yield the key of the summary, the name, the value and the reason of numbers."""
    clean = model["clean"]
    yield "clean", f"clean {clean['metric']}", clean["value"], _TARGETS
    normalized = model["normalized"]
    if normalized:
        reason = "A factor of it is undefined for these targets and predictions."
        yield "normalized", "normalized score", normalized["score"], reason
    for name, found in (model.get("metrics") or {}).items():
        if found:
            reason = "The metric is undefined for these labels and predictions."
            yield name, name, found["value"], reason
    stability = model["stability"]
    if stability:
        scores = np.asarray(stability["score"], dtype=np.float64)
        inside = ((scores >= 0) & (scores <= 1)).all()
        failed = any(stability.get("failed", ()))
        reason = _FAILED if failed else _ZERO if inside else _INSIDE
        index = stability["accuracy_stability_index"]
        yield "asi", "Accuracy-Stability Index", index, reason
        variation = stability["coefficient_of_variation"]
        reason = _ZERO if inside else "It is defined for scores that are not negative."
        reason = _FAILED if failed else reason
        yield None, "coefficient of variation", variation, reason
        if "mean_corruption_error" in stability:
            error = stability["mean_corruption_error"]
            reason = "The reference makes no errors under some perturbation."
            reason = _FAILED if failed else reason
            yield None, "mean corruption error", error, reason
    for name, results in (model["attacks"] or {}).items():
        if results and "robust_r2" in results:
            yield name, f"R2 under {name}", results["robust_r2"], _TARGETS
    if model["times"]:
        reason = "It needs at least two periods with a defined score."
        yield None, "stability over time", model["times"]["index"], reason
