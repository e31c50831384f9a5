"""The tables of figures in two guides belong to the script that makes them."""

import csv
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import guide_figures

    return guide_figures


def table(name):
    with (ROOT / "doc" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("name", "cases"), [("losses", "LOSSES"), ("models_people_pools", "PEOPLE")]
)
def test_the_table_has_the_figures_of_every_case(script, name, cases):
    expected = [
        (case["world"], figure)
        for case in getattr(script, cases)
        for figure in case["one"](0, **case.get("settings", {}))
    ]
    rows = table(name)
    assert [(row["world"], row["figure"]) for row in rows] == expected
    for row in rows:
        if "coverage" in row["figure"] and row["figure"].endswith(
            ("default", "mean loss")
        ):
            assert float(row["value"]) >= 0.95 - 4 * float(row["error"]), row
        assert int(row["runs"]) >= 500


def test_gates_are_exact(script):
    rows = table("gates")
    assert [(float(r["threshold"]), float(r["margin"])) for r in rows] == [
        (threshold, margin) for threshold, margin, _ in script.GATES
    ]
    found = script.gate_row(*script.GATES[2])
    assert {k: str(v) for k, v in found.items()} == rows[2]


def test_drift_has_a_line_for_each_change_and_few_false_alarms(script):
    rows = table("drift")
    changes = [(float(r["before"]), float(r["after"])) for r in rows]
    assert changes == [(before, after) for before, after, _ in script.DRIFTS]
    for row in rows:
        for name in ("baseline", "parts of 100", "neither"):
            assert float(row[f"{name}, false"]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 250)


def test_summaries_have_known_errors(script):
    rng = np.random.default_rng(0)
    value, error = script.share(np.arange(400) < 380)
    assert (value, error) == (0.95, pytest.approx(np.sqrt(0.95 * 0.05 / 400), rel=0.05))
    assert script.share(np.ones(400))[1] > 0
    value, error = script.mean(np.array([1.0, 2.0, 3.0]))
    assert (value, error) == (2, pytest.approx(1 / np.sqrt(3)))
    pairs = rng.normal(size=(4000, 2)) * [1, 2]
    value, error = script.ratio(pairs)
    assert value == pytest.approx(0.5, abs=4 * error)
    # Of independent normal errors: 1/n for each logarithm of a mean square, halved.
    assert error == pytest.approx(0.5 / np.sqrt(4000), rel=0.15)
