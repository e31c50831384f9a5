"""Operations behind pools, rows that arrive, and accuracies that change."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import fisher_exact

from skrobust.sampling import (
    LivingPool,
    OperationalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    detect_drift,
)
from skrobust.sampling.living.joined_parts import shares_of_parts
from skrobust.sampling.living.part_tests import levels_of_tests


def floor_of_coverage(repeats, share=0.95):
    return share - 4 * np.sqrt(share * (1 - share) / repeats)


# The operation behind a pool


@pytest.mark.parametrize(
    ("kind", "n_pool", "n", "before"),
    [
        (SimpleRandomSampler, 300, 240, 0.75),
        (SimpleRandomSampler, 300, 300, 0.2),
        (OperationalSampler, 300, 240, 0.6),
        (StratifiedSampler, 800, 400, 0.9),
    ],
)
def test_interval_of_the_operation_covers_it(kind, n_pool, n, before):
    rng, repeats, inside, covered = np.random.default_rng(0), 400, 0, 0
    for seed in range(repeats):
        scores = rng.beta(0.5, 4.5, n_pool)
        failed = rng.random(n_pool) < scores  # accuracy in operation: .9
        found = kind(random_state=seed).fit(scores).sample(n, failed.take)
        low, high = found.interval
        inside += low <= 0.9 <= high
        low, high = found.operation_interval
        covered += low <= 0.9 <= high
    assert inside / repeats < before
    assert covered / repeats >= floor_of_coverage(repeats)


def test_both_intervals_are_named_and_agree_in_a_large_pool():
    failed = np.arange(200_000) % 10 == 0
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(200_000))
    found = sampler.sample(200, failed.take)
    np.testing.assert_allclose(found.operation_interval, tuple(found.interval), 1e-3)
    small = SimpleRandomSampler(random_state=0).fit(np.ones(200))
    found = small.sample(100, failed[:200].take)
    low, high = found.operation_interval
    assert low < found.interval.low < found.interval.high < high
    first, second = str(found).split("\n")[:2]
    assert "for this pool (hypergeometric)" in first
    assert f"interval {low:.4f} to {high:.4f} for the operation behind it" in second
    # Of n independent labels the width is that of Wilson's, whatever the pool.
    whole = small.sample(100, failed[:200].take)
    assert whole.interval.low == whole.interval.high == whole.accuracy
    low, high = whole.operation_interval
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.09 / 200), rel=0.05)
    empty = SimpleRandomSampler().fit(np.ones(9)).result()
    assert empty.operation_interval == (0, 1)


def test_difference_in_operation_covers():
    rng, repeats, covered, inside = np.random.default_rng(0), 400, 0, 0
    truth = 0.2 * 0.6 - 0.8 * 0.05
    for seed in range(repeats):
        old = rng.random(250) >= 0.2  # all labels are True
        new = np.where(old, rng.random(250) >= 0.05, rng.random(250) < 0.6)
        sampler = SimpleRandomSampler(random_state=seed).fit(np.ones(250), y_pred=old)
        sampler.sample(200, lambda ids: np.ones(len(ids), bool))
        found = sampler.add_model("new", y_pred=new).compare("new")
        low, high = found.operation_interval
        covered += low <= truth <= high
        inside += found.interval[0] <= truth <= found.interval[1]
    assert covered / repeats >= floor_of_coverage(repeats)
    assert inside / repeats < 0.85


# Rows that arrive


def arrivals(kind, seed=0, sizes=(300, 100, 200), labels=(60, 20, 40)):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.5, 3, sum(sizes))
    failed = np.random.default_rng(1).random(sum(sizes)) < scores
    pool, starts = LivingPool(kind(), random_state=seed), np.cumsum([0, *sizes])
    for k, n in enumerate(labels):
        pool.extend(scores[starts[k] : starts[k + 1]])
        ids = pool.ask(n, part=-1)
        assert ((ids >= starts[k]) & (ids < starts[k + 1])).all()
        pool.tell(ids[::-1], failed=failed[ids[::-1]])
    return pool, failed


@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
def test_parts_are_joined_by_size(kind):
    pool, failed = arrivals(kind)
    found = pool.result()
    parts = [part.result() for part in pool.parts_]
    weights = np.array([300, 100, 200]) / 600
    assert found.accuracy == pytest.approx(weights @ [p.accuracy for p in parts])
    error = np.sqrt(weights**2 @ [p.std_error**2 for p in parts])
    assert found.std_error == pytest.approx(error)
    assert (found.n_pool, found.n_labels, found.method) == (600, 120, "parts joined")
    assert failed[found.failures].all()
    assert len(found.failures) == found.n_failures
    table = pool.results_by_part()
    assert table.accuracy.tolist() == [p.accuracy for p in parts]
    last = pool.result(window=1)
    assert (last.accuracy, last.method) == (parts[2].accuracy, parts[2].method)
    assert tuple(last.interval) == pytest.approx(tuple(parts[2].interval))
    assert pool.result(window=9).accuracy == found.accuracy


@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
def test_joined_estimate_is_unbiased_and_covers(kind):
    rng = np.random.default_rng(5)
    scores = rng.beta(0.5, 3, 600)
    scores[400:] = np.clip(scores[400:] * 2, 0, 1)  # the last part is worse
    failed = rng.random(600) < scores
    truth, repeats, values, covered = 1 - failed.mean(), 250, [], 0
    for seed in range(repeats):
        pool = LivingPool(kind(), random_state=seed)
        for part, n in (slice(0, 400), 60), (slice(400, 600), 60):
            ids = pool.extend(scores[part]).ask(n, part=-1)
            pool.tell(ids, failed=failed[ids])
        found = pool.result()
        values.append(found.unbiased_value)
        covered += found.interval[0] <= truth <= found.interval[1]
    error = np.std(values, ddof=1) / np.sqrt(repeats)
    assert abs(np.mean(values) - truth) < 4 * error
    assert covered / repeats >= floor_of_coverage(repeats)
    # Taking all labels as one sample would be biased: the last part has too many.
    assert abs(np.average([1 - failed[:400].mean(), 1 - failed[400:].mean()])
               - truth) > 8 * error  # fmt: skip


def test_earlier_parts_stay_and_sessions_are_stored():
    pool, _ = arrivals(OperationalSampler)
    before = pool.parts_[0].to_json()
    text = pool.to_json()
    again = LivingPool.from_json(text, OperationalSampler())
    assert again.to_json() == text
    for one in (pool, again):
        one.extend(np.linspace(0, 0.5, 50))
        ids = one.ask(30)
        one.tell(ids, failed=ids % 3 == 0)
    assert pool.to_json() == again.to_json()
    assert pool.to_json() != text
    other = arrivals(OperationalSampler)[0]
    other.extend(np.linspace(0, 0.5, 50))
    assert other.parts_[0].to_json() == before
    assert OperationalSampler().get_params()["random_state"] is None
    corrected = pool.result().n_failures
    some = pool.result().failures[:1]
    assert pool.correct(some, failed=[0]).result().n_failures == corrected - 1


def test_labels_are_divided_in_proportion():
    assert shares_of_parts(np.array([300, 100]), np.array([0, 0]), 40).tolist() == [
        30, 10]  # fmt: skip
    assert shares_of_parts(np.array([300, 100]), np.array([40, 0]), 10).tolist() == [
        0, 10]  # fmt: skip
    rng = np.random.default_rng(0)
    for _ in range(50):
        sizes = rng.integers(1, 40, 5)
        asked = rng.integers(0, sizes + 1)
        n = int(rng.integers(0, (sizes - asked).sum() + 1))
        shares = shares_of_parts(sizes, asked, n)
        assert shares.sum() == n
        assert ((shares >= 0) & (shares <= sizes - asked)).all()
    pool = LivingPool(SimpleRandomSampler(), window=2, random_state=0)
    for n in (30, 20, 40):
        pool.extend(np.ones(n))
    ids = pool.ask(60)  # all of the window
    assert sorted(ids) == list(range(30, 90))
    with pytest.raises(ValueError, match="0 left, 1 asked"):
        pool.ask(1)


def test_parts_without_labels_are_left_out_and_named():
    pool = LivingPool(SimpleRandomSampler(), random_state=0)
    pool.extend(np.ones(50)).extend(np.ones(30))
    assert np.isnan(pool.result().accuracy)
    ids = pool.ask(20, part=0)
    found = pool.tell(ids, failed=ids < 10).result()
    assert found.n_pool == 50
    assert "part 1, of 30 inputs, is left out" in found.warnings[-1]


def test_an_error_changes_nothing():
    pool, _ = arrivals(SimpleRandomSampler)
    ids = pool.ask(10)
    text = pool.to_json()
    for bad, answers in [
        (ids, [0] * 9 + [7]),
        ([ids[0], 599 if 599 not in pool.parts_[2].ids_ + 400 else 598], [0, 0]),
        ([ids[0], 600], [0, 0]),
        ([ids[0], -1], [0, 0]),
    ]:
        with pytest.raises(ValueError, match=r"LivingPool|SimpleRandomSampler"):
            pool.tell(bad, failed=answers)
        assert pool.to_json() == text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LivingPool(3), "'sampler' parameter of LivingPool must be a sampler"),
        (lambda: LivingPool(SimpleRandomSampler(), window=0), "'window'"),
        (lambda: LivingPool(SimpleRandomSampler()).ask(1), "no.*rows|none yet"),
        (
            lambda: LivingPool(SimpleRandomSampler()).extend([1, 1]).ask(1, part=1),
            "'part'",
        ),
        (
            lambda: LivingPool(SimpleRandomSampler()).extend([1]).result(window=-1),
            "'window'",
        ),
        (
            lambda: LivingPool.from_json("[]", SimpleRandomSampler()),
            "the text that to_json returned",
        ),
        (lambda: detect_drift([0, 2]), "'failed' parameter of detect_drift"),
        (lambda: detect_drift([0, 1], parts=[1]), "one part for each of 2 labels"),
        (lambda: detect_drift([0, 1], parts=[1, 0]), "never falling"),
        (lambda: detect_drift([0, 1], parts=[1, 1], baseline=0.9), "not both"),
        (lambda: detect_drift([0, 1], parts=[1, None]), "parts without missing"),
        (lambda: detect_drift([0, 1], parts=[1, np.nan]), "parts without missing"),
        (lambda: detect_drift([0, 1], baseline=1), "'baseline'"),
        (lambda: detect_drift([0, 1], alpha=0), "'alpha'"),
        (lambda: detect_drift([0, 1], block=0), "'block'"),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Accuracies that change


@pytest.mark.parametrize("baseline", [None, 0.8])
def test_e_values_of_all_sequences(baseline):
    n = 9
    sequences = np.array(list(product([0, 1], repeat=n)))
    e = np.array(
        [detect_drift(x, baseline=baseline, block=2).e_value for x in sequences]
    )
    rates = (0.02, 0.1, 0.2) if baseline else (0.02, 0.2, 0.5, 0.9)
    for rate in rates:
        chance = rate ** sequences.sum(1) * (1 - rate) ** (n - sequences.sum(1))
        assert ((chance @ e) <= 1 + 1e-9).all()
        for alpha in (0.5, 0.2):
            assert chance @ (e.max(axis=1) >= 1 / alpha) <= alpha
    if not baseline:  # what stands above the largest likelihood is a distribution
        f, t = np.cumsum(sequences, axis=1), np.arange(1, n + 1)
        largest = (f / t) ** f * (1 - f / t) ** (t - f)
        for k in range(n):
            first = np.flatnonzero(~sequences[:, k + 1 :].any(axis=1))  # one of each
            assert (e * largest)[first, k].sum() == pytest.approx(1, abs=1e-9)
    if baseline:  # at the limit of the null it is a martingale
        chance = 0.2 ** sequences.sum(1) * 0.8 ** (n - sequences.sum(1))
        np.testing.assert_allclose(chance @ e, 1, atol=1e-9)


def test_a_rate_that_varies_below_the_limit_is_no_alarm():
    sequences = np.array(list(product([0, 1], repeat=8)))
    e = np.array([detect_drift(x, baseline=0.7, block=3).e_value for x in sequences])
    rate = np.array([0.3, 0.0, 0.1, 0.3, 0.3, 0.0, 0.2, 0.3])
    chance = np.where(sequences, rate, 1 - rate).prod(axis=1)
    assert ((chance @ e) <= 1 + 1e-9).all()


def test_levels_add_up():
    assert levels_of_tests(100_000, 0.05).sum() == pytest.approx(0.05, rel=1e-4)
    x = np.r_[np.zeros(50), np.ones(5), np.zeros(45), np.ones(20), np.zeros(30)]
    found = detect_drift(x, parts=np.repeat([3, 4, 7], 50))
    assert found.p_value[1] == fisher_exact([[5, 45], [0, 50]])[1]
    assert found.p_value[2] == fisher_exact([[20, 30], [5, 95]])[1]
    assert found.level[1:] == pytest.approx([0.3 / np.pi**2, 0.075 / np.pi**2])
    assert (found.alarm_at, found.changed_at, found.direction) == (150, 100, "worse")
    assert found.accuracy_before == pytest.approx(0.95)
    assert found.part.tolist() == [3, 4, 7]
    assert not detect_drift([], parts=[]).alarm
    assert not detect_drift([]).alarm


@pytest.mark.parametrize(
    ("mode", "found_share", "longest"),
    [("baseline", 0.95, 90), ("parts", 0.9, 130), ("labels", 0.9, 180)],
)
def test_false_alarms_and_delays(mode, found_share, longest):
    # From .05 to .25 mispredictions after 300 labels; before, the rate is constant.
    rng, repeats, false, delays = np.random.default_rng(0), 60, 0, []
    options = {
        "baseline": {"baseline": 0.95},
        "parts": {"parts": np.arange(600) // 100},
        "labels": {},
    }[mode]
    for _ in range(repeats):
        x = rng.random(600) < np.repeat([0.05, 0.25], 300)
        found = detect_drift(x, **options)
        if found.alarm and found.alarm_at <= 300:
            false += 1
        elif found.alarm:
            delays.append(found.alarm_at - 300)
            assert found.direction == "worse"
            assert found.accuracy_after < found.accuracy_before
    assert false / repeats <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert len(delays) >= found_share * (repeats - false)
    assert np.mean(delays) < longest


def test_a_baseline_sees_drops_alone():
    better = detect_drift(np.zeros(600), baseline=0.8)
    assert not better.alarm
    x = np.r_[np.tile([1, 0, 0, 0], 75), np.zeros(300)]
    assert detect_drift(x).direction == "better"
    assert detect_drift(x).changed_at in range(290, 311)
    assert detect_drift(np.ones(40), baseline=0.9).changed_at == 0
    long = detect_drift(np.ones(3000), baseline=0.9)  # no overflow
    assert np.isfinite(long.e_value).all()


@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
def test_drift_of_a_pool(kind):
    alarms = {"same": 0, "worse": 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        for name, factor in (("same", 1.0), ("worse", 4.0)):
            pool = LivingPool(kind(), random_state=seed)
            for part in range(3):
                scores = rng.beta(0.5, 4.5, 300)
                rate = scores * (factor if part == 2 else 1)
                failed = rng.random(300) < rate
                ids = pool.extend(scores).ask(100, part=-1)
                pool.tell(ids, failed=failed[ids - 300 * part])
            found = pool.drift()
            alarms[name] += found.alarm
            if found.alarm_at == 300 and name == "worse":
                assert found.direction == "worse"
    assert alarms["same"] <= 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95)
    assert alarms["worse"] >= 50
    assert pool.drift(alpha=1e-12).alarm in (True, False)
    assert not LivingPool(kind()).extend(np.ones(5) / 2).drift().alarm


def test_parts_take_costs_and_features():
    rng = np.random.default_rng(0)
    scores, costs = rng.beta(1, 5, (2, 300)), np.exp(rng.normal(size=(2, 300)))
    pool = LivingPool(OperationalSampler(), random_state=0)
    for one, cost in zip(scores, costs, strict=True):
        pool.extend(one, costs=cost, features=one[:, None])
    ids = pool.ask(budget=50.0, part=-1)
    assert ids.min() >= 300
    alone = pool.parts_[1]
    np.testing.assert_array_equal(alone.costs_, costs[1])
    assert alone.features_.shape == (300, 1)
    np.testing.assert_array_equal(ids - 300, alone.ids_)
    with pytest.raises(ValueError, match=r"LivingPool.ask takes budget= together with"):
        pool.ask(budget=50.0)
    with pytest.raises(ValueError, match="takes budget= not beside n"):
        pool.ask(3, budget=50.0, part=0)
    pool.extend(scores[0])
    with pytest.raises(ValueError, match="part 2 has none: give them to extend"):
        pool.ask(budget=50.0, part=2)
    again = LivingPool.from_json(pool.to_json(), OperationalSampler())
    np.testing.assert_array_equal(
        again.ask(budget=9.0, part=0), pool.ask(budget=9.0, part=0)
    )


def test_rows_that_are_refused_leave_the_pool_as_it_was():
    one, other = (LivingPool(SimpleRandomSampler(), random_state=0) for _ in range(2))
    with pytest.raises(TypeError, match=r"^SimpleRandomSampler.fit .* costs="):
        one.extend(np.ones(30), costs=np.ones(30))
    for pool in (one, other):
        pool.extend(np.ones(30))
    np.testing.assert_array_equal(one.ask(5), other.ask(5))
