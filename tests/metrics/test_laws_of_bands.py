"""Laws of bands over conditions, of the worst one, and of draws of the index."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import fewer, seeds
from scipy.special import ndtri
from scipy.stats import t

from skrobust.metrics import (
    accuracy_stability_index,
    accuracy_stability_variance,
    simultaneous_intervals,
    worst_case_interval,
)


def correct(seed, n=40, k=4):
    """Correctness under conditions, under one of which all may be right."""
    rng = np.random.default_rng(seed)
    return rng, rng.random((n, k)) < rng.choice([0.3, 0.7, 0.95, 1], k)


def check_inside(found):
    order = [found[name] for name in ("band_low", "low", "value", "high", "band_high")]
    order = [np.zeros(len(found.value)), *order, np.ones(len(found.value))]
    for below, above in pairwise(order):
        assert (below <= above + 1e-12).all()
    assert (found.low < found.high).all()


# A quantile of 4,000 draws has a standard error of about 0.03.
QUANTILE = {"abs": 0.15}


@fewer
@given(seeds)
def test_bands_of_conditions_turned_mixed_and_named_otherwise(seed):
    rng, table = correct(seed)
    found = simultaneous_intervals(table)
    check_inside(found)
    assert found.value == pytest.approx(table.mean(axis=0))
    failed = simultaneous_intervals(~table)
    assert failed.low == pytest.approx(1 - found.high)
    assert failed.high == pytest.approx(1 - found.low)
    assert failed.quantile == pytest.approx(found.quantile, **QUANTILE)
    columns = rng.permutation(4)
    mixed = simultaneous_intervals(table[rng.permutation(40)][:, columns])
    for name in ("value", "low", "high"):
        assert mixed[name] == pytest.approx(found[name][columns])
    assert mixed.quantile == pytest.approx(found.quantile, **QUANTILE)
    wider = simultaneous_intervals(table, confidence=0.99)
    assert (wider.band_low <= found.band_low).all()
    assert (wider.band_high >= found.band_high).all()
    # Right and wrong, or labels and predictions.
    y = rng.integers(0, 2, 40)
    labels = simultaneous_intervals(y, np.where(table.T, y, 1 - y))
    assert labels.band_low.tolist() == found.band_low.tolist()


@fewer
@given(seeds)
def test_conditions_that_are_there_twice_are_no_further_ones(seed):
    table = np.random.default_rng(seed).random((40, 4)) < 0.7
    found = simultaneous_intervals(table)
    twice = simultaneous_intervals(np.hstack([table, table]))
    assert twice.quantile == pytest.approx(found.quantile, **QUANTILE)
    fewer_of_them = simultaneous_intervals(table[:, :2])
    assert 1.9 < fewer_of_them.quantile < found.quantile + QUANTILE["abs"]
    # By Bonferroni, four of them need no more than this.
    assert found.quantile <= ndtri(1 - 0.05 / 8) + QUANTILE["abs"]


@fewer
@given(seeds)
def test_periods_in_any_order_of_rows(seed):
    rng, table = correct(seed, n=60)
    right, week = table[:, 0], np.arange(60) % 3
    found = simultaneous_intervals(right[:, None], periods=week)
    check_inside(found)
    assert found.value == pytest.approx([right[week == w].mean() for w in range(3)])
    assert found.n_samples.tolist() == [20] * 3
    order = rng.permutation(60)
    other = simultaneous_intervals(right[order][:, None], periods=week[order] * 10)
    for name in ("value", "low", "high"):
        assert other[name] == pytest.approx(found[name])


@fewer
@given(seeds)
def test_the_worst_condition_lies_within_its_limits(seed):
    rng, table = correct(seed)
    found = worst_case_interval(table)
    lowest = table.mean(axis=0).min()
    assert found.plug_in == pytest.approx(lowest)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value >= lowest - 1e-12
    assert worst_case_interval(table, alternative="greater").high == 1
    assert worst_case_interval(table, alternative="less").low == 0
    one_sided = worst_case_interval(table, alternative="greater")
    assert found.low <= one_sided.low
    wider = worst_case_interval(table, confidence=0.99)
    assert wider.low <= found.low
    assert found.high <= wider.high + 1e-12
    mixed = worst_case_interval(table[:, rng.permutation(4)])
    # The upper limit has a quantile of draws, times errors of 0.08 at most.
    assert mixed.low == pytest.approx(found.low)
    assert tuple(mixed) == pytest.approx(tuple(found), abs=0.012)
    # One condition alone needs no correction.
    single = worst_case_interval(table[:, :1])
    assert single.value == pytest.approx(single.plug_in)
    assert single.value == pytest.approx(table[:, 0].mean())


def jackknife_values(draws):
    """The pseudo-values of the index of each draw, by loop."""
    n = draws.shape[1]
    rows = []
    for one in draws:
        whole = accuracy_stability_index(one.mean(axis=0))
        without = [
            accuracy_stability_index(np.delete(one, i, axis=0).mean(axis=0))
            for i in range(n)
        ]
        rows.append(n * whole - (n - 1) * np.array(without))
    return np.array(rows)


@fewer
@given(seeds, st.integers(2, 4))
def test_variance_of_draws_and_samples_by_the_method_of_moments(seed, n_draws):
    rng = np.random.default_rng(seed)
    draws = rng.random((n_draws, 20, 3)) < [0.9, 0.7, 0.5]
    found = accuracy_stability_variance(draws)
    index = [accuracy_stability_index(one.mean(axis=0)) for one in draws]
    assert found.index == pytest.approx(index)
    assert found.value == pytest.approx(np.mean(index))
    assert found.std_of_draws == pytest.approx(np.std(index, ddof=1))
    assert -1 <= found.low <= found.value <= found.high <= 1
    values = jackknife_values(draws)
    between = values - values.mean()
    of_draws, of_samples = between.mean(axis=1), between.mean(axis=0)
    rest = between - of_draws[:, None] - of_samples
    error = (rest**2).sum() / ((n_draws - 1) * 19)
    expected = [
        (20 * (of_draws**2).sum() / (n_draws - 1) - error) / 20,
        (n_draws * (of_samples**2).sum() / 19 - error) / n_draws,
        error,
    ]
    assert found.components.variance == pytest.approx(expected, abs=1e-9)
    order, samples = rng.permutation(n_draws), rng.permutation(20)
    other = accuracy_stability_variance(draws[order][:, samples][..., [2, 0, 1]])
    for name in ("value", "std_error", "std_error_of_one", "std_error_of_many"):
        assert other[name] == pytest.approx(found[name]), name
    assert found.std_error_of_many <= found.std_error_of_one


@pytest.mark.parametrize("n_clusters", [(30, 30), (30, 5), (5, 30), (6, 5)])
def test_few_clusters_in_any_period_are_too_few(n_clusters):
    """Bonferroni's t with the fewest degrees of freedom, and a warning that says so."""
    period = np.repeat([0, 1], [4 * n for n in n_clusters])
    clusters = np.arange(len(period)) // 4
    right = np.random.default_rng(0).random(len(period)) < 0.7
    arguments = {"periods": period, "clusters": clusters}
    least = min(n_clusters)
    if least == 30:
        found = simultaneous_intervals(right[:, None], **arguments)
        assert found.quantile < t.ppf(1 - 0.05 / 4, least - 1) + QUANTILE["abs"]
        return
    with pytest.warns(UserWarning, match=f"only {least} clusters in a period"):
        found = simultaneous_intervals(right[:, None], **arguments)
    assert found.quantile == pytest.approx(t.ppf(1 - 0.05 / 4, least - 1))
