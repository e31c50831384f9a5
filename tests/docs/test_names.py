"""What is public is found in the documentation, and what that names is public."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import skrobust

DOC = Path(__file__).parents[2] / "doc"
PAGES = [*DOC.glob("*.rst"), *(DOC / "guide").glob("*.rst")]
MADE = ("api", "changes")  # by the build
GUIDE = {p.name: p.read_text(encoding="utf-8") for p in PAGES if p.stem not in MADE}
WORDS = set(re.findall(r"\w+", "\n".join(GUIDE.values())))
# families of which a guide page names every member; the API page has all
TOLD = ["attacks", "certificates", "datasets", "evaluation", "metrics", "nets",
        "perturbations", "plots", "sampling", "testing", "wrappers"]  # fmt: skip


def families():
    for module in pkgutil.iter_modules(skrobust.__path__):
        if module.ispkg and not module.name.startswith("_") and module.name != "cli":
            yield module.name


def test_the_api_page_has_every_family():
    tree = ast.parse((DOC / "api_page.py").read_text(encoding="utf-8"))
    listed = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "FAMILIES"
    ]
    assert sorted(listed[0]) == sorted(families())


@pytest.mark.parametrize("family", TOLD)
def test_every_public_name_is_in_the_guide(family):
    module = importlib.import_module(f"skrobust.{family}")
    missing = {"EvaluationWarning", "Results"}  # what functions return
    assert [n for n in module.__all__ if n not in WORDS | missing] == []


@pytest.mark.parametrize("page", sorted(GUIDE))
def test_what_a_page_imports_is_public(page):
    wrong = []
    for family, names in re.findall(
        r"from skrobust\.(\w+) import ([\w, ]+)", GUIDE[page]
    ):
        public = importlib.import_module(f"skrobust.{family}").__all__
        wrong += [n for n in re.split(r"\W+", names) if n and n not in public]
    assert wrong == []
