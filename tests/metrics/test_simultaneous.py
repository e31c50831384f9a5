"""Intervals of all conditions at once and of the worst one, proved and simulated."""

import numpy as np
import pytest
from interval_problems import draw_clusters, draw_images, quiet
from scipy.stats import norm, t

from skrobust.metrics import (
    confidence_interval,
    proportion_interval,
    simultaneous_intervals,
    worst_case_interval,
)
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.simultaneous import worst_case


def means_of(correct, clusters=None):
    units = make_units(clusters, len(correct), "")
    return ColumnMeans(correct, units)


def draw_clips(rng, n_clips, share, n_conditions, *, correlation=0.6):
    """Correct frames of clips under independent conditions, and their clips."""
    settings = n_clips, 50, correlation, share
    parts = [draw_clusters(rng, *settings) for _ in range(n_conditions)]
    return np.column_stack([hits for hits, _ in parts]), parts[0][1]


def test_errors_are_those_of_a_jackknife():
    rng = np.random.default_rng(0)
    correct = draw_images(rng, 90, [0.5, 0.8, 0.9])
    clusters = np.repeat(np.arange(12), rng.multinomial(78, np.full(12, 1 / 12)) + 1)
    for codes, groups in ((None, np.arange(90)), (clusters, clusters)):
        found = means_of(correct, codes)
        without = [correct[groups != g].mean(axis=0) for g in np.unique(groups)]
        off = np.array(without) - found.mean
        n = len(off)
        np.testing.assert_allclose(
            found.error, np.sqrt((n - 1) / n * (off**2).sum(axis=0))
        )


def test_the_quantile_of_equal_and_of_independent_columns_is_known():
    rng = np.random.default_rng(1)
    one = rng.random((4000, 1)) < 0.5
    same = means_of(np.repeat(one, 9, axis=1))
    assert same.quantile(0.95) == pytest.approx(norm.ppf(0.975), abs=0.06)
    apart = means_of(rng.random((4000, 9)) < 0.5)
    sidak = norm.ppf((1 + 0.95 ** (1 / 9)) / 2)
    assert apart.quantile(0.95) == pytest.approx(sidak, abs=0.07)
    upper = norm.ppf(0.5 ** (1 / 9))
    assert apart.quantile(0.5, sides=1) == pytest.approx(upper, abs=0.04)
    clustered = means_of(one, np.arange(4000) // 400)
    assert clustered.quantile(0.9) == pytest.approx(t.ppf(0.95, 9))


def test_one_condition_has_no_correction():
    correct = np.arange(40) < 31
    found = simultaneous_intervals(correct)
    exact = proportion_interval(31, 40, method="exact")
    assert found.quantile == pytest.approx(norm.ppf(0.975))
    assert found.band_low[0] == pytest.approx(min(exact[0], found.low[0]))
    assert found.band_high[0] == pytest.approx(max(exact[1], found.high[0]))
    worst = worst_case_interval(correct)
    assert worst.value == worst.plug_in == 31 / 40
    assert tuple(worst) == pytest.approx(exact)
    one_sided = proportion_interval(31, 40, confidence=0.9, method="exact")
    assert worst_case_interval(correct, alternative="greater").low == pytest.approx(
        one_sided[0]
    )
    assert worst_case_interval(correct, alternative="less").high == pytest.approx(
        one_sided[1]
    )


def test_nothing_has_zero_width():
    right = np.ones((60, 5), bool)
    for clusters in (None, np.arange(60) // 2):
        for correct in (right, ~right):
            found = simultaneous_intervals(correct, clusters=clusters)
            assert (found.band_high - found.band_low > 0.03).all()
            interval = worst_case_interval(correct, clusters=clusters)
            assert interval.plug_in == correct[0, 0]
            assert interval.value == interval.plug_in or not correct.any()
            assert interval.high - interval.low > 0.03
    # 60 samples without a failure exclude no more than that of one sample in 60.
    low = simultaneous_intervals(right[:, :1]).band_low[0]
    assert low <= 0.025 ** (1 / 60) + 1e-12


def test_a_failure_more_never_lifts_a_limit():
    clips = np.repeat(np.arange(50), 100)
    last = np.ones(2)
    for failures in (0, 1, 2, 3, 5, 10, 100):
        correct = np.ones(5000, bool)
        correct[np.linspace(0, 4999, failures).astype(int)] = False
        low = means_of(correct[:, None], clips).band(0.95)[0][0]
        assert low <= last[0] + 1e-12
        last[0] = low
    assert 0.85 < last[0] < 0.95


@pytest.mark.parametrize("shared", [0.0, 0.4])
def test_the_worst_of_many_equal_conditions(shared):
    rng = np.random.default_rng(2)
    found = []
    for _ in range(40):
        correct = draw_images(rng, 200, np.full(69, 0.8), shared=shared)
        means = means_of(correct)
        worst = worst_case(means, 0.95)
        low, high = means.band(0.95)
        held = (low <= 0.8) & (high >= 0.8)
        low, high = means.limits(norm.ppf(0.975))
        inside = (low <= 0.8) & (high >= 0.8)
        row = worst.plug_in, worst.value, worst.low <= 0.8 <= worst.high
        found.append((*row, held.all(), inside.all()))
    plug_in, value, covered, banded, pointwise = np.mean(found, axis=0)
    assert plug_in < 0.75
    assert value == pytest.approx(0.8, abs=0.014)
    # Of 40 runs at .95 fewer than 34 hold the truth with a chance below .004.
    assert min(covered, banded) >= 34 / 40
    assert pointwise < 0.5


@pytest.mark.parametrize("share", [0.8, 0.98])
def test_bands_over_clips_cover(share):
    rng = np.random.default_rng(3)
    held = []
    for _ in range(40):
        correct, clips = draw_clips(rng, 20, share, 8)
        low, high = means_of(correct, clips).band(0.95)
        held.append(((low <= share) & (high >= share)).all())
    assert np.mean(held) >= 34 / 40


def test_one_condition_that_is_far_below_needs_no_correction():
    rng = np.random.default_rng(4)
    truth = np.r_[0.4, np.full(30, 0.9)]
    found = [
        worst_case_interval(draw_images(rng, 300, truth, shared=0.3)) for _ in range(40)
    ]
    value = np.mean([i.value for i in found])
    assert value == pytest.approx(0.4, abs=0.02)
    assert np.mean([i.value - i.plug_in for i in found]) < 0.003
    low, high = np.array([tuple(i) for i in found]).mean(axis=0)
    alone = proportion_interval(0.4 * 300, 300, method="exact")
    assert (low, high) == pytest.approx(alone, abs=0.03)


def test_same_data_same_limits_in_any_order():
    rng = np.random.default_rng(5)
    correct = draw_images(rng, 80, np.full(6, 0.8))
    one = worst_case_interval(correct)
    assert worst_case_interval(correct) == one
    mixed = worst_case_interval(correct[rng.permutation(80)])
    assert tuple(mixed) == pytest.approx(tuple(one), abs=1e-6)
    y = rng.integers(3, size=80)
    predicted = np.where(correct.T, y, y + 1)
    assert worst_case_interval(y, predicted) == one


def test_the_band_holds_the_limits_of_each_condition():
    rng = np.random.default_rng(6)
    correct = draw_images(rng, 150, [0.5, 0.9, 0.99, 1.0])
    found = simultaneous_intervals(correct)
    assert (found.band_low <= found.low).all()
    assert (found.band_high >= found.high).all()
    for k in range(4):
        low, high = quiet(confidence_interval, "accuracy", correct[:, k])
        assert (found.low[k], found.high[k]) == (low, high)


def test_refuses():
    with pytest.raises(ValueError, match="worst_case_interval needs more samples: 1"):
        worst_case_interval([[True, False]])
    with pytest.raises(ValueError, match="needs more clusters: 2 allow no interval"):
        simultaneous_intervals(np.eye(4), clusters=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="'alternative' parameter of worst_case"):
        worst_case_interval(np.eye(4), alternative="both")
    with pytest.raises(ValueError, match="booleans, or 0 and 1"):
        worst_case_interval([[0.3], [0.4]])
    with pytest.warns(UserWarning, match="^simultaneous_intervals: Only 4 clusters"):
        simultaneous_intervals(np.eye(8), clusters=np.arange(8) // 2)


# Periods


def monthly(rng, n=600, n_months=12, share=0.85):
    months = rng.integers(0, n_months, n)
    return rng.random(n) < share, months


def test_periods_have_the_limits_of_their_rows():
    rng = np.random.default_rng(10)
    right, months = monthly(rng)
    found = simultaneous_intervals(right, periods=months)
    assert found.columns[:2] == ("period", "n_samples")
    for k, month in enumerate(found.period):
        hits = right[months == month]
        assert found.value[k] == hits.mean()
        assert found.n_samples[k] == len(hits)
        pair = found.low[k], found.high[k]
        assert pair == pytest.approx(proportion_interval(hits.sum(), len(hits)))
    sidak = norm.ppf((1 + 0.95 ** (1 / 12)) / 2)  # no row is in two periods
    assert found.quantile == pytest.approx(sidak, abs=0.07)
    assert (found.band_low <= found.low).all()
    assert (found.band_high >= found.high).all()
    # The order of rows and the labels in place of correctness change nothing.
    order = rng.permutation(len(right))
    labels = np.zeros(600), np.where(right, 0, 1)
    shuffled = (x[order] for x in labels)
    again = simultaneous_intervals(*shuffled, periods=months[order])
    np.testing.assert_allclose(again.band_low, found.band_low)


def test_one_period_is_one_condition():
    right = np.random.default_rng(11).random(90) < 0.8
    clips = np.arange(90) // 3
    for clusters in (None, clips):
        one = simultaneous_intervals(right, clusters=clusters)
        other = simultaneous_intervals(right, clusters=clusters, periods=np.ones(90))
        for name in one.columns:
            assert other[name] == pytest.approx(one[name])


def test_clusters_that_span_periods_join_them():
    rng = np.random.default_rng(12)
    skill = rng.random(400) < 0.8
    right = np.tile(skill, 6)  # everyone is the same in each month
    months, people = np.repeat(np.arange(6), 400), np.tile(np.arange(400), 6)
    apart = simultaneous_intervals(right, periods=months)
    joint = simultaneous_intervals(right, periods=months, clusters=people)
    assert joint.quantile == pytest.approx(t.ppf(0.975, 399), abs=0.06)
    assert apart.quantile > 2.5
    # As conditions on the same people: the errors, too.
    errors = means_of(np.repeat(skill[:, None], 6, axis=1)).error
    means = ColumnMeans.of_parts(right, months, make_units(people, 2400, ""))
    np.testing.assert_allclose(means.error, errors)


def test_the_error_of_a_period_is_the_jackknife_of_its_clusters():
    rng = np.random.default_rng(13)
    right, months = monthly(rng, 500, 3)
    people = rng.integers(0, 30, 500)
    units = make_units(people, 500, "")
    means = ColumnMeans.of_parts(right, months, units)
    for k in range(3):
        own = months == k
        single = means_of(right[own][:, None], people[own])
        assert means.error[k] == pytest.approx(single.error[0])
        assert means.n_effective[k] == pytest.approx(single.n_effective[0])
    plain = ColumnMeans.of_parts(right, months, make_units(None, 500, ""))
    assert plain.error[1] == pytest.approx(means_of(right[months == 1][:, None]).error)


def test_periods_that_agree_or_have_one_row_have_a_width():
    months = np.array([0] * 20 + [1] * 20 + [2])
    found = simultaneous_intervals(np.arange(41) >= 20, periods=months)
    assert found.value.tolist() == [0.0, 1.0, 1.0]
    assert (found.band_high - found.band_low > 0.1).all()
    assert found.band_low[2] < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_the_band_of_periods_covers(clustered):
    rng = np.random.default_rng(14)
    inside = []
    for _ in range(150):
        clusters = None
        if clustered:
            right, clusters = draw_clusters(rng, 240, 5, 0.5, 0.85)
            months = clusters % 8
        else:
            right, months = monthly(rng, 500, 8)
        settings = {"periods": months, "clusters": clusters}
        found = quiet(simultaneous_intervals, right, **settings)
        inside.append(((found.band_low <= 0.85) & (found.band_high >= 0.85)).all())
    assert np.mean(inside) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 150)


def test_periods_that_do_not_fit():
    right = np.ones((12, 2), bool)
    with pytest.raises(ValueError, match=r"'periods' parameter .* several conditions"):
        simultaneous_intervals(right, periods=np.arange(12) // 4)
    with pytest.raises(ValueError, match="one time per sample"):
        simultaneous_intervals(right[:, 0], periods=[1, 2])
    pairs = np.arange(12) // 2
    with pytest.raises(ValueError, match="three clusters or more in each period; 0"):
        simultaneous_intervals(right[:, 0], periods=pairs // 2, clusters=pairs)
    with pytest.raises(ValueError, match="text that sorts in time"):
        simultaneous_intervals(right[:2, 0], periods=["May", "June"])
    right, groups = np.arange(24) % 5 > 0, np.arange(24) // 2
    with pytest.warns(UserWarning, match="only 4 clusters in a period"):
        simultaneous_intervals(right, periods=np.arange(24) // 8, clusters=groups)
