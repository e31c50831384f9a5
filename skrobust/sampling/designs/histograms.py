"""Histograms of many neurons as counts of bin numbers."""

import numpy as np


def bin_numbers(values, n_bins):
    """Return the number of the bin of equal width in which each value lies.

    Parameters
    ----------
    values : ndarray of shape (n_pool, n_neurons)
        Finite.
    n_bins : int
        From the minimum of a column to its maximum.

    Returns
    -------
    ndarray of shape (n_pool, n_varied), uint16
        0 to n_bins - 1; columns that do not vary are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling.designs.histograms import bin_numbers
    >>> bin_numbers(np.array([[0.0, 7], [0, 7], [1, 7], [2, 7]]), 2).ravel().tolist()
    [0, 0, 1, 1]
    """
    values = np.asarray(values, dtype=np.float64)
    low, high = values.min(axis=0), values.max(axis=0)
    varied = high > low
    low, high = low[varied], high[varied]
    place = (values[:, varied] / 2 - low / 2) / (high / 2 - low / 2)  # no overflow
    return np.minimum(place * n_bins, n_bins - 1).astype(np.uint16)


def histograms(bins, n_bins):
    """Return the counts of each bin number in each column, (n_columns, n_bins)."""
    n_columns = bins.shape[1]
    flat = bins + np.arange(n_columns) * n_bins
    counts = np.bincount(flat.ravel(), minlength=n_columns * n_bins)
    return counts.reshape(n_columns, n_bins)


def random_groups(rng, n_free, n_groups, size):
    """Return groups of distinct numbers below n_free, shape (n_groups, size)."""
    if n_free < 8 * size:
        return rng.random((n_groups, n_free)).argsort(axis=1)[:, :size]
    groups = rng.integers(n_free, size=(n_groups, size))
    while True:
        ordered = np.sort(groups, axis=1)
        again = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if not again.any():
            return groups
        groups[again] = rng.integers(n_free, size=(int(again.sum()), size))


def divergences(bins, counts, log_pool):
    r"""Return the divergence from the pool that each group would add to a sample.

    Parameters
    ----------
    bins : ndarray of shape (n_groups, size, n_columns), int
        Bin numbers of the units of each group.
    counts : ndarray of shape (n_columns, n_bins), int
        Histograms of the sample so far.
    log_pool : ndarray of shape (n_columns, n_bins)
        Logarithms of the shares in the pool.

    Returns
    -------
    ndarray of shape (n_groups,)
        :math:`\sum_j \sum_b c \log c - c \log P_{\text{pool}}` with the group, minus
        the same without: over the number of units, and but for a constant, the sum of
        the Kullback-Leibler divergences of the sample from the pool.
    """
    column = np.arange(counts.shape[0])
    change = np.zeros(len(bins))
    for unit in range(bins.shape[1]):
        own = bins[:, unit]
        before = counts[column, own] + (bins[:, :unit] == own[:, None]).sum(axis=1)
        more = entropy_term(before + 1) - entropy_term(before)
        change += (more - log_pool[column, own]).sum(axis=1)
    return change


def entropy_term(counts):
    """Return c log c, 0 for none."""
    return counts * np.log(np.maximum(counts, 1))
