"""Label-free predictors do what they say, and say that they only predict."""

import pickle

import numpy as np
import pytest
from problems import linear_problem
from scipy.special import logit
from scipy.stats import entropy
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression, LogisticRegression

import skrobust.sampling as sampling
from skrobust.sampling import ConfidencePredictor, ThresholdPredictor

BOTH = [ConfidencePredictor, ThresholdPredictor]


def reference(n=400, seed=0):
    """Suspicion and failures, calibrated by construction."""
    rng = np.random.default_rng(seed)
    suspicion = rng.random(n) / 2
    return suspicion, rng.random(n) < suspicion


def noisy_problem():
    model, X, y = linear_problem(n=300, classes=3)
    flip = np.random.default_rng(1).random(300) < 0.15
    return model, X, np.where(flip, (y + 1) % 3, y)


@pytest.mark.parametrize("calibration", ["isotonic", "logistic"])
def test_calibration_is_exact_on_average_over_the_reference(calibration):
    # Both fits have the mean of the reference as a first-order condition.
    suspicion, failed = reference()
    predictor = ConfidencePredictor(calibration=calibration).fit(suspicion, failed)
    assert np.isclose(
        predictor.predicted_failure_rate(suspicion), failed.mean(), atol=1e-4
    )
    assert predictor.reference_failure_rate_ == failed.mean()


def test_isotonic_is_a_rising_step_curve():
    suspicion, failed = reference()
    predictor = ConfidencePredictor().fit(suspicion, failed)
    curve = predictor.predict_failure(np.linspace(-1, 2, 500))
    assert (np.diff(curve) >= 0).all()
    assert curve.min() >= 0
    assert curve.max() <= 1
    peer = IsotonicRegression(out_of_bounds="clip").fit(suspicion, failed)
    assert np.allclose(predictor.predict_failure(suspicion), peer.predict(suspicion))


def test_logistic_is_on_the_log_odds():
    suspicion, failed = reference()
    predictor = ConfidencePredictor(calibration="logistic").fit(suspicion, failed)
    peer = LogisticRegression().fit(logit(suspicion)[:, None], failed)
    expected = peer.predict_proba(logit(suspicion)[:, None])[:, 1]
    assert np.allclose(predictor.predict_failure(suspicion), expected)
    assert np.isfinite(predictor.predict_failure([0.0, 1.0])).all()


def test_the_threshold_flags_as_many_as_failed():
    suspicion, failed = reference()
    predictor = ThresholdPredictor().fit(suspicion, failed)
    flags = predictor.predict_failure(suspicion)
    assert set(flags) == {0.0, 1.0}
    assert flags.sum() == failed.sum()
    # Which of them failed does not matter, only how many.
    other = ThresholdPredictor().fit(suspicion, failed[::-1])
    assert other.threshold_ == predictor.threshold_


@pytest.mark.parametrize(
    ("suspicion", "n_failed", "threshold"),
    [
        ([1, 1, 1, 2, 2], 1, 2.0),  # 0, 2 or 5 can be flagged: 0 and 2 as close
        ([1, 1, 1, 2, 2], 2, 1.0),
        ([1, 1, 1, 2, 2], 4, -np.inf),
        ([3, 3, 3, 3, 3], 1, 3.0),
    ],
)
def test_the_threshold_among_ties(suspicion, n_failed, threshold):
    failed = np.arange(5) < n_failed
    assert ThresholdPredictor().fit(suspicion, failed).threshold_ == threshold


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("measure", ["confidence", "entropy"])
def test_a_model_and_its_probabilities_agree(kind, measure):
    model, X, y = noisy_problem()
    p = model.predict_proba(X)
    failed = model.predict(X) != y
    by_hand = 1 - p.max(axis=1) if measure == "confidence" else entropy(p, axis=1)
    expected = kind().fit(by_hand, failed).predict_failure(by_hand)
    bound = kind(model, suspicion=measure).fit(X, y)
    assert np.allclose(bound.predict_failure(X), expected)
    given = kind(suspicion=measure).fit(p, failed)
    assert np.allclose(given.predict_failure(p), expected)
    assert clone(bound).estimator is model
    again = pickle.loads(pickle.dumps(bound))
    assert np.array_equal(again.predict_failure(X), bound.predict_failure(X))


def test_a_shift_biases_them():
    # The docstrings' warning in numbers: the same suspicion, twice the failures.
    suspicion, failed = reference(4000)
    pool, _ = reference(4000, seed=1)
    truth = np.random.default_rng(2).random(4000) < np.minimum(1, 2 * pool)
    for kind in BOTH:
        predicted = kind().fit(suspicion, failed).predicted_failure_rate(pool)
        assert truth.mean() - predicted > 0.2


@pytest.mark.parametrize("kind", BOTH)
def test_nothing_is_called_the_accuracy(kind):
    predictor = kind().fit(*reference())
    assert not [name for name in dir(predictor) if "accuracy" in name]
    assert "*predictor*" in sampling.__dict__[kind.__name__].__doc__


S, F = reference(50)
MODEL, X, Y = noisy_problem()
ROWS = {
    "nan": (lambda k: k().fit(np.where(S > 0.4, np.nan, S), F), "finite suspicion"),
    "lengths": (lambda k: k().fit(S, F[:9]), "X has 50, y has 9"),
    "no y": (lambda k: k().fit(S, None), "requires y to be passed"),
    "labels": (lambda k: k().fit(S, np.arange(50)), "booleans, or 0 and 1"),
    "no failure": (lambda k: k().fit(S, F & False), "hold no failure"),
    "no pass": (lambda k: k().fit(S, F | True), "hold no pass"),
    "percent": (lambda k: k().fit(np.full((50, 2), 50.0), F), "Divide percent"),
    "suspicion": (lambda k: k(suspicion="gini").fit(S, F), "'suspicion' parameter"),
    "regressor": (
        lambda k: k(LinearRegression().fit(X, Y)).fit(X, Y), "needs predict_proba"),
    "kinds": (lambda k: k(MODEL).fit(X, Y.astype(str)), "of one kind"),
    "width": (lambda k: k(MODEL).fit(X, Y).predict_failure(X[:, :2]), "2 features"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("row", ROWS)
def test_label_free_predictors_refuse_wrong_rows(kind, row):
    call, sentence = ROWS[row]
    with pytest.raises(ValueError, match=sentence):
        call(kind)


def test_bad_calibration():
    with pytest.raises(ValueError, match="'calibration' parameter"):
        ConfidencePredictor(calibration="platt").fit(S, F)
    with pytest.raises(ValueError, match=r"suspicion in \[0, 1\]; got .* to 5"):
        ConfidencePredictor(calibration="logistic").fit(S / S.max() * 5, F)
