"""The table of flip rates in the guide belongs to the script that makes it."""

import csv
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.svm import SVC

ROOT = Path(__file__).parents[2]


def test_the_table_has_the_figures_of_the_script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import flip_rates

    with (ROOT / "doc" / "flips.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    sequences = flip_rates.sequences()
    assert [row[0] for row in rows[::2]] == list(sequences)
    assert [row[1] for row in rows] == ["SVC", "random forest"] * len(sequences)
    X, y = load_digits(return_X_y=True)
    svc, name = SVC().fit(X[:900], y[:900]), "rotation, -15 to 15 degrees"
    found = flip_rates.figures(sequences[name], svc, X[900:], y[900:])
    assert rows[2][:2] == [name, "SVC"]
    for value, printed in zip(found, rows[2][2:], strict=True):
        assert value == printed
    # What the page says of the forest.
    ratios = [
        float(b[2]) / float(a[2]) for a, b in zip(rows[::2], rows[1::2], strict=True)
    ]
    assert (round(min(ratios), 1), round(max(ratios), 1)) == (1.5, 5.7)
