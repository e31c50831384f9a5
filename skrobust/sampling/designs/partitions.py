"""Partitions of a pool into strata along its scores."""

import numpy as np

LLOYD_STEPS = 300


def kmeans_strata(scores, n_strata):
    """Cut scores into intervals of little variance (one-dimensional k-means).

    The interval of most squared deviation is cut at its mean until there are enough;
    then Lloyd's steps until nothing moves. No random start, so the same scores give the
    same strata. O(N log N).

    Parameters
    ----------
    scores : ndarray of shape (n_pool,)
        Equal ones stay together.
    n_strata : int
        At most; fewer where there are fewer distinct scores.

    Returns
    -------
    ndarray of shape (n_pool,), int
        0, 1, ... in the order of the scores; none is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling.designs.partitions import kmeans_strata
    >>> kmeans_strata(np.array([0.9, 0.1, 0.5, 0.11, 0.52]), 3).tolist()
    [2, 0, 1, 0, 1]
    """
    ordered = np.sort(scores)
    middle, scale = ordered.mean(), np.ptp(ordered) or 1.0
    shifted = (ordered - middle) / scale
    sums = np.r_[0.0, np.cumsum(shifted)]
    squares = np.r_[0.0, np.cumsum(shifted**2)]

    def means(edges):
        return np.diff(sums[edges]) / np.diff(edges)

    edges = np.array([0, len(ordered)])
    while len(edges) <= n_strata:
        spread = np.diff(squares[edges]) - np.diff(sums[edges]) * means(edges)
        spread[shifted[edges[:-1]] == shifted[edges[1:] - 1]] = -1  # all equal
        widest = int(spread.argmax())
        if spread[widest] < 0:
            break
        start, end = edges[widest : widest + 2]
        centre = (shifted[start] + shifted[end - 1]) / 2
        if spread[widest] > 0:
            centre = means(edges)[widest]
        cut = start + np.searchsorted(shifted[start:end], centre, side="right")
        edges = np.insert(edges, widest + 1, min(max(cut, start + 1), end - 1))
    for _ in range(LLOYD_STEPS):
        centres = means(edges)
        cuts = np.searchsorted(shifted, (centres[1:] + centres[:-1]) / 2, side="right")
        new = np.unique(np.r_[0, cuts, len(ordered)])
        if np.array_equal(new, edges):
            break
        edges = new
    return ranks(np.searchsorted(ordered[edges[1:-1]], scores, side="right"))


def quantile_strata(scores, n_strata):
    """Cut scores into intervals of about equally many units.

    Parameters
    ----------
    scores : ndarray of shape (n_pool,)
        Equal ones stay together.
    n_strata : int
        At most.

    Returns
    -------
    ndarray of shape (n_pool,), int
        0, 1, ... in the order of the scores; none is empty.
    """
    inner = np.arange(1, n_strata) * len(scores) // n_strata
    cuts = np.sort(scores)[inner]
    return ranks(np.searchsorted(cuts, scores, side="right"))


def share_strata(scores, shares):
    """Cut units in the order of their scores into parts of given shares.

    Parameters
    ----------
    scores : ndarray of shape (n_pool,)
        Equal ones may be parted, by position.
    shares : sequence of float
        From the lowest scores on; they sum to 1.

    Returns
    -------
    ndarray of shape (n_pool,), int
        0, 1, ...; a part of a small pool may be missing.
    """
    n_pool = len(scores)
    ends = np.round(np.cumsum(shares)[:-1] * n_pool).astype(np.intp)
    labels = np.empty(n_pool, dtype=np.intp)
    place = np.argsort(scores, kind="stable")
    labels[place] = np.searchsorted(ends, np.arange(n_pool), side="right")
    return labels


def merge_strata(labels, scores, most):
    """Join neighbouring strata until there are at most so many.

    Each time the two whose joining adds the least squared deviation (Ward).

    Parameters
    ----------
    labels : ndarray of shape (n,), int
        Strata in the order of the scores; numbers may be missing.
    scores : ndarray of shape (n,)
        Of the same units.
    most : int
        At least 1.

    Returns
    -------
    labels : ndarray of shape (n,), int
        0, 1, ...; none is empty.
    parts : list of list of int
        The old numbers in each.
    """
    found = np.flatnonzero(np.bincount(labels))
    labels = ranks(labels)
    parts = [[old] for old in found.tolist()]
    size = np.bincount(labels).astype(np.float64)
    mean = np.bincount(labels, scores) / size
    into = np.arange(len(found))
    while len(size) > most:
        added = size[1:] * size[:-1] / (size[1:] + size[:-1]) * np.diff(mean) ** 2
        k = int(added.argmin())
        total = size[k] + size[k + 1]
        mean[k] = (size[k] * mean[k] + size[k + 1] * mean[k + 1]) / total
        size[k] = total
        size, mean = np.delete(size, k + 1), np.delete(mean, k + 1)
        parts[k] += parts.pop(k + 1)
        into[into > k] -= 1
    return into[labels], parts


def ranks(labels):
    """Return labels numbered 0, 1, ... without gaps, in their order."""
    return (np.cumsum(np.bincount(labels) > 0) - 1)[labels]
