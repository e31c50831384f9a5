"""Differences of weighted means: linearised errors with Satterthwaite's degrees."""

import numpy as np

from skrobust.metrics.intervals.bootstrap import jackknife_error


def weighted_differences(pairs, weight, units, is_share):
    """Return difference, standard error and degrees of freedom of each pair.

    The weights are fixed design weights. The error is the jackknife of the weighted
    mean over samples or clusters. Shares of single samples get two more pairs, one of
    each order, with the weight of an average drawn sample, as the limits of Bonett and
    Price have.

    Parameters
    ----------
    pairs : list of (ndarray, ndarray)
        Values of shape (n_samples,) of two models.
    weight : ndarray of shape (n_samples,)
        Weights.
    units : Units
        Samples or clusters.
    is_share : bool
        Whether the values are 0 and 1.
    """
    found = []
    for first, second in pairs:
        moved = np.asarray(first, dtype=np.float64) - np.asarray(second)
        sums, sizes = units.sums(weight * moved), units.sums(weight)
        kept = sizes > 0
        sums, sizes = sums[kept], sizes[kept]
        if is_share and not units.clustered:
            extra = float((sizes**2).sum() / sizes.sum())
            sums = np.r_[sums, extra, -extra]
            sizes = np.r_[sizes, extra, extra]
        found.append(_jackknifed(sums, sizes))
    return np.array(found).T


def _jackknifed(sums, sizes):
    total, size = sums.sum(), sizes.sum()
    left_out = (total - sums) / (size - sizes)
    squares = (left_out - left_out.mean()) ** 2
    spread = float(squares.sum())
    n = len(sums)
    # The squares of equal spread have no excess: all n - 1 degrees of freedom.
    excess = float((squares**2).sum()) - spread**2 / n
    df = n - 1.0
    if excess > 0:
        df = min(df, max(1.0, 2 * spread**2 / excess))
    return total / size, float(jackknife_error(left_out)), df
