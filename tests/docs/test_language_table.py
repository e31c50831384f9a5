"""The tables of text in twelve languages belong to the script that makes them."""

import csv
import importlib
from pathlib import Path

import numpy as np
import pytest
from language_texts import LACKS, TEXTS

from skrobust._text_units import clusters
from skrobust.perturbations import CaseChange, Truncation, text

ROOT = Path(__file__).parents[2]
KINDS = [type(condition.steps[0]).__name__ for condition in text([5])[1:]]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("text_languages")


def read(name):
    with (ROOT / "doc" / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_table_has_every_kind_in_every_language():
    rows = read("languages.csv")
    pairs = [(row["language"], row["kind"]) for row in rows]
    assert pairs == [(language, kind) for language in TEXTS for kind in KINDS]
    for row in rows:
        lack = LACKS.get(row["kind"], {}).get(row["language"], "")
        assert row["note"] == lack
        assert (float(row["documents 5"]) == 0) == bool(lack)
        shares = [float(row[f"documents {s}"]) for s in range(1, 6)]
        assert np.all(np.diff(shares) > -2.5)  # two edits may undo each other
        cell = next(r for r in read("languages_at_5.csv") if r[""] == row["language"])
        documents = f"{float(row['documents 5']):.0f}"
        assert cell[row["kind"]].split(" ")[0] == ("none" if lack else documents)


def test_cells_without_chance_are_what_the_script_finds(script):
    for row in read("languages.csv"):
        kinds = {"Truncation": Truncation(5), "CaseChange": CaseChange(5)}
        if row["kind"] in kinds:
            found = script.measure(kinds[row["kind"]], TEXTS[row["language"]], 1)[-1]
            wanted = float(row["documents 5"]), float(row["characters 5"])
            assert np.round(100 * found, 1) == pytest.approx(wanted, abs=0.06)


def test_edit_distance(script):
    for a, b, wanted in [("", "abc", 3), ("kitten", "sitting", 3), ("abc", "", 3)]:
        assert script.edit_distance(list(a), list(b)) == wanted
    assert script.edit_distance(clusters("กำไร"), clusters("กำร")) == 1
