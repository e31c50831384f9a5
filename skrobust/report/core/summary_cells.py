"""Cells and columns of the summary of a report."""

import math

import numpy as np

from skrobust.base.attack_by_name import AUTO
from skrobust.metrics.stability.asi_interval import UNRESOLVED
from skrobust.report.core.number_text import number

TOLERANCE = 0.05


def interval_ends(interval):
    """Return the ends of an interval as far as the rows determine them.

    Where the spread of the conditions is close to the sampling noise, the interval of
    a stability index ends at 1 whatever was measured; that end is left out.

    Parameters
    ----------
    interval : Interval or None
        Interval of a metric.

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


def interval_text(value, interval=None):
    """Return a number with its interval, if it has one, as text."""
    return f"{number(value)} ({ends_text(interval)})" if interval else number(value)


def ends_text(interval, number=number):
    """Return (low, high) as text: "0.1 to 0.3", or "at least 0.1" for (0.1, None)."""
    low, high = interval
    if high is None and low is not None:
        return f"at least {number(low)}"
    return f"{number(low)} to {number(high)}"


def attack_names(collected):
    """Return the names of all attacks in order; "auto" where none was made."""
    names = dict.fromkeys(n for m in collected["models"] for n in m["attacks"])
    return list(names) or [AUTO]


def headline(collected):
    """Return the name of the attack whose robust ratio is shown first."""
    names = attack_names(collected)
    attacks = [model["attacks"] for model in collected["models"]]
    judged = [n for n in names if any((a.get(n) or {}).get("modes") for a in attacks)]
    return headline_of(names, judged or names)


def headline_of(names, judged=None):
    """Return the attack that speaks for all: "auto", PGD or the last one judged."""
    known = [name for name in (AUTO, "PGD") if name in names]
    return known[0] if known else (judged or names)[-1]


def summary_columns(collected, rows):
    """Return (key, heading) of each column that at least one row of the summary fills.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.
    rows : list of dict
        From :func:`~skrobust.report.summary_rows`.

    Returns
    -------
    list of (str, str)
        The clean score is always among them.
    """
    kinds = {model["kind"] for model in collected["models"]}
    robust = "Robust R2" if kinds == {"regressor"} else "Robust accuracy"
    columns = {
        "clean": "Clean score",
        "worst": "Worst condition",
        "normalized": "Normalized score",
        "asi": "Stability (ASI)",
        **{name: f"{robust}, {name}" for name in attack_names(collected)},
        "ratio": _ratio_heading(kinds, headline(collected)),
    }
    for model in collected["models"]:
        metrics = (model.get("metrics") or {}).items()
        columns |= {name: found["title"] for name, found in metrics if found}
    return [
        (key, heading)
        for key, heading in columns.items()
        if key == "clean" or any(row.get(key) is not None for row in rows)
    ]


def _ratio_heading(kinds, attack):
    unit = "" if kinds == {"classifier"} else " SD" if len(kinds) == 1 else " or SD"
    return f"Robust ratio at {TOLERANCE:g}{unit}, {attack}"


def ratio_at(results, mode, tolerance, suffix=""):
    """Return the cell of a robust ratio at one of the tolerances measured."""
    column = f"robust_ratio_{mode}"
    if column not in results:
        return None
    place = int(np.argmin(np.abs(np.asarray(results["tolerance"]) - tolerance)))
    value = float(results[column + suffix][place])
    if suffix:
        return cell(value)
    ends = (float(results[f"{column}_{end}"][place]) for end in ("low", "high"))
    return cell(value, tuple(ends))


def cell(value, interval=None, beside=None, note=None):
    """Return a cell; ``beside`` is a (value, label) to read it with."""
    if beside is not None:
        beside = dict(zip(("value", "label"), beside, strict=True))
    return {"value": value, "interval": interval, "beside": beside, "note": note}
