"""Moments of a period over batches: those of all rows and of all clusters."""

import numpy as np
import pytest

from skrobust.metrics.streaming.period_moments import PeriodMoments


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("clustered", [False, True])
def test_moments_of_batches_are_those_of_all_rows(offset, clustered):
    rng = np.random.default_rng(0)
    values = offset + rng.normal(size=90)
    clusters = rng.integers(0, 12, 90)
    parts = [PeriodMoments() for _ in range(3)]
    for k, rows in enumerate(np.split(np.arange(90), [10, 15, 40, 41, 70])):
        own = clusters[rows] if clustered else None
        parts[k % 3].update(values[rows], own)
    whole = parts[0]
    whole.merge(parts[1])
    whole.merge(parts[2])
    assert whole.n_rows == 90
    assert whole.mean == pytest.approx(values.mean(), rel=1e-14)
    assert (whole.low, whole.high) == (values.min(), values.max())
    assert whole.squares == pytest.approx(90 * values.var(), rel=1e-6)
    if not clustered:
        assert whole.n_units == 90
        expected = values.std(ddof=1) / np.sqrt(90)
        assert whole.error() == pytest.approx(expected, rel=1e-6)
    elif offset == 0:
        # The linearized variance of a ratio of two sums over clusters.
        assert whole.n_units == len(np.unique(clusters))
        sizes = np.bincount(clusters)
        residuals = np.bincount(clusters, values - values.mean())
        n = (sizes > 0).sum()
        expected = np.sqrt(n / (n - 1) * (residuals**2).sum()) / 90
        assert whole.error() == pytest.approx(expected, rel=1e-9)


def test_one_unit_has_no_error():
    one = PeriodMoments()
    one.update(np.array([2.0]), None)
    assert (one.mean, one.error(), one.n_units) == (2, 0, 1)
    cluster = PeriodMoments()
    cluster.update(np.array([2.0, 3.0]), np.array(["a", "a"]))
    assert (cluster.mean, cluster.error(), cluster.n_units) == (2.5, 0, 1)
