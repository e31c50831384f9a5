"""The flagship: its frontier, its draw, its predictor, and exact unbiasedness."""

import json
from copy import deepcopy
from itertools import pairwise

import numpy as np
import pytest
from problems import data_folder
from scipy.special import expit

from skrobust.sampling import (
    OperationalSampler,
    SimpleRandomSampler,
    _operational,
    simulate,
)
from skrobust.sampling.designs import learned_scores
from skrobust.sampling.designs.batches import batch_sizes, batch_weights
from skrobust.sampling.designs.frontier import frontier
from skrobust.sampling.designs.ordered_draw import ordered_draw, successive_variance
from skrobust.sampling.designs.score_curves import (
    ScoreCurves,
    ScoreGroups,
    as_probabilities,
    descending,
)


def pool(n=400, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.4, 3, n)
    return scores, rng.random(n) < np.clip(1.5 * scores, 0, 1)


# The frontier


@pytest.mark.parametrize("emphasis", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("exploration", [0.02, 0.1, 1.0])
@pytest.mark.parametrize(("n_pool", "n"), [(7, 3), (300, 1), (300, 40), (3000, 2900)])
def test_probabilities_sum_to_n_above_the_floor(n_pool, n, emphasis, exploration):
    p = np.sort(np.random.default_rng(0).beta(0.3, 3, n_pool).clip(3e-4, 0.97))[::-1]
    pi = frontier(p, p * (1 - p), np.ones(n_pool), n, emphasis, exploration)
    assert pi.sum() == pytest.approx(n, rel=1e-9)
    assert pi.max() <= 1
    assert pi.min() >= exploration * n / n_pool * (1 - 1e-9)
    if exploration == 1:
        assert pi == pytest.approx(np.full(n_pool, n / n_pool))


@pytest.mark.parametrize("emphasis", [0.0, 0.4, 0.8])
def test_frontier_is_optimal(emphasis):
    # Inside the bounds the derivative of the error is a constant less a multiple of the
    # derivative of the failures (Kuhn and Tucker); the problem is convex.
    p = np.sort(np.random.default_rng(1).beta(0.5, 3, 2000).clip(3e-4, 0.97))[::-1]
    v = p * (1 - p)
    pi = frontier(p, v, np.ones(2000), 200, emphasis, 0.1)
    price = v / pi**2
    floor = 0.1 * 200 / 2000
    inside = (pi > floor * (1 + 1e-9)) & (pi < 1 - 1e-9)
    assert inside.sum() > 50
    slope, mu = np.polyfit(p[inside], price[inside], 1)
    assert price[inside] == pytest.approx(mu + slope * p[inside], rel=1e-6)
    assert slope == pytest.approx(0, abs=1e-6 * mu) if emphasis == 0 else slope < 0
    taken, least = pi >= 1 - 1e-9, pi <= floor * (1 + 1e-9)
    assert (price[taken] >= (mu + slope * p[taken]) * (1 - 1e-6)).all()
    assert (price[least] <= (mu + slope * p[least]) * (1 + 1e-6)).all()


def test_failures_to_expect_go_evenly_with_the_emphasis():
    p = np.sort(np.random.default_rng(2).beta(0.3, 3, 20_000).clip(3e-4, 0.97))[::-1]
    grid = np.linspace(0, 1, 6)
    one = np.ones(20_000)
    found = [frontier(p, p * (1 - p), one, 500, e, 0.1) @ p for e in grid]
    even = found[0] + grid * (found[-1] - found[0])
    assert found == pytest.approx(even, rel=0.01)
    n_sure = int((500 - 0.1 * 500) / (1 - 0.1 * 500 / 20_000))
    most = p[:n_sure].sum() + 0.1 * 500 / 20_000 * p[n_sure:].sum()
    assert found[-1] == pytest.approx(most, rel=0.01)


@pytest.mark.parametrize("emphasis", [0.0, 0.5, 1.0])
def test_groups_are_drawn_like_their_units(emphasis):
    rng = np.random.default_rng(3)
    p, size = rng.beta(0.5, 3, 40).clip(3e-4, 0.97), rng.integers(0, 9, 40)
    v = rng.random(40)
    pi = frontier(p, v, size, 30, emphasis, 0.1)
    units = np.repeat(np.arange(40), size)
    alone = frontier(p[units], v[units], np.ones(len(units)), 30, emphasis, 0.1)
    assert pi[units] == pytest.approx(alone, rel=1e-6)


# The draw


def outcomes(draw, n):
    """Return each outcome of a draw from n uniforms: (uniforms, positions, chance).

    Cell after cell: as a function of its own uniform, given those before, a cell's
    unit is a step function. Its steps are found by bisection to the last bit.
    """

    def steps(before, low, high, at_low, at_high):
        if at_low == at_high:
            return []
        while high - low > 1e-15:
            middle = (low + high) / 2
            at = unit(before, middle)
            if at not in (at_low, at_high):
                return [*steps(before, low, middle, at_low, at),
                        *steps(before, middle, high, at, at_high)]  # fmt: skip
            low, high = (middle, high) if at == at_low else (low, middle)
        return [(low + high) / 2]

    def unit(before, u):
        rest = np.full(n - len(before) - 1, 0.5)
        return int(draw(np.r_[before, u, rest])[len(before)])

    found = [((), 1.0)]
    for cell in range(n):
        longer = []
        for before, chance in found:
            grid = np.linspace(0, 1 - 1e-12, 60)  # a unit may occur in two stretches
            at = [unit(before, u) for u in grid]
            edges = [0.0]
            for i in range(len(grid) - 1):
                edges += steps(before, grid[i], grid[i + 1], at[i], at[i + 1])
            edges.append(1.0)
            assert cell == len(before)
            for low, high in pairwise(edges):
                longer.append(((*before, (low + high) / 2), chance * (high - low)))
        found = longer
    for uniforms, chance in found:
        yield np.array(uniforms), tuple(draw(np.array(uniforms)).tolist()), chance


@pytest.mark.parametrize(
    "pi",
    [(0.5, 0.5, 0.5, 0.5, 0.5, 0.5), (0.9, 0.05, 0.7, 0.3, 0.95, 0.1),
     (0.2, 0.2, 0.2, 0.2, 0.2, 1.0), (0.999, 0.001, 0.6, 0.4, 0.3, 0.7)],
)  # fmt: skip
def test_inclusion_probabilities_are_exact(pi):
    pi = np.array(pi)
    n = round(pi.sum())
    met, total = np.zeros(len(pi)), 0.0
    certain = int((pi == 1).sum())
    sure = np.zeros(certain)  # need no uniform
    for _, drawn, chance in outcomes(
        lambda u: ordered_draw(pi, np.r_[u, sure]), n - certain
    ):
        assert len(set(drawn)) == len(drawn) == n
        met[list(drawn)] += chance
        total += chance
    assert total == pytest.approx(1)
    assert met == pytest.approx(pi, abs=1e-12)


def test_draw_takes_one_unit_a_cell():
    rng = np.random.default_rng(0)
    pi = rng.random(500)
    pi *= 60 / pi.sum()
    edges = np.r_[0, np.cumsum(pi)]
    for seed in range(50):
        drawn = ordered_draw(pi, np.random.default_rng(seed).random(60))
        assert len(np.unique(drawn)) == 60
        cells = np.arange(60)
        assert (edges[drawn] <= cells + 1 + 1e-9).all()
        assert (edges[drawn + 1] >= cells - 1e-9).all()


def test_the_unit_across_a_border_is_not_drawn_at_the_edge_of_its_chance():
    # The uniform equals the chance of the unit across, which is not below it: the
    # point falls right behind that unit, and the next one is drawn, whatever the
    # rounding of sums. So it is behind the unit that the cell before took, at 0.
    for seed in range(200):
        pi = np.random.default_rng(seed).uniform(0.01, 0.6, size=60)
        n = int(pi.sum())
        pi *= n / pi.sum()
        edges = np.cumsum(pi)
        edges *= n / edges[-1]
        cell = np.arange(n)
        across = np.searchsorted(edges, cell, side="right")
        before = cell - np.r_[0, edges][across]
        after = np.where(before > 0, edges[across] - cell, 0)
        edge = np.minimum(after / (1 - before), 1 - 1e-16)
        drawn = ordered_draw(pi, edge)
        assert len(set(drawn.tolist())) == n
        taken = np.r_[False, drawn[:-1] == across[1:]] & (after > 0)
        free = ~taken & (after > 0)
        assert (drawn[free] == across[free] + 1).all()
        for k in np.flatnonzero(taken):
            at_zero = np.where(np.arange(n) == k, 0.0, edge)
            assert ordered_draw(pi, at_zero)[k] == across[k] + 1


def test_all_certain():
    assert ordered_draw(np.ones(4), np.zeros(4)).tolist() == [0, 1, 2, 3]
    assert successive_variance(np.ones(4), np.ones(4), 9) == (0, np.inf)


# The predictor


def curves_of(scores, **parameters):
    groups = ScoreGroups(scores)
    return groups, ScoreCurves(groups, **parameters)


def test_groups_keep_the_order_and_equal_scores_together():
    scores = np.round(np.random.default_rng(0).beta(0.3, 3, 3000), 3)
    groups = ScoreGroups(scores)
    assert (np.diff(scores[groups.order]) <= 0).all()
    assert (np.diff(groups.of[groups.order].astype(int)) >= 0).all()
    assert (np.bincount(groups.of) == groups.sizes).all()
    clipped = scores.clip(3e-4, 0.97)
    for one in np.unique(clipped):
        assert len(np.unique(groups.of[clipped == one])) == 1
    assert (np.diff(groups.logit) < 0).all()


def test_weights_follow_the_rule_of_bayes():
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    groups, curves = curves_of(scores)
    ids, failed = rng.permutation(300)[:40], rng.random(40) < 0.3
    p = curves.p[:, groups.of[ids]]
    joint = np.exp(curves.log_prior) * np.where(failed, p, 1 - p).prod(axis=1)
    weights = curves.weights(*groups.counts(ids, failed))
    assert weights == pytest.approx(joint / joint.sum())


def test_known_scores_are_their_own_predictions():
    scores = np.linspace(0, 1, 50)
    groups, curves = curves_of(scores, known=True)
    weights = curves.weights(*groups.counts(np.arange(50), np.ones(50)))
    assert curves.mean(weights)[groups.of] == pytest.approx(scores.clip(3e-4, 0.97))


@pytest.mark.parametrize("aversion", [1.0, 4.0])
def test_shares_minimise_the_expected_loss(aversion):
    rng = np.random.default_rng(0)
    groups, curves = curves_of(rng.beta(0.4, 3, 500))
    weights = curves.weights(*groups.counts(np.arange(30), rng.random(30) < 0.1))
    share = groups.sizes / 500

    def expected(h):
        h = h / (h @ share)
        relative = curves.variance @ (share / h) / (curves.variance @ share)
        return weights @ relative**aversion

    h = curves.safe_shares(weights, aversion, 1e-9)
    assert h @ share == pytest.approx(1)
    best = expected(h)
    for _ in range(200):
        assert expected(h * np.exp(0.05 * rng.normal(size=len(h)))) > best * (1 - 1e-4)
    assert best < expected(np.ones(len(h)))


def test_confident_units_are_drawn_while_nothing_is_known():
    groups, curves = curves_of(np.random.default_rng(0).beta(0.25, 2.5, 5000))
    prior = np.exp(curves.log_prior)
    h = curves.safe_shares(prior, 7.0, 0.01)
    assert h.min() > 0.4
    answers = groups.counts(np.arange(5000), np.zeros(5000))  # none of them fails
    low = groups.logit < -5
    after = curves.mean(curves.weights(*answers))
    assert after[low].max() < 0.1 * curves.mean(prior)[low].max()


def test_a_score_that_points_the_wrong_way_is_put_right():
    rng = np.random.default_rng(0)
    p = rng.random(5000)
    failed = rng.random(5000) < expit(1 - 4 * p)
    groups, curves = curves_of(p)
    found = curves.mean(curves.weights(*groups.counts(np.arange(5000), failed)))
    assert found[groups.of[np.abs(p - 0.1).argmin()]] > 0.5
    assert found[groups.of[np.abs(p - 0.9).argmin()]] < 0.2


def test_confidence_given_as_suspicion_is_said():
    rng = np.random.default_rng(0)
    confidence = 1 - rng.beta(0.4, 3, 4000)
    failed = rng.random(4000) < 1 - confidence
    wrong = OperationalSampler(random_state=0).fit(confidence)
    result = wrong.sample(150, lambda ids: failed[ids])
    assert "was a confidence given as suspicion?" in result.warnings[-1]
    right = OperationalSampler(random_state=0).fit(1 - confidence)
    assert not right.sample(150, lambda ids: failed[ids]).warnings
    for seed in range(20):  # scores that say nothing are not said to be wrong
        none = OperationalSampler(random_state=seed).fit(rng.random(2000))
        assert not none.sample(100, lambda ids: ids % 7 == 0).warnings


def test_other_scores_count_by_their_ranks():
    scores = np.random.default_rng(0).random(501)
    scores[0] = 1
    high = as_probabilities(10 * scores + 3)
    assert high == pytest.approx(as_probabilities(np.exp(9 * scores) + 1))
    assert np.median(high) == pytest.approx(0.1)
    assert high.mean() == pytest.approx(0.183, abs=0.002)
    assert (np.argsort(high) == np.argsort(scores)).all()
    samplers = [
        OperationalSampler(random_state=0).fit(s)
        for s in (10 * scores + 3, np.exp(9 * scores) + 1)
    ]
    assert (samplers[0].ask(20) == samplers[1].ask(20)).all()
    samplers[0].tell(samplers[0].ids_, failed=[0, 1] * 10)
    assert "only their ranks" in samplers[0].result().warnings[0]


# The estimate


class Scripted:
    """A generator whose uniforms are given."""

    def __init__(self, rng):
        self.bit_generator, self.next = rng.bit_generator, None

    def random(self, n):
        return self.next


def fresh(scores, features=None, costs=None, **parameters):
    sampler = OperationalSampler(random_state=0, **parameters)
    sampler.fit(scores, features=features, costs=costs)
    sampler._rng = Scripted(sampler._rng)
    return sampler


def draw_with(sampler, uniforms):
    sampler._rng.next = uniforms
    return sampler.ask(len(uniforms))


def by_position(sampler, n):
    """Return the next batch as a function of its uniforms: positions in its order."""
    seen = []

    def spy(pi, uniforms):
        seen.append(pi)
        return ordered_draw(pi, uniforms)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_operational, "ordered_draw", spy)
        draw_with(deepcopy(sampler), np.full(n, 0.5))
    (pi,) = seen  # which depends on no uniform
    return lambda uniforms: ordered_draw(pi, uniforms)


def play(sampler, failed, uniforms):
    ids = draw_with(sampler, uniforms)
    return sampler.tell(ids, failed=failed[ids])


@pytest.mark.parametrize("n_batches", [(2, 2), (1, 2), (3, 1), (1, 1)])
@pytest.mark.parametrize("emphasis", [0.0, 0.7])
@pytest.mark.parametrize("features", [None, [3.0, 0, 1, 2, 0, 5]], ids=["", "learned"])
@pytest.mark.parametrize("costs", [None, [9.0, 1.0, 4.0, 0.5, 2.0, 1.0]])
def test_exactly_unbiased_over_two_batches_with_recalibration(
    n_batches, emphasis, features, costs, monkeypatch
):
    monkeypatch.setattr(learned_scores, "WORTH", -100.0)  # used at the first chance
    scores = np.array([0.7, 0.02, 0.4, 0.0, 0.15, 0.4])
    failed = np.array([1, 0, 0, 1, 1, 0], dtype=bool)
    parameters = {"failure_emphasis": emphasis, "exploration": 0.2}
    first, second = n_batches
    mean, square, claimed, total, predictors = 0.0, 0.0, 0.0, 0.0, set()
    first_z = 0.0
    start = fresh(scores, features, costs, **parameters)
    for one, _, p_one in outcomes(by_position(start, first), first):
        later = play(deepcopy(start), failed, one)
        for two, _, p_two in outcomes(by_position(later, second), second):
            sampler = play(deepcopy(later), failed, two)
            chance, result = p_one * p_two, sampler.result()
            total += chance
            mean += chance * result.unbiased_value
            square += chance * result.unbiased_value**2
            claimed += chance * np.nan_to_num(result.std_error**2)
            answered, _ = sampler._answered()
            first_z += chance * sampler._estimate(answered).z[0]
            predictors.add(json.dumps(sampler._draws.snapshots[-1]))
    truth = 1 - failed.mean()
    assert len(predictors) > 2  # it did recalibrate
    can_learn = features is not None and first > 1  # needs both outcomes
    assert any("beta" in one for one in predictors) == can_learn
    assert total == pytest.approx(1)
    assert mean == pytest.approx(truth, abs=1e-10)
    assert first_z == pytest.approx(1 - truth, abs=1e-10)
    if min(n_batches) > 1:
        assert claimed >= 0.9 * (square - truth**2)


def test_answers_that_come_late_do_not_change_a_predictor_in_use():
    scores, failed = pool()
    late = OperationalSampler(random_state=0).fit(scores)
    a, b = late.ask(30), late.ask(30)
    late.tell(a, failed=failed[a])
    c = late.ask(30)
    m = np.array(late._draws.m)
    assert len(late._draws.snapshots) == 2
    prior = late._curves.mean(np.exp(late._curves.log_prior))[late._curves.groups.of]
    assert m[:60] == pytest.approx(prior[np.r_[a, b]], rel=1e-5)
    assert m[60:] != pytest.approx(prior[c], rel=0.01)
    late.tell(b, failed=failed[b]).tell(c, failed=failed[c])
    assert (np.array(late._draws.m) == m).all()
    assert late.ask(1).shape == (1,)
    assert len(late._draws.snapshots) == 3


def test_without_recalibration_the_predictor_is_the_score():
    scores, failed = pool()
    sampler = OperationalSampler(recalibrate=False, random_state=0).fit(scores)
    sampler.sample(100, lambda ids: failed[ids])
    expected = scores[sampler.ids_].clip(3e-4, 0.97)
    assert np.array(sampler._draws.m) == pytest.approx(expected, rel=0.06)


def test_resumes_bit_for_bit_with_recalibration():
    scores, failed = pool()
    sampler = OperationalSampler(failure_emphasis="balanced", random_state=0)
    sampler.fit(scores)
    a = sampler.ask(25)
    sampler.tell(a[5:], failed=failed[a[5:]])
    b = sampler.ask(25)
    sampler.tell(b[::-1], failed=failed[b[::-1]]).tell(a[:2], failed=failed[a[:2]])
    twin = OperationalSampler.from_json(sampler.to_json())
    for one in (sampler, twin):
        one.tell(a[2:5], failed=[True, None, False])
        c = one.ask(40)
        one.tell(c, failed=failed[c])
    assert (sampler.ids_ == twin.ids_).all()
    assert json.loads(sampler.to_json()) == json.loads(twin.to_json())
    assert sampler.result().interval == twin.result().interval


def test_weights_look_at_sizes_alone():
    weights = batch_weights(np.array([10, 20, 20]))
    assert weights == pytest.approx(
        np.array([10 * 10**0.2, 20 * 10**0.2, 20 * 30**0.2])
        / (30 * 10**0.2 + 20 * 30**0.2)
    )


def test_batches_of_a_sample():
    assert batch_sizes(200, 6) == [25, 35, 35, 35, 35, 35]
    assert batch_sizes(50, 6) == [17, 17, 16]
    assert batch_sizes(60, 6, first=False) == [12] * 5
    assert batch_sizes(200, 1) == [200]
    for n in range(1, 300):
        for n_batches in (1, 2, 6):
            sizes = batch_sizes(n, n_batches)
            assert sum(sizes) == n
            assert len(sizes) <= n_batches
            assert min(sizes) > 0


def test_one_by_one_the_predictor_is_made_anew_now_and_then():
    scores, failed = pool()
    sampler = OperationalSampler(random_state=0).fit(scores)
    for _ in range(120):
        i = sampler.ask()
        sampler.tell(i, failed=failed[i])
    assert 30 < len(sampler._draws.snapshots) < 60


def test_census_and_single_questions():
    scores, failed = pool(50)
    whole = OperationalSampler(random_state=0).fit(scores)
    result = whole.tell(whole.ask(50), failed=failed[whole.ids_]).result()
    assert result.accuracy == 1 - failed.mean()
    assert result.interval == (result.accuracy, result.accuracy)
    single = OperationalSampler(random_state=0).fit(scores)
    for _ in range(50):
        i = single.ask()
        single.tell(i, failed=failed[i])
        if single._n_asked == 30:
            low, high = single.result().interval
            assert 0 <= low <= 1 - failed.mean() <= high <= 1
            assert single.result(method="anytime").interval[0] >= 0
    assert single.result().accuracy == 1 - failed.mean()
    assert not OperationalSampler().fit(scores).should_stop(0.1)


def test_an_oracle_that_raises_loses_nothing():
    scores, failed = pool()
    calls = []

    def oracle(ids):
        calls.append(ids)
        if len(calls) == 3:
            raise RuntimeError("tea")
        return failed[ids]

    sampler = OperationalSampler(random_state=0).fit(scores)
    with pytest.raises(RuntimeError, match="tea"):
        sampler.sample(110, oracle)
    assert len(calls) == 3
    assert (sampler.pending_ == calls[-1]).all()
    assert sampler.result().n_labels == sum(batch_sizes(110, 6)[:2])
    with pytest.raises(ValueError, match="left, 400 asked"):
        sampler.sample(400, oracle)
    sampler.tell(calls[-1], failed=failed[calls[-1]])
    before = sampler.result().n_labels
    assert sampler.sample(60, oracle).n_labels == before + 60
    assert len(calls[-1]) == 12  # no pilot any more


def test_labels_and_metrics():
    scores, failed = pool()
    y_pred = np.arange(400) % 3
    y_true = np.where(failed, (y_pred + 1) % 3, y_pred)
    sampler = OperationalSampler(random_state=0).fit(scores, y_pred=y_pred)
    sampler.sample(200, lambda ids: y_true[ids])
    for label, found in sampler.metric("precision").items():
        truth = (y_true == y_pred)[y_pred == label].mean()
        assert found.value == pytest.approx(truth, abs=4 * found.std_error)
    for estimator in ("difference", "lure", "ppi"):
        result = sampler.result(estimator=estimator)
        assert result.accuracy == pytest.approx(1 - failed.mean(), abs=0.06)
    with pytest.raises(ValueError, match="'published' is not valid"):
        sampler.result(estimator="published")


# What it promises of errors


def errors(scores, failed, n, n_repeats=150, **parameters):
    sampler = OperationalSampler(**parameters)
    return simulate(
        sampler, scores, failed, n_labels=n, n_repeats=n_repeats, random_state=0
    )


def uniform_error(failed, n):
    """Return the root mean squared error of n uniform draws, which is known."""
    rate, size = failed.mean(), len(failed)
    return np.sqrt(rate * (1 - rate) / n * (size - n) / (size - 1))


@pytest.mark.slow
def test_error_of_uniform_draws_is_the_known_one():
    scores, failed = pool()
    found = simulate(
        SimpleRandomSampler(), scores, failed, n_labels=40, n_repeats=300,
        random_state=0,
    )  # fmt: skip
    assert abs(found.rmse[0] - uniform_error(failed, 40)) < 4 * found.rmse_error[0]
    assert found.failures[0] == pytest.approx(40 * failed.mean(), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("exploration", [0.1, 0.3])
@pytest.mark.parametrize("kind", ["noise", "reversed", "confident nonsense"])
def test_a_useless_score_costs_a_bounded_factor(kind, exploration):
    rng = np.random.default_rng(0)
    failed = np.arange(2000) % 10 == 0
    scores = {
        "noise": rng.random(2000),
        "reversed": np.where(failed, 0.0, rng.random(2000)),
        "confident nonsense": np.where(rng.random(2000) < 0.1, 0.999, 0.0),
    }[kind]
    results = errors(scores, failed, 200, exploration=exploration)
    limit = 1.15 / np.sqrt(exploration) * uniform_error(failed, 200)
    assert results.rmse[0] <= limit


@pytest.mark.slow
def test_a_good_score_pays_and_the_variance_is_conservative():
    scores, failed = pool(3000, seed=3)
    truth = 1 - failed.mean()
    results = [
        OperationalSampler(random_state=seed)
        .fit(scores)
        .sample(200, lambda ids: failed[ids])
        for seed in range(300)
    ]
    error = np.array([r.accuracy for r in results]) - truth
    rmse = np.sqrt((error**2).mean())
    assert rmse < 0.8 * uniform_error(failed, 200)
    n_failures = np.mean([r.n_failures for r in results])
    assert n_failures > 1.3 * 200 * failed.mean()
    assert abs(error.mean()) < 4 * error.std(ddof=1) / np.sqrt(300)
    low, high = np.array([r.interval for r in results]).T
    assert np.mean((low <= truth) & (truth <= high)) > 0.91
    excess = np.array([r.std_error for r in results]) ** 2 - error**2
    noise = np.std(excess, ddof=1) / np.sqrt(300)
    assert np.mean(excess) > -3 * noise
    assert np.mean(excess) < 0.5 * rmse**2  # and not by much


@pytest.mark.slow
def test_emphasis_finds_more_failures():
    scores, failed = pool(3000, seed=3)
    found = [
        errors(scores, failed, 200, n_repeats=20, failure_emphasis=e).failures[0]
        for e in ("accuracy", "balanced", "failures")
    ]
    assert found[0] * 1.3 < found[1] < found[2]
    same = [
        OperationalSampler(failure_emphasis=e, random_state=0).fit(scores).ask(50)
        for e in ("balanced", 0.5)
    ]
    assert (same[0] == same[1]).all()


def test_no_failure_seen_reaches_as_far_as_that_allows():
    sampler = OperationalSampler(random_state=0).fit(pool()[0])
    result = sampler.sample(60, lambda ids: np.zeros(len(ids), dtype=bool))
    # As far as sixty uniform draws, which allow 1 - .025 ** (1 / 60) = .06, or nearly.
    assert 0.03 < 1 - result.interval[0] < 0.12
    assert result.interval[1] == 1
    plain = sampler.result(method="t").interval
    assert 1 - plain[0] < 0.02


def test_single_questions_are_about_as_sure_as_a_batch():
    scores, failed = pool(400)
    one_by_one = OperationalSampler(random_state=0).fit(scores)
    for _ in range(30):
        ids = one_by_one.ask()
        one_by_one.tell(ids, failed=failed[ids])
    batch = OperationalSampler(n_batches=1, random_state=0).fit(scores)
    widths = [
        high - low
        for low, high in (
            one_by_one.result().interval,
            batch.sample(30, failed.take).interval,
        )
    ]
    assert widths[0] < 1.5 * widths[1]


@pytest.mark.parametrize("n", [10, 30])
def test_scores_that_are_believed_and_wrong_do_not_make_the_interval_narrow(n):
    failed = np.arange(400) % 20 != 0
    covered = 0
    for seed in range(100):
        sampler = OperationalSampler(recalibrate=False, random_state=seed)
        result = sampler.fit(np.full(400, 0.001)).sample(n, failed.take)
        covered += result.interval[0] <= 0.05 <= result.interval[1]
    assert covered >= 95 - 2 * 2.2  # two Monte-Carlo errors


@pytest.mark.parametrize("model", ["calibrated", "overconfident"])
def test_plan_is_about_right_whatever_the_scores_mean(model):
    scores, _ = pool(5000, seed=5)
    p = scores if model == "calibrated" else np.minimum(0.12 + 1.5 * scores, 0.9)
    failed = np.random.default_rng(0).random(5000) < p
    accuracy = 1 - float(failed.mean())
    n = int(OperationalSampler().fit(scores).plan(0.02, expected_accuracy=accuracy))
    widths = errors(scores, failed, n, n_repeats=30).width
    assert 0.015 < widths[0] / 2 < 0.022
    uniform = SimpleRandomSampler().fit(scores).plan(0.02, expected_accuracy=accuracy)
    assert n < int(uniform)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["CN5_MNIST", "CN12_CIFAR10", "VGG16_CIFAR10"])
def test_on_real_pools(name):
    pandas = pytest.importorskip("pandas")
    path = data_folder("operational") / f"{name}.csv"
    table = pandas.read_csv(path, encoding="utf-8-sig").rename(columns=str.lower)
    failed = table["outcome"].eq("Fail").to_numpy()
    results = errors(1 - table["confidence"].to_numpy(), failed, 200, n_repeats=100)
    assert results.rmse[0] < 0.95 * uniform_error(failed, 200)
    assert results.failures[0] > 1.3 * 200 * failed.mean()
    assert results.coverage[0] > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"failure_emphasis": 1.5}, r"a number in \[0, 1\]. Got 1.5"),
        ({"failure_emphasis": "most"}, "one of 'accuracy', 'balanced', 'failures'"),
        ({"failure_emphasis": True}, "Got True"),
        ({"exploration": 0}, r"a number in \(0, 1\]. Got 0"),
        ({"exploration": np.nan}, "Got nan"),
        ({"recalibrate": "no"}, "True or False"),
        ({"n_batches": 0}, "an integer of at least 1"),
        ({"auxiliary": "dsa"}, "one of 'confidence'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        OperationalSampler(**parameters).fit(np.linspace(0, 1, 9))


@pytest.mark.parametrize("scores", [np.zeros(30), np.ones(30), np.full(30, 0.2)])
def test_constant_scores(scores):
    sampler = OperationalSampler(failure_emphasis=0.5, random_state=0).fit(scores)
    result = sampler.sample(20, lambda ids: ids % 4 == 0)
    assert np.isfinite(result.accuracy)
    assert sampler.draw_probabilities_.max() <= 1


def test_the_order_of_large_pools_is_that_of_a_sort():
    p = np.random.default_rng(0).beta(0.3, 2, 20_000)
    p[::7], p[3], p[11] = 0.25, 0.0, 1.0
    order = descending(p)
    assert (np.sort(order) == np.arange(20_000)).all()
    assert (np.diff(p[order]) <= 2**-31).all()
    ties = order[p[order] == 0.25]
    assert (np.diff(ties) > 0).all()


def test_an_asymptotic_sequence_covers_at_every_look():
    scores = np.random.default_rng(0).beta(0.25, 2.5, 3000)
    failed = np.random.default_rng(1).random(3000) < np.minimum(
        0.12 + 2.2 * scores, 0.9
    )
    truth, missed = 1 - failed.mean(), 0
    for seed in range(40):
        sampler = OperationalSampler(random_state=seed).fit(scores)
        for _ in range(30):
            ids = sampler.ask(20)
            low, high = (
                sampler.tell(ids, failed=failed[ids])
                .result(method="asymptotic")
                .interval
            )
            if not low <= truth <= high:
                missed += 1
                break
    assert missed <= 6  # of 40 at a rate of .05: more has a chance of .003


def test_stopping_takes_fewer_labels_than_with_random_draws():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.3, 3, 6000)
    failed = np.random.default_rng(1).random(6000) < np.minimum(2 * scores, 0.9)
    needed = {OperationalSampler: 0, SimpleRandomSampler: 0}
    for kind in needed:
        for seed in range(4):
            sampler = kind(random_state=seed).fit(scores)
            while not sampler.should_stop(0.06):
                ids = sampler.ask(20)
                sampler.tell(ids, failed=failed[ids])
            needed[kind] += sampler.result().n_labels
    assert needed[OperationalSampler] < 0.9 * needed[SimpleRandomSampler]
    early = OperationalSampler(random_state=0).fit(scores)
    early.tell(early.ask(20), failed=failed[early.ids_])
    assert early.result(method="asymptotic").method == "none"
    assert not early.should_stop(0.4)
    with pytest.raises(ValueError, match="'asymptotic' goes with estimator='default'"):
        early.result(method="asymptotic", estimator="difference")
