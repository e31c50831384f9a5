"""The first table of a report: one row a model."""

import numpy as np

TOLERANCE = 0.05
COLUMNS = (
    ("clean", "Clean score"),
    ("normalized", "Normalized score"),
    ("asi", "Stability (ASI)"),
    ("FGSM", "Robust accuracy, FGSM"),
    ("PGD", "Robust accuracy, PGD"),
    ("ratio", f"Robust ratio at {TOLERANCE:g}, PGD"),
    ("tempered", "The same after temperature scaling"),
    ("estimate", "Accuracy estimated from labels"),
)


def summary_rows(collected):
    """Return the summary of what was collected.

    Parameters
    ----------
    collected : dict
        From :func:`collect_report`.

    Returns
    -------
    rows : list of dict
        ``name``, ``kind`` and, for each key of the columns, a cell: a dict with
        ``value`` and ``interval`` (either may be None), or None where it was skipped.
        The estimate has ``n_labels``, ``n_failures`` and ``sampler`` as well.
    """
    return [_row(model) for model in collected["models"]]


def _row(model):
    clean, attacks = model["clean"], model["attacks"]
    row = {
        "name": model["name"],
        "kind": model["kind"],
        "clean": {**_cell(clean["value"], clean["interval"]), "note": clean["metric"]},
        "normalized": model["normalized"] and _cell(model["normalized"]["score"]),
        "asi": None,
        "ratio": None,
        "tempered": None,
        "estimate": _estimate(model["labelling"]),
    }
    if model["stability"] is not None:
        row["asi"] = _cell(model["stability"]["accuracy_stability_index"])
        if model["stability"]["smoke_figure"]:
            row["asi"]["note"] = "smoke figure"
    for name in ("FGSM", "PGD"):
        results = attacks.get(name)
        row[name] = results and _cell(
            results["robust_accuracy"], results["robust_accuracy_interval"]
        )
    results = attacks.get("PGD")
    if results and results.get("modes"):
        row["ratio"] = ratio_at(results, "probability_shift", TOLERANCE)
        tempered = ratio_at(results, "probability_shift", TOLERANCE, "_tempered")
        row["tempered"] = tempered
    return row


def ratio_at(results, mode, tolerance, suffix=""):
    """Return the cell of a robust ratio at one of the tolerances measured."""
    column = f"robust_ratio_{mode}"
    if column not in results:
        return None
    place = int(np.argmin(np.abs(np.asarray(results["tolerance"]) - tolerance)))
    value = float(results[column + suffix][place])
    if suffix:
        return _cell(value)
    ends = (float(results[f"{column}_{end}"][place]) for end in ("low", "high"))
    return _cell(value, tuple(ends))


def _estimate(labelling):
    for name in ("DeepEST", "simple random"):
        found = labelling.get(name)
        if found:
            cell = _cell(found["accuracy"], found["interval"])
            keys = ("n_labels", "n_failures", "sampler")
            cell.update({key: found[key] for key in keys})
            text = "{n_labels} labels, {n_failures} failures found, {sampler}"
            return {**cell, "note": text.format(**found)}
    return None


def _cell(value, interval=None):
    return {"value": value, "interval": interval}
