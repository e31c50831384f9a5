"""The API page: the public names of each family, read from ``__all__``."""

import importlib
import inspect

FAMILIES = [
    "metrics",
    "perturbations",
    "attacks",
    "sampling",
    "wrappers",
    "nets",
    "datasets",
    "certificates",
    "evaluation",
    "plots",
    "report",
    "studies",
    "testing",
    "base",
]


def public_names():
    """Return the family of each public name: the first of those that have it."""
    names = {}
    for family in FAMILIES:
        for name in importlib.import_module(f"skrobust.{family}").__all__:
            names.setdefault(name, family)
    return names


# Titles of the folders of a family; what is in none of them has the first title.
FOLDERS = {
    "metrics": {
        "robust": "Robust accuracy, robust ratio, distortion, flips",
        "stability": "Stability over conditions and over time",
        "normalized": "Scores that take account of the data set",
        "intervals": "Intervals",
        "comparison": "Comparisons, thresholds, sample sizes",
        "groups": "Groups and clips",
        "streaming": "Metrics over batches",
        "scorers": "Scorers for cross-validation and searches",
        "axioms": "Laws of metrics",
    },
    "perturbations": {
        "": "Lists of conditions",
        "images": "Images",
        "tables": "Tables",
        "time_series": "Time series",
        "texts": "Text",
        "videos": "Videos",
        "meta": "Perturbations of other perturbations, and wrappers of models",
    },
    "sampling": {
        "": "Samplers, and simulation",
        "gates": "Is an accuracy reached?",
        "annotators": "Imperfect answers, judges and experts",
        "living": "Rows that arrive, and accuracies that change",
        "surprise": "Surprise of activations",
        "core": "Base class, plans and results",
    },
}
BASES = {
    "GradientAttack": "With gradients, within a radius",
    "MinimalNormAttack": "With gradients, the smallest change",
    "BlackBoxAttack": "With queries alone",
    "object": "Exact, combined and for words; constraints",
}


def tables_of(family):
    """Return the names of a family by topic: its folders, or the bases of attacks."""
    module = importlib.import_module(f"skrobust.{family}")
    names = public_names()
    own = [name for name in module.__all__ if names[name] == family]
    if family == "attacks":
        return _by_base(module, own)
    titles = FOLDERS.get(family, {"": ""})
    tables = {title: [] for title in titles.values()}
    for name in own:
        folders = getattr(module, name).__module__.split(".")[2:-1]
        tables[titles.get(".".join(folders), titles.get("", ""))].append(name)
    return tables


def _by_base(module, names):
    """Return attacks by their base classes."""
    tables = {title: [] for title in BASES.values()}
    for name in names:
        thing = getattr(module, name)
        bases = {c.__name__ for c in thing.__mro__} if inspect.isclass(thing) else ()
        title = next((BASES[base] for base in BASES if base in bases), BASES["object"])
        tables[title].append(name)
    return tables


def overview():
    """Return a table of the families: a link, and the first line of each."""
    lines = [".. list-table::", "   :widths: 30 70", ""]
    for family in FAMILIES:
        line = inspect.getdoc(importlib.import_module(f"skrobust.{family}"))
        first = line.splitlines()[0]
        lines += [f"   * - :ref:`skrobust.{family} <api-{family}>`", f"     - {first}"]
    return [*lines, ""]


def api_page():
    """Return the text of the page: an overview, and tables of each family by topic."""
    lines = ["API", "===", "", *overview()]
    for family in FAMILIES:
        module = importlib.import_module(f"skrobust.{family}")
        title = f"skrobust.{family}"
        lines += [f".. _api-{family}:", "", title, "-" * len(title), ""]
        lines += [inspect.getdoc(module), ""]
        for kind, names in tables_of(family).items():
            lines += [f".. rubric:: {kind}", ""] if kind else []
            lines += [".. autosummary::", "   :toctree: api", "   :nosignatures:", ""]
            lines += [f"   ~skrobust.{family}.{name}" for name in names]
            lines += [""]
    return "\n".join(lines)
