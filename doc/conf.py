"""Sphinx configuration; the API page is made from ``__all__``."""

import importlib
import inspect
from pathlib import Path

import skrobust

project = "skrobust"
copyright = "2026, the skrobust developers"
version = release = skrobust.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
autosummary_generate = True
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_score_request",
}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_title = "skrobust"
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False

FAMILIES = [
    "metrics",
    "perturbations",
    "attacks",
    "sampling",
    "nets",
    "datasets",
    "evaluation",
    "plots",
    "report",
    "testing",
    "base",
]


def write_api_page():
    """Write api.rst: one table a family, its names from ``__all__``.

    What two families name is listed in the first of them.
    """
    lines, listed = ["API", "===", ""], set()
    for family in FAMILIES:
        module = importlib.import_module(f"skrobust.{family}")
        title = f"skrobust.{family}"
        lines += [title, "-" * len(title), "", inspect.getdoc(module), ""]
        lines += [".. autosummary::", "   :toctree: api", ""]
        names = [n for n in module.__all__ if id(getattr(module, n)) not in listed]
        listed |= {id(getattr(module, name)) for name in names}
        lines += [f"   skrobust.{family}.{name}" for name in names]
        lines += [""]
    Path(__file__).with_name("api.rst").write_text("\n".join(lines))


write_api_page()
