"""The table of coverage in the guide belongs to the script that makes it."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, binomtest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import coverage_cases

    # Another package of that name (pytest-cov) may be loaded.
    namespace = {"__name__": "coverage_script"}
    source = (ROOT / "benchmarks" / "coverage.py").read_text(encoding="utf-8")
    exec(compile(source, "coverage.py", "exec"), namespace)
    assert namespace["FAMILIES"] is coverage_cases.FAMILIES
    return namespace


def read_table():
    with (ROOT / "doc" / "coverage.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_table_has_every_family_and_cell(script):
    rows = read_table()
    assert tuple(rows[0]) == script["COLUMNS"]
    names = "family", "units", "clusters", "share", "correlation", "data"
    found = {tuple(row[name] for name in names) for row in rows}
    expected = set()
    for family, parts in script["FAMILIES"].items():
        for _, cells in parts:
            for cell in cells:
                (row,) = script["table_rows"](family, cell, {"any": (1, np.nan, 0)})
                expected.add(tuple(map(str, (row[0], *row[2:7]))))
    assert found == expected


def test_cells_below_the_lowest_are_marked(script):
    for row in read_table():
        coverage = float(re.search(r"\d\.\d+", row["coverage"])[0])
        warned = int(row["warned"].removesuffix(" %"))
        mark = ""
        if coverage < script["LOWEST"]:
            mark = "low" if warned < 50 else "warned"
        assert row["coverage"].strip("*")[5:].strip() == mark, row


def test_coverage_of_an_exact_interval_is_what_can_be_enumerated(script):
    from coverage_cases.shares import plain

    n, share = 20, 0.9
    limits = [binomtest(k, n).proportion_ci(method="wilson") for k in range(n + 1)]
    inside = [low <= share <= high for low, high in limits]
    expected = binom.pmf(np.arange(n + 1), n, share) @ inside
    found = script["one_cell"](plain, {"n": n, "share": share}, 300)
    assert found["share"][0] == pytest.approx(expected, abs=0.04)
    assert found["share"][2] == 0
    stored = [
        row
        for row in read_table()
        if (row["interval"], row["units"], row["share"]) == ("share", "20", "0.9")
    ]
    assert float(stored[0]["coverage"]) == pytest.approx(expected, abs=0.022)


def test_a_family_replaces_its_own_rows_alone(script, tmp_path):
    path = tmp_path / "coverage.csv"
    row = dict.fromkeys(script["COLUMNS"], "1").values()
    for family, value in [("weights", "a"), ("shares", "b"), ("weights", "c")]:
        script["write_rows"](path, family, [(family, value, *list(row)[2:])])
    with path.open(newline="", encoding="utf-8") as file:
        assert [r[:2] for r in csv.reader(file)][1:] == [
            ["shares", "b"],
            ["weights", "c"],
        ]
