"""Variation of scores over sample sizes: exact values and laws."""

import numpy as np
import pytest

from skrobust.metrics import sample_size_deviation, stable_sample_size

SIZES = [50, 100, 200, 400]


def test_deviation_is_that_of_the_means():
    assert sample_size_deviation([0.5, 0.5]) == 0
    assert sample_size_deviation([0.6, 0.8, 1.0]) == pytest.approx(0.4 / 3)
    repeats = [[0.5, 0.7], [0.9, 0.7], [1.0, 1.0]]  # means .6, .8, 1
    assert sample_size_deviation(repeats) == pytest.approx(0.4 / 3)
    assert sample_size_deviation(repeats, relative=True) == pytest.approx(0.5 / 3)


def test_a_factor_changes_the_deviation_and_not_the_relative_one():
    # Why the claim of a lower deviation of normalized scores needs relative=True.
    scores = np.random.default_rng(0).uniform(0.6, 0.9, size=(5, 8))
    plain, scaled = (sample_size_deviation(c * scores) for c in (1, 0.4))
    assert scaled == pytest.approx(0.4 * plain)
    plain, scaled = (sample_size_deviation(c * scores, relative=True) for c in (1, 0.4))
    assert scaled == pytest.approx(plain)
    sizes = [[stable_sample_size(range(5), c * scores, tolerance=0.02, relative=r)
              for c in (1, 0.01)] for r in (True, False)]  # fmt: skip
    assert sizes[0][0] == sizes[0][1]
    assert sizes[1][1] == 0  # a score near 0 seems stable from the start


def test_stable_size_is_the_first_after_the_last_that_is_far():
    assert stable_sample_size(SIZES, [0.85, 0.70, 0.86, 0.85]) == 200
    assert stable_sample_size(SIZES, [0.85, 0.86, 0.86, 0.85]) == 50
    assert stable_sample_size(SIZES, [0.85, 0.86, 0.70, 0.85]) == 400
    assert stable_sample_size(SIZES[::-1], [0.85, 0.86, 0.70, 0.85]) == 200
    # The tolerance itself is within.
    assert stable_sample_size([1, 2], [0.83, 0.85], tolerance=0.02) == 1
    repeats = [[0.6, 0.8], [0.84, 0.86], [0.80, 0.92], [0.85, 0.85]]
    assert stable_sample_size(SIZES, repeats) == 100


def test_bad_input():
    with pytest.raises(ValueError, match=r"'sizes' .* different sizes"):
        stable_sample_size([1, 1], [0.5, 0.6])
    with pytest.raises(ValueError, match="equal length"):
        stable_sample_size([1, 2, 3], [0.5, 0.6])
    with pytest.raises(ValueError, match="'tolerance'"):
        stable_sample_size([1, 2], [0.5, 0.6], tolerance=-1)
    with pytest.raises(ValueError, match="finite"):
        sample_size_deviation([[0.5, np.nan]])
    with pytest.raises(ValueError, match="'scores'"):
        sample_size_deviation([])
    with pytest.warns(UserWarning, match="mean of 0"):
        assert np.isnan(sample_size_deviation([-1, 1], relative=True))
