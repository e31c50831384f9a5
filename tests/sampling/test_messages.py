"""Messages of samplers: one clear sentence for each wrong call."""

import numpy as np
import pytest
from messages import check_one_sentence
from problems import linear_problem
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

from skrobust import sampling
from skrobust.sampling import (
    BaseSampler,
    DeepESTSampler,
    LivingPool,
    SimpleRandomSampler,
    detect_drift,
)

MODEL, X, Y = linear_problem()


def asked(**kw):
    sampler = SimpleRandomSampler(random_state=0, **kw).fit(np.ones(5))
    sampler.ask(2)
    return sampler


# (what is called, the sentence it must raise)
ROWS = {
    "pool empty": (lambda: SimpleRandomSampler().fit([]), "at least one input"),
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
    "answers of unequal rows": (
        lambda: sampling.estimate_label_noise([[0, 1], [0]]),
        r"array of shape \(n_inputs, n_answers\)"),
    "answers of no columns": (
        lambda: sampling.estimate_label_noise([[], []]),
        r"array of shape \(n_inputs, n_answers\)"),
    "distances unfitted": (
        lambda: sampling.DistanceSurprise().score_samples(X), "not fitted"),
    "likelihoods unfitted": (
        lambda: sampling.LikelihoodSurprise(MODEL).score_samples(X), "not fitted"),
    "norms unfitted": (
        lambda: sampling.MahalanobisSurprise().score_samples(X, Y), "not fitted"),
    "sampler unfitted": (lambda: SimpleRandomSampler().ask(2), "not fitted"),
    "sampler without probabilities": (
        lambda: DeepESTSampler(LinearSVC().fit(X, Y)).fit(X),
        "needs predict_proba; LinearSVC has none. Wrap it in CalibratedClassifierCV"),
    "sampler of a regressor": (
        lambda: DeepESTSampler(LinearRegression().fit(X, Y)).fit(X),
        "LinearRegression has none. Pass scores as auxiliary"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_wrong_calls_of_samplers_get_one_clear_sentence(row):
    check_one_sentence(*ROWS[row])


SAMPLERS = [
    kind
    for kind in map(vars(sampling).get, sampling.__all__)
    if isinstance(kind, type) and issubclass(kind, BaseSampler) and kind != BaseSampler
]


@pytest.mark.parametrize("kind", SAMPLERS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("with_scores", [False, True])
def test_no_sampler_takes_rows_with_hidden_values(kind, with_scores):
    """Even where scores and predictions are given, and no model reads the rows."""
    hidden = np.ma.array(X, mask=np.arange(X.size).reshape(X.shape) % 17 == 0)
    scores = {"auxiliary": np.full(len(X), 0.1)} if with_scores else {}
    sampler = kind(MODEL, random_state=0, **scores)
    check_one_sentence(lambda: sampler.fit(hidden, y_pred=Y), "X is a masked array")


def living_pool():
    return LivingPool(SimpleRandomSampler(), random_state=0).extend(np.zeros(5))


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, np.nan, "a"])
@pytest.mark.parametrize(
    "look",
    [
        lambda alpha: living_pool().drift(alpha=alpha),
        lambda alpha: detect_drift([0, 1], alpha=alpha),
        lambda alpha: detect_drift([0, 1], parts=[0, 1], alpha=alpha),
    ],
    ids=["pool", "labels", "parts"],
)
def test_a_probability_of_false_alarms_lies_between_none_and_all(look, alpha):
    check_one_sentence(lambda: look(alpha), "'alpha' parameter")
