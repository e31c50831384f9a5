"""Rows on which a model raises an error count as wrong, with a warning."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.evaluation.conditions.refused_rows import answers
from skrobust.perturbations import CategoryFlip

RNG = np.random.default_rng(0)
N = 60
X = pd.DataFrame(
    {"strict": RNG.choice(["a", "b"], N), "lenient": RNG.choice(["c", "d"], N)}
)
Y = (X["strict"] == "a").to_numpy().astype(int)
UNSEEN = CategoryFlip(share=0.3, mode="unseen", random_state=0)


def model(lenient):
    encoder = OneHotEncoder(handle_unknown="ignore")
    both = [(OneHotEncoder(), ["strict"]), (encoder, ["lenient"])]
    if lenient:
        both = [(encoder, ["strict", "lenient"])]
    return make_pipeline(make_column_transformer(*both), LogisticRegression(C=100))


def test_refused_rows_count_as_wrong_and_no_others():
    strict, open_ = (model(lenient).fit(X, Y) for lenient in (False, True))
    moved = UNSEEN.fit(X).perturb(None, X)
    gone = (moved["strict"] == "unseen").to_numpy()
    right = open_.predict(moved) == Y
    with pytest.warns(
        UserWarning, match="raises an error on rows of 1 conditions"
    ) as w:
        results = evaluate_perturbations(strict, X, Y, [UNSEEN], X_ref=X)
    assert "Found unknown categories" in str(w[0].message)
    assert results.refused[0] == gone.mean()
    assert results.correct[:, 0].tolist() == (right & ~gone).tolist()
    assert results.flip_rate[0] >= gone.mean()
    free = evaluate_perturbations(open_, X, Y, [UNSEEN], X_ref=X)
    assert "refused" not in free
    assert free.correct[:, 0].tolist() == right.tolist()


def test_refused_rows_of_folds():
    with pytest.warns(UserWarning, match="on rows of 1 conditions"):
        results = cross_validate_perturbations(model(False), X, Y, [UNSEEN], cv=3)
    assert 0 < results.conditions.refused[0] < 0.5


def test_a_score_of_refused_rows_is_one_sentence():
    strict = model(False).fit(X, Y)
    settings = {"X_ref": X, "scoring": "roc_auc"}
    with pytest.raises(ValueError, match=r"under the condition .*unknown cat"):
        evaluate_perturbations(strict, X, Y, [UNSEEN], **settings)


class Tired(ClassifierMixin, BaseEstimator):
    """Answers a few times, then raises an error of its own."""

    classes_ = np.array([0, 1])

    def __init__(self, n_answers):
        self.n_answers = self.left = n_answers

    def fit(self, X, y):
        return self

    def predict(self, X):
        self.left -= 1
        if self.left < 0:
            raise ValueError("no more answers today")
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("n_changed", [0, 1, N])
def test_an_error_on_rows_that_did_not_change_is_none_of_the_condition(n_changed):
    moved = X.copy()
    moved.iloc[:n_changed, 0] = "new"
    found = Tired(0), X, moved, np.zeros(N, dtype=int), True
    if not n_changed:
        with pytest.raises(ValueError, match=r"^no more answers today$"):
            answers(*found)
        return
    labels, refused, words = answers(*found)
    assert (labels.sum(), refused.sum()) == (0, n_changed)
    assert words == "no more answers today"
    with pytest.raises(ValueError, match=r"^no more answers today$"):
        answers(*found[:-1], False)  # of rows that are no table
