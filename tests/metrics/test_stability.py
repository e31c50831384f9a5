"""The accuracy-stability index and the stability index keep their values and laws."""

from statistics import harmonic_mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import linregress
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

from skrobust.metrics import (
    accuracy_stability_f_score,
    accuracy_stability_sensitivity,
    stability_summary,
)
from skrobust.metrics.stability.indices import (
    accuracy_stability_index,
    coefficient_of_variation,
    stability_index,
)

few = settings(max_examples=40, deadline=None, derandomize=True)
fractions = st.floats(0.01, 1.0)


def pair(mean, variation):
    """Two scores with the given mean and population coefficient of variation."""
    return [mean * (1 - variation), mean * (1 + variation)]


# Sensitivity and F-type combinations -------------------------------------------------


@few
@given(st.lists(fractions, min_size=2, max_size=8))
def test_sensitivity_is_the_derivative(scores):
    scores = np.array(scores) * 0.9 + 0.05
    if scores.std() < 1e-3:
        return
    found = accuracy_stability_sensitivity(scores)
    step = 1e-6 * np.eye(scores.size)
    by_hand = [
        (accuracy_stability_index(scores + e) - accuracy_stability_index(scores - e))
        / 2e-6
        for e in step
    ]
    np.testing.assert_allclose(found.slope, by_hand, rtol=1e-4, atol=1e-5)
    # To improve what lies above the turning point lowers the index, and only that.
    off = scores - found.turning_point
    assert ((found.slope < 0) == (off > 0))[np.abs(off) > 1e-9].all()


def test_sensitivity_to_mean_and_variation():
    pytest.importorskip("pandas")
    found = accuracy_stability_sensitivity(pair(0.7, 0.2))

    def index(mean, variation):
        return accuracy_stability_index(pair(mean, variation))

    by_mean = (index(0.7 + 1e-6, 0.2) - index(0.7 - 1e-6, 0.2)) / 2e-6
    by_variation = (index(0.7, 0.2 + 1e-6) - index(0.7, 0.2 - 1e-6)) / 2e-6
    assert found.by_mean == pytest.approx(by_mean, rel=1e-5)
    assert found.by_variation == pytest.approx(by_variation, rel=1e-5)
    assert len(found.to_frame()) == 2
    with pytest.warns(UndefinedMetricWarning, match="undefined for equal scores"):
        assert np.isnan(accuracy_stability_sensitivity([0.6, 0.6]).slope).all()


@few
@given(st.lists(fractions, min_size=1, max_size=8), st.floats(0.1, 10))
def test_f_score_is_a_weighted_harmonic_mean(scores, beta):
    mean, stability = np.mean(scores), 1 / (1 + np.std(scores) / np.mean(scores))
    expected = (1 + beta**2) / (beta**2 / stability + 1 / mean)
    assert accuracy_stability_f_score(scores, beta=beta) == pytest.approx(expected)
    one = accuracy_stability_f_score(scores)
    assert one == pytest.approx(harmonic_mean([mean, stability]))
    assert accuracy_stability_f_score(scores, beta=1e-9) == pytest.approx(mean)
    assert accuracy_stability_f_score(scores, beta=1e9) == pytest.approx(stability)
    assert min(mean, stability) - 1e-12 <= one <= max(mean, stability) + 1e-12


def test_f_score_does_not_reward_a_constant_failure():
    assert accuracy_stability_index([0.1] * 5) == 1
    assert accuracy_stability_f_score([0.1] * 5) == pytest.approx(2 / 11)
    assert accuracy_stability_f_score([0.0, 0.0]) == 0
    assert accuracy_stability_f_score([1.0, 1.0], beta=3) == 1
    for beta in (0, -1, np.inf, True):
        with pytest.raises(
            ValueError, match="'beta' parameter of accuracy_stability_f"
        ):
            accuracy_stability_f_score([0.9], beta=beta)
    with pytest.raises(
        ValueError, match="accuracy_stability_sensitivity needs non-neg"
    ):
        accuracy_stability_sensitivity([-0.1, 0.4])


# Accuracy-stability index ------------------------------------------------------------


@pytest.mark.parametrize(
    "scores, expected",
    [
        ([0.9, 0.8, 0.7], 0.773713859),
        ([0.95, 0.9, 0.85, 0.6, 0.7], 0.661508962),
        ([1, 0, 0, 0], -0.747736033),
    ],
)
def test_asi_worked_values(scores, expected):
    result = accuracy_stability_index(scores)
    assert type(result) is float
    assert result == pytest.approx(expected, abs=5e-10)


@pytest.mark.parametrize(
    "scores, expected",
    [([0.9, 0.8, 0.7], 0.1020620726), ([0.95, 0.9, 0.85, 0.6, 0.7], 0.1629800601)],
)
def test_cv_worked_values(scores, expected):
    assert coefficient_of_variation(scores) == pytest.approx(expected, abs=5e-11)
    percent = 100 * np.array(scores)
    assert coefficient_of_variation(percent) == pytest.approx(expected, abs=5e-11)


def test_cv_of_four_values_with_one_hit():
    assert coefficient_of_variation([1, 0, 0, 0]) == pytest.approx(1.7320508, abs=5e-8)


@pytest.mark.parametrize(
    "mean, variation, expected",
    [
        (0.8, 0, 1.0),
        (0.8, 0.05, 0.882353),
        (0.8, 0.1, 0.777778),
        (0.8, 0.2, 0.6),
        (0.5, 0.5, 0.0),
    ],
)
def test_asi_surface(mean, variation, expected):
    scores = pair(mean, variation)
    assert accuracy_stability_index(scores) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    "hits, misses, high, expected",
    # A share p of scores at `high`, the rest 0: mean p * high, CV sqrt((1 - p) / p).
    [(4, 1, 1.0, 0.230769), (1, 1, 1.0, -1 / 3)],
)
def test_asi_surface_of_large_variation(hits, misses, high, expected):
    scores = [high] * hits + [0.0] * misses
    assert accuracy_stability_index(scores) == pytest.approx(expected, abs=5e-7)


def test_asi_surface_below_zero():
    # Mean .8 with CV 1 cannot be had from fractions; the index depends on CV/mean only.
    scores = [1.0] * 10 + [0.0] * 10
    assert coefficient_of_variation(scores) / np.mean(scores) == 2
    low = pair(0.4, 0.5)
    assert accuracy_stability_index(low) == pytest.approx(-0.111111, abs=5e-7)


PUBLISHED = [
    (2.28, 85.25, 0.947904),
    (1.50, 89.60, 0.967069),
    (1.33, 89.75, 0.970795),
    (3.33, 85.75, 0.925236),
    (3.07, 86.33, 0.931320),
    (1.33, 89.44, 0.970695),
    (1.04, 89.67, 0.977070),
    (1.92, 88.39, 0.957480),
    (1.56, 88.79, 0.965468),
    (2.56, 88.56, 0.943810),
    (0.22, 81.98, 0.994647),
    (0.37, 82.17, 0.991035),
    (2.50, 84.83, 0.942746),
    (2.62, 85.20, 0.940332),
    (0.29, 82.27, 0.992975),
    (0.12, 81.97, 0.997076),
    (1.85, 84.66, 0.957230),
    (2.62, 83.54, 0.939183),
    (3.98, 91.13, 0.916307),
    (2.81, 89.78, 0.939302),
    (1.83, 91.18, 0.960649),
    (1.51, 89.94, 0.966976),
    (1.36, 89.34, 0.970011),
    (1.37, 90.72, 0.970246),
    (2.07, 89.77, 0.954922),
    (1.04, 90.08, 0.977173),
    (1.24, 88.30, 0.972303),
]


@pytest.mark.parametrize("variation, mean, expected", PUBLISHED)
def test_asi_of_the_published_table(variation, mean, expected):
    # Percent over percent is fraction over fraction.
    scores = pair(mean / 100, variation / 100)
    assert accuracy_stability_index(scores) == pytest.approx(expected, abs=5e-7)


def test_asi_reported_range():
    for index, ratio in [(0.887, 0.0598834), (0.990, 0.0050251)]:
        scores = pair(0.9, 0.9 * ratio)
        assert accuracy_stability_index(scores) == pytest.approx(index, abs=1e-7)


def test_population_deviation_not_sample():
    scores = [0.8, 0.9, 1.0]
    sigma = coefficient_of_variation(scores) * 0.9
    assert sigma == pytest.approx(0.081650, abs=5e-7)
    assert accuracy_stability_index([0.9, 0.8, 0.7]) != pytest.approx(
        0.7297297, abs=1e-3
    )


def test_the_mean_is_never_one_more_score():
    scores = [0.8, 0.9, 1.0]
    with_mean = [*scores, 0.9]
    assert coefficient_of_variation(with_mean) * 0.9 == pytest.approx(
        0.070711, abs=5e-7
    )
    assert accuracy_stability_index(scores) < accuracy_stability_index(with_mean)


@few
@given(fractions, st.integers(1, 9))
def test_equal_scores_have_no_spread(score, k):
    assert coefficient_of_variation([score] * k) == 0
    assert accuracy_stability_index([score] * k) == 1
    assert stability_index([score] * (k + 1)) == pytest.approx(score, abs=1e-15)


@few
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), fractions)
def test_asi_range_order_and_closed_form(scores, last):
    scores = [*scores, last]
    index = accuracy_stability_index(scores)
    mu, sigma = np.mean(scores), np.std(scores)
    assert -1 <= index <= 1
    assert index == pytest.approx((mu**2 - sigma) / (mu**2 + sigma), abs=1e-9)
    assert accuracy_stability_index(scores[::-1]) == pytest.approx(index, abs=1e-12)
    assert accuracy_stability_index(scores * 3) == pytest.approx(index, abs=1e-9)


@few
@given(st.floats(0.1, 0.5), st.floats(0.0, 0.4), st.floats(0.5, 2.0))
def test_asi_depends_on_the_ratio_of_cv_and_mean(mean, variation, factor):
    a = accuracy_stability_index(pair(mean, variation))
    b = accuracy_stability_index(pair(factor * mean, factor * variation))
    assert a == pytest.approx(b, abs=1e-9)


def test_asi_of_all_zeros():
    with pytest.warns(UndefinedMetricWarning, match="every score is 0"):
        assert accuracy_stability_index([0, 0, 0]) == -1
    with pytest.warns(UndefinedMetricWarning):
        assert accuracy_stability_index([0.0], zero_division=0.0) == 0
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(accuracy_stability_index([0.0], zero_division=np.nan))
    with pytest.warns(UndefinedMetricWarning, match="set to nan"):
        assert np.isnan(coefficient_of_variation([0.0]))


@pytest.mark.parametrize(
    "scores, sentence",
    [
        ([90.0, 80.0, 70.0], "fractions in .* Divide percent by 100"),
        ([0.5, -0.2], "non-negative scores; found -0.2.*R2 or Matthews"),
        ([0.5, np.nan], "found NaN or infinity"),
        ([], "at least 1 values"),
        ([[0.5, 0.6]], "1-D array"),
        (0.5, "1-D array"),
        (["a", "b"], "1-D array of numbers"),
    ],
)
def test_asi_refuses(scores, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        accuracy_stability_index(scores)
    assert "accuracy_stability_index" in str(error.value)


def test_asi_refuses_zero_division_outside_its_range():
    with pytest.raises(ValueError, match="zero_division"):
        accuracy_stability_index([0.5], zero_division=2)


# Stability index ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "scores, weight, expected",
    [
        ((0.85, 0.86, 0.84, 0.83, 0.82), 12, 0.728917793),
        ((0.8, 0.8, 0.8, 0.8), 12, 0.8),
        ((0.9, 0.8, 0.7, 0.6), 12, -0.45),
        ((0.6, 0.7, 0.8, 0.9), 12, 0.75),
        ((0.9, 0.7, 0.9, 0.7), 12, 0.275278640),
        ((0.9, 0.8), 12, -0.35),
        ((0.8, 0.9), 12, 0.85),
        ((1, 1, 0, 0), 12, -4.411803399),
        ((0.5, 0.48, 0.47, 0.49, 0.46), 88, -0.141049752),
        ((0.6, 0.5, 0.55), 88, -1.667677670),
        ((0.6, 0.5, 0.55), 12, 0.232322330),
    ],
)
def test_stability_worked_values(scores, weight, expected):
    result = stability_index(scores, falling_rate_weight=weight)
    assert type(result) is float
    assert result == pytest.approx(expected, abs=5e-10)


def test_gini_stability_of_weekly_auc():
    y = [0, 0, 1, 1]
    weeks = [(0.1, 0.4, 0.35, 0.8), (0.1, 0.2, 0.3, 0.4), (0.1, 0.3, 0.2, 0.4)]
    gini = [2 * roc_auc_score(y, week) - 1 for week in weeks]
    assert gini == [0.5, 1.0, 0.5]
    result = stability_index(gini, falling_rate_weight=88.0, variability_weight=0.5)
    assert result == pytest.approx(0.548815536, abs=5e-10)


@few
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_stability_is_the_regression_of_scipy(scores):
    line = linregress(np.arange(len(scores)), scores)
    residuals = scores - (line.slope * np.arange(len(scores)) + line.intercept)
    expected = np.mean(scores) + 88 * min(0, line.slope) - 0.5 * residuals.std()
    result = stability_index(scores, falling_rate_weight=88)
    assert result == pytest.approx(expected, abs=1e-9)


@few
@given(st.lists(st.floats(0, 1), min_size=3, max_size=8), st.floats(0.0, 0.5))
def test_a_rise_earns_nothing(scores, rise):
    trend = np.sort(scores) + rise * np.arange(len(scores))
    a = stability_index(trend, falling_rate_weight=0)
    assert stability_index(trend, falling_rate_weight=100) == pytest.approx(a, abs=1e-9)


def test_two_points_have_no_scatter():
    a = stability_index([0.9, 0.8], variability_weight=0)
    b = stability_index([0.9, 0.8], variability_weight=1000)
    assert a == pytest.approx(b, abs=1e-9)


def test_times_set_the_unit_of_the_slope():
    scores = [0.9, 0.8, 0.7]
    steps = stability_index(scores)
    assert stability_index(scores, times=[0, 1, 2]) == pytest.approx(steps)
    # Twice the distance in time halves the slope -.1, hence the penalty 1.2.
    assert stability_index(scores, times=[0, 2, 4]) == pytest.approx(0.8 - 0.6)
    assert stability_index(scores, times=[0, 0.5, 1]) == pytest.approx(0.8 - 2.4)
    # Far-off times, whose mean is no float.
    far = stability_index([0.9, 0.8], times=[1e16, 1e16 + 2])
    assert far == pytest.approx(0.85 - 0.6)


def test_times_may_have_gaps_and_any_order():
    scores, times = np.array([0.9, 0.7, 0.65, 0.4]), np.array([0.0, 1.0, 4.0, 9.0])
    line = linregress(times, scores)
    residuals = scores - line.slope * times - line.intercept
    expected = scores.mean() + 12 * line.slope - 0.5 * residuals.std()
    order = [2, 0, 3, 1]
    result = stability_index(scores[order], times=times[order])
    assert result == pytest.approx(expected)


@pytest.mark.parametrize("scores", [[], [0.7]])
def test_stability_of_fewer_than_two_periods(scores):
    with pytest.warns(UndefinedMetricWarning, match="fewer than two periods"):
        assert np.isnan(stability_index(scores))


@pytest.mark.parametrize(
    "scores, arguments, sentence",
    [
        ([0.5, np.nan], {}, "finite scores"),
        ([0.5, np.inf], {}, "finite scores"),
        ([[0.5, 0.6]], {}, "1-D array"),
        ([0.5, 0.6], {"times": [0, 1, 2]}, "scores has 2, times has 3"),
        ([0.5, 0.6], {"times": [1, 1]}, "not all equal"),
        ([0.5, 0.6], {"times": [0, np.nan]}, "times without missing values"),
        ([0.5, 0.6], {"falling_rate_weight": -1}, "falling_rate_weight"),
        ([0.5, 0.6], {"variability_weight": -0.5}, "variability_weight"),
    ],
)
def test_stability_refuses(scores, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        stability_index(scores, **arguments)


def test_quadrants_do_not_depend_on_the_order_of_scores():
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = rng.random(69)
        summary = stability_summary(scores, reference=rng.permutation(scores))
        assert summary.quadrant == "I"
    with pytest.raises(ValueError, match="reference mean"):
        stability_summary([0.5, 0.6], reference={"mean": float("nan"), "cv": 0.1})


# Weights of conditions


def test_a_weight_of_2_is_a_condition_given_twice():
    rng = np.random.default_rng(0)
    for function in (accuracy_stability_index, coefficient_of_variation):
        for _ in range(20):
            scores, counts = rng.random(6), rng.integers(0, 4, 6)
            counts[0] = 1
            twice = function(np.repeat(scores, counts))
            weighted = function(scores, condition_weight=counts)
            assert weighted == pytest.approx(twice, rel=1e-12)
            equal = function(scores, condition_weight=np.full(6, 0.3))
            assert equal == pytest.approx(function(scores), rel=1e-12)
        assert function([0.7] * 3, condition_weight=[1, 2, 3]) == function([0.7])


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, np.nan], "ab"])
def test_wrong_weights_of_conditions_are_refused(weights):
    with pytest.raises(ValueError, match="condition_weight"):
        accuracy_stability_index([0.5, 0.6], condition_weight=weights)
