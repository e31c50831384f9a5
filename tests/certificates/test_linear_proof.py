"""Proofs about linear models against enumeration of the corners of the ball."""

import numpy as np
import pytest
from ball_points import points
from problems import linear_problem
from scipy.special import expit, logsumexp
from sklearn.datasets import load_iris, load_wine
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
from skrobust.certificates.linear_proof import LinearProof
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


CLASSIFIERS = [
    LogisticRegression(max_iter=2000),
    SGDClassifier(random_state=0),
    LinearSVC(),
    RidgeClassifier(),
    LinearDiscriminantAnalysis(),
]


def raw_weights(pipeline):
    """Return the weights of the classes by the raw input of a scaler and a model."""
    return pipeline[-1].coef_ / pipeline[0].scale_


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=name_of)
def test_labels_of_real_data_have_the_closed_form(classifier, load, norm):
    """The least margin over the dual norm of the difference of weights."""
    rows, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), classifier).fit(rows, y)
    scores, weights = model.decision_function(rows), raw_weights(model)
    apart = weights[y][:, None] - weights
    dual = np.linalg.norm(apart, {np.inf: 1, 2: 2, 1: np.inf}[norm], axis=2)
    margins = np.take_along_axis(scores, y[:, None], axis=1) - scores
    is_own = np.arange(3) == y[:, None]
    distance = np.where(is_own, np.inf, margins / np.where(is_own, 1, dual)).min(axis=1)
    ordered = np.unique(distance[distance > 0])
    for share in (0.2, 0.7):
        place = int(share * len(ordered))
        eps = ordered[place : place + 2].mean()
        r = robust_accuracy_bounds(model, rows, y, eps=eps, norm=norm)
        np.testing.assert_array_equal(r.per_sample.lower, distance > eps)
        np.testing.assert_array_equal(r.per_sample.upper, distance > eps)
        assert r.lower == r.upper == np.mean(distance > eps)


@pytest.mark.parametrize(
    "classifier",
    [*CLASSIFIERS[::4], SGDClassifier(loss="log_loss", random_state=0)],
    ids=name_of,
)
@pytest.mark.parametrize("norm", [np.inf, 2])
def test_certified_true_and_attacked_ratios_in_the_plane(classifier, norm):
    rows, y = load_iris(return_X_y=True)
    rows, y = rows[::5, 2:], y[::5]
    model = make_pipeline(StandardScaler(), classifier).fit(rows, y)
    eps, tolerances = 0.25, [0.02, 0.05, 0.1, 0.2, 0.4]
    line = np.linspace(-1, 1, 81)
    square = np.stack(np.meshgrid(line, line), axis=-1)
    steps = eps * square
    if norm == 2:  # the square onto the disc: its edge is covered, too
        size = np.maximum(np.linalg.norm(square, axis=2), 1e-300)
        steps = steps * (np.abs(square).max(axis=2) / size)[..., None]
    p = model.predict_proba(rows)
    own = p.argmax(axis=1)
    r = robust_ratio_bounds(
        model, rows, y, eps=eps, norm=norm, tolerances=tolerances, random_state=0
    )
    most, between = np.empty(len(rows)), np.empty(len(rows))
    for i, row in enumerate(rows):
        q = model.predict_proba((row + steps).reshape(-1, 2))[:, own[i]]
        q = q.reshape(81, 81)
        most[i] = np.abs(q - p[i, own[i]]).max()
        between[i] = max(np.abs(np.diff(q, axis=a)).max() for a in (0, 1))
    assert (most <= r.per_sample.certified + 1e-9).all()
    assert (r.per_sample.found <= most + between + 1e-9).all()
    truth = np.array([np.mean(most <= t + 1e-6) for t in tolerances])
    nearly = np.array([np.mean(most + between <= t) for t in tolerances])
    assert (r.lower <= truth).all()
    assert (nearly <= r.upper).all()
    assert ((truth > 0) & (truth < 1)).any()
    if name_of(classifier) != "log_lossSGDClassifier":
        np.testing.assert_allclose(r.per_sample.certified, most, atol=0.01)


@pytest.mark.slow
def test_probabilities_of_classes_that_move_together_are_certified():
    """Each score at its worst by itself proves less than the scores together."""
    rows, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, y)
    rows, y = rows[::2], y[::2]
    ball = {"eps": 0.3, "norm": np.inf, "tolerances": [0.1], "random_state": 0}
    r = robust_ratio_bounds(model, rows, y, **ball)
    assert r.lower == r.upper
    weights, scores = raw_weights(model), model.decision_function(rows)
    own = scores.argmax(axis=1)
    others = (own[:, None] + [1, 2]) % 3
    gap = np.take_along_axis(scores, others, 1) - scores[np.arange(len(own)), own, None]
    reach = 0.3 * np.abs(weights[own][:, None] - weights[others]).sum(axis=2)
    worst = expit(-logsumexp(gap + reach, axis=1)), expit(-logsumexp(gap - reach, 1))
    p = model.predict_proba(rows).max(axis=1)
    alone = np.maximum(p - worst[0], worst[1] - p)
    assert (r.per_sample.certified <= alone + 1e-7).all()
    assert np.mean(alone <= 0.1) < r.lower[0] - 0.03


def test_labels_are_exact_in_any_units_of_the_features():
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(30, 2)), rng.normal(size=(3, 2))
    unit = np.array([1e-8, 1e8])
    own = (x @ weights.T).argmax(axis=1)
    plain = LinearProof(
        Region.of(x, np.full(2, 0.2), np.inf, None), weights, np.zeros(3), None
    )
    region = Region.of(x * unit, 0.2 * unit, np.inf, None)
    found = LinearProof(region, weights / unit, np.zeros(3), None).wins(own)
    assert 0 < found.sum() < len(x)
    np.testing.assert_array_equal(found, plain.wins(own))
