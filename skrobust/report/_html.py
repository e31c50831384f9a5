"""The page: collected data poured into the template."""

import math

import numpy as np

from skrobust._optional import require
from skrobust.report._pictures import draw_pictures
from skrobust.report._summary import COLUMNS, TOLERANCE, ratio_at, summary_rows

_SHOWN_TOLERANCES = (0.01, 0.05, 0.1, 0.2)
_MODES = {
    "loss": "loss, run in full",
    "probability_shift": "probability shift",
    "given": "as given (upper bound)",
}


def number(value, digits=3):
    """Return a number as text; what is not finite is "undefined".

    Parameters
    ----------
    value : float or None
        The number.
    digits : int, default=3
        After the point, for fractions; integers keep theirs.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> number(0.98765), number(float("nan")), number(1797), number(float("inf"))
    ('0.988', 'undefined', '1797', 'undefined')
    """
    if value is None or not math.isfinite(value):
        return "undefined"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return f"{value + 0.0:.{digits}f}"


def compact(value):
    """Return a setting as short text: 16, not 16.0."""
    if isinstance(value, (int, float, np.number)):
        return f"{value:g}" if math.isfinite(value) else str(value)
    return str(value)


def build_report(collected):
    """Return the report as the text of one HTML page.

    Parameters
    ----------
    collected : dict
        From :func:`collect_report`.

    Returns
    -------
    str
        The page; it needs no other file and no network.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrobust.report import build_report, collect_report
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNeighborsClassifier().fit(X[::2], y[::2])
    >>> collected = collect_report({"near & far": model}, X[1::2], y[1::2])
    >>> "near &amp; far" in build_report(collected)
    True
    """
    jinja2 = require("jinja2", "build_report", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("skrobust.report", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, compact=compact)
    environment.tests["finite"] = lambda v: v is not None and math.isfinite(v)
    models = [
        {**model, "pictures": draw_pictures(model), "attack_rows": _attack_rows(model)}
        for model in collected["models"]
    ]
    return environment.get_template("report.html").render(
        {
            **collected,
            "models": models,
            "columns_of_summary": COLUMNS,
            "summary": summary_rows(collected),
            "tolerance": TOLERANCE,
            "tolerances": _SHOWN_TOLERANCES,
            "mode_names": _MODES,
            "has": {
                part: any(_present(model[part]) for model in models)
                for part in ("stability", "attacks", "labelling")
            },
        }
    )


def _present(part):
    if isinstance(part, dict) and "score" not in part:
        return any(value is not None for value in part.values())
    return part is not None


def _attack_rows(model):
    """Return one row for each attack and mode, with the cells that are shown."""
    rows = []
    for attack, results in model["attacks"].items():
        for mode in (results or {}).get("modes", ()):
            rows.append(
                {
                    "attack": attack,
                    "mode": mode,
                    "cells": [ratio_at(results, mode, t) for t in _SHOWN_TOLERANCES],
                    "tempered": [
                        ratio_at(results, mode, t, "_tempered")
                        for t in _SHOWN_TOLERANCES
                    ],
                    "temperature": results["temperature"],
                }
            )
    return rows
