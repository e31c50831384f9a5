"""Sums over units, in groups and clusters: what merging keeps."""

import numpy as np
import pytest

from skrobust.metrics.streaming.unit_sums import MOST_UNITS, UnitSums, clusters_at


def summed(n, seed=0, step=700):
    rng = np.random.default_rng(seed)
    sums = UnitSums(2)
    for first in range(0, n, step):
        sums.add(rng.random((min(step, n - first), 2)), None, "here")
    return sums


@pytest.mark.parametrize(
    ("one", "two"), [(50, 60), (MOST_UNITS, 10), (10, 5000), (5000, 10), (5000, 6000)]
)
def test_merged_sums_hold_every_row(one, two):
    first, second = summed(one), summed(two, seed=1)
    total = first.sums.sum(axis=0) + second.sums.sum(axis=0)
    first.merge(second)
    assert first.n_rows == first.sizes.sum() == one + two
    assert first.sums.sum(axis=0) == pytest.approx(total, rel=1e-12)
    _, means, sums = first.units()
    assert sums.sum(axis=0) == pytest.approx(total, rel=1e-12)
    assert (means >= 0).all()
    assert (means <= 1).all()
    assert first.grouped == (one + two > MOST_UNITS)
    assert len(sums) <= MOST_UNITS


def test_rows_of_groups_have_the_spread_of_rows():
    # The variance of a mean, from groups of rows at random.
    sums = summed(20_000)
    _, means, _ = sums.units()
    sizes = sums.sizes[sums.sizes > 0]
    found = (sizes**2 * (means[:, 0] - 0.5) ** 2).sum() / sizes.sum() ** 2
    assert found == pytest.approx(1 / 12 / 20_000, rel=0.2)
    assert sums.facts == {"n_units": 20_000, "unit": "samples"}
    assert summed(20).facts == {}


def test_clusters_of_the_rows_that_are_kept():
    kept = np.array([True, False, True])
    found = clusters_at(["a", "b", "c"], kept, "here")
    assert found.tolist() == ["a", "c"]
    assert clusters_at(None, kept, "here") is None
    with pytest.raises(ValueError, match="clusters"):
        clusters_at(["a", "b"], kept, "here")
