"""The first table of a report: one row a model."""

import math

import numpy as np

from skrobust.metrics.stability.asi_interval import UNRESOLVED

TOLERANCE = 0.05
COLUMNS = (
    ("clean", "Clean score"),
    ("normalized", "Normalized score"),
    ("asi", "Stability (ASI)"),
    ("FGSM", "Robust accuracy, FGSM"),
    ("PGD", "Robust accuracy, PGD"),
    ("ratio", f"Robust ratio at {TOLERANCE:g}, PGD"),
    ("estimate", "Accuracy from few labels"),
)


def index_ends(interval):
    """Return the ends of the interval of an index as far as the rows give them.

    Where the spread of the conditions is near the noise of sampling it may as well be
    zero, and the computed interval then ends at 1 whatever was measured.

    Parameters
    ----------
    interval : Interval or None
        Of the index.

    Returns
    -------
    ends : (low, high) or None
        ``high`` is None where there is no upper end; None where there is no end.
    note : str or None
        Why an end is missing.
    """
    if interval is None:
        return None, None
    if not math.isfinite(interval.low):
        return None, " ".join(interval.warnings) or "too few rows for an interval"
    if UNRESOLVED in interval.warnings:
        return (float(interval.low), None), "too few rows for an upper end"
    return (float(interval.low), float(interval.high)), None


def ends_text(interval, number):
    """Return an interval in words: "0.1 to 0.3", or "at least 0.1".

    Parameters
    ----------
    interval : (low, high)
        Its ends; None for an upper end that the rows do not give.
    number : callable
        From a number to text.

    Returns
    -------
    str
        The words.
    """
    low, high = interval
    if high is None and low is not None:
        return f"at least {number(low)}"
    return f"{number(low)} to {number(high)}"


def attack_names(collected):
    """Return the names of all attacks in order; FGSM and PGD where none was made."""
    names = dict.fromkeys(n for m in collected["models"] for n in m["attacks"])
    return list(names) or ["FGSM", "PGD"]


def headline(collected):
    """Return the name of the attack whose robust ratio is shown first."""
    names = attack_names(collected)
    attacks = [model["attacks"] for model in collected["models"]]
    judged = [n for n in names if any((a.get(n) or {}).get("modes") for a in attacks)]
    return "PGD" if "PGD" in names else (judged or names)[-1]


def summary_columns(collected):
    """Return (key, heading) of each column that at least one model can fill."""
    names = attack_names(collected)
    middle = [(name, f"Robust accuracy, {name}") for name in names]
    ratio = ("ratio", f"Robust ratio at {TOLERANCE:g}, {headline(collected)}")
    columns = [*COLUMNS[:3], *middle, ratio, COLUMNS[-1]]
    rows = summary_rows(collected)
    return [
        (key, heading)
        for key, heading in columns
        if key == "clean" or any(row.get(key) is not None for row in rows)
    ]


def summary_rows(collected):
    """Return the summary of what was collected.

    Parameters
    ----------
    collected : dict
        From :func:`collect_report`.

    Returns
    -------
    rows : list of dict
        ``name``, ``kind`` and, for each key of the columns, a cell: None where it was
        skipped, or a dict with ``value``, ``interval`` (or None), ``beside`` (a value
        and a label to read it with, or None) and ``note`` (text or None).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import collect_report, summary_rows
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> collected = collect_report({"neighbours": model}, X[1::2], y[1::2])
    >>> row = summary_rows(collected)[0]
    >>> row["name"], row["clean"]["value"] > 0.9, row["PGD"]
    ('neighbours', True, None)
    """
    names, chosen = attack_names(collected), headline(collected)
    return [_row(model, names, chosen) for model in collected["models"]]


def _row(model, names, chosen):
    clean, attacks = model["clean"], model["attacks"]
    row = {
        "name": model["name"],
        "kind": model["kind"],
        "clean": _cell(clean["value"], clean["interval"], note=clean["metric"]),
        "normalized": model["normalized"] and _cell(model["normalized"]["score"]),
        "asi": model["stability"] and _stability(model["stability"]),
        "ratio": None,
        "estimate": _estimate(model["labelling"]),
    }
    for name in dict.fromkeys([*names, "FGSM", "PGD"]):
        results = attacks.get(name)
        row[name] = results and _cell(
            results["robust_accuracy"], results["robust_accuracy_interval"]
        )
    results = attacks.get(chosen)
    if results and "probability_shift" in results.get("modes", ()):
        row["ratio"] = ratio_at(results, "probability_shift", TOLERANCE)
        scaled = ratio_at(results, "probability_shift", TOLERANCE, "_tempered")
        row["ratio"]["beside"] = _beside(scaled["value"], "after temperature scaling")
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


def _stability(results):
    notes = [results.get("interval_note")]
    if results.get("preset") not in (None, "asi68"):
        notes.append(f"{len(results['score'])} conditions")
    elif results["smoke_figure"]:
        notes.append("smoke figure")
    note = "; ".join(text for text in notes if text) or None
    return _cell(
        results["accuracy_stability_index"],
        results.get("interval"),
        beside=_beside(results["mean"], "mean accuracy"),
        note=note,
    )


def _estimate(labelling):
    for name in ("DeepEST", "simple random"):
        found = labelling.get(name)
        if found:
            caveat = "; mind its notes" if found["warnings"] else ""
            return _cell(
                found["accuracy"],
                found["interval"],
                beside=_beside(found["n_failures"], "failures found"),
                note=f"{found['n_labels']} labels, {name}{caveat}",
            )
    return None


def _cell(value, interval=None, beside=None, note=None):
    return {"value": value, "interval": interval, "beside": beside, "note": note}


def _beside(value, label):
    return {"value": value, "label": label}
