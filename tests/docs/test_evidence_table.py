"""The table of the guide that says which clause each figure speaks to."""

import sys
from pathlib import Path

import pytest

from skrobust.report.evidence.evidence_clauses import FIGURES, FRAMEWORKS

DOC = Path(__file__).parents[2] / "doc"


@pytest.fixture(scope="module")
def text():
    sys.path.insert(0, str(DOC))
    try:
        from evidence_table import evidence_table

        return evidence_table()
    finally:
        sys.path.remove(str(DOC))


def test_table_has_a_row_for_each_clause_and_names_each_figure(text):
    clauses = [c for framework in FRAMEWORKS.values() for c in framework.clauses]
    assert text.count("   * - **") == len(clauses)
    for clause in clauses:
        assert f"**{clause.reference}**: {clause.subject}" in text
    assert text.count("     - not measured") == sum(not c.figures for c in clauses)
    for words in FIGURES.values():
        assert words in text
    for name, framework in FRAMEWORKS.items():
        assert f'``evidence="{name}"``: {framework.title}.' in text


def test_table_is_read_without_a_complaint(text):
    core = pytest.importorskip("docutils.core")
    settings = {"report_level": 2, "halt_level": 2}  # warnings stop it
    found = core.publish_doctree(text, settings_overrides=settings)
    tables = [node for node in found.children if node.tagname == "table"]
    assert len(tables) == len(FRAMEWORKS)


def test_guide_holds_the_table_and_says_what_it_is_not():
    guide = (DOC / "guide" / "report.rst").read_text(encoding="utf-8")
    assert ".. include:: /evidence.inc" in guide
    assert "It is no legal advice" in guide
