"""Limits of groups and of the gaps between them, at any confidence."""

import numpy as np
from scipy.special import ndtri, stdtrit

from skrobust.metrics.groups.gaps import newcombe, share_bounds
from skrobust.metrics.intervals.bootstrap import Statistic, bootstrap_interval
from skrobust.metrics.intervals.clusters import FEW_CLUSTERS, Units


def share_limits(sums, sizes, members, clustered, confidence):
    """Return Wilson's limits of shares, shape (2, n_columns, n_groups).

    Parameters
    ----------
    sums : ndarray of shape (n_units, n_columns)
        Successes of each unit.
    sizes : ndarray of shape (n_units,)
        Samples of each unit.
    members : list of ndarray of bool of shape (n_units,)
        The units of each group.
    clustered : bool
        Whether units are clusters.
    confidence : float in (0, 1)
        Wanted coverage.
    """
    settings = clustered, confidence
    bounds = [
        [share_bounds(hits[chosen], sizes[chosen], *settings) for chosen in members]
        for hits in sums.T
    ]
    return np.moveaxis(np.array(bounds), -1, 0)


def bootstrap_limits(statistic, n_columns, members, request):
    """Return the limits of any statistic, shape (2, n_columns, n_groups)."""
    bounds = [
        [
            tuple(bootstrap_interval(_Part(statistic, column, chosen), request))
            for chosen in members
        ]
        for column in range(n_columns)
    ]
    return np.moveaxis(np.array(bounds), -1, 0)


def widening(n_units, clustered, confidence, other):
    """Return the ratio of the quantiles of two confidences for each group.

    The tails at the other one are too thin to resample.
    """
    ratios = []
    for n in n_units:
        few = clustered and 1 < n < FEW_CLUSTERS
        ends = (1 + np.array([other, confidence])) / 2
        wide, narrow = stdtrit(n - 1, ends) if few else ndtri(ends)
        ratios.append(wide / narrow)
    return np.array(ratios)


def gap_limits(values, limits, first, second, extent):
    """Return limits of the gaps of pairs, shape (2, n_columns, n_pairs)."""
    sides = [(values[:, side], limits[:, :, side]) for side in (first, second)]
    return newcombe(*sides[0], *sides[1], extent)


class _Part(Statistic):
    """One column of a statistic of some of the units."""

    def __init__(self, statistic, column, chosen):
        self._statistic, self._column = statistic, column
        self._chosen = np.flatnonzero(chosen)
        n = len(self._chosen)
        self.units = Units(np.arange(n), n, statistic.units.clustered)

    def __call__(self, counts):
        every = np.zeros((len(counts), self._statistic.units.n), dtype=np.int64)
        every[:, self._chosen] = counts
        return self._statistic(every)[:, [self._column]]
