"""Inclusion probabilities between a small error and many failures."""

import numpy as np

from skrobust.sampling.core.draws import bisect

SINGLE = 256  # likeliest failures that are looked at one by one when p is summarised
GROWTH = 1.02  # of the groups of all others
HALVINGS = 30


def frontier(p, variance, n, emphasis=0.0, exploration=0.1):
    r"""Return the inclusion probabilities of a batch.

    With the predicted failure probability p of each free unit and v, the variance of
    its outcome around p, the design minimises :math:`\sum v_i / \pi_i` subject to
    :math:`\sum \pi_i = n`, to an expected number :math:`\sum \pi_i p_i` of failures,
    and to a lowest probability :math:`e\,n/N`:

    .. math::

        \pi_i = \min\Bigl(1, \max\Bigl(\frac{e\,n}{N},
            c \sqrt{\frac{v_i}{1 - \kappa p_i}}\Bigr)\Bigr)

    and :math:`\pi_i = 1` where :math:`\kappa p_i \ge 1`. kappa is such that expected
    failures lie at the fraction ``emphasis`` of the way from those of kappa = 0 to
    the most there can be.

    Parameters
    ----------
    p, variance : ndarray of shape (n_free,)
        p in (0, 1), descending; variance positive.
    n : int
        Size of the batch, at most n_free.
    emphasis, exploration : float
        In [0, 1]; exploration above 0.

    Returns
    -------
    ndarray of shape (n_free,)
        Sums to n.
    """
    if n == len(p):
        return np.ones(n)
    floor = exploration * n / len(p)
    size = np.ones(len(p))
    if emphasis == 0 or exploration == 1:
        return _scaled(np.sqrt(variance), size, n, floor)
    starts = _groups(len(p))
    size = np.diff(np.r_[starts, len(p)]).astype(np.float64)
    mean = np.add.reduceat(p, starts) / size
    spread = np.add.reduceat(variance, starts) / size
    least = size * mean @ _scaled(np.sqrt(spread), size, n, floor)
    most, threshold = _most(p, n, floor)
    goal = least + emphasis * (most - least)

    def too_few(kappa):
        pi = _scaled(_wanted(mean, spread, kappa), size, n, floor)
        return size * mean @ pi <= goal

    kappa = bisect(too_few, 0.0, 1 / threshold, HALVINGS)
    return _scaled(_wanted(p, variance, kappa), np.ones(len(p)), n, floor)


def _groups(n):
    """Return where groups of descending values start: singles, then ever larger."""
    ends = SINGLE * GROWTH ** np.arange(1, np.log(max(n / SINGLE, 1)) / np.log(GROWTH))
    starts = np.unique(np.r_[np.arange(min(n, SINGLE)), ends.astype(np.intp)])
    return starts[starts < n]


def _most(p, n, floor):
    """Return the most failures to expect, and the p from which all are taken."""
    n_sure = min(int((n - floor * len(p)) / (1 - floor)), len(p) - 1)
    rest = (n - n_sure) / (len(p) - n_sure)
    return p[:n_sure].sum() + rest * p[n_sure:].sum(), p[n_sure]


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
