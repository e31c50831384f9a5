"""Intervals of groups, gaps between them, and the range that chance alone makes.

Everything is counted in units: the samples, or the clusters they come in.
"""

from itertools import combinations

import numpy as np
from scipy.special import ndtri
from scipy.stats import fisher_exact, t

FEW_CLUSTERS = 20


def share_interval(hits, sizes, *, clustered, confidence):
    """Return the Wilson interval of the share of one group.

    Parameters
    ----------
    hits, sizes : ndarray of shape (n_units,)
        Successes and samples of each unit.
    clustered : bool
        Whether units are clusters. Then n is replaced by the effective n of the
        between-cluster variance and, below 20 clusters, the normal quantile by that of
        t with one degree of freedom less than clusters; two clusters have no interval.
    confidence : float in (0, 1)
        Wanted coverage.

    Returns
    -------
    low, high : float
        In [0, 1], or nan.
    """
    n = float(sizes.sum())
    share = float(hits.sum()) / n
    z = -ndtri((1 - confidence) / 2)
    if clustered:
        n_clusters = len(sizes)
        if n_clusters <= 2:
            return float("nan"), float("nan")
        if n_clusters < FEW_CLUSTERS:
            z = t.isf((1 - confidence) / 2, n_clusters - 1)
        n = _effective_n(hits, sizes, share)
    shrink = 1 + z**2 / n
    middle = (share + z**2 / (2 * n)) / shrink
    half = z / shrink * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # At the ends the formula gives 0 and 1 but for rounding.
    low = max(0.0, middle - half) if share > 0 else 0.0
    high = min(1.0, middle + half) if share < 1 else 1.0
    return float(low), float(high)


def _effective_n(hits, sizes, share):
    n, n_clusters = float(sizes.sum()), len(sizes)
    if share in (0, 1):  # no variance to see; a cluster may be no more than one trial
        return float(n_clusters)
    residuals = hits - share * sizes
    variance = n_clusters / (n_clusters - 1) * float(residuals @ residuals) / n**2
    if variance == 0:
        return n
    return min(n, share * (1 - share) / variance)


def newcombe(p_1, bounds_1, p_2, bounds_2):
    """Return the interval of ``p_1 - p_2`` from the intervals of both (Newcombe)."""
    low_1, high_1 = bounds_1
    low_2, high_2 = bounds_2
    gap = p_1 - p_2
    low = gap - np.hypot(p_1 - low_1, high_2 - p_2)
    high = gap + np.hypot(high_1 - p_1, p_2 - low_2)
    return float(np.clip(low, -1, 1)), float(np.clip(high, -1, 1))  # keeps nan


def holm(p_values):
    """Return p-values adjusted for their number by Holm's step-down rule."""
    p_values = np.asarray(p_values, dtype=np.float64)
    m = len(p_values)
    order = np.argsort(p_values)
    stepped = np.maximum.accumulate(p_values[order] * np.arange(m, 0, -1))
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


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


def pairwise_gaps(hits, sizes, group, bounds, *, clustered, n_permutations, rng):
    """Return one row (first, second, gap, low, high, p_value) per pair of groups.

    The p-value is Fisher's exact one, or with clusters that of permuting the clusters
    of the pair.
    """
    rows = []
    n = np.bincount(group, weights=sizes)
    k = np.bincount(group, weights=hits)
    shares = k / n
    for i, j in combinations(range(len(n)), 2):
        low, high = newcombe(shares[i], bounds[i], shares[j], bounds[j])
        if clustered:
            pair = (group == i) | (group == j)
            draws = permuted_ranges(
                hits[pair, None],
                sizes[pair],
                (group[pair] == j).astype(int),
                n_permutations,
                rng,
            )
            p_value = chance_of(draws, abs(shares[i] - shares[j]))[0]
        else:
            table = [[k[i], n[i] - k[i]], [k[j], n[j] - k[j]]]
            p_value = fisher_exact(np.array(table, dtype=int)).pvalue
        rows.append((i, j, shares[i] - shares[j], low, high, float(p_value)))
    return rows
