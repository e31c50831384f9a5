"""The HTML page of a report."""

import math
import re

import numpy as np

from skrobust._optional import require
from skrobust.report.core._report_json import check_collected, plain_report, restored
from skrobust.report.core._summary import summary_rows
from skrobust.report.core.doubt_meanings import explained
from skrobust.report.core.heat_map import heat
from skrobust.report.core.model_ranking import DECISION_WORDS
from skrobust.report.core.number_text import compact, number
from skrobust.report.core.pictures import (
    draw_comparison,
    draw_curves,
    draw_pictures,
    told_apart,
)
from skrobust.report.core.summary_cells import (
    TOLERANCE,
    attack_names,
    ratio_at,
    summary_columns,
)
from skrobust.report.pages.page_files import page_file, policy_hash
from skrobust.report.pages.page_parts import MODE_WORDS, page_parts

_FEW = 3  # models whose details are open from the start
_SHOWN_TOLERANCES = (0.01, 0.05, 0.1, 0.2)
_PARTS = ("stability", "attacks", "curve", "gallery")
_PARTS += ("doubts", "groups", "times", "labelling")
_MODES = MODE_WORDS | {"given": f"{MODE_WORDS['given']} (upper bound)"}


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
    check_collected(collected, "build_report")
    jinja2 = require("jinja2", "build_report", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("skrobust.report", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, compact=compact)
    environment.globals |= {"heat": heat, "decision_words": DECISION_WORDS}
    environment.tests["finite"] = lambda v: v is not None and math.isfinite(v)
    # The same numbers as in the JSON twin, so that the twin makes the same page.
    collected = restored(plain_report(collected))
    slugs = _slugs(model["name"] for model in collected["models"])
    models = [
        {
            **model,
            "slug": slug,
            "pictures": draw_pictures(model),
            "attack_rows": _attack_rows(model),
        }
        for model, slug in zip(collected["models"], slugs, strict=True)
    ]
    rows = summary_rows(collected)
    evidence = collected.get("evidence")
    style, script = page_file("report.css"), page_file("report.js")
    style += page_file("evidence.css") if evidence else ""
    comparisons = [
        {**one, "picture": len(one["pairs"]) > 1 and draw_comparison(one)}
        for one in collected.get("comparisons", ())
    ]
    has = {p: any(_present(model.get(p)) for model in models) for p in _PARTS}
    page = environment.get_template("report.html").render(
        {
            **collected,
            **page_parts(collected, models),
            "evidence": evidence,
            "record": collected.get("record"),
            "comparisons": comparisons,
            "models": models,
            "columns_of_summary": summary_columns(collected, rows),
            "attack_names": attack_names(collected),
            "curves": draw_curves(models),
            "doubts": explained(models),
            "summary": rows,
            "tolerance": TOLERANCE,
            "tolerances": _SHOWN_TOLERANCES,
            "mode_names": _MODES,
            "few": len(models) <= _FEW,
            "style": style,
            "script": script,
            "hashes": {"style": policy_hash(style), "script": policy_hash(script)},
            "has": has,
        }
    )
    return page.rstrip("\n") + "\n"


def _slugs(names):
    """Return an anchor for each name: the same over runs, and no two alike."""
    plain = (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") for name in names)
    return told_apart((slug or "model" for slug in plain), "-x")


def _present(part):
    if isinstance(part, dict) and "score" not in part:
        return any(value is not None for value in part.values())
    return part is not None


def _attack_rows(model):
    """Return one row for each attack and mode, with the cells that are shown."""
    rows = []
    for attack, results in model["attacks"].items():
        for mode in (results or {}).get("modes", ()):
            row = {"attack": attack, "mode": mode}
            places = np.array(_SHOWN_TOLERANCES) * results.get("target_std", 1.0)
            row["cells"] = [ratio_at(results, mode, t) for t in places]
            row["temperature"] = results.get("temperature")
            row["tempered"] = row["temperature"] is not None and [
                ratio_at(results, mode, t, "_tempered") for t in places
            ]
            rows.append(row)
    return rows
