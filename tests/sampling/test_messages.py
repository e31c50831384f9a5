"""Messages of samplers: one clear sentence for each wrong call."""

import numpy as np
import pytest
from messages import check_one_sentence
from problems import linear_problem
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from skrobust.sampling import DeepESTSampler, OperationalSampler, SimpleRandomSampler

MODEL, X, Y = linear_problem()


def asked(**kw):
    sampler = SimpleRandomSampler(random_state=0, **kw).fit(np.ones(5))
    sampler.ask(2)
    return sampler


# (what is called, the sentence it must raise)
ROWS = {
    "pool empty": (lambda: SimpleRandomSampler().fit([]), "at least one input"),
    "regressor": (
        lambda: OperationalSampler(Ridge().fit(X, Y)).fit(X),
        "Ridge has none. It is a regressor",
    ),
    "scores negative": (lambda: DeepESTSampler().fit([-1.0, 2.0]), "at least 0"),
    "scores nan": (lambda: DeepESTSampler().fit([np.nan, 2.0]), "found NaN"),
    "scores 2-D": (lambda: DeepESTSampler().fit(X), "1-D scores"),
    "rule": (lambda: DeepESTSampler(rule="jar").fit([0.1, 0.2]), "'paper', 'released'"),
    "mixing": (lambda: DeepESTSampler(mixing=2).fit([0.1, 0.2]), "'mixing'"),
    "threshold": (
        lambda: DeepESTSampler(threshold="sd").fit([0.1, 0.2]), "'threshold'"),
    "ask too many": (lambda: asked().ask(5), "3 left, 5 asked"),
    "ask none": (lambda: asked().ask(0), "at least 1"),
    "tell unasked": (
        lambda: [asked().tell([i], failed=[0]) for i in range(5)], "was never asked"),
    "tell outside": (lambda: asked().tell([99], failed=[0]), "outside the pool"),
    "tell both": (lambda: asked().tell([0], [1], failed=[0]), "one of the three"),
    "tell labels": (
        lambda: (s := asked()).tell(s.ids_, [1, 1]), "pass failed="),
    "tell half": (
        lambda: (s := asked()).tell(s.ids_, failed=[1]), "one answer per id"),
    "tell a guess": (
        lambda: (s := asked()).tell(s.ids_, failed=[0.4, 1]), "booleans"),
    "confidence": (lambda: asked().result(confidence=95), r"in \(0, 1\)"),
    "sampler unfitted": (lambda: SimpleRandomSampler().ask(2), "not fitted"),
    "sampler without probabilities": (
        lambda: DeepESTSampler(LinearSVC().fit(X, Y)).fit(X), "needs predict_proba"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_wrong_calls_of_samplers_get_one_clear_sentence(row):
    check_one_sentence(*ROWS[row])
