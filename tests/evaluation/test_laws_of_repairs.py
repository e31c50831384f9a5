"""What holds for repairs of drawn rows, whichever candidate wins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_cases import fewer, seeds
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skrobust.evaluation import suggest_repairs
from skrobust.perturbations import FeatureNoise

NOISE = [FeatureNoise(severity=4, random_state=0)]
CANDIDATES = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1)}


def drawn_rows(seed, n=80):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    return y[:, None] + rng.normal(size=(n, 2)), y


def repairs(X, y, seed=0, **settings):
    settings = {"candidates": CANDIDATES, "random_state": seed, **settings}
    return suggest_repairs(LogisticRegression(), X, y, NOISE, **settings)


def numbers(results, *without):
    """Return the columns of numbers of a result, but for what a clock says."""
    named = ((name, results[name]) for name in results.columns)
    return {
        name: column
        for name, column in named
        if column.dtype.kind == "f" and name not in ("fit_seconds", *without)
    }


@fewer
@given(seed=seeds, place=st.integers(0, 79))
def test_no_row_that_reports_has_a_part_in_the_choice(seed, place):
    X, y = drawn_rows(seed)
    X_train, y_train = drawn_rows(seed + 1)
    fit = {"X_train": X_train, "y_train": y_train, "clusters": np.arange(len(y))}
    other = y.copy()
    other[place] = 1 - other[place]
    found, changed = repairs(X, y, seed, **fit), repairs(X, other, seed, **fit)
    step = np.abs(changed.clean - found.clean) * found.n_report
    if np.any(step):
        np.testing.assert_allclose(step, 1)
        np.testing.assert_array_equal(changed.selection_score, found.selection_score)
        assert changed.chosen == found.chosen
    else:  # the row chooses
        first, second = (numbers(r, "selection_score") for r in (found, changed))
        same = found.name == changed.name
        assert same[0]
        for name in first:
            np.testing.assert_array_equal(first[name][same], second[name][same])


@fewer
@given(seed=seeds, names=st.permutations(["no", "yes"]))
def test_names_of_classes_change_no_number(seed, names):
    X, y = drawn_rows(seed)
    found, named = repairs(X, y, seed), repairs(X, np.array(sorted(names))[y], seed)
    assert found.chosen == named.chosen
    assert found.helps == named.helps
    for name, column in numbers(found).items():
        np.testing.assert_array_equal(column, named[name])


@fewer
@given(seed=seeds)
def test_limits_lie_around_scores_and_the_winner_is_among_them(seed):
    found = repairs(*drawn_rows(seed), seed)
    for name in ("clean", "robust", "difference", "clean_difference"):
        low, high = found[f"{name}_low"], found[f"{name}_high"]
        known = ~np.isnan(low)  # a difference that no row shows has no limits
        assert known[1:].all() or "difference" in name
        assert (low <= found[name])[known].all()
        assert (found[name] <= high)[known].all()
    assert found.best in {found.chosen, "original"}
    assert found.helps == (found.best != "original")
    rows = found.name == (found.chosen or "original")
    if found.chosen:
        assert found.selection_score[rows] == found.selection_score.max()
        assert found.selection_score[rows] > found.selection_score[0]
        assert found.helps == (
            found.difference[rows][0] > 0
            and found.p_value[rows][0] <= 1 - found.confidence
        )
    gained = found.robust - found.robust[0]
    np.testing.assert_allclose(found.difference[1:], gained[1:], atol=1e-12)
