"""Proofs about linear models against enumeration of the corners of the ball."""

import numpy as np
import pytest
from ball_points import points
from problems import linear_problem
from scipy.special import logsumexp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from skrobust.attacks import ExactLinear
from skrobust.certificates.region import Region
from skrobust.certificates.softmax_extremes import least_lse, most_lse
from skrobust.evaluation import robust_accuracy_bounds, robust_ratio_bounds

NORMS = [np.inf, 2, 1]
_, X3, Y3 = linear_problem(40, 5, classes=3, seed=1)
LINEAR = [
    LogisticRegression(C=10, max_iter=2000),
    SGDClassifier(random_state=0),
    SGDClassifier(loss="log_loss", random_state=0),
    SGDClassifier(loss="modified_huber", random_state=0),
    LinearSVC(),
    RidgeClassifier(),
    Perceptron(),
    LinearDiscriminantAnalysis(),
    make_pipeline(MinMaxScaler(), StandardScaler(), LinearSVC()),
]


class Nudge:
    """An attack that is not trying."""

    def perturb(self, estimator, X, y):
        return X + 0.01


def name_of(model):
    return getattr(model, "loss", "") + type(model).__name__


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("box", [None, (0, 1)])
def test_the_greatest_rise_by_enumeration(norm, box):
    rng = np.random.default_rng(0)
    rows, w = rng.random((6, 4)), rng.normal(size=(6, 4))
    region = Region.of(rows, 0.3, norm, box)
    low, high = (-np.inf, np.inf) if box is None else box
    for i, rise in enumerate(region.rise(w)):
        tried = points(rows[i], 0.3, norm, rng, 20000, low, high)
        most = ((tried - rows[i]) @ w[i]).max()
        assert most <= rise + 1e-12
        if norm == np.inf or box is None:
            assert rise == pytest.approx(most, rel=0.05)
    alone = [Region.of(rows[[i]], 0.3, norm, box).rise(w[i])[0] for i in range(6)]
    np.testing.assert_allclose(region.rise(w), alone)


@pytest.mark.parametrize("model", LINEAR, ids=name_of)
@pytest.mark.parametrize("norm", NORMS)
def test_labels_of_three_classes_are_exact(model, norm):
    model.fit(X3, Y3)
    eps = 0.08 if norm == np.inf else 0.2
    ball = {"eps": eps, "norm": norm, "data_range": (0, 1)}
    r = robust_accuracy_bounds(model, X3, Y3, **ball)
    np.testing.assert_array_equal(r.per_sample.lower, r.per_sample.upper)
    norms = ExactLinear(**ball).minimal_norms(model, X3, Y3)
    np.testing.assert_array_equal(r.per_sample.lower, norms > eps)
    assert r.is_exact
    assert 0 < r.lower < r.clean_accuracy


@pytest.mark.parametrize("norm", [np.inf, 1])
@pytest.mark.parametrize(
    "model", [m for m in LINEAR if hasattr(m, "predict_proba")], ids=name_of
)
def test_probabilities_of_three_classes_enclose_every_corner(model, norm):
    model.fit(X3, Y3)
    rng = np.random.default_rng(0)
    ball = {"eps": 0.05, "norm": norm, "data_range": (0, 1)}
    r = robust_ratio_bounds(model, X3, Y3, Nudge(), **ball)
    p = model.predict_proba(X3)
    own = p.argmax(axis=1)
    for i in range(len(X3)):
        q = model.predict_proba(points(X3[i], 0.05, norm, rng, low=0, high=1))
        most = np.abs(q[:, own[i]] - p[i, own[i]]).max()
        assert most <= r.per_sample.certified[i] + 1e-9
        if name_of(model) == "LogisticRegression" and norm == np.inf:
            assert r.per_sample.certified[i] <= most + 0.01
    assert not r.certificate.startswith("trivial")
    assert r.per_sample.certified.min() < 0.9


@pytest.mark.parametrize("norm", NORMS)
def test_extremes_of_the_softmax_meet(norm):
    """Both ends of LSE: no point is beyond the bound, and one reaches it nearly."""
    rng = np.random.default_rng(0)
    rows = rng.random((5, 4))
    weights, offset = 2 * rng.normal(size=(4, 4)), rng.normal(size=4)
    region = Region.of(rows, 0.2, norm, (0, 1))
    scores = rows @ weights.T + offset
    wide = np.broadcast_to(weights, (5, 4, 4))
    bound, reached = most_lse(region, wide, scores)
    least, low = least_lse(region, wide, scores)
    assert (reached <= bound + 1e-12).all()
    assert (least <= low + 1e-12).all()
    np.testing.assert_allclose(reached, bound, atol=0.02)
    np.testing.assert_allclose(least, low, atol=1e-3)
    for i in range(5):
        tried = points(rows[i], 0.2, norm, rng, 3000, 0, 1) @ weights.T + offset
        lse = logsumexp(tried, axis=1)
        assert lse.max() <= bound[i] + 1e-12
        assert lse.min() >= least[i] - 1e-12
        if norm != 2:  # the greatest value of a convex function is at a corner
            assert reached[i] >= lse.max() - 1e-4


def test_more_cuts_tighten_the_bound():
    rng = np.random.default_rng(1)
    rows, weights = rng.random((4, 5)), rng.normal(size=(3, 5))
    region = Region.of(rows, 0.3, np.inf, None)
    wide, scores = np.broadcast_to(weights, (4, 3, 5)), rows @ weights.T
    bounds = [most_lse(region, wide, scores, n)[0] for n in (1, 20, 200)]
    assert (np.diff(bounds, axis=0) <= 1e-12).all()
    assert (bounds[0] - bounds[2]).max() > 0
