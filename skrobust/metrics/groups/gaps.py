"""Intervals of groups, gaps between groups, and permutation tests.

Everything is counted in units: the samples, or the clusters they come in.
"""

from itertools import combinations

import numpy as np
from scipy.special import ndtri
from scipy.stats import fisher_exact, t

from skrobust.metrics.intervals.proportion import cluster_effective_n, wilson_bounds


def share_interval(hits, sizes, *, clustered, confidence):
    """Return the Wilson interval of the share of one group.

    Parameters
    ----------
    hits, sizes : ndarray of shape (n_units,)
        Successes and samples of each unit.
    clustered : bool
        Whether units are clusters. Then n is replaced by the effective n of the
        between-cluster variance and the normal quantile by that of t with one degree of
        freedom less than clusters; two clusters have no interval.
    confidence : float in (0, 1)
        Wanted coverage.

    Returns
    -------
    low, high : float
        In [0, 1], or nan.
    """
    n = float(sizes.sum())
    quantile = -ndtri((1 - confidence) / 2)
    if clustered:
        if len(sizes) <= 2:
            return float("nan"), float("nan")
        quantile = t.isf((1 - confidence) / 2, len(sizes) - 1)
        effective, _ = cluster_effective_n(hits, sizes, n)
        return wilson_bounds(float(hits.sum()) / n, effective, quantile)
    return wilson_bounds(float(hits.sum()) / n, n, quantile)


def newcombe(p_1, bounds_1, p_2, bounds_2, extent=(-1, 1)):
    """Return the interval of ``p_1 - p_2`` from the intervals of both (Newcombe)."""
    low_1, high_1 = bounds_1
    low_2, high_2 = bounds_2
    gap = p_1 - p_2
    low = gap - np.hypot(p_1 - low_1, high_2 - p_2)
    high = gap + np.hypot(high_1 - p_1, p_2 - low_2)
    return tuple(float(np.clip(limit, *extent)) for limit in (low, high))  # keeps nan


def permuted_ranges(hits, sizes, group, n_permutations, rng):
    """Return the range of the group shares when units change groups at random.

    Parameters
    ----------
    hits : ndarray of shape (n_units, n_columns)
        Successes of each unit, one column a tolerance.
    sizes : ndarray of shape (n_units,)
        Samples of each unit.
    group : ndarray of shape (n_units,)
        Group number of each unit; each group keeps its number of units.
    n_permutations : int
        Number of random assignments.
    rng : numpy.random.Generator
        Draws them.

    Returns
    -------
    ndarray of shape (n_permutations, n_columns)
        Greatest less smallest share.
    """
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))[:-1]])
    ranges = np.empty((n_permutations, hits.shape[1]))
    for row in ranges:
        order = rng.permutation(len(sizes))
        counts = np.add.reduceat(hits[order], starts, axis=0)
        shares = counts / np.add.reduceat(sizes[order], starts)[:, None]
        row[:] = np.ptp(shares, axis=0)
    return ranges


def chance_of(permuted, observed):
    """Return the share of permutations at least as far out as what was observed."""
    reached = (permuted >= observed - 1e-12).sum(axis=0)
    return (1 + reached) / (1 + len(permuted))


def pair_chances(hits, sizes, group, n_permutations, rng):
    """Return how often units that change groups at random make gaps this large.

    One set of permutations of the units of a pair serves all columns.

    Parameters
    ----------
    hits, sizes, group, n_permutations, rng
        As in :func:`permuted_ranges`.

    Returns
    -------
    ndarray of shape (n_pairs, n_columns)
        p-values of the pairs of groups, in the order of :func:`pairwise_gaps`.
    """
    chances = []
    for i, j in combinations(range(int(group.max()) + 1), 2):
        pair = (group == i) | (group == j)
        in_second = (group[pair] == j).astype(float)
        counted = np.column_stack([sizes[pair], hits[pair]]).astype(float)
        drawn = [rng.permutation(in_second) for _ in range(n_permutations)]
        second = np.array([in_second, *drawn]) @ counted
        first = counted.sum(axis=0) - second
        gaps = np.abs(first[:, 1:] / first[:, :1] - second[:, 1:] / second[:, :1])
        chances.append(chance_of(gaps[1:], gaps[0]))
    return np.array(chances)


def fisher_chances(hits, sizes, group):
    """Return p-values of Fisher's exact test of each pair of groups."""
    n = np.bincount(group, weights=sizes)
    k = np.bincount(group, weights=hits)
    chances = []
    for i, j in combinations(range(len(n)), 2):
        table = [[k[i], n[i] - k[i]], [k[j], n[j] - k[j]]]
        chances.append(fisher_exact(np.array(table, dtype=int)).pvalue)
    return chances
