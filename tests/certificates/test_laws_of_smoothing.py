"""Certificates of a smoothed classifier on drawn linear models."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, seeds
from scipy.stats import norm
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from skrobust.certificates import SmoothedClassifier


def drawn_case(seed, n_classes=2, scale=1.0):
    """Return a linear model with drawn weights, and rows, both in other units."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 3)), np.arange(12) % n_classes
    model = LogisticRegression().fit(X, y)
    model.coef_ = rng.normal(size=model.coef_.shape) / scale
    model.intercept_ = rng.normal(size=model.intercept_.shape)
    return model, X * scale, y


def smoothed(model, X, y, sigma, **settings):
    settings = {"n_samples": 150, "n_selection": 20, "alpha": 0.05, **settings}
    frozen = FrozenEstimator(model)
    return SmoothedClassifier(frozen, sigma, random_state=3, **settings).fit(X, y)


@few
@given(
    seed=seeds,
    n_classes=st.integers(2, 4),
    sigma=st.sampled_from([0.1, 0.5, 2.0]),
    scale=st.sampled_from([2.0**-20, 0.25, 1.0, 1024.0]),
)
def test_units_scale_radii_and_nothing_else(seed, n_classes, sigma, scale):
    plain = smoothed(*drawn_case(seed, n_classes), sigma)
    model, X, y = drawn_case(seed, n_classes, scale)
    other = smoothed(model, X, y, sigma * scale).certify(X)
    found = plain.certify(X / scale)
    for name in ("label", "p_low", "abstains", "p_value"):
        np.testing.assert_array_equal(found[name], other[name])
    np.testing.assert_allclose(found["radius"] * scale, other["radius"], rtol=1e-12)


@few
@given(seed=seeds, n_classes=st.integers(2, 4), data=st.data())
def test_answers_depend_on_the_row_alone(seed, n_classes, data):
    model, X, y = drawn_case(seed, n_classes)
    net = smoothed(model, X, y, 0.4)
    order = data.draw(st.lists(st.integers(0, 11), min_size=1, max_size=15))
    whole, part = net.certify(X), net.certify(X[order])
    for name in ("label", "radius", "p_low", "abstains", "p_value"):
        np.testing.assert_array_equal(whole[name][order], part[name])
    np.testing.assert_array_equal(net.predict(X)[order], net.predict(X[order]))


@few
@given(seed=seeds, n_classes=st.integers(2, 4), sigma=st.sampled_from([0.2, 1.0]))
def test_radius_share_and_limit_belong_together(seed, n_classes, sigma):
    model, X, y = drawn_case(seed, n_classes)
    net = smoothed(model, X, y, sigma)
    found, shares = net.certify(X), net.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    column = np.searchsorted(net.classes_, found["label"])
    own = shares[np.arange(len(X)), column]
    assert (found["p_low"] <= own).all()
    certified = ~found["abstains"]
    np.testing.assert_array_equal(certified, found["radius"] > 0)
    np.testing.assert_allclose(
        norm.cdf(found["radius"] / sigma)[certified], found["p_low"][certified]
    )
    np.testing.assert_array_equal(net.predict(X)[certified], found["label"][certified])
    for radius in (0.0, 0.3 * sigma, 3 * sigma):
        low, high = net.probability_bounds(X, radius)
        assert (low <= shares).all()
        assert (shares <= high).all()
        # A bound of the class that is certified agrees with its radius, but for the
        # share of alpha that the bounds of all classes take.
        proved = low[np.arange(len(X)), column] > 0.5
        assert (found["radius"][proved] >= radius).all()


@few
@given(seed=seeds, alpha=st.sampled_from([0.2, 0.01]))
def test_a_smaller_alpha_certifies_less(seed, alpha):
    model, X, y = drawn_case(seed)
    wide = smoothed(model, X, y, 0.4, alpha=alpha).certify(X)
    narrow = smoothed(model, X, y, 0.4, alpha=alpha / 10).certify(X)
    np.testing.assert_array_equal(wide["label"], narrow["label"])
    assert (narrow["radius"] <= wide["radius"]).all()
    assert (narrow["p_low"] < wide["p_low"])[wide["p_low"] > 0].all()
