"""The four patterns of a metric over time and their probabilities."""

import numpy as np
import pytest
from interval_problems import draw_series

from skrobust.metrics import stability_pattern
from skrobust.metrics.stability.pattern import PATTERNS

# The series of the documentation that names the patterns: seed 19, twelve periods.
RNG = np.random.default_rng(19)
IDEAL = 0.8 + RNG.normal(scale=0.005, size=12)
FALL = np.linspace(0.9, 0.2, 12) + RNG.normal(scale=0.03, size=12)
NOISY_FALL = np.linspace(0.9, 0.3, 12) + RNG.normal(scale=0.15, size=12)
WAVES = 0.8 + 0.3 * np.array([1, -1, -1, 1, 1, -1, 1, -1, -1, 1, -1, 1] * 2)


@pytest.mark.parametrize(
    "scores, high, pattern",
    [
        (IDEAL, 0.7, "stable high"),
        (IDEAL, 0.9, "stable low"),
        (FALL, 0.7, "decreasing trend"),
        (NOISY_FALL, 0.7, "decreasing trend"),
        (WAVES, 0.7, "high variability"),
        (FALL[::-1], 0.5, "stable high"),  # a rise is no fall
    ],
)
def test_patterns_of_the_source(scores, high, pattern):
    found = stability_pattern(scores, high=high)
    assert found.most_probable == found.confidence_set[0] == pattern
    assert found.pattern.tolist() == list(PATTERNS)
    assert found.probability.sum() == pytest.approx(1)
    assert found.probability[PATTERNS.index(pattern)] > 0.5
    assert found.to_frame().shape == (4, 2)
    again = stability_pattern(scores, high=high)
    np.testing.assert_array_equal(found.probability, again.probability)


def test_the_laws_of_the_limits():
    scores = FALL + 0.1 * np.sin(np.arange(12) ** 2)
    settings = {"high": 0.7, "tolerance": 0.2}
    base = stability_pattern(scores, **settings).probability
    moved = stability_pattern(scores + 0.1, high=0.8, tolerance=0.2).probability
    np.testing.assert_allclose(moved, base, atol=1e-12)
    # Everything in percent; the weights are pure numbers.
    percent = stability_pattern(100 * scores, high=70, tolerance=20).probability
    np.testing.assert_allclose(percent, base, atol=1e-12)
    # The slope is per unit of time.
    slow = {"times": 2 * np.arange(12), "falling_rate_weight": 24}
    np.testing.assert_allclose(
        stability_pattern(scores, **settings, **slow).probability, base, atol=1e-12
    )
    order = np.random.default_rng(0).permutation(12)
    mixed = stability_pattern(scores[order], times=order, **settings).probability
    np.testing.assert_allclose(mixed, base, atol=1e-12)
    # Without penalties a series is stable, and with no tolerance it never is.
    free = {"falling_rate_weight": 0, "variability_weight": 0, "high": 0.7}
    assert stability_pattern(scores, **free).probability[[1, 2]].sum() == 0
    strict = stability_pattern(scores, high=0.7, tolerance=0).probability
    assert strict[[0, 3]].sum() == 0
    # A lower limit of the mean moves stable series from low to high, and no others.
    lenient = stability_pattern(scores, high=-9, tolerance=0.2).probability
    assert lenient[3] == 0
    assert lenient[0] == pytest.approx(base[0] + base[3])
    np.testing.assert_array_equal(lenient[[1, 2]], base[[1, 2]])


def test_the_set_is_the_smallest_that_suffices():
    scores = IDEAL - 0.002 * np.arange(12)
    for confidence in (0.5, 0.8, 0.95, 0.999):
        found = stability_pattern(scores, high=0.79, confidence=confidence)
        share = dict(zip(found.pattern, found.probability, strict=True))
        ranked = [share[name] for name in found.confidence_set]
        assert ranked == sorted(ranked, reverse=True)
        assert sum(ranked) >= confidence > sum(ranked[:-1])


@pytest.mark.parametrize(
    "slope, spread, level, pattern",
    [
        (0.0, 0.02, 0.8, "stable high"),
        (0.0, 0.02, 0.6, "stable low"),
        (-0.01, 0.02, 0.7, "decreasing trend"),
        (0.0, 0.2, 0.7, "high variability"),
        (0.0, 0.08, 0.8, "stable high"),  # near the limit of .1
    ],
)
@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_the_set_has_the_pattern(slope, spread, level, pattern, correlation):
    rng = np.random.default_rng(1)
    kept = 0
    for _ in range(60):
        series = draw_series(rng, 12, slope, correlation, spread) + level - 0.8
        kept += pattern in stability_pattern(series, high=0.7).confidence_set
    assert kept / 60 >= 0.9  # 95 % less 1.8 standard errors


def test_the_noise_of_rows_is_no_variability():
    # Twelve rows a period: a scatter of .13 from sampling alone.
    rng = np.random.default_rng(3)
    scores = rng.binomial(12, 0.7, size=40) / 12
    error = np.sqrt(0.21 / 12)
    settings = {"high": 0.6, "falling_rate_weight": 0}
    raw = stability_pattern(scores, **settings)
    known = stability_pattern(scores, std_errors=error, **settings)
    assert raw.probability[2] > 0.9
    assert known.probability[2] < 0.1
    assert known.most_probable == "stable high"
    same = stability_pattern(scores, std_errors=np.full(40, error), **settings)
    np.testing.assert_array_equal(same.probability, known.probability)


@pytest.mark.parametrize(
    "scores, high, pattern",
    [
        ([0.8] * 5, 0.8, "stable high"),
        ([0.8] * 5, 0.9, "stable low"),
        ([0.9, 0.8, 0.7], 0.5, "decreasing trend"),
        ([0.7, 0.8, 0.9], 0.5, "stable high"),
    ],
)
def test_an_exact_line_has_a_pattern_but_no_probability(scores, high, pattern):
    found = stability_pattern(scores, high=high)
    assert found.most_probable == pattern
    assert np.isnan(found.probability).all()
    assert found.confidence_set[0] == pattern
    assert sorted(found.confidence_set) == sorted(PATTERNS)
    assert "show no error" in found.warnings[0]


def test_few_periods_say_so():
    found = stability_pattern([0.9, 0.8, 0.85, 0.9], high=0.5)
    assert "4 periods cannot tell whether neighbours" in found.warnings[0]
    assert len(found.confidence_set) > 1


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"scores": [0.9, 0.8]}, "at least 3"),
        ({"scores": [0.9, np.nan, 0.8]}, "NaN"),
        ({"high": np.nan}, "'high' parameter"),
        ({"tolerance": -0.1}, "'tolerance' parameter"),
        ({"falling_rate_weight": -1}, "'falling_rate_weight' parameter"),
        ({"variability_weight": -1}, "'variability_weight' parameter"),
        ({"times": [0, 1]}, "one time per score"),
        ({"times": [1, 1, 1, 1]}, "not all equal"),
        ({"std_errors": -0.1}, "'std_errors' parameter .* must be non-negative"),
        ({"std_errors": [0.1, 0.1]}, "one standard error per score"),
        ({"confidence": 1.5}, "confidence"),
    ],
)
def test_patterns_refuse(change, sentence):
    given = {"scores": [0.9, 0.8, 0.7, 0.75], "high": 0.5} | change
    with pytest.raises(ValueError, match=sentence):
        stability_pattern(given.pop("scores"), **given)
