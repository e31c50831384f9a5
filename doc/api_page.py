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


def tables_of(family):
    """Return the names of a family by title; perturbations by what they take."""
    module = importlib.import_module(f"skrobust.{family}")
    names = public_names()
    left = [name for name in module.__all__ if names[name] == family]
    if family != "perturbations":
        return {"": left}
    tables = {}
    for kind in ("Image", "Table", "Series", "Text"):
        base = getattr(module, f"{kind}Perturbation")
        things = [(name, getattr(module, name)) for name in left]
        classes = [(name, thing) for name, thing in things if inspect.isclass(thing)]
        tables[kind] = [name for name, thing in classes if issubclass(thing, base)]
        left = [name for name in left if name not in tables[kind]]
    return {"Where they act, and lists of conditions": left, **tables}


def api_page():
    """Return the text of the page: a table of names for each family."""
    lines = ["API", "===", ""]
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
