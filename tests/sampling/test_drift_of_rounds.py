"""Drift between parts that were sampled with unequal probabilities, by its formula."""

import numpy as np
import pytest
from scipy.stats import norm

from skrobust.metrics.intervals.proportion import wilson_bounds
from skrobust.sampling import DeepESTSampler, LivingPool
from skrobust.sampling.core.rate_interval import score_bounds


def test_p_values_of_parts_are_two_sided_and_against_the_mean_of_earlier_ones():
    rng = np.random.default_rng(0)
    pool = LivingPool(DeepESTSampler(threshold=0.1), random_state=0)
    sizes = (200, 300, 250)
    for part, size in enumerate(sizes):
        scores = rng.beta(1, 4, size)
        failed = rng.random(size) < scores
        ids = pool.extend(scores).ask(60, part=-1)
        pool.tell(ids, failed=failed[ids - sum(sizes[:part])])
    found = pool.drift()
    results = [part.result() for part in pool.parts_]
    rate = np.array([1 - one.accuracy for one in results])
    variance = np.array([one.std_error**2 for one in results])
    variance += rate * (1 - rate) / sizes
    for k in (1, 2):
        weight = np.array(sizes[:k]) / sum(sizes[:k])
        gap = rate[k] - weight @ rate[:k]
        error = np.sqrt(variance[k] + weight**2 @ variance[:k])
        expected = 2 * norm.sf(abs(gap) / error)
        assert found.p_value[k] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.8])
def test_score_bounds_are_wilsons_where_the_curves_know_the_variance(rate):
    n = 80
    expected = rate * (1 - rate) / n
    found = score_bounds(rate, rate, 0.0, expected, 1.96)
    assert found == pytest.approx(wilson_bounds(rate, n, 1.96), abs=1e-12)
    # A larger variance of the outcomes counts, at the rate closer to a half.
    low, high = score_bounds(rate, 0.4, 2 * expected, 0.24 / n, 1.96)
    spread = max(0.24, rate * (1 - rate)) / (2 * expected)
    wilson = wilson_bounds(rate, min(n, spread), 1.96)
    half = 1.96 * np.sqrt(2 * expected)
    assert low == pytest.approx(min(wilson[0], rate - half), abs=1e-12)
    assert high == pytest.approx(max(wilson[1], rate + half), abs=1e-12)
