"""A classifier with wrong training labels, and the preset of conditions for tables."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skrobust.perturbations import LabelNoiseClassifier, tabular

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 2))
Y = RNG.choice(["a", "b", "c"], 20_000, p=[0.6, 0.3, 0.1])


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers the labels it was given."""

    def fit(self, X, y, sample_weight=None):
        self.y_, self.classes_, self.weights_ = y, np.unique(y), sample_weight
        return self


def noisy(X, y, rate=None, **kw):
    return LabelNoiseClassifier(Recorder(), rate, random_state=0, **kw).fit(X, y)


def test_symmetric_noise_has_the_rate_in_every_class():
    model = noisy(X, Y, 0.3)
    seen = model.estimator_.y_
    assert np.array_equal(model.flipped_, seen != Y)
    for label in "abc":
        assert model.flipped_[label == Y].mean() == pytest.approx(0.3, abs=0.03)
    became = seen[model.flipped_ & (Y == "a")]
    assert (became == "b").mean() == pytest.approx(0.5, abs=0.03)


def test_pair_noise_goes_to_the_next_class():
    model = noisy(X, Y, 0.2, kind="pair")
    flips = set(
        zip(Y[model.flipped_], model.estimator_.y_[model.flipped_], strict=True)
    )
    assert flips == {("a", "b"), ("b", "c"), ("c", "a")}
    assert model.flipped_.mean() == pytest.approx(0.2, abs=0.01)


def test_noise_by_a_matrix():
    matrix = np.array([[0.9, 0.1, 0], [0, 1, 0], [0.3, 0.3, 0.4]])
    seen = noisy(X, Y, kind="matrix", matrix=matrix).estimator_.y_
    for row, true in zip(matrix, "abc", strict=True):
        share = [(seen[true == Y] == label).mean() for label in "abc"]
        assert share == pytest.approx(row, abs=0.03)


def test_flips_are_nested_along_the_rate():
    rates = [0, 0.05, 0.2, 0.5, 1.0]
    models = [noisy(X, Y, rate) for rate in rates]
    for low, high in pairwise(models):
        flipped = low.flipped_
        assert (high.flipped_ >= flipped).all()
        assert np.array_equal(high.estimator_.y_[flipped], low.estimator_.y_[flipped])
    assert not models[0].flipped_.any()
    assert models[-1].flipped_.all()


def test_severities_are_the_levels():
    for severity, rate in zip(range(6), (0, 0.05, 0.1, 0.2, 0.3, 0.4), strict=True):
        a = noisy(X[:500], Y[:500], severity=severity)
        assert np.array_equal(a.flipped_, noisy(X[:500], Y[:500], rate).flipped_)


def test_order_and_container_do_not_matter():
    reference = noisy(X, Y, 0.3).estimator_.y_
    order = RNG.permutation(len(X))
    assert np.array_equal(
        noisy(X[order], Y[order], 0.3).estimator_.y_, reference[order]
    )
    for other in (pd.DataFrame(X), csr_matrix(X), X.astype(np.float32), X.tolist()):
        assert np.array_equal(noisy(other, Y, 0.3).estimator_.y_, reference)
    # Equal rows with different labels: the same labels come out in any order.
    same, labels = np.zeros((60, 2)), Y[:60]
    order = RNG.permutation(60)
    a = noisy(same, labels, 0.5).estimator_.y_
    b = noisy(same, labels[order], 0.5).estimator_.y_
    for label in "abc":
        assert sorted(a[labels == label]) == sorted(b[labels[order] == label])


def test_mixed_frames_and_text():
    frame = pd.DataFrame({"t": pd.Categorical(Y), "x": X[:, 0]})[:300]
    model = LabelNoiseClassifier(
        HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=5),
        0.1,
        random_state=0,
    ).fit(frame, Y[:300])
    assert model.score(frame, Y[:300]) > 0.9
    documents = ["good film", "bad film", "fine film", "poor film"] * 20
    text = LabelNoiseClassifier(
        make_pipeline(CountVectorizer(), LogisticRegression()), 0.2, random_state=0
    ).fit(documents, [1, 0, 1, 0] * 20)
    assert text.predict(["good film", "bad film"]).tolist() == [1, 0]


def test_it_is_the_wrapped_classifier():
    data, y = load_iris(return_X_y=True)
    clean = LogisticRegression(max_iter=500).fit(data, y)
    model = LabelNoiseClassifier(LogisticRegression(max_iter=500), 0.0).fit(data, y)
    assert np.array_equal(model.predict_proba(data), clean.predict_proba(data))
    assert np.array_equal(model.decision_function(data), clean.decision_function(data))
    assert model.n_features_in_ == 4
    assert not hasattr(LabelNoiseClassifier(RidgeClassifier()), "predict_proba")
    weights = np.ones(len(X))
    weighted = LabelNoiseClassifier(Recorder(), 0.1).fit(X, Y, sample_weight=weights)
    assert weighted.estimator_.weights_ is weights
    search = GridSearchCV(model, {"severity": [0, 5], "estimator__C": [1.0]}, cv=3)
    search.set_params(estimator__rate=None, estimator__random_state=0).fit(data, y)
    assert search.cv_results_["mean_test_score"].min() > 0.6


ROWS = {
    "rate": ({"rate": 1.2}, "'rate'"),
    "both": ({"rate": 0.1, "severity": 1}, "takes one of"),
    "severity": ({"severity": 6}, "'severity'"),
    "kind": ({"kind": "sym"}, "'kind'"),
    "no matrix": ({"kind": "matrix"}, "'matrix'"),
    "matrix without kind": ({"matrix": np.eye(3)}, "takes one of"),
    "matrix shape": ({"kind": "matrix", "matrix": np.eye(2)}, r"\(3, 3\)"),
    "matrix sum": ({"kind": "matrix", "matrix": np.ones((3, 3))}, "sum to 1"),
    "random_state": ({"random_state": "x"}, "'random_state'"),
}


@pytest.mark.parametrize("name", ROWS)
def test_label_noise_refuses_wrong_parameters(name):
    params, sentence = ROWS[name]
    with pytest.raises(ValueError, match=sentence):
        LabelNoiseClassifier(Recorder(), **params).fit(X, Y)


def test_bad_estimator_and_targets():
    with pytest.raises(ValueError, match="'estimator'"):
        LabelNoiseClassifier(Recorder).fit(X, Y)
    with pytest.raises(ValueError, match="Unknown label type"):
        noisy(X, X[:, 0])
    with pytest.raises(ValueError, match="equal length"):
        noisy(X, Y[:-1])


# The preset.


def test_preset_names_and_numbers():
    conditions = tabular(random_state=0, missing=True)
    assert [c.number for c in conditions] == list(range(1, 1 + len(conditions)))
    assert conditions[0].name == "CLEAN"
    names = [c.name for c in conditions]
    assert len(set(names)) == len(names) == 1 + 19 * 5
    assert {"feature_noise-3", "category_flip-5", "missing_mnar-1"} <= set(names)
    assert "rounding-2.5" in [c.name for c in tabular((2.5,))]


def test_preset_runs_on_numbers_and_on_mixed_frames():
    frame = load_iris(as_frame=True).data
    for condition in tabular((2, 5), random_state=0)[1:]:
        out = condition.fit(frame).perturb(None, frame)
        assert isinstance(out, pd.DataFrame)
        assert out.equals(frame) != condition.finds_columns(), condition.name
        assert out.notna().all().all()
    frame["kind"] = np.array(["x", "y", "z"])[load_iris().target]
    for condition in tabular((5,), missing=True, random_state=0)[1:]:
        out = condition.fit(frame).perturb(None, frame)
        assert out.equals(frame) != condition.finds_columns(), condition.name
        others = "category", "unseen", "missing", "feature_loss"
        if not condition.name.startswith(others):
            assert out["kind"].equals(frame["kind"])


@pytest.mark.parametrize("severities", [3, "12", (6,), (-1, 2)])
def test_preset_refuses(severities):
    with pytest.raises(ValueError, match="'severities' parameter of tabular"):
        tabular(severities)
