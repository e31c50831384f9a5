"""Seven scripts, one for each kind of user: from a model to a decision in six lines."""

import ast
import runpy

import pytest
from doc_blocks import ROOT, blocks
from user_scripts import DECISION, SCRIPTS, body, decision

for needed in ("pandas", "PIL"):
    pytest.importorskip(needed)

# How the last line begins that each prints.
DECISIONS = {
    "boosting": "deploy",
    "csv_with_mixed_columns": "repair: ",
    "endpoint": "repair",
    "image_folder": "avoid: ",
    "regression": "watch: ",
    "text": "correct the spelling: ",
    "torch_module": "deploy",
}


def test_there_is_one_for_each_kind_of_user():
    assert {path.stem for path in SCRIPTS} == set(DECISIONS)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_at_most_six_lines_from_the_model_to_a_decision(path):
    lines = [line for line in decision(path).splitlines() if line.strip()]
    assert 3 <= len(lines) <= 6
    assert max(map(len, path.read_text().splitlines())) <= 88
    assert path.read_text().count(DECISION) == 1
    ast.parse(decision(path))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_the_readme_shows_the_script(path):
    shown = [block.strip() for block in blocks("README.md")]
    assert body(path).strip() in shown


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_script(path, tmp_path, monkeypatch, capsys):
    if path.stem == "torch_module":
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    assert capsys.readouterr().out.splitlines()[-1].startswith(DECISIONS[path.stem])


def test_each_script_has_its_page_without_the_docstring():
    pages = [page.read_text() for page in (ROOT / "doc/tasks").glob("*.rst")]
    for path in SCRIPTS:
        include = f".. literalinclude:: ../../examples/users/{path.name}\n"
        (page,) = [page for page in pages if include in page]
        assert "   :lines: 3-\n" in page.split(include)[1]
        assert body(path) == "".join(path.read_text().splitlines(keepends=True)[2:])
