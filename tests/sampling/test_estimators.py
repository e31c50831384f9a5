"""Estimators by enumeration of every sequence of draws, and the anytime interval."""

from itertools import combinations, product

import numpy as np
import pytest
from small_samplers import DESIGNS, P6, P7, InBatches, answered, make, sequences

from skrobust.sampling import DeepESTSampler, SimpleRandomSampler
from skrobust.sampling.core.anytime import betting_interval
from skrobust.sampling.core.draws import Draws
from skrobust.sampling.core.estimates import (
    hajek_variance,
    lure_weights,
    variance_between,
    z_values,
)
from skrobust.sampling.core.rate_estimator import RateEstimator

OUTCOMES = [np.array(bits, dtype=bool) for bits in product((0, 1), repeat=7)][5::21]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("estimator", ["lure", "difference"])
def test_estimates_and_variances_are_exactly_unbiased(design, estimator):
    sampler, n = make(design, P7), 3
    p = np.array([0.3, 0.1, 0.9, 0.2, 0.6, 0.4, 0.0])
    drawn = list(sequences(design, P7, n))
    chance = np.array([steps.prod() for _, steps in drawn])
    for failed in OUTCOMES:
        found = []
        for ids, steps in drawn:
            a = answered(failed, ids, steps)
            predictor = p if estimator == "difference" else None
            query = RateEstimator(sampler, a, estimator=estimator, predictor=predictor)
            found.append(query.estimate(query.answered))
        rate, std_error = np.array([(e.rate, e.std_error) for e in found]).T
        assert chance @ rate == pytest.approx(failed.mean(), abs=1e-9)
        variance = chance @ (rate - failed.mean()) ** 2
        assert chance @ std_error**2 == pytest.approx(variance, abs=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
def test_single_values_of_the_difference_estimator_have_its_mean(design):
    # The bootstrap draws them again: all mean and weights must be those of the rate.
    sampler, failed = make(design, P7), OUTCOMES[2]
    p = np.array([0.3, 0.1, 0.9, 0.2, 0.6, 0.4, 0.0])
    for ids, steps in list(sequences(design, P7, 3))[::7]:
        rounds = answered(failed, ids, steps)
        query = RateEstimator(sampler, rounds, estimator="difference", predictor=p)
        estimate = query.estimate(query.answered)
        assert estimate.weights @ estimate.z == pytest.approx(estimate.rate, abs=1e-12)
        if design == "uniform":
            expected = p.mean() + (failed[ids] - p[ids])
            assert estimate.z == pytest.approx(expected, abs=1e-12)


def test_lure_is_the_published_formula():
    rng = np.random.default_rng(0)
    n_pool, n = 9, 5
    y, q = rng.random(n) < 0.5, rng.uniform(0.05, 0.4, size=n)
    m = np.arange(1, n + 1)
    v = 1 + (n_pool - n) / (n_pool - m) * (1 / ((n_pool - m + 1) * q) - 1)
    a = answered(np.r_[y, np.zeros(4, bool)], np.arange(n), q)
    assert lure_weights(a) @ z_values(a) == pytest.approx((v * y).mean(), rel=1e-12)
    assert lure_weights(a).sum() == pytest.approx(1)
    uniform = answered(np.r_[y, np.zeros(4, bool)], np.arange(n), 1 / (n_pool + 1 - m))
    assert lure_weights(uniform) @ z_values(uniform) == pytest.approx(y.mean())


@pytest.mark.parametrize("design", DESIGNS)
def test_lure_is_exact_with_all_drawn_and_the_published_mean_is_not(design):
    failed = np.array([True, False, True, True, False, False, True])
    published = []
    for seed in range(20):
        sampler = make(design, P7, seed)
        sampler.sample(7, lambda ids: failed[ids])
        for estimator in ("default", "lure", "difference", "ppi"):
            result = sampler.result(estimator=estimator)
            assert result.accuracy == pytest.approx(3 / 7, abs=1e-15)
            assert result.interval == (result.accuracy, result.accuracy)
        a = answered(failed, sampler.ids_, sampler.draw_probabilities_)
        assert lure_weights(a) @ z_values(a) == pytest.approx(4 / 7)
        published.append(sampler.result(estimator="published").accuracy)
    spread = np.std(published)
    assert spread < 1e-12 if design == "uniform" else spread > 0.02


def test_a_round_is_one_batch_and_the_predictor_that_of_its_draw():
    # Enumerate two rounds of two out of six; m of the second depends on the first.
    failed = np.array([True, False, False, True, False, True])
    m_of = {k: np.array([0.5, 0.1, 0.3, 0.7, 0.2, 0.6]) * (1 + k) / 3 for k in range(3)}
    rates, variances = [], []
    for first in combinations(range(6), 2):
        free = [i for i in range(6) if i not in first]
        m = m_of[int(failed[list(first)].sum())]
        for second in combinations(free, 2):
            rounds = Draws()
            rounds.add(first, [2 / 6] * 2, sequential=False)
            rounds.add_predictor("at first", m_of[0])
            rounds.add(second, [2 / 4] * 2, sequential=False)
            rounds.add_predictor("later", m)
            ids = [*first, *second]
            a = rounds.answered(np.ones(4, bool), failed[ids], 6)
            by_hand = (
                sum(failed[list(first)]) + sum(m[i] for i in free)
                + sum((failed[i] - m[i]) * 2 for i in second)
            ) / 6  # fmt: skip
            z = z_values(a)
            assert z[1] == pytest.approx(by_hand)
            sampler = InBatches().fit(P6)
            estimate = sampler._estimate(a)
            rates.append(estimate.rate)
            variances.append(estimate.std_error**2)
    assert np.mean(rates) == pytest.approx(failed.mean())
    assert np.mean(variances) == pytest.approx(np.var(rates))


def test_late_answers_never_reach_the_predictor_of_a_draw():
    scores = np.linspace(0.05, 0.95, 40)
    a, b = InBatches(random_state=0).fit(scores), InBatches(random_state=0).fit(scores)
    first = a.ask(10)
    b.ask(10)
    b.tell(first[:5], failed=[1] * 5)
    for sampler in (a, b):
        sampler.ask(10)
    a.tell(first[:5], failed=[1] * 5)
    assert a._draws.snapshots != b._draws.snapshots
    assert a._draws.snapshots == [{"slope": 0.5}]
    before = np.array(a._draws.m)
    a.tell(a.pending_, failed=[0] * 15).result()
    np.testing.assert_array_equal(a._draws.m, before)
    np.testing.assert_allclose(before, scores[a.ids_] * 0.5)


def test_variance_of_weighted_means_is_unbiased_whatever_the_variances():
    weights, spread = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 3.0, 0.5, 2.0])
    signs = np.array(list(product((-1, 1), repeat=4)))
    found = [variance_between(7 + s * spread, weights) for s in signs]
    assert np.mean(found) == pytest.approx(weights**2 @ spread**2)
    assert variance_between(np.array([1.0, 4.0]), np.full(2, 0.5)) == 4.5 / 2


def test_hajek_variance_is_that_of_simple_random_sampling():
    values = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    means, found = [], []
    for pick in combinations(range(7), 3):
        drawn = values[list(pick)]
        means.append(drawn.mean())
        found.append(hajek_variance(drawn, np.full(3, 3 / 7), 7)[0])
    assert np.mean(found) == pytest.approx(np.var(means))
    assert hajek_variance(np.ones(2), np.ones(2), 7) == (0.0, np.inf)
    assert np.isnan(hajek_variance(np.ones(2), np.array([1.0, 0.5]), 7)[0])


def test_difference_of_a_perfect_predictor_has_no_error():
    failed = np.random.default_rng(0).random(200) < 0.3
    sampler = DeepESTSampler(random_state=0).fit(np.full(200, 0.4))
    sampler.sample(30, lambda ids: failed[ids])
    result = sampler.result(estimator="difference", predictor=failed.astype(float))
    assert result.accuracy == pytest.approx(1 - failed.mean())
    assert result.std_error == 0


@pytest.mark.slow
def test_ppi_is_between_the_plain_and_the_difference_estimate():
    rng = np.random.default_rng(1)
    scores = rng.beta(0.4, 2, size=3000)
    failed = rng.random(3000) < scores
    errors = {name: [] for name in ("default", "difference", "ppi", "useless")}
    for seed in range(200):
        sampler = SimpleRandomSampler(random_state=seed).fit(scores)
        sampler.sample(200, lambda ids: failed[ids])
        for name in ("default", "difference", "ppi"):
            errors[name].append(sampler.result(estimator=name).accuracy)
        flat = sampler.result(estimator="ppi", predictor=1 - scores)
        errors["useless"].append(flat.accuracy)
    rmse = {k: np.sqrt(np.mean((np.array(v) - 1 + failed.mean()) ** 2))
            for k, v in errors.items()}  # fmt: skip
    assert rmse["difference"] < 0.95 * rmse["default"]
    assert rmse["ppi"] < 0.97 * rmse["default"]
    assert rmse["useless"] == pytest.approx(rmse["default"])  # lambda is clipped to 0


@pytest.mark.parametrize(
    ("sampler", "options", "message"),
    [
        (DeepESTSampler(), {"estimator": "mean"}, "'estimator' parameter"),
        (DeepESTSampler(), {"method": "wald"}, "'method' parameter"),
        (DeepESTSampler(), {"method": "wilson"}, "not valid for the draws of DeepEST"),
        (SimpleRandomSampler(), {"method": "wilson", "estimator": "ppi"}, "plain mean"),
        (DeepESTSampler(), {"method": "anytime", "estimator": "lure"}, "past"),
        (DeepESTSampler(), {"predictor": "confidence"}, "predictor= goes with"),
        (DeepESTSampler(), {"estimator": "ppi", "predictor": [0.5]}, "8 probabilities"),
        (DeepESTSampler(), {"estimator": "ppi", "predictor": [2.0] * 8}, "8 probab"),
        (DeepESTSampler(), {"estimator": "ppi", "predictor": [np.nan] * 8}, "finite"),
    ],
)
def test_bad_options(sampler, options, message):
    sampler.fit(np.linspace(0.1, 0.8, 8)).sample(4, lambda ids: ids > 3)
    before = str(sampler.result())
    with pytest.raises(ValueError, match=message):
        sampler.result(**options)
    assert str(sampler.result()) == before
    without = SimpleRandomSampler(random_state=0).fit(np.full(8, 3.0))
    without.sample(4, lambda ids: ids > 3)
    with pytest.raises(ValueError, match=r"no scores in \[0, 1\]"):
        without.result(estimator="difference")


# The anytime interval


@pytest.mark.slow
def test_anytime_interval_holds_at_all_looks_and_t_does_not():
    rng = np.random.default_rng(3)
    scores = rng.random(60)
    failed = rng.random(60) < scores
    truth, runs = 1 - failed.mean(), 150
    slack = 3 * np.sqrt(0.2 * 0.8 / runs)
    for kind in (DeepESTSampler, SimpleRandomSampler):
        held = {"anytime": 0, "t": 0}
        for seed in range(runs):
            sampler = kind(random_state=seed).fit(scores)
            looks = {"anytime": [], "t": []}
            for k in range(1, 41):
                ids = sampler.ask()
                sampler.tell(ids, failed=failed[ids])
                for method, seen in looks.items():
                    if k > 1 and (method == "t" or k == 40):
                        # The running anytime interval never widens: one look will do.
                        result = sampler.result(method=method, confidence=0.8)
                        seen.append(result.interval)
            for method, seen in looks.items():
                low, high = np.array(seen).T
                held[method] += (low - 1e-9 <= truth).all() and (
                    truth <= high + 1e-9
                ).all()
        assert held["anytime"] / runs >= 0.8 - slack
        assert held["t"] / runs < 0.8 - slack


def test_the_anytime_interval_never_widens():
    failed = np.random.default_rng(0).random(100) < 0.3
    sampler = DeepESTSampler(random_state=0).fit(np.linspace(0, 1, 100))
    seen = []
    for _ in range(30):
        sampler.sample(3, lambda ids: failed[ids])
        seen.append(sampler.result(method="anytime").interval)
    low, high = np.array(seen).T
    assert (np.diff(low) >= -1e-8).all()
    assert (np.diff(high) <= 1e-8).all()


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.03, 0.3, 0.5])
def test_betting_covers_at_all_times(rate):
    # The worst case for a martingale: independent coin flips, looked at 300 times.
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(250):
        z = (rng.random(300) < rate).astype(float)
        low, high = betting_interval(z, np.zeros(300), np.ones(300), 0.8)
        missed += not low <= rate <= high  # holds at the last look = held at all looks
    assert missed / 250 <= 0.2 + 3 * np.sqrt(0.16 / 250)


def test_betting_is_refuted_where_its_bounds_are_wrong():
    # z above its stated bound breaks the promise: such a test can fail.
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(60):
        z = 10 * (rng.random(400) < 0.03)
        low, high = betting_interval(z, np.zeros(400), np.full(400, 0.5), 0.8)
        missed += not low <= 0.3 <= high
    assert missed / 60 > 0.5


def test_capital_is_monotone_so_the_interval_grows_with_confidence():
    rng = np.random.default_rng(0)
    z = (rng.random(500) < 0.2).astype(float)
    ends = [
        betting_interval(z, np.zeros(500), np.ones(500), c) for c in (0.5, 0.9, 0.99)
    ]
    lows, highs = np.array(ends).T
    assert (np.diff(lows) < 0).all()
    assert (np.diff(highs) > 0).all()
    assert 0.08 < highs[1] - lows[1] < 0.2


def test_anytime_needs_a_lowest_probability():
    class NoFloor(InBatches):
        def _floor(self, n):
            return np.zeros(n)

    sampler = NoFloor(random_state=0).fit(P6)
    sampler.sample(3, lambda ids: ids > 3)
    with pytest.raises(ValueError, match="lowest probability above 0"):
        sampler.result(method="anytime")


def test_should_stop_and_labels_for():
    failed = np.arange(2000) % 10 == 0
    sampler = SimpleRandomSampler(random_state=0).fit(np.full(2000, 0.1))
    assert not sampler.should_stop(0.1)
    asked = 0
    while not sampler.should_stop(0.08):
        sampler.sample(20, lambda ids: failed[ids])
        asked += 20
    low, high = sampler.result(method="anytime").interval
    assert high - low <= 0.16
    assert low <= 0.9 <= high
    result = sampler.result()
    needed = result.labels_for(0.03)
    more = sampler.sample(needed - asked, lambda ids: failed[ids])
    low, high = more.interval
    assert (high - low) / 2 == pytest.approx(0.03, rel=0.25)
    assert more.labels_for((high - low) / 2) == pytest.approx(needed, abs=1)
    assert result.labels_for(1e-9) == 2000
    for bad in (0, -1, 2, "0.1", np.nan):
        with pytest.raises(ValueError, match="'half_width'"):
            result.labels_for(bad)
        with pytest.raises(ValueError, match="'half_width'"):
            sampler.should_stop(bad)
        with pytest.raises(ValueError, match="'half_width'"):
            sampler.plan(bad)


def test_a_plan_keeps_what_it_forecasts():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 3, size=5000)
    failed = rng.random(5000) < scores
    for make_one in (
        lambda seed: SimpleRandomSampler(random_state=seed).fit(scores),
        lambda seed: DeepESTSampler(random_state=seed).fit(scores),
    ):
        sampler = make_one(0)
        plan = sampler.plan(0.03, expected_accuracy=1 - scores.mean())
        assert plan.assumption
        half = []
        for seed in range(20):
            one = make_one(seed)
            one.sample(int(plan), lambda ids: failed[ids])
            half.append(1.96 * one.result().std_error)
        assert np.mean(half) == pytest.approx(0.03, rel=0.2)
    with pytest.raises(ValueError, match="needs expected_accuracy="):
        DeepESTSampler().fit([1.0, 2.0, 3.0]).plan(0.1)
    with pytest.raises(ValueError, match="'expected_accuracy'"):
        DeepESTSampler().fit([0.1, 0.2]).plan(0.1, expected_accuracy=90)


def test_bootstrap_is_the_same_twice_and_near_t():
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    failed = rng.random(400) < scores
    for sampler in (
        DeepESTSampler(random_state=0),
        SimpleRandomSampler(random_state=0),
        InBatches(random_state=0),
    ):
        sampler.fit(scores)
        for _ in range(2):
            sampler.sample(60, lambda ids: failed[ids])
        result = sampler.result(method="bootstrap")
        assert result.interval == sampler.result(method="bootstrap").interval
        t = sampler.result(method="t").interval
        assert result.interval == pytest.approx(t, abs=0.25 * (t[1] - t[0]))


def test_draws_of_a_newcomer_have_their_floor_stored():
    sampler = make("floored", P7 * 3)
    sampler.sample(10, lambda ids: ids % 2)
    taken = np.zeros(21, dtype=bool)
    for i, floor in zip(sampler.ids_, sampler._floor(10), strict=True):
        q = sampler._probabilities(taken)
        assert floor == pytest.approx(q[~taken].min())
        taken[i] = True
    assert sampler.result(method="anytime").method == "anytime"
