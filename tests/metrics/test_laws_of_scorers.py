"""A scorer is its metric of the predictions, and axioms see no unit of a metric."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import any_rows, fewer, seeds
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score

from skrobust.metrics import (
    accuracy_stability_index,
    get_scorer,
    make_asi_scorer,
    make_normalized_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
    metric_axioms,
    normalized_accuracy_score,
    period_stability_index,
    robust_accuracy_score,
    robust_ratio_score,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*constant prediction")


class Lines(ClassifierMixin, BaseEstimator):
    """A linear model of given coefficients."""

    def __init__(self, coefficients):
        self.coefficients = coefficients
        self.classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, X):
        share = 1 / (1 + np.exp(-(X @ self.coefficients)))
        return np.column_stack([1 - share, share])

    def predict(self, X):
        return (X @ self.coefficients > 0).astype(int)


class Moved:
    """A perturbation that adds the same to each row."""

    def __init__(self, change):
        self.change = change

    def perturb(self, estimator, X, y=None):
        return X + self.change


def problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    model = Lines(rng.normal(size=3))
    y = np.where(rng.random(40) < 0.3, rng.integers(0, 2, 40), model.predict(X))
    y[:2] = [0, 1]
    return rng, model, X, y, rng.normal(0, 0.5, 3)


@fewer
@given(seeds, st.floats(0, 0.5))
def test_robust_scorers_are_metrics_of_moved_rows(seed, tolerance):
    rng, model, X, y, change = problem(seed)
    noise, moved = Moved(change), X + change
    with any_rows():
        expected = {
            "robust_accuracy": robust_accuracy_score(y, model.predict(moved)),
            "robust_ratio": robust_ratio_score(
                model.predict_proba(X), model.predict_proba(moved), tolerance=tolerance
            ),
        }
        for name, value in expected.items():
            more = {"tolerance": tolerance} if name == "robust_ratio" else {}
            scorer = make_robust_scorer(noise, name, **more)
            named = get_scorer(name, perturbation=noise, **more)
            order = rng.permutation(40)
            for one in (scorer, named):
                assert one(model, X, y) == pytest.approx(value)
                assert one(model, X[order], y[order]) == pytest.approx(value)
        own = make_robust_scorer(noise, accuracy_score)
        assert own(model, X, y) == accuracy_score(y, model.predict(moved))


@fewer
@given(seeds)
def test_index_and_normalized_scorers_are_their_metrics(seed):
    rng, model, X, y, change = problem(seed)
    conditions = [Moved(change * k) for k in (1, 2, 3)]
    accuracies = [accuracy_score(y, model.predict(X + change * k)) for k in (1, 2, 3)]
    index = accuracy_stability_index(accuracies)
    assert make_asi_scorer(conditions)(model, X, y) == pytest.approx(index)
    backwards = make_asi_scorer(conditions[::-1])
    assert backwards(model, X, y) == pytest.approx(index)
    size = {"n_samples": 400, "n_features": 3}
    expected = normalized_accuracy_score(y, model.predict(X), **size)
    scorer = make_normalized_scorer("accuracy", n_samples=400)
    assert scorer(model, X, y) == pytest.approx(expected)
    order = rng.permutation(40)
    assert scorer(model, X[order], y[order]) == pytest.approx(expected)


@fewer
@given(seeds, st.integers(2, 6))
def test_scorers_over_time_are_indices_of_periods(seed, n_periods):
    rng, model, X, y, _ = problem(seed)
    week = np.sort(rng.integers(0, n_periods, 40))
    week[[0, -1]] = [0, n_periods - 1]
    scorer = make_stability_index_scorer(falling_rate_weight=5)
    found = scorer(model, X, y, times=week)
    expected = period_stability_index(y, model.predict(X), week, falling_rate_weight=5)
    assert found == pytest.approx(expected)
    order = rng.permutation(40)
    assert scorer(model, X[order], y[order], times=week[order]) == pytest.approx(found)
    # Without times the rows stand in their order, in periods of equal size.
    equal = make_stability_index_scorer(n_periods)(model, X, y)
    parts = np.repeat(np.arange(n_periods), 40 // n_periods)
    if len(parts) == 40:
        assert equal == pytest.approx(
            period_stability_index(y, model.predict(X), parts)
        )


@fewer
@given(st.integers(0, 10**6), st.sampled_from([0.25, 4.0]), st.integers(-3, 3))
def test_axioms_do_not_see_the_unit_of_a_metric(seed, times, more):
    def plain_score(y_true, y_pred):
        return float(np.mean(y_true == y_pred) - (y_pred == 1).mean() ** 2)

    def other_score(y_true, y_pred):
        return times * plain_score(y_true, y_pred) + more

    def other_loss(y_true, y_pred):
        return -other_score(y_true, y_pred)

    options = {"n_trials": 3, "random_state": seed, "n_samples": 20}
    plain = metric_axioms(plain_score, **options)
    for function in (other_score, other_loss):
        found = metric_axioms(function, **options)
        assert found.holds.tolist() == plain.holds.tolist()
        assert found.axiom.tolist() == plain.axiom.tolist()
    # What one trial breaks, more trials that begin with it break as well.
    more_trials = metric_axioms(plain_score, **{**options, "n_trials": 6})
    assert not ((plain.holds == "no") & (more_trials.holds == "yes")).any()
