"""Scores by perturbation and model: the numbers of the heat map and the curves."""

import re

import numpy as np

from skrobust.report.core.severity_table import severity_table

_LEVELS = re.compile(r"[-+]?\d+(?:\.\d+)?")


def heat_map(models):
    """Return the mean and the lowest score by perturbation and model.

    Parameters
    ----------
    models : list of dict
        The ``models`` of a collected report.

    Returns
    -------
    dict or None
        ``names`` of the models and ``rows``, the most harmful first: each with
        ``name`` and ``cells``, one for each model: None, or a dict with ``mean``,
        ``lowest``, ``shade`` (0 to 5, the share of the clean score that is lost on
        average) and ``below``, whether the lowest score is below the constant model.
    """
    known = [model for model in models if model["stability"] is not None]
    if not known:
        return None
    by_model = [_families(model["stability"]) for model in known]
    names = dict.fromkeys(name for found in by_model for name in found)
    rows = []
    for name in names:
        cells = [
            _cell(found.get(name), model)
            for found, model in zip(by_model, known, strict=True)
        ]
        rows.append({"name": name, "cells": cells})
    rows.sort(key=lambda row: np.mean([c["mean"] for c in row["cells"] if c] or [1]))
    return {"names": [model["name"] for model in known], "rows": rows}


def heat(score, clean):
    """Return how much of the clean score is lost, from 0 (little) to 5 (all)."""
    if clean is None or not clean > 0:
        return 0
    return int(np.clip(np.ceil(5 * (1 - score / clean) - 0.05), 0, 5))


def _families(results):
    """Return the scores of the conditions of each perturbation, by its name."""
    table = severity_table(results)
    if table is not None:
        return {
            row["name"]: [s for s in row["scores"] if np.isfinite(s)]
            for row in table["rows"]
        }
    found, severity = {}, np.asarray(results["severity"], dtype=np.float64)
    names = [str(name) for name in results["name"]]
    for name, score, level in zip(names, results["score"], severity, strict=True):
        if level == 0 or not np.isfinite(score):
            continue
        steps = [s for s in _LEVELS.sub(" ", name).split() if s]
        steps = ["RO" if step in ("RR", "RL") else step for step in steps]
        found.setdefault(" then ".join(steps) or name, []).append(float(score))
    return found


def _cell(scores, model):
    if not scores:
        return None
    clean, constant = model["stability"]["clean"], model["clean"]["constant_model"]
    mean, lowest = float(np.mean(scores)), float(np.min(scores))
    return {
        "mean": mean,
        "lowest": lowest,
        "shade": heat(mean, clean),
        "below": bool(round(lowest, 2) < round(constant, 2)),
    }


def severity_lines(models, most=6):
    """Return the scores over the severity, one panel a perturbation, a line a model.

    Parameters
    ----------
    models : list of dict
        The ``models`` of a collected report.
    most : int, default=6
        Panels, the most harmful perturbations first.

    Returns
    -------
    list of dict
        ``title`` and ``lines``, each with ``name``, ``x`` and ``y``.
    """
    panels, harm = {}, {}
    for model in models:
        table = severity_table(model["stability"])
        if table is None or len(table["severities"]) < 2:
            continue
        for row in table["rows"]:
            x = [0.0, *table["severities"]]
            y = [model["stability"]["clean"], *row["scores"]]
            line = {"name": model["name"], "x": x, "y": y}
            panels.setdefault(row["name"], []).append(line)
            harm.setdefault(row["name"], []).append(row["mean"])
    order = sorted(panels, key=lambda name: np.mean(harm[name]))[:most]
    return [{"title": name, "lines": panels[name]} for name in order]


def is_additive(results):
    """Return whether the two factors of a grid act independently of each other.

    Where they do, the loss under both is the sum of the losses under each; a
    difference of more than twice its standard error says that they do not.
    """
    names = [str(name) for name in results["name"]]
    score = dict(zip(names, np.asarray(results["score"], dtype=float), strict=True))
    clean = results["clean"]
    n = results["n_samples"]
    for name, value in score.items():
        parts = re.findall(r"[A-Z]+[-+]?\d+(?:\.\d+)?", name)
        if len(parts) != 2 or any(_level(part) == 0 for part in parts):
            continue
        alone = [_alone(score, part) for part in parts]
        if None in alone:
            continue
        gap = value - (sum(alone) - clean)
        error = np.sqrt(sum(s * (1 - s) / n for s in (value, *alone, clean)))
        if abs(gap) > 2 * error + 1e-12:
            return False
    return True


def _level(part):
    return float(_LEVELS.search(part).group())


def _alone(score, part):
    """Return the score under one factor alone: paired with a level of 0."""
    for name, value in score.items():
        parts = re.findall(r"[A-Z]+[-+]?\d+(?:\.\d+)?", name)
        if len(parts) == 2 and part in parts:
            (other,) = [p for p in parts if p != part] or [part]
            if _level(other) == 0:
                return value
    return None
