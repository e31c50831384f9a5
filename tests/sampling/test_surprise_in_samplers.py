"""Surprise as suspicion: which way it points, on which scale, and its thresholds."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from skrobust.sampling import DeepESTSampler

DSA = np.array([0.5, 2.0, 1.0, 4.0, 0.0])
CONFIDENCE = np.array([0.9, 0.6, 0.99, 0.5, 1.0])


def fitted(X=DSA, **parameters):
    return DeepESTSampler(random_state=0, **parameters).fit(X)


def test_scales():
    shifted = DSA - 1
    for kind in ("dsa", "lsa"):
        np.testing.assert_allclose(fitted(auxiliary=kind).scores_, DSA / 4)
        raw = fitted(auxiliary=kind, standardize=None)
        np.testing.assert_array_equal(raw.scores_, DSA)
        narrow = fitted(DSA + 3, auxiliary=kind, standardize="minmax")
        np.testing.assert_allclose(narrow.scores_, DSA / 4)
        assert fitted(auxiliary=kind).result().warnings == raw.result().warnings
    below = fitted(shifted, auxiliary="lsa")
    np.testing.assert_allclose(below.scores_, DSA / 4)
    assert "as low as -1 was shifted" in below.result().warnings[0]
    again = DeepESTSampler.from_json(below.to_json())
    assert again.result().warnings == below.result().warnings


def test_the_maximum_changes_no_draw_and_no_threshold_in_units_of_spread():
    rng = np.random.default_rng(0)
    dsa = rng.gamma(2, 3, size=500)
    a = fitted(dsa, auxiliary="dsa")
    b = fitted(dsa, auxiliary="dsa", standardize=None)
    np.testing.assert_array_equal(a.ask(100), b.ask(100))
    np.testing.assert_allclose(a.draw_probabilities_, b.draw_probabilities_)
    assert a.threshold_ * dsa.max() == pytest.approx(dsa.mean() + 2 * dsa.std())


def test_combined_is_the_complement_of_sure_and_near():
    sampler = fitted(1 - CONFIDENCE, auxiliary="combined", surprise=DSA)
    np.testing.assert_allclose(sampler.scores_, 1 - CONFIDENCE * (1 - DSA / 4))
    assert sampler.threshold_ == pytest.approx(0.3)
    # A lower confidence, or a larger distance, raises q; both from the definition.
    taken = np.array([False, False, False, True, False])
    base = sampler._probabilities(taken)
    doubt = 1 - CONFIDENCE.copy()
    doubt[0] += 0.3
    far = DSA.copy()
    far[0] += 1
    for X, surprise in ((doubt, DSA), (1 - CONFIDENCE, far)):
        moved = fitted(X, auxiliary="combined", surprise=surprise)
        assert moved._probabilities(taken)[0] > base[0]


def test_combined_with_a_model_and_a_surprise_estimator():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    model = LogisticRegression().fit(X, y)

    class Distance:
        """Scores by the distance from the centre, and remembers what it was given."""

        def score_samples(self, X, y_pred=None):
            self.seen = y_pred
            return np.linalg.norm(X, axis=1)

    surprise = Distance()
    sampler = DeepESTSampler(
        model, auxiliary="combined", surprise=surprise, random_state=0
    )
    sampler.fit(X)
    np.testing.assert_array_equal(surprise.seen, model.predict(X))
    distance = np.linalg.norm(X, axis=1)
    confidence = model.predict_proba(X).max(axis=1)
    np.testing.assert_allclose(
        sampler.scores_, 1 - confidence * (1 - distance / distance.max())
    )
    assert clone(sampler).surprise is surprise
    by_function = clone(sampler).set_params(
        surprise=lambda X: np.linalg.norm(X, axis=1)
    )
    np.testing.assert_array_equal(by_function.fit(X).ask(20), sampler.ask(20))
    assert sampler.sample(20, lambda ids: y[ids]).n_labels == 20


def test_thresholds():
    found = {
        rule: fitted(auxiliary="dsa", standardize=None, threshold=rule).threshold_
        for rule in ("auto", "mean+2sd", "mean+sd", "mean+var", 0.25)
    }
    sd = DSA.std()
    assert found == pytest.approx(
        {
            "auto": 1.5 + 2 * sd,
            "mean+2sd": 1.5 + 2 * sd,
            "mean+sd": 1.5 + sd,
            "mean+var": 1.5 + sd**2,
            0.25: 0.25,
        }
    )
    sampler = fitted(1 - CONFIDENCE, threshold=("confidence", 0.6))
    assert sampler.threshold_ == pytest.approx(0.4)
    again = DeepESTSampler.from_json(sampler.to_json())
    assert again.threshold_ == sampler.threshold_


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (DSA, {"auxiliary": "combined"}, "needs surprise="),
        (np.ones((5, 2)), {"auxiliary": "dsa"}, "needs surprise="),
        (DSA, {"auxiliary": "combined", "surprise": DSA}, "1 - confidence"),
        (DSA / 4, {"auxiliary": "combined", "surprise": DSA[:3]}, "equal length"),
        (np.ones((5, 2)), {"auxiliary": "dsa", "surprise": DSA[:3]}, "equal length"),
        (DSA, {"auxiliary": "lsa", "surprise": [np.nan] * 5}, "finite surprise"),
        (DSA, {"auxiliary": "lsa", "surprise": ["a"] * 5}, "'surprise' parameter"),
        (np.ones(5), {"auxiliary": "dsa", "standardize": "minmax"}, "constant"),
        (
            DSA / 4,
            {"auxiliary": "combined", "surprise": DSA, "standardize": None},
            "use standardize='max'",
        ),
    ],
)
def test_bad_surprise(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, **parameters)


def test_constant_surprise_draws_uniformly():
    sampler = fitted(np.full(10, 3.0), auxiliary="dsa")
    sampler.ask(10)
    np.testing.assert_allclose(sampler.draw_probabilities_, 1 / np.arange(10, 0, -1))


def test_negative_strides_and_read_only_inputs_stay_as_they_are():
    X = (1 - CONFIDENCE)[::-1]
    surprise = DSA.copy()
    surprise.setflags(write=False)
    before = X.copy()
    sampler = fitted(X, auxiliary="combined", surprise=surprise)
    sampler.ask(5)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(surprise, DSA)
