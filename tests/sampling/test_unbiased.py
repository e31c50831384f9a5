"""Samplers draw with the probabilities they state, and estimate without bias.

The draw probabilities are written down here a second time, slowly and from the
published definition, and every sequence of draws of a small pool is enumerated.
"""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare, hypergeom
from small_samplers import DESIGNS, P4, P5, P6, P7, answered, make, sequences, slow_q

from skrobust.sampling import DeepESTSampler, SimpleRandomSampler

POOLS = Path(__file__).parents[3] / "shared" / "data" / "operational"


@pytest.mark.parametrize(
    ("rule", "first", "expected"),
    [
        ("released", 3, {0: 0.066667, 1: 0.386667, 2: 0.546667}),
        ("paper", 3, {0: 0.139394, 1: 0.357576, 2: 0.503030}),
        ("released", 0, {1: 0.244444, 2: 0.333333, 3: 0.422222}),
        ("paper", 0, {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}),
    ],
)
def test_second_draw_has_the_published_probability(rule, first, expected):
    assert slow_q(rule, P4, [first]) == pytest.approx(expected, abs=1e-6)
    stated = make(rule, P4)._probabilities(np.arange(4) == first)
    assert stated[first] == 0
    assert {i: stated[i] for i in expected} == pytest.approx(expected, abs=1e-6)
    stored = {}
    for seed in range(200):
        sampler = make(rule, P4, seed)
        i, j = sampler.ask(2)
        assert sampler.draw_probabilities_[0] == 0.25
        if i == first:
            stored[int(j)] = sampler.draw_probabilities_[1]
    assert stored == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("scores", [P5, P6, [0.0] * 5, [0.9, 0.0, 0.0, 0.0]])
def test_stored_probabilities_are_the_definition(design, scores):
    for seed in range(20):
        sampler = make(design, scores, seed)
        ids = sampler.ask(len(scores))
        expected = [
            slow_q(design, scores, ids[:k].tolist())[i] for k, i in enumerate(ids)
        ]
        np.testing.assert_allclose(sampler.draw_probabilities_, expected, rtol=1e-9)


@pytest.mark.parametrize("rule", ["paper", "released"])
def test_fast_draw_states_the_definition_down_to_the_last_unit(rule):
    scores = 10.0 ** np.random.default_rng(0).uniform(-9, 6, size=2500)
    sampler = DeepESTSampler(rule=rule, threshold=1e-3, random_state=0).fit(scores)
    ids = sampler.ask(2500)
    assert sorted(ids) == list(range(2500))
    taken = np.zeros(2500, dtype=bool)
    for i, q in zip(ids, sampler.draw_probabilities_, strict=True):
        assert q == pytest.approx(sampler._probabilities(taken)[i], rel=1e-9)
        taken[i] = True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "n"), [(P5, 3), (P6, 3), (P7, 4)], ids=["5-3", "6-3", "7-4"]
)
@pytest.mark.parametrize("design", DESIGNS)
def test_estimate_and_variance_are_exactly_unbiased(design, scores, n):
    sampler = make(design, scores)
    size = len(scores)
    outcomes = list(product([False, True], repeat=size))
    if size > 5:
        outcomes = [outcomes[k] for k in (0, 1, 5, 18, 43, 58, len(outcomes) - 1)]
    drawn = list(sequences(design, scores, n))
    chance = np.array([steps.prod() for _, steps in drawn])
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    for outcome in outcomes:
        failed = np.array(outcome)
        estimates = [sampler._estimate(answered(failed, *d)) for d in drawn]
        rate, std_error = np.array([(e.rate, e.std_error) for e in estimates]).T
        truth = failed.mean()
        assert chance @ rate == pytest.approx(truth, abs=1e-9)
        variance = chance @ (rate - truth) ** 2
        assert chance @ std_error**2 == pytest.approx(variance, abs=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
def test_result_is_the_enumerated_estimate(design):
    failed = np.array([True, False, True, False, True, False])
    sampler = make(design, P6, seed=3)
    ids = sampler.ask(4)
    result = sampler.tell(ids, failed=failed[ids]).result()
    q = [slow_q(design, P6, ids[:k].tolist())[i] for k, i in enumerate(ids)]
    z = [failed[ids[:k]].sum() / 6 + failed[i] / 6 / q[k] for k, i in enumerate(ids)]
    if design == "uniform":
        z = failed[ids]
    assert result.unbiased_value == pytest.approx(1 - np.mean(z), abs=1e-12)
    if design != "uniform":
        assert result.std_error == pytest.approx(np.std(z, ddof=1) / 2, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_draws_have_the_sequence_probabilities(design):
    repeats = 8000 if design == "floored" else 33_000
    expected = {tuple(i): q.prod() for i, q in sequences(design, P5, 3)}
    counts = dict.fromkeys(expected, 0)
    sampler = make(design, P5, seed=1)
    for _ in range(repeats):
        sampler._restart()  # a fresh design from the running generator
        ids, _ = sampler._draw(3)
        counts[tuple(ids.tolist())] += 1
    chance = np.array(list(expected.values()))
    assert chisquare(list(counts.values()), repeats * chance).pvalue > 1e-4


def test_the_two_rules_can_be_told_apart_by_their_draws():
    # The chi-square test above must have the power to see rules swapped.
    sampler = make("released", P5, seed=1)
    expected = {tuple(i): q.prod() for i, q in sequences("paper", P5, 3)}
    counts = dict.fromkeys(expected, 0)
    for _ in range(8000):
        sampler._restart()
        counts[tuple(sampler._draw(3)[0].tolist())] += 1
    chance = np.array(list(expected.values()))
    assert chisquare(list(counts.values()), 8000 * chance).pvalue < 1e-6


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_hypergeometric_interval_covers_for_every_rate(confidence):
    n_pool, n = 30, 10
    intervals = []
    for found in range(n + 1):
        sampler = SimpleRandomSampler(random_state=0).fit(np.ones(n_pool))
        sampler.tell(sampler.ask(n), failed=np.arange(n) < found)
        intervals.append(sampler.result(confidence=confidence).interval)
    low, high = np.array(intervals).T
    assert (low < high).all()
    for k in range(n_pool + 1):
        accuracy = 1 - k / n_pool
        covered = (low <= accuracy + 1e-12) & (accuracy - 1e-12 <= high)
        chance = hypergeom.pmf(np.arange(n + 1), n_pool, k, n)
        assert chance @ covered >= confidence - 1e-12
    # It is no wider than the tests demand: the next number outside is rejected.
    tail = (1 - confidence) / 2
    for found, (below, above) in enumerate(intervals):
        most, least = round(30 * (1 - below)), round(30 * (1 - above))
        assert hypergeom.cdf(found, n_pool, most + 1, n) <= tail or (
            most == found + n_pool - n
        )
        assert least == found or hypergeom.sf(found - 1, n_pool, least - 1, n) <= tail


def test_interval_without_mispredictions_covers():
    # If more inputs failed than the interval allows, meeting none would be unlikely.
    sampler = make("paper", P7 * 4, seed=1)
    result = sampler.sample(12, np.zeros_like)
    assert result.method == "rule of three"
    n_bad = round((1 - result.interval[0]) * 28)
    assert 0 < n_bad < 16
    chances = []
    for seed in range(2000):
        # the n_bad + 1 least suspicious inputs fail, the hardest case
        bad = np.argsort(P7 * 4, kind="stable")[: n_bad + 1]
        chances.append(not np.isin(make("paper", P7 * 4, seed).ask(12), bad).any())
    assert np.mean(chances) <= 0.025


def read_pool(name):
    path = POOLS / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"real pool {name} is not here")
    pandas = pytest.importorskip("pandas")
    pool = pandas.read_csv(path, encoding="utf-8-sig")
    pool.columns = pool.columns.str.lower()
    return 1 - pool["confidence"].to_numpy(), pool["outcome"].eq("Fail").to_numpy()


@pytest.mark.data
@pytest.mark.parametrize(
    ("pool", "rule", "found"),
    [
        ("CN5_MNIST", "released", 44.5),
        ("CN5_MNIST", "paper", 28.4),
        ("VGG16_CIFAR10", "released", 83.1),
        ("VGG16_CIFAR10", "paper", 64.3),
    ],
)
def test_real_pools_give_the_published_failures_without_bias(pool, rule, found):
    scores, failed = read_pool(pool)
    results = [
        DeepESTSampler(rule=rule, random_state=seed)
        .fit(scores)
        .sample(200, lambda ids: failed[ids])
        for seed in range(200)
    ]
    n_failures = np.array([r.n_failures for r in results])
    standard = n_failures.std(ddof=1) / np.sqrt(len(results))
    assert abs(n_failures.mean() - found) < 4 * standard + 0.05
    accuracy = np.array([r.unbiased_value for r in results])
    standard = accuracy.std(ddof=1) / np.sqrt(len(results))
    assert abs(accuracy.mean() - (1 - failed.mean())) < 4 * standard


@pytest.mark.slow
@pytest.mark.data
def test_uniform_draws_on_a_real_pool_cover_and_are_unbiased():
    scores, failed = read_pool("CN12_CIFAR10")
    truth = 1 - failed.mean()
    results = [
        SimpleRandomSampler(random_state=seed)
        .fit(scores)
        .sample(200, lambda ids: failed[ids])
        for seed in range(200)
    ]
    accuracy = np.array([r.unbiased_value for r in results])
    standard = np.sqrt(truth * (1 - truth) / 200 / 200)
    assert abs(accuracy.mean() - truth) < 4 * standard
    covered = np.mean([r.interval[0] <= truth <= r.interval[1] for r in results])
    assert covered > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 200)
