"""Terms of intervals and comparisons, each against its formula or a mirror image."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm, skew

from skrobust.metrics import (
    adversarial_class_confidence,
    compare_models,
    confidence_interval,
    period_stability_index,
    stability_summary,
    threshold_test,
)
from skrobust.metrics.comparison.evidence import Resampled
from skrobust.metrics.comparison.exact_shares import _Tables
from skrobust.metrics.comparison.paired import from_shares
from skrobust.metrics.groups.clips import _curves
from skrobust.metrics.intervals.bootstrap import _bca_levels
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.simultaneous import _selection_bias, _steady_error
from skrobust.metrics.normalized.signal_to_noise import signal_to_noise_ratio
from skrobust.metrics.stability import autoregressive_trend
from skrobust.metrics.stability.residual_methods import _block_length

RNG = np.random.default_rng(0)


def test_the_acceleration_of_a_mean_is_its_skewness():
    x = RNG.exponential(size=40)
    left_out = (x.sum() - x) / 39
    speed, bias = skew(x) / 6 / np.sqrt(40), 0.0
    draws = np.concatenate([x.mean() + np.arange(1, 500), x.mean() - np.arange(1, 500)])
    levels = np.array([0.025, 0.5, 0.975])
    z = bias + norm.ppf(levels)
    expected = norm.cdf(bias + z / (1 - speed * z))
    found = _bca_levels(x.mean(), draws, levels, left_out)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert found[2] - 0.975 > 0.001  # to the right, as the values are skewed


def resampled(difference, sd):
    return Resampled(difference, difference + sd * RNG.normal(size=999))


def test_shares_are_decided_on_both_sides():
    rng = np.random.default_rng(1)
    right = rng.random(300) < 0.5
    a, b, c = right, right | (rng.random(300) < 0.4), right & (rng.random(300) < 0.6)
    pairs = [(a, b), (a, c), (b, a), (c, a)]
    difference = np.array([one.mean() - two.mean() for one, two in pairs])
    above, below = from_shares(difference, pairs, 0.95).decided(0.95)
    assert above.tolist() == [False, True, True, False]
    assert below.tolist() == [True, False, False, True]


def test_at_its_own_value_a_difference_is_on_either_side():
    one = resampled(0.25, 0.1)
    assert one.p_at_least(0.25) == one.p_at_most(0.25) == 0.5


def test_one_condition_that_is_clearly_the_worst_has_no_bias():
    share = np.array([0.5, *[0.9] * 8])
    correct = np.random.default_rng(2).random((2000, 9)) < share
    means = ColumnMeans(correct, make_units(None, 2000, ""))
    assert abs(_selection_bias(means, _steady_error(means))) < 1e-3
    equal = np.random.default_rng(3).random((2000, 9)) < 0.9
    means = ColumnMeans(equal, make_units(None, 2000, ""))
    assert _selection_bias(means, _steady_error(means)) > 5e-3


def test_the_first_curve_is_as_measured():
    hits, sizes = np.array([[1, 2], [0, 4.0], [3, 3]]), np.array([2, 4, 3.0])
    within = np.array([[0, 1], [0, 1], [1, 1.0]])
    frames, clips = _curves(hits, sizes, within, 50, 0)
    assert frames.shape == clips.shape == (51, 2)
    np.testing.assert_allclose(frames[0], [4 / 9, 1])
    np.testing.assert_allclose(clips[0], [1 / 3, 1])


def test_targets_beyond_the_squares_of_floats_have_a_ratio():
    y = np.array([0.0, 1e200])
    assert signal_to_noise_ratio(y, y, task="regression") == np.inf


def test_a_metric_that_never_changes_is_neither_above_nor_below():
    def constant_score(y_true, y_pred):
        return 0.5

    y = RNG.integers(0, 2, 60)
    with pytest.warns(UserWarning, match="no spread"):
        found = threshold_test(constant_score, y, y, threshold=0.5, random_state=0)
    assert np.isnan(found.p_value)
    assert found.verdict not in ("passes", "fails")


Y = np.tile([0, 1], 20)
REFUSED = [
    (
        lambda: compare_models(
            {"a": (Y, Y), "b": (Y[:9], Y[:9])}, metric=lambda y, p: (y == p).mean()
        ),
        "same",
    ),
    (
        lambda: confidence_interval(
            "accuracy", Y, Y, sample_weight=1.0 + Y, method="cluster t"
        ),
        "one of 'auto', 'wilson', 'exact'",
    ),
    (
        lambda: stability_summary([0.5, 0.6], reference={"mean": 0.5, "cv": -1.0}),
        "reference cv",
    ),
    (
        lambda: adversarial_class_confidence(
            Y, np.full((40, 2), 0.5), target=np.full(40, "cat")
        ),
        "target",
    ),
    (
        lambda: period_stability_index(
            Y, np.full((40, 2), 0.5), np.arange(40) // 10, metric="gini"
        ),
        "y_pred\\[:, 1\\]",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED, ids=[text for _, text in REFUSED])
def test_what_does_not_fit_is_refused_in_a_sentence(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize(("down", "n"), [(0, 12), (3, 12), (12, 12), (40, 300)])
def test_the_second_share_is_searched_where_clopper_and_pearson_allow_it(down, n):
    tables = _Tables(0, down, n)
    ends = binomtest(down, n).proportion_ci(1 - 1e-5, method="exact")
    assert (tables.low, tables.high) == pytest.approx(tuple(ends))
    # A difference that no share of this set allows has the error of the set.
    assert tables.p_value(-ends.high - 1e-6) == 1e-5


@pytest.mark.parametrize(("n", "n_left_out"), [(60, 60), (200, 200), (500, 200)])
def test_the_acceleration_takes_at_most_200_values(n, n_left_out):
    sizes = []

    def mean(values):
        sizes.append(len(values))
        return values.mean()

    values = np.random.default_rng(0).exponential(size=n)
    confidence_interval(mean, values, method="bca", n_resamples=100, random_state=0)
    assert len([size for size in sizes if size < n]) == n_left_out
    left_out = n - np.array([size for size in sizes if size < n])
    assert left_out.sum() == n  # each value is left out once
    assert np.ptp(left_out) <= 1


def test_correlations_have_the_density_of_a_sine_of_uniform_angles():
    rho = autoregressive_trend._correlations()
    assert -0.3 < rho[0] < rho[-1] < 0.99
    low, high = np.arcsin([-0.3, 0.99])
    share = (np.arcsin(rho) - low) / (high - low)
    np.testing.assert_allclose(share, (np.arange(32) + 0.5) / 32)


@pytest.mark.parametrize("smooth", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("n", [12, 40, 150])
def test_blocks_are_as_long_as_carlsteins_rule_says(smooth, n):
    """Of a first-order autoregression, rounded up, at most a sixth of the series."""
    noise = np.random.default_rng(n).normal(size=n + smooth)
    residuals = np.convolve(noise, np.ones(smooth + 1), "valid")
    residuals = residuals - residuals.mean()
    r = (residuals[1:] * residuals[:-1]).sum() / (residuals**2).sum()
    r = min(0.9, r + (2 + 4 * max(r, 0)) / n)
    expected = 1
    if r > 0:
        length = math.ceil((2 * r / (1 - r**2)) ** (2 / 3) * n ** (1 / 3))
        expected = max(1, min(length, n // 6))
    assert _block_length(residuals) == expected
