"""Curves over radii: what one example proves, and what a weak attack leaves."""

import numpy as np
import pytest
from problems import linear_problem
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import PGD
from skrobust.base import BaseAttack
from skrobust.evaluation import boundary_steps, robust_accuracy_curve
from skrobust.metrics import simultaneous_intervals

GRID = np.linspace(0.02, 0.4, 20)


class Above(ClassifierMixin, BaseEstimator):
    """Whether the only feature lies above a half."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0.5).astype(int)

    def predict_proba(self, X):
        p = np.clip(np.asarray(X)[:, 0], 0, 1)
        return np.array([1 - p, p]).T


class LuckyFar(BaseAttack):
    """Finds the nearest example where the radius is large, and else nothing."""

    def __init__(self, eps=0.1, norm=np.inf, data_range=None, objective=None,
                 random_state=None):  # fmt: skip
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.objective, self.random_state = objective, random_state

    def _attack(self, estimator, X, y, key):
        over = np.where(X > 0.5, 0.5, 0.5 + 1e-9)
        return over if self.eps >= 0.3 else X


def test_an_example_proves_all_radii_from_its_distance_on():
    X = np.array([[0.45], [0.585], [0.71], [0.51], [0.15]])
    y = (X[:, 0] > 0.5).astype(int)
    curve = robust_accuracy_curve(Above(), X, y, LuckyFar(), GRID)
    distance = np.abs(X[:, 0] - 0.5)
    expected = GRID[np.searchsorted(GRID, distance - 1e-8)]
    assert curve.radius == pytest.approx(expected)
    assert curve.distance == pytest.approx(distance, abs=1e-8)
    robust = (distance[None] > GRID[:, None] + 1e-8).mean(axis=1)
    assert curve.robust_accuracy == pytest.approx(robust)
    assert curve.clean_accuracy == 1  # also where rows fall at the first radius
    wrong = robust_accuracy_curve(Above(), X, 1 - y, LuckyFar(), GRID)
    assert wrong.clean_accuracy == 0


def test_a_weak_attack_is_tightened_at_each_radius():
    # AutoPGD finds what a single short step does not, at the first radii as well.
    model, X, y = linear_problem(150)
    sign = np.where(y == 1, 1, -1)
    margin = sign * model.decision_function(X) / np.abs(model.coef_).sum()
    weak = PGD(n_steps=1, step_size=1e-6, random_start=False, finish=None)
    exact = (margin[None] > GRID[:, None]).mean(axis=1)
    loose = robust_accuracy_curve(model, X, y, weak, GRID, tighten=False)
    assert loose.robust_accuracy[0] > exact[0]
    tight = robust_accuracy_curve(model, X, y, weak, GRID)
    assert np.allclose(tight.robust_accuracy, exact)


def test_a_thousand_steps_cross_half_of_the_range():
    # 1,000 steps of 0.0005: what lies 0.4998 from the boundary is reached by the last.
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = np.array([0, 1]), 1
    model.coef_, model.intercept_ = np.array([[1.0]]), np.array([-0.5])
    found = boundary_steps(model, [[0.0002], [0.2502], [0.6]], [0, 0, 0])
    assert found.steps.tolist() == [1000, 500, 0]


@pytest.mark.parametrize("n", [1, 2, 8, 60, 150])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_bands_of_a_curve_hold_for_all_radii_at_once(n, confidence):
    model, X, y = linear_problem(150)
    attack = PGD(n_steps=3, random_state=0)
    how = {"tighten": False, "confidence": confidence}
    found = robust_accuracy_curve(model, X[:n], y[:n], attack, GRID[::4], **how)
    standing = found.radius > GRID[::4, None]
    assert found.robust_accuracy == pytest.approx(standing.mean(axis=1))
    limits = [
        binomtest(int(k), n).proportion_ci(confidence, method="wilson")
        for k in standing.sum(axis=1)
    ]
    low, high = np.array(limits).T
    assert found.robust_accuracy_low == pytest.approx(low)
    assert found.robust_accuracy_high == pytest.approx(high)
    band_low, band_high = (
        found.robust_accuracy_band_low,
        found.robust_accuracy_band_high,
    )
    if n == 1:  # no deviation to learn from
        assert band_low.tolist() == found.robust_accuracy_low.tolist()
        assert band_high.tolist() == found.robust_accuracy_high.tolist()
        return
    wanted = simultaneous_intervals(standing.T, confidence=confidence)
    assert band_low == pytest.approx(wanted.band_low)
    assert band_high == pytest.approx(wanted.band_high)
    assert (band_low <= low).all()
    assert (band_high >= high).all()
    if n >= 60:
        inner = (standing.mean(axis=1) > 0) & (standing.mean(axis=1) < 1)
        assert inner.sum() >= 2
        assert ((band_high - band_low) > 1.01 * (high - low))[inner].all()
