"""Losses in pools that rows keep arriving in, and mean losses that change."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import fisher_exact, multivariate_hypergeom

from skrobust.sampling import (
    LivingPool,
    OperationalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    detect_drift,
)
from skrobust.sampling.living.part_tests import MOST_VALUES, permutation_p_value

KINDS = [SimpleRandomSampler, StratifiedSampler, OperationalSampler]


def arrivals(kind, seed=0, *, worse=1.0, low=0.0, span=1.0):
    """Three parts with losses in (low, low + span), of which the last is worse."""
    rng, told = np.random.default_rng(seed), []
    sampler = kind(loss_range=(low, low + span))
    pool = LivingPool(sampler, random_state=seed)
    for part, n in enumerate((300, 100, 200)):
        scores = rng.beta(1, 5, n)
        loss = scores * rng.random(n) * (worse if part == 2 else 1)
        told.append(np.minimum(loss, 1))
        ids = pool.extend(scores).ask(40, part=-1)
        now = np.concatenate(told)[ids]
        pool.tell(ids[::-1], loss=(low + span * now)[::-1])
    return pool, np.concatenate(told)


@pytest.mark.parametrize("kind", KINDS)
def test_parts_are_joined_by_size_in_the_units_of_the_losses(kind):
    pool, loss = arrivals(kind, low=-2, span=8)
    found = pool.result()
    weights = np.array([300, 100, 200]) / 600
    parts = [part.result() for part in pool.parts_]
    assert found.mean_loss == pytest.approx(weights @ [p.mean_loss for p in parts])
    error = np.sqrt(weights**2 @ [p.std_error**2 for p in parts])
    assert found.std_error == pytest.approx(error)
    assert np.isnan(found.accuracy)
    assert (found.loss_range, found.measure) == ((-2, 6), "mean loss")
    np.testing.assert_allclose(found.losses, 8 * loss[found.failures] - 2)
    assert "mean loss" in str(found)
    unit = arrivals(kind)[0].result()
    assert found.mean_loss == pytest.approx(8 * unit.mean_loss - 2)
    ends = [8 * end - 2 for end in unit.interval]
    assert tuple(found.interval) == pytest.approx(ends)
    ends = [8 * end - 2 for end in unit.operation_interval]
    assert found.operation_interval == pytest.approx(ends)
    table = pool.results_by_part()
    assert table.mean_loss.tolist() == [p.mean_loss for p in parts]
    assert "accuracy" not in table.columns


@pytest.mark.parametrize("kind", KINDS)
def test_losses_of_0_and_1_are_failures(kind):
    scores = np.random.default_rng(0).beta(1, 3, 400)
    failed = np.random.default_rng(1).random(400) < scores
    by_loss, by_label = (LivingPool(kind(), random_state=0) for _ in range(2))
    for part in slice(0, 250), slice(250, 400):
        for pool, name in (by_loss, "loss"), (by_label, "failed"):
            ids = pool.extend(scores[part]).ask(50, part=-1)
            pool.tell(ids, **{name: failed[ids].astype(float)})
    one, two = by_loss.result(), by_label.result()
    assert one.mean_loss == pytest.approx(1 - two.accuracy)
    assert one.std_error == pytest.approx(two.std_error)
    assert one.failures.tolist() == two.failures.tolist()
    drifts = by_loss.drift(), by_label.drift()
    np.testing.assert_allclose(*(found.p_value for found in drifts))
    np.testing.assert_allclose(drifts[0].mean_loss, 1 - drifts[1].accuracy)


@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
def test_joined_mean_loss_is_unbiased_and_covers(kind):
    _, loss = arrivals(kind, worse=2.0)
    values, covered, repeats = [], 0, 200
    rng = np.random.default_rng(0)
    scores = rng.beta(1, 5, 600)
    loss = np.clip(scores * rng.random(600) * np.repeat([1, 2], [400, 200]), 0, 1)
    for seed in range(repeats):
        pool = LivingPool(kind(), random_state=seed)
        for part in slice(0, 400), slice(400, 600):
            ids = pool.extend(scores[part]).ask(50, part=-1)
            pool.tell(ids, loss=loss[ids])
        found = pool.result()
        values.append(found.unbiased_value)
        covered += found.interval[0] <= loss.mean() <= found.interval[1]
    error = np.std(values, ddof=1) / np.sqrt(repeats)
    assert abs(np.mean(values) - loss.mean()) < 4 * error
    assert covered / repeats >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / repeats)


def absolute_error(y_true, y_pred):
    return abs(y_true - y_pred)


def test_a_loss_of_labels_and_a_stored_pool():
    rng = np.random.default_rng(0)
    y, predicted = rng.normal(size=90), rng.normal(size=90)
    sampler = SimpleRandomSampler(loss=absolute_error, loss_range=(0, 9))
    pool = LivingPool(sampler, random_state=0)
    for part in slice(0, 50), slice(50, 90):
        pool.extend(np.ones(len(y[part])), y_pred=predicted[part])
    ids = pool.ask(90)
    pool.tell(ids, y[ids])
    found = pool.result()
    assert found.mean_loss == pytest.approx(abs(y - predicted).mean())
    again = LivingPool.from_json(pool.to_json(), sampler)
    assert str(again.result()) == str(found)
    pool.correct(ids[:1], loss=[9.0])
    assert pool.result().mean_loss > found.mean_loss


def test_several_labels_of_an_input():
    tags = np.random.default_rng(0).integers(0, 2, (60, 4))
    sampler = SimpleRandomSampler(loss=lambda y, p: (y != p).mean(axis=1))
    pool = LivingPool(sampler, random_state=0)
    pool.extend(np.ones(60), y_pred=1 - tags)
    ids = pool.ask(20)
    assert pool.tell(ids, tags[ids]).result().mean_loss == 1


def test_one_kind_of_answers_in_all_parts():
    pool = LivingPool(SimpleRandomSampler(), random_state=0)
    pool.extend(np.ones(30)).extend(np.ones(30))
    first, second = pool.ask(5, part=0), pool.ask(5, part=1)
    pool.tell(second, failed=None)  # skipped: of no kind
    pool.tell(first, loss=np.full(5, 0.5))
    text = pool.to_json()
    with pytest.raises(ValueError, match="so far are losses, which cannot be mixed"):
        pool.tell(second, failed=np.zeros(5))
    assert pool.to_json() == text
    pool.tell(second, loss=np.full(5, 0.5))
    other = LivingPool(SimpleRandomSampler(), random_state=0)
    other.extend(np.ones(30)).extend(np.ones(30))
    one, two = other.ask(5, part=0), other.ask(5, part=1)
    other.tell(one, failed=np.zeros(5))
    with pytest.raises(ValueError, match="so far are labels or failures"):
        other.tell(two, loss=np.zeros(5))
    wide = LivingPool(SimpleRandomSampler(loss_range=(0, 4))).extend(np.ones(9))
    with pytest.raises(ValueError, match="losses in loss_range="):
        wide.tell(wide.ask(1), loss=5)


def test_without_answers_the_interval_is_the_range():
    pool = LivingPool(SimpleRandomSampler(loss_range=(1, 3))).extend(np.ones(20))
    found = pool.result()
    assert (tuple(found.interval), found.loss_range) == ((1, 3), (1, 3))
    assert not pool.drift().alarm
    assert pool.drift().columns[2] == "accuracy"  # nothing was told yet


# Mean losses that change


@pytest.mark.parametrize("baseline", [None, 0.3])
def test_e_values_of_all_sequences_of_losses(baseline):
    # Three losses of mean .3, with chances that vary: the expectation is listed.
    losses, n = np.array([0.0, 0.3, 0.9]), 6
    chances = [np.array([2 / 3, 0.0, 1 / 3]), np.array([0.2, 0.7, 0.1])]
    for chance in chances:
        assert chance @ losses == pytest.approx(0.3)
    places = np.array(list(product(range(3), repeat=n)))
    options = {"baseline": baseline, "block": 2, "loss_range": (0, 1)}
    e = np.array([detect_drift(losses[x], **options).e_value for x in places])
    for pattern in product(range(2), repeat=n):
        each = np.array([chances[p][places[:, t]] for t, p in enumerate(pattern)])
        expected = each.prod(axis=0) @ e
        assert (expected <= 1 + 1e-9).all()
        if baseline:  # bets are linear: a martingale at the limit
            np.testing.assert_allclose(expected, 1)


def test_units_change_nothing():
    rng = np.random.default_rng(0)
    loss = np.r_[rng.beta(1, 9, 200), rng.beta(6, 3, 100)]
    for unit, wide in [
        ({"baseline": 0.1}, {"baseline": 1.0}),
        ({"parts": np.arange(300) // 50}, {"parts": np.arange(300) // 50}),
        ({}, {}),
    ]:
        one = detect_drift(loss, loss_range=(0, 1), **unit)
        two = detect_drift(10 * loss, loss_range=(0, 10), **wide)
        np.testing.assert_allclose(one.p_value, two.p_value)
        assert (one.alarm_at, one.direction) == (two.alarm_at, "worse")
        assert 10 * one.mean_loss_after == pytest.approx(two.mean_loss_after)
        assert 10 * one.mean_loss_before == pytest.approx(two.mean_loss_before)
    again = detect_drift(loss, loss_range=(0, 1), parts=np.arange(300) // 50)
    other = detect_drift(
        loss, loss_range=(0, 1), parts=np.arange(300) // 50, random_state=1
    )
    assert again.p_value[1] != other.p_value[1]


@pytest.mark.parametrize("two", [[4, 5, 6], [0, 1, 2], [2, 3, 7], [5, 6], [0, 6]])
def test_permutation_p_value_is_that_of_all_permutations(two):
    values = np.array([0.1, 0.15, 0.3, 0.3, 0.55, 0.7, 0.9, 0.2])

    def statistic(second):
        one, two = np.delete(values, second), values[list(second)]
        error = one.var() / (len(one) - 1) + two.var() / (len(two) - 1)
        return abs(one.mean() - two.mean()) / np.sqrt(error)

    every = [statistic(second) for second in combinations(range(8), len(two))]
    exact = np.mean(np.array(every) >= statistic(two) * (1 - 1e-9))
    found = [
        permutation_p_value(
            np.delete(values, two), values[two], 1e-4, np.random.default_rng(seed)
        )
        for seed in range(200)
    ]
    # Sequential draws stop at a number of extremes: slightly above, on average.
    assert np.mean(found) == pytest.approx(exact, rel=0.12)


def test_permutation_p_values_are_valid():
    rng, repeats = np.random.default_rng(0), 400
    p = np.array([
        permutation_p_value(rng.beta(0.3, 3, 150), rng.beta(0.3, 3, 40), 0.03, rng)
        for _ in range(repeats)
    ])  # fmt: skip
    for level in (0.03, 0.1, 0.5):
        error = np.sqrt(level * (1 - level) / repeats)
        assert abs((p <= level).mean() - level) < 4 * error
    assert permutation_p_value(np.ones(9), np.ones(9), 0.03, rng) == 1
    apart = permutation_p_value(np.zeros(50), np.ones(50) / 2, 1e-3, rng)
    assert apart <= 1e-3 / 2
    table = fisher_exact([[5, 45], [0, 50]])[1]
    assert table == detect_drift(
        np.r_[np.zeros(50), np.ones(5), np.zeros(45)],
        parts=np.repeat([0, 1], 50), loss_range=(0, 1),
    ).p_value[1]  # fmt: skip


def test_many_values_are_grouped_by_rank_and_replaced_by_their_means():
    rng = np.random.default_rng(0)
    values = rng.exponential(size=10 * MOST_VALUES)
    order = rng.permutation(len(values))
    rank = values.argsort().argsort()
    means = np.sort(values).reshape(MOST_VALUES, 10).mean(axis=1)[rank // 10]
    found = [
        permutation_p_value(
            one[order[:400]], one[order[400:]], 1e-3, np.random.default_rng(1)
        )
        for one in (values, means)
    ]
    assert found[0] == found[1]
    assert 0.01 < found[0] < 1


def test_few_values_are_not_grouped_however_rare_they_are():
    """The p-value is that of how often each of three losses may be met."""
    values, counts, n = np.array([0.0, 0.5, 1.0]), np.array([3000, 6, 5]), 200
    total = counts.sum()

    def statistic(met):
        parts = []
        for times, size in ((met, n), (counts - met, total - n)):
            mean = times @ values / size
            parts.append((mean, (times @ values**2 / size - mean**2) / (size - 1)))
        (mean, error), (other, rest) = parts
        return abs(mean - other) / np.sqrt(error + rest)

    seen, exact = np.array([n - 2, 0, 2]), 0.0
    for half, one in product(range(7), range(6)):
        met = np.array([n - half - one, half, one])
        if statistic(met) >= statistic(seen) * (1 - 1e-9):
            exact += multivariate_hypergeom.pmf(met, counts, n)
    one, two = np.repeat(values, counts - seen), np.repeat(values, seen)
    rng = np.random.default_rng(0)
    found = [permutation_p_value(one, two, 0.01, rng) for _ in range(200)]
    assert np.mean(found) == pytest.approx(exact, rel=0.12)


@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
def test_drift_of_losses_in_a_pool(kind):
    alarms = {1.0: 0, 4.0: 0}
    for seed in range(40):
        for worse in alarms:
            found = arrivals(kind, seed, worse=worse, low=1, span=4)[0].drift()
            alarms[worse] += found.alarm
            if found.alarm and worse > 1:
                assert found.direction == "worse"
                assert found.mean_loss_after > found.mean_loss_before > 1
    assert alarms[1.0] <= 40 * 0.05 + 3 * np.sqrt(40 * 0.05 * 0.95)
    assert alarms[4.0] >= 36


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "For losses state loss_range="),
        ({"loss_range": (0, 0.4)}, r"in loss_range=\(0, 0.4\).*0.5"),
        ({"loss_range": (1, 0)}, "'loss_range' parameter of detect_drift"),
        ({"loss_range": (0, 2), "baseline": 3}, "'baseline'"),
        (
            {"loss_range": (0, 2), "parts": [0, 1], "random_state": "a"},
            "'random_state'",
        ),
    ],
)
def test_messages_for_losses(settings, message):
    with pytest.raises(ValueError, match=message):
        detect_drift([0.5, 0.7], **settings)
