"""Recall, F1, parts and estimates that are assisted by predictions."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import f1_score, recall_score
from sklearn.naive_bayes import GaussianNB

from skrobust.sampling import DeepESTSampler, OperationalSampler, SimpleRandomSampler


def three_classes():
    """Normal clusters of unequal size with the posterior of another width."""
    rng, share = np.random.default_rng(1), [0.6, 0.3, 0.1]
    y = rng.choice(3, 3000, p=share)
    X = 1.8 * np.eye(3)[y] + rng.normal(size=(3000, 3))
    p = np.exp(1.8 * X + np.log(share))
    return y, p / p.sum(axis=1, keepdims=True)


def digits():
    """Small and other digits, by a naive Bayes of noisy pixels with tempered scores."""
    rng, data = np.random.default_rng(0), load_digits()
    X = data.data + rng.normal(scale=6, size=data.data.shape)
    y = np.minimum(data.target // 3, 2)
    model = GaussianNB(var_smoothing=0.1).fit(X[:600], y[:600])
    log = model.predict_log_proba(X[600:]) / 3
    p = np.exp(log - log.max(axis=1, keepdims=True))
    return y[600:], p / p.sum(axis=1, keepdims=True)


def no_information():
    """Scores that say nothing."""
    rng = np.random.default_rng(2)
    y = rng.choice(3, 3000, p=[0.6, 0.3, 0.1])
    pred = np.where(rng.random(3000) < 0.15, rng.integers(0, 3, 3000), y)
    doubt = rng.beta(1, 6, 3000)
    p = np.repeat(doubt[:, None] / 2, 3, axis=1)
    p[np.arange(3000), pred] = 1 - doubt
    return y, p


WORLDS = {"clusters": three_classes(), "digits": digits(), "noise": no_information()}


def sampled(world, seed, kind=SimpleRandomSampler, n=200):
    y, p = WORLDS[world]
    sampler = kind(random_state=seed).fit(1 - p.max(axis=1), y_pred=p.argmax(axis=1))
    sampler.sample(n, y.take)
    return sampler


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", ["recall", "f1"])
def test_predictions_lower_the_error_and_keep_the_coverage(world, kind, name):
    (y, p), repeats = WORLDS[world], 150
    score = {"recall": recall_score, "f1": f1_score}[name]
    truth = score(y, p.argmax(axis=1), average=None)
    found = {None: [], "default": []}
    covered = []
    for seed in range(repeats):
        sampler = sampled(world, seed, kind)
        for predictor, values in found.items():
            one = sampler.metric(name, predictor=predictor)
            values.append([one[label].value for label in range(3)])
        ends = [one[label].interval for label in range(3)]
        inside = [low <= t <= high for (low, high), t in zip(ends, truth, strict=True)]
        covered.append(inside)
    error = {key: np.array(values) - truth for key, values in found.items()}
    rmse = {key: np.sqrt((e**2).mean(axis=0)) for key, e in error.items()}
    ratio = rmse["default"] / rmse[None]
    assert ratio.max() < 1.05
    if world != "noise" and name == "recall":
        assert ratio.mean() < 0.87
    bias = error["default"].mean(axis=0)
    noise = error["default"].std(axis=0) / np.sqrt(repeats)
    assert (abs(bias) < 4 * noise + 0.1 * rmse["default"]).all()  # ratios lean a little
    noise = np.sqrt(0.07 * 0.93 / repeats)
    assert np.mean(covered, axis=0).min() > 0.93 - 3 * noise


@pytest.mark.parametrize("kind", [SimpleRandomSampler, DeepESTSampler])
def test_a_predictor_that_knows_leaves_no_error(kind):
    y, p = WORLDS["clusters"]
    sampler = sampled("clusters", 0, kind, n=400)
    knows = np.eye(3)[y]
    truth = recall_score(y, p.argmax(axis=1), average=None)
    for label in range(3):
        plain = sampler.metric("recall", label=label, predictor=None)
        found = sampler.metric("recall", label=label, predictor=knows)
        assert abs(found.value - truth[label]) < abs(plain.value - truth[label]) / 2
        assert found.std_error < plain.std_error / 2


def test_weighted_draws_without_a_predictor_of_their_own_get_no_narrower():
    wide = []
    for seed in range(10):
        sampler = sampled("clusters", seed, DeepESTSampler)
        for label in range(3):
            plain = sampler.metric("recall", label=label, predictor=None)
            found = sampler.metric("recall", label=label)
            assert found.std_error < plain.std_error
            low, high = found.interval
            wide.append((high - low) / (plain.interval.high - plain.interval.low))
    assert np.mean(wide) > 0.95


def test_where_no_failure_was_met_the_number_of_labels_bounds_it():
    pred = np.arange(300) % 2
    sure = np.full(300, 1e-6)  # scores that promise too much
    for kind in (SimpleRandomSampler, OperationalSampler):
        sampler = kind(random_state=0).fit(sure, y_pred=pred)
        sampler.sample(60, pred.take)
        one = sampler.metric("recall", label=1)
        low, high = one.interval
        assert (one.value, high) == (1, 1)
        assert low == (0 if kind is OperationalSampler else 0.025 ** (1 / one.n_used))


def test_parts_and_estimates_take_a_predictor():
    y, p = WORLDS["clusters"]
    part = np.arange(len(y)) % 4 == 0
    truth = (y == p.argmax(axis=1))[part].mean()
    cost = np.array([[0, 1, 4], [2, 0, 1], [9, 3, 0.0]])
    pred = p.argmax(axis=1)
    exact = cost[y, pred].mean()
    errors = {"plain": [], "assisted": [], "cost": [], "assisted cost": []}
    for seed in range(60):
        sampler = sampled("clusters", seed, n=300)
        for key, how in (("plain", "default"), ("assisted", "confidence")):
            found = sampler.metric(groups=part, predictor=how)
            errors[key].append(found.value - truth)
        for key, how in (("cost", None), ("assisted cost", p)):
            mean = sampler.estimate(lambda t, q: cost[t, q], predictor=how)
            errors[key].append(mean.value - exact)
    rmse = {key: np.sqrt(np.mean(np.square(e))) for key, e in errors.items()}
    assert rmse["assisted"] < 0.95 * rmse["plain"]
    assert rmse["assisted cost"] < 0.95 * rmse["cost"]
    mean, spread = np.mean(errors["assisted cost"]), np.std(errors["assisted cost"])
    assert abs(mean) < 4 * spread / np.sqrt(60)


@pytest.mark.parametrize("name", ["recall", "f1", "precision", "accuracy"])
def test_a_census_needs_no_predictor(name):
    y, p = WORLDS["clusters"]
    y, p = y[:90], p[:90]
    sampler = SimpleRandomSampler(random_state=0)
    sampler.fit(1 - p.max(axis=1), y_pred=p.argmax(axis=1)).sample(90, y.take)
    for predictor in (None, "confidence", p):
        found, plain = (
            sampler.metric(name, predictor=one) for one in (predictor, "default")
        )
        assert repr(found) == repr(plain)


@pytest.mark.parametrize(
    ("predictor", "message"),
    [
        ("margin", "'predictor' parameter"),
        (np.ones(5), "probabilities of 3000 inputs"),
        (np.full(3000, 2.0), "probabilities of a misprediction, or of each class"),
        (np.full((3000, 2), 0.5), "2 columns and there are 3 classes"),
        (np.full((3000, 3), 0.5), "rows sum to 1"),
    ],
)
def test_bad_predictors(predictor, message):
    with pytest.raises(ValueError, match=message):
        sampled("clusters", 0, n=40).metric("recall", predictor=predictor)


def test_an_unknown_predictor_of_an_estimate_is_refused():
    sampler = SimpleRandomSampler(random_state=0).fit(
        np.linspace(0, 0.5, 60), y_pred=np.arange(60) % 2
    )
    sampler.sample(20, lambda ids: ids % 3 % 2)
    with pytest.raises(ValueError, match="'predictor' parameter of"):
        sampler.estimate(lambda y_true, y_pred: y_true == y_pred, predictor="trust")
