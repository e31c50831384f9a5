"""HTML page of the deepfake study."""

import math
from importlib import resources

from skrobust import __version__
from skrobust._optional import require
from skrobust.report.core.number_text import compact, number
from skrobust.report.pages.charts import line_chart
from skrobust.report.pages.page_files import page_file, policy_hash

_SHOWN = (1, 5, 10, 20)  # hundredths
ATTACK_NAMES = {
    "CarliniWagner": "Carlini-Wagner",
    "ProbabilityShift": "probability shift",
}


def study_page(results):
    """Return the results of a study as the text of one HTML page.

    Parameters
    ----------
    results : dict
        From :func:`skrobust.studies.deepfake_study`, as the JSON file has them.

    Returns
    -------
    str
        The page; it needs no other file and no network.
    """
    jinja2 = require("jinja2", "deepfake_study", extra="report")
    folders = ("skrobust.studies", "skrobust.report")
    loaders = [jinja2.PackageLoader(folder, "") for folder in folders]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, compact=compact, budget=budget_text)
    environment.filters["attack"] = lambda name: ATTACK_NAMES.get(name, name)
    environment.tests["finite"] = lambda v: v is not None and math.isfinite(v)
    environment.globals |= {"decision_words": {}, "shown": _SHOWN}
    own = resources.files("skrobust.studies") / "study.css"
    style = page_file("report.css") + own.read_text(encoding="utf-8")
    page = environment.get_template("study.html").render(
        {
            **results,
            "charts": {unit: _curves(results, unit) for unit in ("images", "clips")},
            "style": style,
            "style_hash": policy_hash(style),
            "version": __version__,
        }
    )
    return page.rstrip("\n") + "\n"


def budget_text(cell):
    """Return the budget of an attack as text."""
    if cell["norm"] == "inf":
        return f"L\N{INFINITY} {cell['eps'] * 255:.3g}/255"
    return f"L2 {cell['eps']:g}"


def _curves(results, unit):
    """Return charts of the robust ratio, one for each attack and budget."""
    panels = {}
    for cell in results["cells"]:
        name = ATTACK_NAMES.get(cell["attack"], cell["attack"])
        title = f"{name}, {budget_text(cell)}"
        line = {"name": cell["detector"], "x": results["tolerances"]}
        line["y"] = [math.nan if v is None else v for v in cell[unit]["ratio"]]
        panels.setdefault(title, []).append(line)
    panels = [{"title": title, "lines": lines} for title, lines in panels.items()]
    label = f"Robust ratio of {unit} over the tolerance"
    return line_chart(panels, label, axis="tolerance", low=0.0)
