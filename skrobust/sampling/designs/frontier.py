"""Inclusion probabilities between a small error and many failures."""

import numpy as np

from skrobust.sampling.core.draws import bisect

HALVINGS = 30


def frontier(p, variance, size, n, emphasis=0.0, exploration=0.1):
    r"""Return the inclusion probability of a unit of each group in a batch.

    With the predicted failure probability p of the free units of a group and v, the
    variance of their outcomes around p, the design minimises :math:`\sum v_i / \pi_i`
    subject to :math:`\sum \pi_i = n`, to an expected number :math:`\sum \pi_i p_i` of
    failures, and to a lowest probability :math:`e\,n/N`, sums being over units:

    .. math::

        \pi_i = \min\Bigl(1, \max\Bigl(\frac{e\,n}{N},
            c \sqrt{\frac{v_i}{1 - \kappa p_i}}\Bigr)\Bigr)

    and :math:`\pi_i = 1` where :math:`\kappa p_i \ge 1`. kappa is such that expected
    failures lie at the fraction ``emphasis`` of the way from those of kappa = 0 to
    the most there can be.

    Parameters
    ----------
    p, variance : ndarray of shape (n_groups,)
        p in (0, 1); variance positive, on any scale.
    size : ndarray of shape (n_groups,)
        Free units of each group; 0 where there is none.
    n : int
        Size of the batch, at most the sum of ``size``.
    emphasis, exploration : float
        In [0, 1]; exploration above 0.

    Returns
    -------
    ndarray of shape (n_groups,)
        Sums to n over units.
    """
    n_free = float(size.sum())
    if n == n_free:
        return np.ones(len(p))
    floor = exploration * n / n_free
    plain = _scaled(np.sqrt(variance), size, n, floor)
    if emphasis == 0 or exploration == 1:
        return plain
    least = size * p @ plain
    most, threshold = _most(p, size, n, floor)
    goal = least + emphasis * (most - least)

    def too_few(kappa):
        pi = _scaled(_wanted(p, variance, kappa), size, n, floor)
        return size * p @ pi <= goal

    kappa = bisect(too_few, 0.0, 1 / threshold, HALVINGS)
    return _scaled(_wanted(p, variance, kappa), size, n, floor)


def _most(p, size, n, floor):
    """Return the most failures to expect, and the p from which all are taken."""
    order = np.argsort(-p, kind="stable")
    p, size = p[order], size[order]
    sure = (n - floor * size.sum()) / (1 - floor)
    before = np.cumsum(size) - size
    taken = np.clip(sure - before, 0, size)
    last = np.flatnonzero(taken > 0)
    threshold = p[last[-1]] if len(last) else p[0]
    return float((taken + floor * (size - taken)) @ p), float(threshold)


def _wanted(p, variance, kappa):
    left = 1 - kappa * p
    with np.errstate(divide="ignore"):
        return np.sqrt(variance / np.maximum(left, 0.0))


def _scaled(wanted, size, n, floor):
    """Return clip(c * wanted, floor, 1) with the c for which the sum is n.

    Infinite where a unit is wanted for sure. The sum is piecewise linear in c, so a
    few steps of Newton, kept inside a bracket, end on it exactly.
    """
    sure = np.isinf(wanted)
    if sure.any() and (size * np.where(sure, 1.0, floor)).sum() >= n:
        # As many as there is room for, all with the same probability.
        share = (n - floor * size[~sure].sum()) / size[sure].sum()
        return np.where(sure, share, floor)
    finite = np.where(sure, 0.0, wanted)
    low, high = 0.0, 2 / finite[finite > 0].min()
    c = n / max((size * finite).sum(), 1e-300)
    for _ in range(100):
        pi = np.clip(c * finite, floor, 1.0)
        pi[sure] = 1.0
        excess = size @ pi - n
        if abs(excess) <= 1e-12 * n:
            break
        low, high = (low, c) if excess > 0 else (c, high)
        inside = (pi > floor) & (pi < 1)
        slope = (size * finite)[inside].sum()
        step = c - excess / slope if slope > 0 else -1.0
        c = step if low < step < high else (low + high) / 2
    return pi
