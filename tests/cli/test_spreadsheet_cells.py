"""Lists for people hold no formulas, and are read back as they were."""

import csv

import pytest

for needed in ("click", "pandas", "skops", "jinja2", "matplotlib"):
    pytest.importorskip(needed)
import pandas  # noqa: E402
from cli_runner import run  # noqa: E402

from skrobust.cli.labelling.spreadsheet_cells import from_cell, to_cell  # noqa: E402

TEXTS = [
    "",
    "x",
    "'x",
    "''",
    "=1+1",
    "'=1",
    "''=1",
    "-a",
    "@a",
    "\ta",
    "\ra",
    "+a",
    "\n=1",
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff20a",
    "-inf",
    "+nan",
    "-1_0",
    "-1 ",
    "-1+1",
    "-\u0661",
    "-1",
]
FORMULAS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_text_comes_back_and_begins_like_no_formula(text):
    cell = to_cell(text)
    assert from_cell(cell) == text
    assert text == "-1" or not cell.startswith(FORMULAS)


def test_distinct_texts_have_distinct_cells():
    assert len({to_cell(text) for text in TEXTS}) == len(TEXTS)


@pytest.mark.parametrize(
    "number", ["-1", "+1", "-0.5", "-.5", "-1.", "-1e5", "+2.5E-3", -2.5, 3]
)
def test_numbers_stay(number):
    assert to_cell(number) is number


def test_copies_for_models_keep_their_text_and_say_so(tmp_path):
    table = pandas.DataFrame({"note": ["=1+1", "b"], "x": [-0.5, 1.0], "z": [1.0, 2.0]})
    for name, frame in (("evil", table), ("good", table.assign(note="-1"))):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        words = ("--perturbation", "FeatureNoise", "--severity", 2, "--target", "x")
        out = tmp_path / name
        code, text, err = run("perturb", tmp_path / f"{name}.csv", *words, "--out", out)
        assert code == 0, err
        assert ("formulas" in text) == (name == "evil")
        copies = list(out.rglob("*.csv"))
        assert [list(pandas.read_csv(c).x) for c in copies] == [[-0.5, 1.0]]


def test_a_list_to_label_has_no_formula_and_its_items_are_found_again(tmp_path):
    evil = ["=HYPERLINK(1)", "+cmd", "-cmd", "@SUM(1)", "plain", "'=quoted"]
    said = ["=a", "b", "=a", "b", "=a", "b"]
    source, path = tmp_path / "pool.csv", tmp_path / "list.csv"
    table = {"note": evil, "said": said, "doubt": [0.5] * 6, "x": [-1.0] * 6}
    pandas.DataFrame(table).to_csv(source, index=False)
    words = ("sample", source, "--state", tmp_path / "s.json")
    begin = ("--sampler", "simple", "--predicted", "said", "-n", 6)
    shown = ("--item", "note", "--show", "note,x", "--to-label", path)
    code, _, err = run(*words, *begin, *shown)
    assert code == 0, err
    with path.open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    for row in listed:
        original = evil[int(row["id"])]
        assert from_cell(row["item"]) == from_cell(row["note"]) == original
        assert row["x"] == "-1.0"
        assert not any(
            row[k].startswith(FORMULAS) for k in ("item", "note", "predicted")
        )
        row["answer"] = row["predicted"]  # copied as it stands
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(listed[0]))
        writer.writeheader()
        writer.writerows(listed)
    code, text, err = run(*words, "--answers", path)
    assert code == 0, err
    assert "6 of 6" in text
    assert "Failures found: 0" in text
