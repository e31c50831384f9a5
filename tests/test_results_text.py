"""``print(results)``: a sentence, numbers with their intervals, and a table."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import PGD
from skrobust.evaluation import (
    Results,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_bounds,
    robust_accuracy_curve,
)
from skrobust.metrics import compare_models
from skrobust.metrics.intervals.interval import Interval
from skrobust.perturbations import FeatureNoise

X, Y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=500).fit(X[::2], Y[::2])
TEST = X[1::2], Y[1::2]


def test_an_interval_stands_beside_its_number_and_not_again():
    interval = Interval(0.5, 0.25, 0.75, method="wilson", n_units=4, confidence=0.95)
    text = str(Results(columns=(), share=0.5, share_interval=interval, n=4))
    assert text.splitlines() == ["Results", "  share  0.5 [0.25, 0.75]", "  n      4"]


@pytest.mark.parametrize("n", [1, 12, 13, 500])
def test_a_long_table_shows_its_first_and_last_rows(n):
    text = str(Results(columns=("place",), place=np.arange(n)))
    shown = [int(line) for line in text.splitlines() if line.strip().isdigit()]
    expected = list(range(n)) if n <= 12 else [*range(6), *range(n - 6, n)]
    assert shown == expected
    assert (f"{n - 12} more rows" in text) == (n > 12)


def test_every_column_is_shown_or_named_and_lines_fit_a_terminal():
    columns = {f"column_with_a_name_{i}": np.ones(3) for i in range(9)}
    text = str(Results(columns=tuple(columns), **columns, long="x" * 300))
    assert all(name in text for name in columns)
    lines = [line for line in text.splitlines() if not line.startswith("also")]
    assert max(map(len, lines)) <= 88


def test_the_sentence_of_each_evaluation_has_its_numbers():
    noise = [FeatureNoise(s, random_state=0) for s in (1, 5)]
    r = evaluate_perturbations(MODEL, *TEST, noise, X_ref=X[::2])
    first = str(r).splitlines()[0]
    assert f"{r.clean_score:.3f} on clean rows" in first
    assert f"{r.mean:.3f} on average over 2 conditions" in first
    assert first.endswith(f"under the worst, {r.worst_condition}.")

    r = evaluate_attack(MODEL, *TEST, PGD(0.5, random_state=0))
    first = str(r).splitlines()[0]
    assert f"from {r.clean_accuracy:.3f} to {r.robust_accuracy:.3f} [" in first
    lowest = r.robust_accuracy_interval.low
    is_above = lowest > r.constant_model_accuracy
    assert ("not above" in first) != is_above

    r = robust_accuracy_curve(MODEL, *TEST, PGD(random_state=0), [0.1, 0.5])
    assert f"to {r.robust_accuracy[-1]:.3f} under attack" in str(r)

    r = robust_accuracy_bounds(MODEL, *TEST, eps=0.5)
    assert r.lower == r.upper  # a linear model
    assert str(r).startswith(f"The robust accuracy is {r.lower:.3f}, certified and")


def test_verdicts_of_pairs_are_a_column_and_no_sentence():
    y = np.arange(40) % 2
    models = {"a": y, "b": 1 - y, "c": np.zeros(40, dtype=int)}
    results = compare_models(
        models, y_true=y, margin=0.05, n_resamples=100, random_state=0
    )
    assert "verdict" in results.columns
    assert repr(results).splitlines()[0] == type(results).__name__
