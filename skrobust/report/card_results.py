"""Results of a model card: robustness figures in the terms of Hugging Face."""

import re

import numpy as np

from skrobust.report.core.model_verdict import verdicts_of
from skrobust.report.core.number_text import compact
from skrobust.report.evidence.evidence_figures import list_figures

# Kinds of figures of a card, by the part of the results that they stand in.
PARTS = {
    "clean": ("clean", "metrics"),
    "perturbed": ("conditions", "stability", "worst"),
    "attacked": ("attacks", "ratio", "certified"),
    "groups": ("groups",),
    "periods": ("periods",),
}
PART_WORDS = {
    "clean": "Clean rows",
    "perturbed": "Under perturbation",
    "attacked": "Under attack",
    "groups": "By group",
    "periods": "Over time",
}
_METRICS = {"accuracy": "accuracy", "R2": "r_squared"}  # as the Hub names them


def card_figures(collected, model):
    """Return the figures of one model by part: lists of dict, as in the evidence."""
    verdicts = verdicts_of(collected)
    known = {**collected, "models": [model], "verdicts": verdicts}
    rows = [
        {"kind": figure["kind"], "figure": figure["figure"], **value}
        for figure in list_figures(known)
        for value in figure["values"]
        if value["model"] == model["name"]
    ]
    found = {
        part: [row for row in rows if row["kind"] in kinds]
        for part, kinds in PARTS.items()
    }
    return {part: rows for part, rows in found.items() if rows}


def task_of(collected, model):
    """Return the task of a model as Hugging Face names it."""
    settings = collected["settings"]
    kind = "regression" if model["kind"] == "regressor" else "classification"
    if settings.get("sides") and kind == "classification":
        return "image-classification"
    if settings.get("n_features") is None:
        return f"text-{kind}" if kind == "classification" else "other"
    return "other" if settings.get("sides") else f"tabular-{kind}"


def model_index(collected, model, figures):
    """Return the ``model-index`` of a model card.

    Parameters
    ----------
    collected : dict
        From :func:`~skrobust.report.collect_report`.
    model : dict
        One of its models.
    figures : dict
        From :func:`card_figures`.

    Returns
    -------
    list of dict
        One model with one result for each part; undefined numbers are left out.
    """
    task = task_of(collected, model)
    results = []
    for part, rows in figures.items():
        metrics = [_metric(row, model) for row in rows if row["value"] is not None]
        if metrics:
            dataset = _dataset(collected["settings"], part)
            results.append({"task": {"type": task}, "dataset": dataset})
            results[-1]["metrics"] = metrics
    return [{"name": model["name"], "results": results}]


def _dataset(settings, part):
    name = settings.get("dataset") or "unnamed data set"
    words = PART_WORDS[part].lower()
    args = {"rows": settings["n_rows"]}
    if part == "perturbed":
        args["conditions"] = str(settings.get("conditions"))
    if part == "attacked" and settings.get("eps") is not None:
        norm = "inf" if settings["norm"] == np.inf else compact(settings["norm"])
        args |= {"eps": settings["eps"], "norm": norm}
    return {
        "type": re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "unnamed",
        "name": name if part == "clean" else f"{name}, {words}",
        "config": part,
        "split": "test",
        "args": args,
    }


def _metric(row, model):
    kind = model["clean"]["metric"]
    type_of = _METRICS.get(kind, kind) if row["kind"] == "clean" else None
    args = {"interval_95": row["interval"], "rows": row["n_rows"], "note": row["note"]}
    args = {name: value for name, value in args.items() if value is not None}
    slug = re.sub(r"[^a-z0-9]+", "_", row["figure"].lower()).strip("_")
    found = {"type": type_of or slug, "value": row["value"], "name": row["figure"]}
    return found | ({"args": args} if args else {})
