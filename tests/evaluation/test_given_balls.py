"""Balls of attacks that are given: ranges that do not hold the rows, and units."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import PGD
from skrobust.evaluation import (
    make_bounds_scorer,
    robust_accuracy_bounds,
    robust_ratio_bounds,
)
from skrobust.evaluation.attacked.attacks_in_ball import shared_ball
from skrobust.evaluation.core.model_checks import check_input

VALUES = np.random.default_rng(0).random((20, 3))


@pytest.mark.parametrize("place", [(0, 0), (19, 2)])
@pytest.mark.parametrize("value", [-0.01, 1.01])
def test_one_value_outside_of_the_range_is_told(place, value):
    values = VALUES.copy()
    values[place] = value
    with pytest.raises(ValueError, match="found input outside data_range"):
        shared_ball([PGD(0.1)], values, None, None, (0, 1), "here")
    ball = shared_ball([PGD(0.1, norm=2)], VALUES, None, None, (0, 1), "here")
    assert ball == {"eps": 0.1, "norm": 2, "data_range": (0, 1)}


@pytest.mark.parametrize(
    "data_range",
    [(1, 0), (0, np.inf), (0,), "all", ([0, 0], [1, 1]), (0, "a"), (np.nan, 1)],
)
def test_ranges_that_are_none(data_range):
    with pytest.raises(ValueError, match="'data_range' parameter of here"):
        shared_ball([PGD(0.1)], VALUES, None, None, data_range, "here")


@pytest.mark.parametrize("norm", [3, "l2", [2]])
def test_norms_that_are_none(norm):
    with pytest.raises(ValueError, match="'norm' parameter of here"):
        shared_ball([PGD(0.1)], VALUES, None, norm, None, "here")
    found = shared_ball([PGD(0.1)], VALUES, 0.3, 0, None, "here")
    assert found == {"eps": 0.3, "norm": 0, "data_range": None}


def test_a_feature_of_one_value_has_a_range_of_no_width():
    values = np.c_[VALUES, np.full(20, 0.7)]
    low, high = np.array([0, 0, 0, 0.7]), np.array([1, 1, 1, 0.7])
    ball = shared_ball([PGD(0.1)], values, None, None, (low, high), "here")
    assert ball["data_range"] == (low, high)
    model = LogisticRegression(C=100).fit(values, values[:, 0] > 0.5)
    y = model.predict(values)
    found = robust_accuracy_bounds(model, values, y, eps=0.1, data_range=(low, high))
    assert found.lower == found.upper
    assert found.upper > robust_accuracy_bounds(model, values, y, eps=1).upper


@pytest.mark.parametrize("box", [(0, 1), None])
def test_scorers_take_the_box_that_is_given_and_else_that_of_the_attack(box):
    # Rows on the rim of the box: with it they stand, and without it they fall.
    rows = np.repeat([[0.0], [1.0]], 10, axis=0)
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = np.array([0, 1]), 1
    model.coef_, model.intercept_ = np.array([[100.0]]), np.array([5.0])  # at -0.05
    y = model.predict(rows)
    attack = PGD(0.1, data_range=(0, 1), random_state=0)
    given = make_bounds_scorer(attacks=attack, eps=0.1, data_range=box)
    assert given(model, rows, y) == (1.0 if box else 0.5)
    of_attack = make_bounds_scorer(attacks=attack, eps=0.1)
    assert of_attack(model, rows, y) == 1.0
    listed = make_bounds_scorer(attacks=[attack], eps=0.1)
    assert listed(model, rows, y) == 1.0
    alone = make_bounds_scorer(eps=0.1)
    assert alone(model, rows, y) == 0.5


def test_rows_without_any_spread_say_nothing_of_a_range():
    assert not list(check_input(np.full((20, 2), 0.5), None, np.inf, (0, 255)))


class Tenth(ClassifierMixin, BaseEstimator):
    """Says 0.8 for the rows of zeros and 0.7 for all others."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        p = np.where(np.any(X, axis=1), 0.7, 0.8)
        return np.array([p, 1 - p]).T

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class Raise:
    def perturb(self, estimator, X, y):
        return np.asarray(X) + 0.05


def test_a_shift_of_exactly_a_tolerance_lies_within():
    rows = np.zeros((20, 2))
    ball = {"eps": 0.1, "norm": np.inf, "data_range": None}
    assert 0.8 - 0.7 > 0.1  # in double precision
    tolerances = [0.0999, 0.1, 0.2]
    found = robust_ratio_bounds(
        Tenth(), rows, np.zeros(20, int), Raise(), tolerances=tolerances, **ball
    )
    assert found.upper.tolist() == [0.0, 1.0, 1.0]
    twice = [Raise(), Raise()]
    again = robust_ratio_bounds(
        Tenth(), rows, np.zeros(20, int), twice, tolerances=tolerances, **ball
    )
    assert again.upper.tolist() == [0.0, 1.0, 1.0]


def test_a_wrong_reference_is_told_before_an_attack_runs():
    class Never:
        def perturb(self, estimator, X, y):
            raise AssertionError("it ran")

    rows, y = np.zeros((20, 2)), np.zeros(20, int)
    ball = {"eps": 0.1, "norm": np.inf, "data_range": None}
    with pytest.raises(ValueError, match="'reference' parameter of robust_ratio_b"):
        robust_ratio_bounds(Tenth(), rows, y, Never(), reference="best", **ball)
