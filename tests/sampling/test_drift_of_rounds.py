"""Drift between parts that were sampled with unequal probabilities, by its formula."""

import numpy as np
import pytest
from scipy.stats import norm

from skrobust.sampling import DeepESTSampler, LivingPool


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
