"""Intervals of groups, gaps between groups, and exact tests.

Everything is counted in units: the samples, or the clusters they come in.
"""

from itertools import combinations

import numpy as np
from scipy.special import ndtri
from scipy.stats import fisher_exact

from skrobust.metrics.intervals.proportion import wilson_bounds
from skrobust.metrics.intervals.proportion_clustered import clustered_proportion_limits


def share_bounds(hits, sizes, clustered, confidence):
    """Return the Wilson interval of the share of one group.

    Parameters
    ----------
    hits, sizes : ndarray of shape (n_units,)
        Successes and samples of each unit.
    clustered : bool
        Whether units are clusters; two clusters have no interval.
    confidence : float in (0, 1)
        Wanted coverage.

    Returns
    -------
    low, high : float
        In [0, 1], or nan.
    """
    n = float(sizes.sum())
    if clustered:
        if len(sizes) <= 2:
            return float("nan"), float("nan")
        low, high, _ = clustered_proportion_limits(hits, sizes, n, confidence)
        return low, high
    return wilson_bounds(float(hits.sum()) / n, n, -ndtri((1 - confidence) / 2))


def newcombe(p_1, bounds_1, p_2, bounds_2, extent=(-1, 1)):
    """Return the interval of ``p_1 - p_2`` from the intervals of both (Newcombe)."""
    low_1, high_1 = bounds_1
    low_2, high_2 = bounds_2
    gap = p_1 - p_2
    low = gap - np.hypot(p_1 - low_1, high_2 - p_2)
    high = gap + np.hypot(high_1 - p_1, p_2 - low_2)
    return np.clip([low, high], *extent)  # keeps nan


def chance_of(permuted, observed):
    """Return the permutation p-value: the share at least as extreme as observed.

    Permutations without a value are left out; without an observation it is nan.
    """
    reached = (permuted >= observed - 1e-12).sum(axis=0)
    chance = (1 + reached) / (1 + np.isfinite(permuted).sum(axis=0))
    return np.where(np.isfinite(observed), chance, np.nan)


def fisher_chances(hits, sizes, group):
    """Return p-values of Fisher's exact test of each pair of groups."""
    n = np.bincount(group, weights=sizes)
    k = np.bincount(group, weights=hits)
    chances = []
    for i, j in combinations(range(len(n)), 2):
        table = [[k[i], n[i] - k[i]], [k[j], n[j] - k[j]]]
        chances.append(fisher_exact(np.array(table, dtype=int)).pvalue)
    return chances
