"""Figures of a report in one list, each with its value for every model."""

import math

import numpy as np

from skrobust.report.core.number_text import compact, number
from skrobust.report.core.summary_cells import TOLERANCE
from skrobust.report.evidence.evidence_clauses import FIGURES, RECORD


def list_figures(collected):
    """Return every figure that was measured, in the order of the mapping.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`, with its verdicts.

    Returns
    -------
    list of dict
        ``id`` ("F1", ...), ``kind`` (a key of the mapping), ``figure`` (words) and
        ``values``: one dict each of ``model``, ``value``, ``interval`` (95 %, a pair or
        None), ``n_rows`` and ``note``; the value is None where it is undefined. A model
        for which it was not measured has none.
    """
    verdicts = {one["name"]: one for one in collected["verdicts"]}
    found = {}
    for kind in FIGURES:
        if kind == RECORD:
            continue
        for model in collected["models"]:
            for words, value in _READERS[kind](model, verdicts[model["name"]]):
                values = found.setdefault((kind, words), [])
                if value is not None:
                    values.append({"model": model["name"], **value})
    return [
        {"id": f"F{place}", "kind": kind, "figure": words, "values": values}
        for place, ((kind, words), values) in enumerate(found.items(), 1)
    ]


def _value(value, interval=None, n_rows=None, note=None):
    if interval is not None:
        interval = [_finite(end) for end in interval]
    known = {"value": _finite(value), "interval": interval}
    return known | {"n_rows": n_rows and int(n_rows), "note": note}


def _finite(value):
    if value is None or not math.isfinite(value):
        return None
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def _clean(model, verdict):
    clean = model["clean"]
    note = f"a constant model: {compact(round(clean['constant_model'], 3))}"
    value = _value(clean["value"], clean["interval"], clean["n_rows"], note)
    yield f"{clean['metric']} on clean rows", value


def _metrics(model, verdict):
    for name, metric in (model.get("metrics") or {}).items():
        if metric is not None:
            title = metric.get("title", name)
            n_rows = model["clean"]["n_rows"]
            value = metric["value"], metric["interval"], n_rows
            yield f"{title} on clean rows", _value(*value, metric["interval_note"])


def _conditions(model, verdict):
    results, metric = model["stability"], model["clean"]["metric"]
    if results is not None:
        note = f"{len(results['score'])} conditions"
        value = results["mean"], results.get("mean_interval"), model["clean"]["n_rows"]
        yield f"mean {metric} under perturbations", _value(*value, note)


def _stability(model, verdict):
    results = model["stability"]
    if results is not None:
        value = results["accuracy_stability_index"], results.get("interval")
        note = results.get("interval_note")
        yield "Accuracy-Stability Index", _value(*value, None, note)


def _worst(model, verdict):
    worst, metric = verdict["worst"], model["clean"]["metric"]
    if worst:
        note = worst["words"] or worst["name"]
        value = worst["score"], worst["interval"], model["clean"]["n_rows"]
        yield f"{metric} under the worst condition", _value(*value, note)


def _weakness(model, verdict):
    found = model.get("weakness")
    if found and found["names"]:
        note = f"{found['part']} {found['names'][0]}"
        yield f"loss by one {found['part']} alone", _value(found["drops"][0], note=note)


def _groups(model, verdict):
    for grouping, measures in (model["groups"] or {}).items():
        for measure, table in measures.items():
            if table is None:
                continue
            values = np.asarray(table["value"], dtype=np.float64)
            where = f"by {grouping}, {measure}"
            if np.isfinite(values).any():
                at = int(np.nanargmin(values))
                # The group was chosen by its value: the bands hold for all at once.
                ends = table["band_low"][at], table["band_high"][at]
                lowest = values[at], ends, table["n_samples"][at]
                note = f"group {table['group'][at]}"
                yield f"lowest accuracy of a group {where}", _value(*lowest, note)
            value = _value(table["range"])
            yield f"range of the accuracies of groups {where}", value


def _periods(model, verdict):
    times = model["times"]
    if times is None:
        return
    scores = np.asarray(times["score"], dtype=np.float64)
    note = f"{len(scores)} periods"
    yield "stability index over periods", _value(times["index"], note=note)
    if np.isfinite(scores).any():
        at = int(np.nanargmin(scores))
        lowest = _value(scores[at], None, times["n_samples"][at], times["period"][at])
        yield f"lowest {times['metric']} of a period", lowest


def _attacks(model, verdict):
    score = "robust_accuracy" if model["kind"] == "classifier" else "robust_r2"
    words = "accuracy" if model["kind"] == "classifier" else "R2"
    for name, results in (model["attacks"] or {}).items():
        if results and results.get(score) is not None:
            value = results[score], results.get(f"{score}_interval")
            yield f"{words} under {name}", _value(*value, *_about(model, results))


def _about(model, results):
    """Return the number of rows of an attack and the attack with its parameters."""
    attack = _without_constraints(" ".join(results["attack"].split()))
    return results.get("n_samples", model["clean"]["n_rows"]), attack


def _without_constraints(text):
    """Return the repr of an attack without its constraints, a number a column."""
    head, mark, tail = text.partition("constraints=Constraints(")
    if not mark:
        return text
    depth = 1
    for place, sign in enumerate(tail):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0:
            return f"{head}constraints=...{tail[place + 1 :]}"
    return f"{head}constraints=...)"


def _ratio(model, verdict):
    words = {"probability_shift": "probability", "prediction_shift": "prediction"}
    for name, results in (model["attacks"] or {}).items():
        for mode in (results or {}).get("modes", ()):
            if mode not in words:
                continue
            unit = " SD" if mode == "prediction_shift" else ""
            tolerances = np.asarray(results["tolerance"], dtype=np.float64)
            scale = results["target_std"] if unit else 1.0
            at = int(np.argmin(np.abs(tolerances - TOLERANCE * scale)))
            column = f"robust_ratio_{mode}"
            ends = (results[f"{column}_low"][at], results[f"{column}_high"][at])
            value = results[column][at], ends
            text = f"share of rows whose {words[mode]} moves by at most {TOLERANCE:g}"
            yield f"{text}{unit} under {name}", _value(*value, *_about(model, results))


def _certified(model, verdict):
    score = "robust_accuracy_lower"
    for name, results in (model["attacks"] or {}).items():
        if results and results.get(score) is not None:
            value = results[score], results.get(f"{score}_interval")
            n_rows, attack = _about(model, results)
            parts = results.get("certificate"), attack
            note = "; ".join(part for part in parts if part)
            yield f"certified accuracy, {name}", _value(*value, n_rows, note)


def _doubts(model, verdict):
    doubts = model["doubts"]
    if doubts is not None:
        codes = ", ".join(one["code"] for one in doubts["found"]) or None
        text = f"signs of overstated robustness under {doubts['attack']}"
        yield text, _value(len(doubts["found"]), None, doubts.get("n_checked"), codes)


def _needs(model, verdict):
    for need in verdict["needs"]:
        low, value = need["low"], None
        if need["status"] != "not measured":
            note = "no lower limit" if low is None else f"lower limit {number(low)}"
            value = _value(need["value"], note=f"{need['status']}; {note}")
        yield f"{need['words']}, at least {need['threshold']:g}", value


_READERS = {
    "clean": _clean,
    "metrics": _metrics,
    "conditions": _conditions,
    "stability": _stability,
    "worst": _worst,
    "weakness": _weakness,
    "groups": _groups,
    "periods": _periods,
    "attacks": _attacks,
    "ratio": _ratio,
    "certified": _certified,
    "doubts": _doubts,
    "needs": _needs,
}
