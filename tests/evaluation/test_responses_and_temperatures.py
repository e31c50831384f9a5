"""Responses of models to the checks, and probabilities at other temperatures."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skrobust._keyed_noise.rows import take_rows
from skrobust.evaluation.attacked.temperature import fit_temperature, tempered
from skrobust.evaluation.core.model_checks import check_answers, responses

RNG = np.random.default_rng(0)


class Labels(ClassifierMixin, BaseEstimator):
    """Answers labels alone."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


MODELS = [
    LogisticRegression(), DecisionTreeClassifier(max_depth=2), LinearSVC(),
    SVC(decision_function_shape="ovr", kernel="linear"), RidgeClassifier(),
    SGDClassifier(random_state=0), Labels(),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("names", [[0, 1], ["b", "a"], [3, 5, 4], list("wxyz")])
def test_the_largest_response_is_that_of_the_predicted_class(model, names):
    X, places = make_blobs(90, centers=len(names), n_features=3, random_state=1)
    y = np.array(names)[places]
    model.fit(X, y)
    rows = np.vstack([X, RNG.normal(0, 10, size=(60, 3))])
    found = responses(model, rows)
    assert found.shape == (150, len(names))
    assert found.dtype == np.float64
    own = model.classes_[found.argmax(axis=1)]
    assert own.tolist() == model.predict(rows).tolist()
    if isinstance(model, Labels):
        assert np.array_equal(np.unique(found), [0, 1])
        assert (found.sum(axis=1) == 1).all()
    elif not hasattr(model, "predict_proba"):
        scores = model.decision_function(rows)
        if len(names) == 2:
            assert np.array_equal(found, np.array([-scores, scores]).T)
        else:
            assert np.array_equal(found, scores)
    assert not list(check_answers(model, rows, take_rows))


PROBABILITIES = RNG.dirichlet(np.ones(4), size=(3, 50))


@pytest.mark.parametrize("temperature", [0.05, 0.5, 1.0, 3.0, 20.0])
def test_tempered_probabilities_are_powers_that_sum_to_one(temperature):
    powers = PROBABILITIES ** (1 / temperature)
    wanted = powers / powers.sum(axis=2, keepdims=True)
    # A stack of tables, a table and a row.
    for part in (np.s_[:], 0, (0, 0)):
        found = tempered(PROBABILITIES[part], temperature)
        np.testing.assert_allclose(found, wanted[part], rtol=1e-9)


def test_tempering_twice_is_tempering_by_the_product():
    p = PROBABILITIES[0]
    twice = tempered(tempered(p, 0.4), 5.0)
    np.testing.assert_allclose(twice, tempered(p, 2.0), rtol=1e-9)
    np.testing.assert_allclose(tempered(tempered(p, 3.0), 1 / 3), p, rtol=1e-9)


def test_tempering_keeps_zeros_and_does_not_overflow():
    p = np.array([[0.0, 1.0, 0.0], [1e-300, 0.5, 0.5], [0.0, 1e-8, 1 - 1e-8]])
    for temperature in (0.05, 1.0, 20.0):
        found = tempered(p, temperature)
        assert np.isfinite(found).all()
        assert (found[p == 0] == 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(tempered(p, 1.0), p)


@pytest.mark.parametrize("temperature", [0.25, 0.7, 1.0, 2.0, 6.0])
def test_the_temperature_that_labels_were_drawn_at_is_found(temperature):
    p = RNG.dirichlet(np.ones(3), size=20_000)
    true = tempered(p, temperature)
    y = (RNG.random(len(p))[:, None] > true.cumsum(axis=1)).sum(axis=1)
    assert fit_temperature(p, y) == pytest.approx(temperature, rel=0.1)
