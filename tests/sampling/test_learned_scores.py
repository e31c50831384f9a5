"""Features of the pool in the design of OperationalSampler."""

import json

import numpy as np
import pytest
from scipy.special import expit, logit

from skrobust.sampling import OperationalSampler
from skrobust.sampling.designs.learned_scores import LearnedScores
from skrobust.sampling.designs.score_curves import ScoreCurves, ScoreGroups


def clustered(seed=0, n=2000, n_parts=8):
    """Return scores, failures and the part of each input, which shifts its odds."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.2, 2.5, n)
    part = rng.integers(0, n_parts, n)
    effect = np.linspace(-2.5, 2.5, n_parts)[part]
    p = expit(0.7 * logit(np.clip(scores, 1e-6, 1 - 1e-6)) + effect)
    return scores, rng.random(n) < p, np.eye(n_parts)[part]


def drawn(scores, failed, features, n=300, seed=0, **parameters):
    sampler = OperationalSampler(random_state=seed, **parameters)
    sampler.fit(scores, features=features)
    sampler.sample(n, lambda ids: failed[ids])
    return sampler


def is_learned(sampler):
    return isinstance(sampler._draws.snapshots[-1], dict)


@pytest.mark.slow
def test_parts_that_fail_are_learned_and_intervals_get_shorter():
    scores, failed, parts = clustered()
    truth, widths, hits = 1 - failed.mean(), {"plain": [], "learned": []}, 0
    for seed in range(8):
        for name, features in (("plain", None), ("learned", parts)):
            sampler = drawn(scores, failed, features, seed=seed)
            result = sampler.result()
            widths[name].append(np.ptp(result.interval))
        assert is_learned(sampler)
        hits += result.interval[0] <= truth <= result.interval[1]
    assert np.mean(widths["learned"]) < 0.92 * np.mean(widths["plain"])
    assert hits >= 6


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [1, 40])
def test_noise_is_left_alone(n_features):
    scores, failed, _ = clustered(1)
    noise = np.random.default_rng(2).normal(size=(len(scores), n_features))
    used = 0
    for seed in range(6):
        with_noise = drawn(scores, failed, noise, n=100, seed=seed)
        used += any(isinstance(one, dict) for one in with_noise._draws.snapshots)
        if not used:
            plain = drawn(scores, failed, None, n=100, seed=seed)
            assert (with_noise.ids_ == plain.ids_).all()
            assert with_noise.result().interval == plain.result().interval
    assert used <= 2


def test_units_of_a_feature_and_constant_ones_do_not_matter():
    scores, failed, parts = clustered(3)
    one = drawn(scores, failed, parts)
    constant = np.full((len(parts), 1), 7.1)
    assert is_learned(one)
    for unit in (1e6, 1e-200, 1e200):
        same = drawn(scores, failed, np.hstack([parts * unit, constant]))
        assert (one.ids_ == same.ids_).all()


def test_the_regression_is_at_its_optimum():
    scores, failed, parts = clustered(4, n=400)
    learned = LearnedScores(parts, ScoreCurves(ScoreGroups(scores)))
    ids, y = np.arange(200), failed[:200].astype(float)
    base = learned._base(ids, y)
    beta = learned._fit(base, ids, y, 0.5)
    line = base[learned.given.groups.of[ids]] + learned.x[ids] @ beta
    gradient = learned.x[ids].T @ (expit(line) - y) + beta / 0.5
    assert np.abs(gradient).max() < 1e-2


def test_counts_of_scores_are_those_of_the_units_that_have_them():
    scores, failed, _ = clustered(5)
    groups, ids = ScoreGroups(scores), np.arange(0, 2000, 3)
    by_score = np.array(groups.counts_at(scores[ids], failed[ids]))
    assert (by_score == np.array(groups.counts(ids, failed[ids]))).all()


def test_restored_bit_for_bit():
    scores, failed, parts = clustered(6)
    sampler = drawn(scores, failed, parts)
    assert is_learned(sampler)
    text = sampler.to_json()
    bare = sampler.to_json(include_pool=False)
    twins = [
        OperationalSampler.from_json(text),
        OperationalSampler.from_json(bare, scores, features=parts),
    ]
    for twin in twins:
        assert twin.result().interval == sampler.result().interval
        assert json.loads(twin.to_json()) == json.loads(text)
        assert (twin.ask(30) == sampler.__copy__().ask(30)).all()
    frozen = OperationalSampler.from_json(text, frozen=True)
    assert frozen.result().interval == sampler.result().interval
    with pytest.raises(ValueError, match="another pool"):
        OperationalSampler.from_json(bare, scores, features=parts[::-1])
    with pytest.raises(ValueError, match="another pool"):
        OperationalSampler.from_json(bare, scores)


def test_a_learned_estimate_takes_the_features_of_the_pool():
    scores, failed, parts = clustered(7)
    sampler = drawn(scores, failed, parts, n=100)
    found = sampler.result(estimator="learned")
    assert found.accuracy == (
        sampler.result(estimator="learned", features=parts).accuracy
    )


def test_losses_are_learned_too():
    scores, failed, parts = clustered(8)
    loss = np.where(failed, 0.8, 0.05)
    sampler = OperationalSampler(random_state=0).fit(scores, features=parts)
    result = sampler.sample(300, lambda ids: loss[ids], kind="loss")
    assert is_learned(sampler)
    assert abs(result.mean_loss - loss.mean()) < 0.06


@pytest.mark.parametrize(
    "features, parameters, message",
    [
        (np.ones((9, 2)), {}, "'features'.*one row for each of the 10 inputs"),
        (np.full((10, 1), np.nan), {}, "'features'.*finite"),
        (np.ones((10, 1)), {"recalibrate": False}, "needs recalibrate=True"),
    ],
)
def test_bad_features(features, parameters, message):
    sampler = OperationalSampler(**parameters)
    with pytest.raises(ValueError, match=message):
        sampler.fit(np.linspace(0, 1, 10), features=features)
