"""Randomised smoothing: the radius of a linear base is known in closed form."""

import numpy as np
import pytest
from problems import linear_problem
from scipy.stats import binom, norm
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import RandomSearch
from skrobust.certificates import SmoothedClassifier
from skrobust.certificates import _smoothed_classifier as module
from skrobust.certificates._smoothed_classifier import limits_of_share
from skrobust.evaluation import robust_accuracy_bounds, robust_ratio_bounds

MODEL, X, Y = linear_problem(60)


def smooth(base, **settings):
    settings = {"n_samples": 2000, "random_state": 0, "n_copies": 0, **settings}
    return SmoothedClassifier(base, 0.3, **settings).fit(X, Y)


def test_shares_and_radii_of_a_linear_base():
    """The share of a half space is a normal probability, the radius its distance."""
    model = smooth(FrozenEstimator(MODEL))
    far = MODEL.decision_function(X) / np.linalg.norm(MODEL.coef_)
    share = norm.cdf(far / 0.3)
    p = model.predict_proba(X)[:, 1]
    assert np.abs(p - share).max() < 5 * np.sqrt(0.25 / 2000)
    found = model.certify(X)
    assert (found.radius <= np.abs(far) + 1e-12).mean() >= 0.99
    near = np.abs(far) < 0.5
    tight = found.radius[near & ~found.abstains] / np.abs(far)[near & ~found.abstains]
    assert np.median(tight) > 0.7
    right = ~found.abstains
    np.testing.assert_array_equal(found.label[right], model.predict(X)[right])
    assert (found.radius[found.abstains] == 0).all()
    assert found.abstains.any()
    assert (found.p_value[found.abstains & (np.abs(far) < 0.005)] > 1e-4).all()


def test_exact_limits_by_their_definition():
    """At the lower limit, as many successes or more have the probability alpha."""
    counts = np.array([0, 1, 37, 99, 100])
    low, high = limits_of_share(counts, 100, 0.01)
    assert low[0] == 0
    assert high[-1] == 1
    np.testing.assert_allclose(binom.sf(counts[1:] - 1, 100, low[1:]), 0.01)
    np.testing.assert_allclose(binom.cdf(counts[:-1], 100, high[:-1]), 0.01)


def test_probability_bounds_of_a_linear_base():
    model = smooth(FrozenEstimator(MODEL), n_samples=20000)
    low, high = model.probability_bounds(X, 0.1)
    far = MODEL.decision_function(X) / np.linalg.norm(MODEL.coef_)
    least, most = norm.cdf((far - 0.1) / 0.3), norm.cdf((far + 0.1) / 0.3)
    assert (low[:, 1] <= least).all()
    assert (most <= high[:, 1]).all()
    np.testing.assert_allclose(low[:, 1], least, atol=0.03)
    np.testing.assert_allclose(high[:, 1], most, atol=0.03)


def test_answers_do_not_depend_on_other_rows():
    model = smooth(DecisionTreeClassifier(random_state=0), n_samples=100)
    whole = model.predict_proba(X)
    np.testing.assert_array_equal(whole[7:9], model.predict_proba(X[7:9]))
    again = clone(model).fit(X, Y)
    np.testing.assert_array_equal(whole, again.predict_proba(X))


def test_steps_of_draws_change_nothing(monkeypatch):
    model = smooth(GaussianNB(), n_samples=50)
    whole = model.predict_proba(X)
    monkeypatch.setattr(module, "_NUMBERS", 1000)
    np.testing.assert_array_equal(whole, model.predict_proba(X))


def test_the_base_learns_under_the_noise():
    """The variance of the rows of a class grows by that of the noise."""
    clean = GaussianNB().fit(X, Y).var_
    for copies, more in ((0, 0.0), (400, 0.09)):
        model = smooth(GaussianNB(), n_copies=copies)
        np.testing.assert_allclose(model.estimator_.var_, clean + more, rtol=0.05)


@pytest.mark.parametrize("norm_", [2, np.inf, 1])
def test_bounds_of_evaluation(norm_):
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    base = SmoothedClassifier(scaled, 0.3, n_samples=500, random_state=0)
    model = make_pipeline(StandardScaler(), base).fit(X, Y)
    eps = 0.02 if norm_ == np.inf else 0.05
    search = RandomSearch(eps, norm=norm_, n_steps=2, n_candidates=5, random_state=0)
    r = robust_accuracy_bounds(model, X, Y, search)
    assert r.certificate.startswith("randomised smoothing")
    assert 0.3 < r.lower <= r.upper
    radius = base.certified_radius(model[0].transform(X))
    scale = 1 / model[0].scale_
    most = {2: eps * scale.max(), 1: eps * scale.max()}
    most[np.inf] = eps * np.linalg.norm(scale)
    right = model.predict(X) == Y
    np.testing.assert_array_equal(r.per_sample.lower, (radius > most[norm_]) & right)
    ratio = robust_ratio_bounds(model, X, Y, [search], tolerances=[0.2, 0.3, 0.5])
    assert 0 < ratio.lower[-1] <= ratio.upper[-1]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"sigma": 0}, "'sigma' parameter of SmoothedClassifier"),
        ({"n_samples": 0}, "'n_samples' parameter"),
        ({"alpha": 0}, "'alpha' parameter"),
        ({"n_copies": -1}, "'n_copies' parameter"),
        ({"estimator": LogisticRegression}, "'estimator' parameter"),
    ],
)
def test_messages(settings, text):
    model = SmoothedClassifier(LogisticRegression()).set_params(**settings)
    with pytest.raises(ValueError, match=text):
        model.fit(X, Y)


def test_a_column_of_labels_is_warned_of_and_read():
    model = SmoothedClassifier(MODEL, 0.3, n_samples=50, n_copies=0, random_state=0)
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        found = model.fit(X, Y[:, None]).predict(X)
    np.testing.assert_array_equal(found, clone(model).fit(X, Y).predict(X))
