"""Intervals from sums over batches are those of the rows."""

import numpy as np
import pytest

from skrobust.metrics.intervals.proportion_weighted import (
    limits_of_weighted_sums,
    weighted_proportion_limits,
)


@pytest.mark.parametrize("method", ["wilson", "exact"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("confidence", [0.8, 0.99])
def test_limits_of_sums_are_those_of_the_weights(method, share, confidence):
    rng = np.random.default_rng(0)
    weight = rng.exponential(size=200)
    right = (rng.random(200) < share).astype(float)
    hits = weight * right
    sums = weight.sum(), (weight**2).sum(), hits.sum(), (hits**2).sum()
    found = limits_of_weighted_sums(sums, weight.max(), confidence, method)
    expected = weighted_proportion_limits(right, weight, confidence, method)
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_error_of_sums_is_that_of_linearization():
    # The variance of a ratio of means, with the weights as they are.
    rng = np.random.default_rng(1)
    weight, right = rng.exponential(size=500), rng.random(500) < 0.4
    hits, share = weight * right, weight @ right / weight.sum()
    sums = weight.sum(), (weight**2).sum(), hits.sum(), (hits**2).sum()
    *_, error = limits_of_weighted_sums(sums, weight.max(), 0.95)
    expected = np.sqrt((weight**2 * (right - share) ** 2).sum()) / weight.sum()
    assert error == pytest.approx(expected, rel=0.01)
