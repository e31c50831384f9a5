"""Sphinx configuration; the API page is made from ``__all__``."""

import re
import sys
from importlib.resources import files
from pathlib import Path

import skrobust

sys.path.insert(0, str(Path(__file__).parent))
from api_page import api_page, public_names
from attack_table import attack_table
from axioms_table import axioms_table
from device_kinds import device_kinds
from evidence_table import evidence_table
from printed_thumbs import write_thumbs
from sample_report import write_sample_report

project = "skrobust"
copyright = "2026, the skrobust developers"
version = release = skrobust.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r".*\.py$",  # every example runs, also those without a picture
    "within_subsection_order": "ExampleTitleSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # that page would ask other servers for scripts
    "plot_gallery": not tags.has("no_gallery"),  # noqa: F821  (Sphinx gives it)
    # the names in the code of an example lead to the API, and back
    "reference_url": {"skrobust": None},
    "doc_module": ("skrobust",),
    "backreferences_dir": "gallery/backreferences",
    "min_reported_time": 10,
    "default_thumb_file": str(Path(__file__).parent / "images" / "printed.png"),
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
autosummary_generate = True
templates_path = ["templates"]
# a class page shows all methods of ours; those of these classes are described elsewhere
OTHERS = (
    "BaseEstimator, TransformerMixin, ClassifierMixin, RegressorMixin, OutlierMixin,"
    " MetaEstimatorMixin, Module, Callback, NeuralNet, Exception, tuple, dict, Mapping"
)
autosummary_context = {"others": OTHERS}
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_score_request, set_predict_request, "
    "set_transform_request, set_output, get_metadata_routing",
}
doctest_test_doctest_blocks = ""  # those of docstrings run in the tests
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
exclude_patterns = ["_build", "gallery/backreferences"]
html_theme = "pydata_sphinx_theme"
html_title = "skrobust"
# MathJax comes with the site, in one file, so that formulas need no network
html_static_path = ["static", str(files("mathjax") / "static/mathjax/es5/tex-svg.js")]
mathjax_path = "tex-svg.js"
html_css_files = ["narrow.css"]
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False
# pages without children would show an empty bar
BARE = ("quick_start", "comparison", "migration", "glossary", "citing", "changes")
html_sidebars = {page: [] for page in BARE}

NAMES = public_names()


def link_names(app, docname, source):
    """Let a public name that a page of words writes as code lead to its API page."""
    if docname.startswith(("api", "gallery")):
        return

    def link(match):
        family = NAMES.get(match[1])
        code = f"{match[1]}{match[2]}"
        target = f"skrobust.{family}.{match[1]}"
        return f":py:obj:`{code} <{target}>`" if family else match[0]

    source[0] = re.sub(r"``(\w+)((?:\([^`<>]*\))?)``", link, source[0])


def setup(app):
    app.connect("source-read", link_names)
    app.connect("builder-inited", write_thumbs, priority=900)  # after the gallery
    app.connect("build-finished", write_sample_report)


def write_changes_page():
    """Write changes.rst: CHANGELOG.md with the marks of reStructuredText."""
    here, lines = Path(__file__).parent, []
    text = (here.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)
    text = re.sub(r"\[([^]]+)\]\(([^)]+)\)", r"`\1 <\2>`__", text)
    for line in text.splitlines():
        level, _, title = line.partition(" ")
        mark = {"#": "=", "##": "-", "###": "~"}.get(level)
        lines += [title, mark * len(title), ""] if mark else [line]
    (here / "changes.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")


Path(__file__).with_name("api.rst").write_text(api_page(), encoding="utf-8")
Path(__file__).with_name("axioms.inc").write_text(axioms_table(), encoding="utf-8")
Path(__file__).with_name("attack_table.inc").write_text(
    attack_table(), encoding="utf-8"
)
Path(__file__).with_name("evidence.inc").write_text(evidence_table(), encoding="utf-8")
Path(__file__).with_name("device_kinds.inc").write_text(
    device_kinds(), encoding="utf-8"
)
write_changes_page()
