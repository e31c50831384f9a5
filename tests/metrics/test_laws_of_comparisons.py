"""Laws of comparisons, thresholds and plans: who is first, when one looks, how much."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, fewer, seeds
from scipy.special import betaln
from scipy.stats import binom, binomtest, t

from skrobust.metrics import (
    compare_models,
    compare_sequentially,
    plan_samples,
    threshold_test,
)


def two_models(seed, n=30):
    """Correctness of two models on the same samples."""
    rng = np.random.default_rng(seed)
    first = rng.random(n) < rng.random()
    return rng, first, np.where(rng.random(n) < 0.4, rng.random(n) < 0.5, first)


@few
@given(seeds)
def test_a_comparison_is_turned_around_by_another_order(seed):
    rng, first, second = two_models(seed)
    found = compare_models({"a": first, "b": second})
    back = compare_models({"b": second, "a": first})
    assert found.difference == pytest.approx(first.mean() - second.mean())
    assert found.difference == -back.difference
    assert found.low == pytest.approx(-back.high)
    assert found.band_low == pytest.approx(-back.band_high)
    assert found.p_value == pytest.approx(back.p_value)
    # Shares of 2,000 other resamples: four standard errors.
    assert found.flip_rate == pytest.approx(back.flip_rate, abs=0.045, nan_ok=True)
    assert (found.band_low <= found.low) & (found.low <= found.difference)
    assert (found.difference <= found.high) & (found.high <= found.band_high)
    up, down = int((first & ~second).sum()), int((second & ~first).sum())
    expected = binomtest(up, up + down).pvalue if up + down else 1
    assert found.p_value == pytest.approx(expected)
    order = rng.permutation(30)
    same = compare_models({"a": first[order], "b": second[order]})
    for name in ("difference", "low", "high", "p_value"):
        assert same[name] == pytest.approx(found[name])
    # The share of errors in place of that of correct answers: gaps change their sign.
    errors = compare_models({"a": ~first, "b": ~second})
    assert errors.difference == pytest.approx(-found.difference)
    assert errors.high == pytest.approx(-found.low)


@fewer
@given(seeds, st.integers(3, 5))
def test_ranks_are_those_of_the_values_whatever_the_order(seed, k):
    rng = np.random.default_rng(seed)
    table = rng.random((k, 40)) < rng.random((k, 1))
    models = {f"model {i}": row for i, row in enumerate(table)}
    found = compare_models(models)
    assert len(found.difference) == k * (k - 1) / 2
    assert (found.p_adjusted >= found.p_value).all()
    ranks = found.ranks
    assert (
        (ranks.rank_low <= ranks["rank"]) & (ranks["rank"] <= ranks.rank_high)
    ).all()
    assert ((ranks.rank_low >= 1) & (ranks.rank_high <= k)).all()
    other = compare_models(dict(reversed(models.items()))).ranks
    place = [other.model.tolist().index(name) for name in ranks.model.tolist()]
    for name in ("value", "rank_low", "rank_high"):
        assert other[name][place].tolist() == ranks[name].tolist()


@fewer
@given(seeds)
def test_a_look_tells_nothing_of_what_comes_later(seed):
    rng, first, second = two_models(seed)
    found = compare_sequentially({"a": first, "b": second}, margin=0.6)
    n = int(rng.integers(1, 30))
    early = compare_sequentially({"a": first[:n], "b": second[:n]}, margin=0.6)
    for name in found.columns:
        assert early[name].tolist() == found[name][:n].tolist(), name
    if early.decided_at is not None:
        assert (found.verdict, found.decided_at) == (early.verdict, early.decided_at)
    # By the formula, turned around, and with labels in place of right and wrong.
    b, c = found.only_first, found.only_second
    log_e = (b + c) * np.log(2) + betaln(b + 0.5, c + 0.5) - betaln(0.5, 0.5)
    assert found.e_value == pytest.approx(np.exp(log_e))
    assert found.p_value == pytest.approx(
        np.minimum(1, np.minimum.accumulate(1 / found.e_value))
    )
    assert (found.low <= found.high).all()
    assert (np.diff(found.low) >= 0).all()
    assert (np.diff(found.high) <= 0).all()
    back = compare_sequentially({"b": second, "a": first}, margin=0.6)
    assert back.low == pytest.approx(-found.high, abs=1e-6)  # limits are searched for
    assert back.e_value == pytest.approx(found.e_value)
    turned = {"first better": "second better", "second better": "first better"}
    assert back.verdict == turned.get(found.verdict, found.verdict)
    y = rng.integers(0, 2, 30)
    labels = compare_sequentially(
        {"a": np.where(first, y, 1 - y), "b": np.where(second, y, 1 - y)}, y_true=y
    )
    assert labels.e_value.tolist() == found.e_value.tolist()


shares = st.integers(1, 39).map(lambda v: v / 40)


@few
@given(st.integers(0, 30), shares, st.sampled_from([0.8, 0.95, 0.99]), seeds)
def test_a_threshold_is_reached_or_missed_by_the_binomial_test(
    k, threshold, level, seed
):
    correct = np.random.default_rng(seed).permutation(np.arange(30) < k)
    options = {"threshold": threshold, "confidence": level}
    found = threshold_test("robust_accuracy", correct, **options)
    assert found.value == pytest.approx(k / 30)
    assert found.p_value == pytest.approx(binom.sf(k - 1, 30, threshold))
    assert 0 <= found.low <= found.value <= found.high <= 1
    passes = found.p_value <= 1 - level
    fails = binom.cdf(k, 30, threshold) <= 1 - level
    expected = "passes" if passes else "fails" if fails else "undecided"
    assert found.verdict == expected
    assert (found.verdict == "passes") == (found.low >= threshold)
    # The error rate against what it may be at most is the same question.
    if k < 30:
        better = threshold_test("robust_accuracy", np.arange(30) < k + 1, **options)
        assert better.p_value <= found.p_value
        assert not (found.verdict == "passes" and better.verdict != "passes")


def half_width(values, n, power=None, confidence=0.95):
    quantile = t.ppf((1 + confidence) / 2, n - 1)
    if power is not None:
        quantile += t.ppf(power, n - 1)
    return quantile * values.std(ddof=1) / np.sqrt(n)


@few
@given(seeds, st.sampled_from([None, 0.8, 0.5]), st.floats(0.3, 3))
def test_a_plan_of_one_factor_is_that_of_student(seed, power, part):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=12)
    goal = part * half_width(values, 12)
    name = "half_width" if power is None else "difference"
    options = {"power": power} if power is not None else {}
    plan = plan_samples(values, ("sample",), **{name: goal}, **options)
    needed = int(plan.needed[0])
    assert half_width(values, needed, power) <= goal * (1 + 1e-9)
    assert needed == 2 or half_width(values, needed - 1, power) > goal * (1 - 1e-9)
    assert plan.value == pytest.approx(values.mean())
    assert plan.half_width == pytest.approx(half_width(values, 12))
    finer = plan_samples(values, ("sample",), **{name: goal / 2}, **options)
    assert finer.needed[0] >= needed
    units = plan_samples(
        7 - 100 * rng.permutation(values), ("sample",), **{name: 100 * goal}, **options
    )
    assert abs(units.needed[0] - needed) <= (0 if part != 1 else 1)


@fewer
@given(seeds)
def test_plans_of_tables_know_no_order_of_levels_and_axes(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(4, 3, 8)) + rng.normal(size=(4, 1, 1))
    axes = ("run", "condition", "sample")
    plan = plan_samples(table, axes, half_width=0.3)
    turn = rng.permutation(3)
    mixed = table[rng.permutation(4)][:, rng.permutation(3)][:, :, rng.permutation(8)]
    other = plan_samples(
        mixed.transpose(turn), tuple(np.array(axes)[turn]), half_width=0.3
    )
    needed = dict(zip(plan.factor.tolist(), plan.needed.tolist(), strict=True))
    assert needed == dict(
        zip(other.factor.tolist(), other.needed.tolist(), strict=True)
    )
    assert other.value == pytest.approx(plan.value, abs=1e-12)
    assert other.std_error == pytest.approx(plan.std_error)
    finer = plan_samples(table, axes, half_width=0.2)
    assert (finer.needed >= plan.needed).all()
    surer = plan_samples(table, axes, half_width=0.3, confidence=0.99)
    assert (surer.needed >= plan.needed).all()
