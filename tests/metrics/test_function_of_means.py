"""Intervals of functions of means: a slow loop, closed forms, bounds and coverage."""

import numpy as np
import pytest
from interval_problems import coverage, draw_clusters, draw_images, quiet
from scipy.stats import sem, t

from skrobust.metrics import area_under_robust_ratio_curve, robust_ratio_band
from skrobust.metrics.intervals.clusters import jackknife_df, make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.function_of_means import (
    ALIKE,
    UNKNOWN,
    interval_of_means,
)
from skrobust.metrics.stability.asi_interval import variation_interval


def mean_of(values, clusters=None, **settings):
    settings = {"bounds": (0.0, 1.0)} | settings
    means = ColumnMeans(values, make_units(clusters, len(values), ""))
    return interval_of_means(lambda m: m.mean(axis=1), means, 0.95, **settings)


def t_limits(mean, error, deviations):
    half = t.ppf(0.975, jackknife_df(deviations)) * error
    return mean - half, mean + half


@pytest.mark.parametrize("clustered", [False, True])
def test_it_is_the_jackknife_of_a_slow_loop(clustered):
    rng = np.random.default_rng(0)
    correct = draw_images(rng, 90, [0.5, 0.7, 0.6])
    sizes = rng.multinomial(78, np.full(12, 1 / 12)) + 1
    clusters = np.repeat(np.arange(12), sizes) if clustered else None
    groups = np.arange(90) if clusters is None else clusters

    def ratio(m):  # fails less under the first two than under the last
        return (2 - m[..., 0] - m[..., 1]) / (1 - m[..., 2])

    means = ColumnMeans(correct, make_units(clusters, 90, ""))
    found = interval_of_means(ratio, means, 0.95, bounds=(0.0, np.inf))
    without = [ratio(correct[groups != g].mean(axis=0)) for g in np.unique(groups)]
    off = np.array(without) - np.mean(without)
    error = np.sqrt((len(off) - 1) / len(off) * (off**2).sum())
    assert found.value == pytest.approx(ratio(correct.mean(axis=0)))
    assert found.std_error == pytest.approx(error)
    assert tuple(found) == pytest.approx(t_limits(found.value, error, off))
    assert (found.unit, found.n) == (("clusters", 12) if clustered else ("samples", 90))


def test_the_interval_of_a_mean_is_that_of_student():
    rng = np.random.default_rng(1)
    correct = draw_images(rng, 80, [0.5, 0.6, 0.7])
    rows = correct.mean(axis=1)
    found = mean_of(correct)
    limits = t_limits(rows.mean(), sem(rows), rows - rows.mean())
    assert tuple(found) == pytest.approx(limits)
    # Equal clusters: the same of the means of the clusters.
    clusters = np.repeat(np.arange(20), 4)
    parts = rows.reshape(20, 4).mean(axis=1)
    limits = t_limits(parts.mean(), sem(parts), parts - parts.mean())
    assert tuple(mean_of(correct, clusters)) == pytest.approx(limits)


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3])
def test_nothing_has_zero_width_and_more_failures_are_not_surer(clusters):
    n = 60 if clusters is None else 20
    right = np.ones((60, 5))
    sure = mean_of(right, clusters)
    missed = 1 - 0.025 ** (1 / n)  # so many units would miss a share this large
    assert tuple(sure) == pytest.approx((1 - missed, 1.0))
    assert sure.warnings == (ALIKE,)
    assert tuple(mean_of(1 - right, clusters)) == pytest.approx((0.0, missed))
    lows = [sure.low]
    for failures in range(1, 30):
        right[:failures, 0] = 0  # of one condition
        lows.append(mean_of(right, clusters).low)
    assert (np.diff(lows) <= 1e-12).all()
    # The same four of five conditions in every sample: no error, but no certainty.
    same = mean_of(np.tile([1, 1, 1, 1, 0], (60, 1)), clusters)
    assert tuple(same) == pytest.approx((0.8 * (1 - missed), 0.8 + 0.2 * missed))


def test_undefined_without_one_sample_has_no_limits():
    correct = np.ones((30, 2))
    correct[0, 1] = correct[3, 0] = 0
    means = ColumnMeans(correct, make_units(None, 30, ""))

    def ratio(m):
        base = 1 - m[:, 1]
        return (1 - m[:, 0]) / np.where(base > 1e-12, base, np.nan)

    found = interval_of_means(ratio, means, 0.95, bounds=(0.0, np.inf))
    assert found.value == pytest.approx(1.0)
    assert np.isnan([found.low, found.high]).all()
    assert found.warnings == (UNKNOWN,)


def test_means_are_covered():
    rng = np.random.default_rng(2)
    shares = [0.7, 0.8, 0.9, 0.95]
    share = coverage(
        lambda: mean_of(draw_images(rng, 150, shares)), np.mean(shares), 500
    )
    assert share > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 500)

    def clips():
        hits, codes = draw_clusters(rng, 15, 20, 0.4, 0.8)
        return mean_of(hits[:, None], codes)

    assert coverage(clips, 0.8, 500) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 500)


def test_quotients_are_covered_on_both_sides():
    rng = np.random.default_rng(6)
    shares = np.array([0.9, 0.85, 0.8, 0.7])

    def quotient(m):
        return (2 - m[..., 0] - m[..., 1]) / (2 - m[..., 2] - m[..., 3])

    def draw():
        means = ColumnMeans(draw_images(rng, 120, shares), make_units(None, 120, ""))
        settings = {"bounds": (0.0, np.inf), "logarithmic": True}
        ends = {"worst": np.append([0, 0], means.mean[2:])}
        ends["best"] = np.append([1, 1], means.mean[2:])
        return tuple(interval_of_means(quotient, means, 0.95, **settings, **ends))

    low, high = np.array([draw() for _ in range(400)]).T
    least = 0.975 - 3 * np.sqrt(0.975 * 0.025 / 400)
    assert (low <= quotient(shares)).mean() > least
    assert (high >= quotient(shares)).mean() > least


def test_variation_is_covered_where_conditions_differ_and_where_they_do_not():
    rng = np.random.default_rng(3)
    for shares in (np.full(8, 0.8), np.linspace(0.6, 0.9, 8)):
        truth = shares.std() / shares.mean()

        def draw(shares=shares):
            correct = draw_images(rng, 200, shares)
            return variation_interval(correct, make_units(None, 200, ""), 0.95)

        assert coverage(draw, truth, 250) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 250)


def test_variation_is_corrected_and_bounded():
    rng = np.random.default_rng(4)
    correct = draw_images(rng, 100, np.linspace(0.3, 0.9, 6))
    units = make_units(None, 100, "")
    found = variation_interval(correct, units, 0.95)
    shares = correct.mean(axis=0)
    plain = shares.std() / shares.mean()
    # Unbiased variance: products of different samples alone.
    centred = correct - correct.mean(axis=1, keepdims=True)
    own = (centred**2).sum(axis=0)
    pairs = (centred.sum(axis=0) ** 2 - own) / (100 * 99)
    assert found.plug_in == pytest.approx(plain)
    assert found.value == pytest.approx(np.sqrt(pairs.mean()) / shares.mean())
    assert 0 < found.low < found.value < found.high < np.sqrt(5)
    one = np.zeros((12, 6))
    one[:, 0] = 1
    extreme = variation_interval(one, make_units(None, 12, ""), 0.95)
    assert (extreme.value, extreme.high) == pytest.approx((np.sqrt(5), np.sqrt(5)))
    assert extreme.low < 0.9 * extreme.value
    same = variation_interval(np.ones((40, 3)), make_units(None, 40, ""), 0.95)
    assert same.value == same.low == 0 < same.high
    assert np.isnan(variation_interval(0 * one, make_units(None, 12, ""), 0.95).low)


def test_variation_of_many_samples_has_the_limits_of_its_error():
    rng = np.random.default_rng(7)
    active = rng.random((20000, 1)) < 0.1  # scales all conditions alike
    correct = active & (rng.random((20000, 3)) < [0.3, 0.6, 0.9])
    found = variation_interval(correct, make_units(None, 20000, ""), 0.95)
    half = 1.96 * found.std_error
    assert found.high - found.value == pytest.approx(half, rel=0.1)
    assert found.value - found.low == pytest.approx(half, rel=0.1)


def test_area_of_the_ratio_curve():
    rng = np.random.default_rng(5)
    shift = rng.beta(1, 8, 120)
    tolerances = np.array([0.2, 0.0, 0.05, 0.1])
    band = robust_ratio_band(shift, tolerances=tolerances)
    area = area_under_robust_ratio_curve(tolerances, band.ratio)
    assert band.area.value == pytest.approx(area)
    b = np.sort(tolerances)
    rows = np.array([area_under_robust_ratio_curve(b, s <= b) for s in shift])
    assert band.area.std_error == pytest.approx(sem(rows))
    limits = t_limits(rows.mean(), sem(rows), rows - rows.mean())
    assert tuple(band.area) == pytest.approx(limits)
    # Weights: the linearised error of a quotient of sums; equal ones change nothing.
    weight = rng.uniform(0.5, 3, 120)
    weighted = robust_ratio_band(shift, tolerances=tolerances, sample_weight=weight)
    value = np.average(rows, weights=weight)
    off = weight * (rows - value) / weight.sum()
    assert weighted.area.value == pytest.approx(value)
    assert weighted.area.std_error == pytest.approx(np.sqrt((off**2).sum()), rel=0.03)
    equal = np.full(120, 7.0)
    equal = robust_ratio_band(shift, tolerances=tolerances, sample_weight=equal)
    assert tuple(equal.area) == pytest.approx(tuple(band.area))
    clips = robust_ratio_band(
        shift, tolerances=tolerances, clusters=np.arange(120) % 40
    )
    assert (clips.area.n, clips.area.unit) == (40, "clusters")
    assert robust_ratio_band(shift, tolerances=[0.1]).area is None
    assert robust_ratio_band(shift, tolerances=[0.1, 0.1]).area is None
    missed = 1 - 0.025 ** (1 / 30)
    flat = quiet(robust_ratio_band, np.full(30, 0.01), tolerances=[0.1, 0.2]).area
    assert tuple(flat) == pytest.approx((1 - missed, 1.0))
