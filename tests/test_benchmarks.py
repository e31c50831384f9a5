"""Benchmarks run at tiny sizes, and their ratios are those of the times; no clocks."""

import csv
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(FOLDER))

import paired  # noqa: E402


def run(*arguments):
    command = [sys.executable, FOLDER / arguments[0], *arguments[1:]]
    return subprocess.run(command, capture_output=True, text=True)


def a_case(sides):
    seconds = iter([0.0, 2.0, 10.0, 16.0, 20.0, 21.0, 30.0, 36.0])
    return paired.Case(
        "area", "what", "rows", 8, sides, {"other": "coarser"}, lambda: next(seconds)
    )


def test_ratios_are_medians_of_pairs():
    # Ours takes 2 and 1 seconds, the other 6 and 6: ratios of 3 and 6.
    called = []
    sides = {"ours": lambda: called.append(1), "other": lambda: called.append(2)}
    rows = paired.rows_of(a_case(sides), 2)
    assert rows == [
        ["area", "what", "rows", "5.333", "other", "1.333", "4.50", "coarser"]
    ]
    assert called == [1, 2, 1, 2, 1, 2]  # the first time warms up


def test_a_side_that_fails_is_left_out_unless_it_is_ours(capsys):
    def broken():
        raise ValueError("too old")

    rows = paired.rows_of(a_case({"ours": list, "other": broken}), 2)
    assert rows[0][4:] == ["", "", "", ""]
    assert "left out: other (ValueError: too old)" in capsys.readouterr().out
    with pytest.raises(ValueError, match="too old"):
        paired.rows_of(a_case({"ours": broken, "other": list}), 2)


@pytest.mark.slow
def test_the_short_form_runs(tmp_path):
    stem = tmp_path / "b"
    areas = ("surprise", "sampling", "overhead")
    done = run("bench.py", *areas, "--short", "--write", str(stem))
    assert done.returncode == 0, done.stderr
    assert "Measured on" in (tmp_path / "b.inc").read_text()
    for area in areas:
        with open(f"{stem}-{area}.csv", newline="") as file:
            header, *rows = csv.reader(file)
        assert header == list(paired.COLUMNS)
        assert rows
        for row in rows:
            assert float(row[3]) > 0
            assert not row[4] or float(row[6]) > 0


@pytest.mark.slow
def test_the_short_form_of_perturbations_runs():
    done = run("bench.py", "perturbations", "--short")
    assert done.returncode == 0, done.stderr
    assert "GaussianNoise, 224 pixels" in done.stdout


@pytest.mark.slow
def test_growth_at_tiny_sizes():
    growth = importlib.import_module("growth")
    rows = growth.table(True, ["detect_drift"])
    assert [row[2] for row in rows] == [20, 200]
    assert rows[0][5] == ""
    assert float(rows[1][5]) < 5
    for path, (_, _, build) in growth.PATHS.items():
        build(400)()  # in this process, which has imported everything
        assert path


def test_an_unknown_area_is_named():
    done = run("bench.py", "speed")
    assert done.returncode == 2
    assert "there is no area 'speed'" in done.stderr
