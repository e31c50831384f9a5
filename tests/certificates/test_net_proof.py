"""Proofs about nets: below every sample, equal to the enumeration of all patterns."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.region import Region
from skrobust.evaluation import robust_accuracy_bounds, robust_ratio_bounds

RNG = np.random.default_rng(0)
X = RNG.random((60, 2))
Y = (np.sin(6 * X[:, 0]) + X[:, 1] > 0.6).astype(int) + (X.sum(axis=1) > 1.5)


def mlp(activation="relu", hidden=(6,), seed=0, X=X, Y=Y):
    model = MLPClassifier(
        hidden, activation=activation, solver="lbfgs", max_iter=300, random_state=seed
    )
    return quiet_fit(model, X, Y)


def quiet_fit(model, X, Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence
        return model.fit(X, Y)


def logits(model, x):
    for i, (w, b) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        x = x @ w + b
        if i < len(model.coefs_) - 1:
            x = np.maximum(x, 0)
    return x


def least_by_patterns(model, x, eps, normal):
    """Return the least value of a function of the logits over all patterns."""
    (w, v), (b, c) = model.coefs_, model.intercepts_
    best = np.inf
    box = [(z - eps, z + eps) for z in x]
    for signs in itertools.product([0.0, 1.0], repeat=len(b)):
        on = np.array(signs)
        goal = (w * on) @ v @ normal
        sides = np.where(on > 0, -1.0, 1.0)
        found = linprog(goal, A_ub=(w * sides).T, b_ub=-sides * b, bounds=box)
        if found.status == 0:
            best = min(best, found.fun + ((b * on) @ v + c) @ normal)
    return best


@pytest.mark.slow
def test_small_nets_are_decided_as_by_enumeration():
    model, eps = mlp(hidden=(4,)), 0.15
    rows = X[::5]
    region = Region.of(rows, eps, np.inf, None)
    proof = find_proof(model, region, 3, model.predict_proba, "test")
    own = model.predict(rows)
    won = proof.wins(own)
    assert proof.is_exact_on_labels
    low = proof.differences(own)[0]
    for i in range(12):
        least = [
            least_by_patterns(model, rows[i], eps, np.eye(3)[own[i]] - np.eye(3)[j])
            for j in range(3)
            if j != own[i]
        ]
        assert won[i] == (min(least) > 0)
        others = [j for j in range(3) if j != own[i]]
        assert (low[i, others] <= np.array(least) + 1e-9).all()
    assert 0 < won.mean() < 1


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_no_sample_is_below_the_bounds(activation, norm):
    scaler = StandardScaler().fit(X)
    model = make_pipeline(scaler, mlp(activation, (8, 5), X=scaler.transform(X)))
    region = Region.of(X, 0.05, norm, (0, 1))
    proof = find_proof(model, region, 3, model.predict_proba, "test")
    own = model.predict(X)
    low, high = proof.probabilities(own)
    won = proof.wins(own)
    rng = np.random.default_rng(1)
    for i in range(len(X)):
        step = rng.normal(size=(300, 2))
        size = {np.inf: np.abs(step).max(1), 1: np.abs(step).sum(1)}
        size[2] = np.sqrt((step**2).sum(1))
        tried = np.clip(X[i] + 0.05 * step / size[norm][:, None], 0, 1)
        p = model.predict_proba(tried)[:, own[i]]
        assert (low[i, own[i]] - 1e-12 <= p).all()
        assert (p <= high[i, own[i]] + 1e-12).all()
        if won[i]:
            assert (model.predict(tried) == own[i]).all()
    assert won.mean() > 0.3
    assert (low[np.arange(60), own] > 0.3).mean() > 0.3


@pytest.mark.filterwarnings("ignore:AutoPGD met")
@pytest.mark.parametrize("norm", [np.inf, 1])
def test_bounds_meet_on_a_small_net(norm):
    model = mlp(hidden=(6,), seed=1)
    r = robust_accuracy_bounds(model, X, Y, eps=0.05, norm=norm, random_state=0)
    assert r.is_exact
    assert r.lower <= r.upper
    assert r.upper - r.lower <= 0.02  # what attacks miss
    assert 0 < r.lower < r.clean_accuracy
    r = robust_ratio_bounds(model, X, Y, [NoAttack()], eps=0.01, norm=norm)
    assert r.lower[-1] > 0.3


class NoAttack:
    """Moves the rows a little."""

    def perturb(self, estimator, X, y):
        return X + 1e-3


@pytest.mark.filterwarnings("ignore:AutoPGD met")
def test_two_classes_have_one_output():
    model = mlp("relu", (5,), Y=(Y > 0).astype(int))
    y = (Y > 0).astype(int)
    region = Region.of(X, 0.03, np.inf, None)
    proof = find_proof(model, region, 2, model.predict_proba, "test")
    low, high = proof.probabilities(np.ones(60, dtype=int))
    p = model.predict_proba(X)[:, 1]
    assert (low[:, 1] <= p).all()
    assert (p <= high[:, 1]).all()
    assert (high - low)[:, 1].mean() < 0.5
    r = robust_accuracy_bounds(model, X, y, eps=0.03, random_state=0)
    assert 0 < r.lower <= r.upper
    assert r.upper - r.lower <= 0.02


def test_a_step_that_is_not_affine_is_named():
    model = make_pipeline(PolynomialFeatures(2), MLPClassifier((3,), max_iter=5))
    quiet_fit(model, X, Y)
    r = robust_accuracy_bounds(model, X, Y, [NoAttack()], eps=0.1, norm=np.inf)
    assert r.lower == 0
    assert "the step 'polynomialfeatures' before it" in r.certificate


@pytest.mark.parametrize(("norm", "unit"), [(np.inf, [1.0, 1e10]), (1, [1e-9, 1e-9])])
def test_proofs_depend_neither_on_units_nor_on_the_scale_of_scores(norm, unit):
    x, model = X[:20], mlp(hidden=(8,))
    own = model.predict(x)

    def proved(factor, scores):
        scaled = mlp(hidden=(8,))
        scaled.coefs_ = [model.coefs_[0] / factor[:, None], model.coefs_[1] * scores]
        scaled.intercepts_ = [model.intercepts_[0], model.intercepts_[1] * scores]
        eps = 0.2 * (factor if norm == np.inf else factor[0])
        parts = scaled, Region.of(x * factor, eps, norm, None), 3, None, "a test"
        return find_proof(*parts, (2,)).wins(own)

    expected = proved(np.ones(2), 1.0)
    assert 0 < expected.sum() < len(x)
    for factor, scores in (unit, 1.0), ([1, 1], 1e-7), (unit, 1e7):
        found = proved(np.array(factor, dtype=float), scores)
        np.testing.assert_array_equal(found, expected)
