"""Fixed-size sampling designs as functions of weights and random numbers."""

import numpy as np

from skrobust.sampling.core.draws import bisect

SURE = 1 - 1e-9  # an inclusion probability above it is 1
NOTHING = 1e-250  # share of the weight below which a unit counts as zero


def mixed_weights(scores, floor):
    r"""Return draw probabilities in proportion to scores, mixed with uniform ones.

    .. math:: p_i = (1 - f) \frac{x_i}{\sum_j x_j} + \frac{f}{N}

    Parameters
    ----------
    scores : ndarray of shape (n_pool,)
        At least 0; all 0 counts as all equal.
    floor : float in [0, 1]
        f, the uniform part.

    Returns
    -------
    ndarray of shape (n_pool,)
        Sums to 1.
    """
    n_pool, largest = len(scores), scores.max()
    if largest == 0 or floor == 1:
        return np.full(n_pool, 1 / n_pool)
    share = scores / largest
    share /= share.sum()
    share[share < NOTHING] = 0.0
    return (1 - floor) * share + floor / n_pool


def inclusion_probabilities(weights, n):
    """Return inclusion probabilities in proportion to weights, summing to n.

    Units whose share would be above 1 are sure to be drawn, and the rest shares what is
    left (water-filling, exact, O(N log N)). Where fewer than n units have a weight,
    these are sure and the others equally likely.

    Parameters
    ----------
    weights : ndarray of shape (n_pool,)
        At least 0.
    n : int
        At most n_pool.

    Returns
    -------
    ndarray of shape (n_pool,)
        In [0, 1].

    Examples
    --------
    >>> from skrobust.sampling.designs.fixed_size import inclusion_probabilities
    >>> import numpy as np
    >>> inclusion_probabilities(np.array([8.0, 1.0, 1.0, 2.0]), 2).tolist()
    [1.0, 0.25, 0.25, 0.5]
    """
    weights = np.asarray(weights, dtype=np.float64)
    some = weights > 0
    n_some = int(some.sum())
    if n >= n_some:
        n_none = len(weights) - n_some
        return np.where(some, 1.0, (n - n_some) / max(n_none, 1))
    order = np.argsort(-weights, kind="stable")
    ordered = weights[order]
    rest = np.cumsum(ordered[::-1])[::-1]  # of the k-th largest and all below
    k = np.arange(n)
    fits = (n - k) * ordered[:n] <= rest[:n]
    n_sure = int(fits.argmax()) if fits.any() else n
    pi = np.ones(len(weights))
    if n_sure == n:  # missed by rounding only
        n_sure = n - 1
    pi[order[n_sure:]] = (n - n_sure) * ordered[n_sure:] / rest[n_sure]
    pi[pi > SURE] = 1.0
    return pi


def systematic_sample(pi, order, start):
    """Return the units of a fixed-size draw with given inclusion probabilities.

    Units lie one after the other on a line, each as long as its probability, and every
    whole number after ``start`` hits one. In random order this draws all sets of a kind
    almost as evenly as can be (Hartley and Rao 1962).

    Parameters
    ----------
    pi : ndarray of shape (n_pool,)
        Inclusion probabilities with an integer sum.
    order : ndarray of shape (n_pool,)
        A permutation.
    start : float in [0, 1)
        Uniform.

    Returns
    -------
    ndarray of shape (n,)
        Positions: the sure units first.
    """
    sure = np.flatnonzero(pi >= SURE)
    order = order[(pi[order] < SURE) & (pi[order] > 0)]
    n = round(float(pi.sum())) - len(sure)
    if n == 0:
        return sure
    ends = np.cumsum(pi[order])
    ends *= n / ends[-1]
    hit = np.searchsorted(ends, start + np.arange(n), side="right")
    return np.r_[sure, order[np.minimum(hit, len(order) - 1)]]


def rao_hartley_cochran(p, n, permutation, uniforms):
    """Draw one unit from each of n random groups, in proportion to p.

    Parameters
    ----------
    p : ndarray of shape (n_pool,)
        Draw probabilities, summing to 1.
    n : int
        Number of groups, whose sizes differ by at most one.
    permutation : ndarray of shape (n_pool,)
        Cut into the groups.
    uniforms : ndarray of shape (n,)
        In [0, 1), one a group.

    Returns
    -------
    ids : ndarray of shape (n,)
        The unit of each group.
    pi : ndarray of shape (n,)
        Its probability of being drawn, given the groups.
    shares : ndarray of shape (n,)
        Sum of p over each group; pi is p over it.
    least : float
        The lowest such probability of any unit.
    sizes : ndarray of shape (n,)
        Units in each group.
    """
    n_pool = len(p)
    ends = np.cumsum(np.full(n, n_pool // n) + (np.arange(n) < n_pool % n))
    starts = np.r_[0, ends[:-1]]
    sizes = ends - starts
    group = np.repeat(np.arange(n), sizes)
    q = p[permutation]
    shares = np.add.reduceat(q, starts)
    empty = shares == 0
    q = np.where(empty[group], 1.0, q)  # no unit has a weight: all are equal
    totals = np.where(empty, sizes, shares)
    line = np.r_[0.0, np.cumsum(q / totals[group])]
    low, high = line[starts], line[ends]
    point = np.minimum(low + uniforms * (high - low), np.nextafter(high, low))
    hit = np.searchsorted(line[1:], point, side="right")
    pi = q / totals[group]
    return permutation[hit], pi[hit], shares, float(pi.min()), sizes


def allocate(need, sizes, n, least=2):
    """Share n labels among strata in proportion to need, in whole numbers.

    The division that minimises sum(need**2 / n_h) exactly: each further label goes
    where need / sqrt(n_h (n_h + 1)) is largest (Wright 2012). No stratum gets
    more than its units, and each gets at least ``least`` or all of its units; fewer
    where n is too small.

    Parameters
    ----------
    need : ndarray of shape (n_strata,)
        At least 0; for Neyman's allocation size times standard deviation.
    sizes : ndarray of shape (n_strata,), int
        Units, at least 1 each.
    n : int
        From n_strata to the sum of the sizes.
    least : int, default=2
        Wanted of each stratum.

    Returns
    -------
    ndarray of shape (n_strata,), int
        Sums to n.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling.designs.fixed_size import allocate
    >>> allocate(np.array([100.0, 50.0, 0.0]), np.array([1000, 9, 50]), 20).tolist()
    [12, 6, 2]
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    floor = np.minimum(max(min(least, n // len(sizes)), 1), sizes)
    need = np.asarray(need, dtype=np.float64)
    need = need / need.max() if need.max() > 0 else np.zeros(len(sizes))
    need = need + 1e-12 * sizes / sizes.sum()  # the last ones, where nothing needs them

    def filled(scale):
        with np.errstate(over="ignore"):
            k = np.floor((np.sqrt(1 + 4 * (need * scale) ** 2) - 1) / 2)
        return np.clip(np.minimum(k + 1, sizes).astype(np.int64), floor, sizes)

    counts = filled(bisect(lambda scale: filled(scale).sum() <= n, 0.0, 1e25, 200))
    while counts.sum() < n:
        gain = np.where(counts < sizes, need / np.sqrt(counts * (counts + 1.0)), -1)
        counts[gain.argmax()] += 1
    return counts


def stratified_sample(labels, counts, keys):
    """Return ``counts[h]`` units of each stratum h: those with the lowest keys.

    Parameters
    ----------
    labels : ndarray of shape (n_pool,), int
        Stratum of each unit.
    counts : ndarray of shape (n_strata,), int
        How many of each.
    keys : ndarray of shape (n_pool,)
        Uniform numbers.

    Returns
    -------
    ndarray of shape (n,)
        Positions, stratum after stratum.
    """
    small = np.min_scalar_type(len(counts))  # which numpy sorts by radix
    order = np.argsort(labels.astype(small), kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=len(counts)))
    drawn = []
    for units, n in zip(np.split(order, ends[:-1]), counts, strict=True):
        if 0 < n < len(units):
            units = units[np.argpartition(keys[units], n - 1)[:n]]
        drawn.append(units[np.argsort(keys[units], kind="stable")][:n])
    return np.concatenate(drawn)
