"""Summary of a report: one row per model."""

from skrobust.base.attack_by_name import AUTO
from skrobust.report.core._report_json import check_collected
from skrobust.report.core.summary_cells import (
    TOLERANCE,
    attack_names,
    cell,
    headline,
    ratio_at,
)
from skrobust.report.core.undefined_numbers import is_known, reason_of


def summary_rows(collected):
    """Return the summary of a collected report.

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
    >>> row["name"], row["clean"]["value"] > 0.9, row["auto"]
    ('neighbours', True, None)
    """
    check_collected(collected, "summary_rows", ("models",))
    names, chosen = attack_names(collected), headline(collected)
    rows = [_row(model, names, chosen) for model in collected["models"]]
    for row in rows:
        for key, found in row.items():
            if isinstance(found, dict) and not is_known(found["value"]):
                reason = reason_of(collected, row["name"], key)
                found["note"] = reason or found["note"]
    return rows


def _row(model, names, chosen):
    clean, attacks = model["clean"], model["attacks"]
    metrics = (model.get("metrics") or {}).items()
    row = {
        "name": model["name"],
        "kind": model["kind"],
        **{name: found and _metric(found) for name, found in metrics},
        "clean": cell(clean["value"], clean["interval"], note=clean["metric"]),
        "normalized": model["normalized"] and cell(model["normalized"]["score"]),
        "worst": model["stability"] and _worst(model["stability"]),
        "asi": model["stability"] and _stability(model["stability"], clean["metric"]),
        "ratio": None,
        "estimate": _estimate(model["labelling"]),
    }
    score = "robust_accuracy" if model["kind"] == "classifier" else "robust_r2"
    for name in dict.fromkeys([*names, AUTO]):
        results = attacks.get(name)
        known = results and score in results
        row[name] = (
            cell(results[score], results[f"{score}_interval"]) if known else None
        )
    results, mode = attacks.get(chosen), "probability_shift"
    if results and "prediction_shift" in results.get("modes", ()):
        tolerance = TOLERANCE * results["target_std"]
        row["ratio"] = ratio_at(results, "prediction_shift", tolerance)
    if results and mode in results.get("modes", ()):
        scaled = ratio_at(results, mode, TOLERANCE, "_tempered")["value"]
        ratio = ratio_at(results, mode, TOLERANCE)
        beside = (scaled, "after temperature scaling")
        row["ratio"] = cell(ratio["value"], ratio["interval"], beside)
    return row


def _metric(found):
    return cell(found["value"], found["interval"], note=found["interval_note"])


def _worst(results):
    worst = results["worst"]
    return cell(worst["score"], worst["interval"], note=str(worst["name"]))


def _stability(results, metric):
    notes = [results.get("interval_note")]
    if results.get("preset") not in (None, "asi68"):
        notes.append(f"{len(results['score'])} conditions")
    elif results["smoke_figure"]:
        notes.append("indicative only")
    note = "; ".join(text for text in notes if text) or None
    beside = results["mean"], f"mean {metric}"
    value = results["accuracy_stability_index"]
    return cell(value, results.get("interval"), beside, note)


def _estimate(labelling):
    for name in ("DeepEST", "simple random"):
        found = labelling.get(name)
        if found:
            caveat = "; see its notes" if found["warnings"] else ""
            note = f"{found['n_labels']} labels, {name}{caveat}"
            beside = (found["n_failures"], "failures found")
            return cell(found["accuracy"], found["interval"], beside, note)
    return None
