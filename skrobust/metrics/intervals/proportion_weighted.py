"""Limits of a share of samples with fixed design weights."""

import numpy as np
from scipy.special import betaincinv, ndtri

from skrobust.metrics.intervals.proportion import wilson_bounds


def weighted_proportion_limits(hits, weight, confidence, method="wilson"):
    r"""Return limits of the weighted share of independent 0 and 1 values.

    The variance of the share is that of its linearisation,

    .. math:: s^2 = \sum_i \left(\frac{w_i (x_i - p)}{\sum_j w_j}\right)^2,

    which knows in which weights the failures lie; :math:`n = p (1 - p) / s^2` trials
    have it, and Wilson's limits are those of p in n trials. The sample that would
    change p most may not have been seen: each limit is taken with one more failure (or
    success, for the upper one) of the largest weight, half of its excess over the mean
    weight of a sample counted. Equal weights have no such excess and give Wilson's
    limits. "exact" counts all of its weight, and gives those of Clopper and Pearson.

    Parameters
    ----------
    hits : ndarray of shape (n_samples,)
        0 and 1.
    weight : ndarray of shape (n_samples,)
        Positive weights.
    confidence : float
        Wanted coverage.
    method : {"wilson", "exact"}, default="wilson"
        Form of the limits.

    Returns
    -------
    low, high : float
        In [0, 1].
    error : float
        Standard error, the root of :math:`s^2`.
    """
    total, largest = float(weight.sum()), float(weight.max())
    excess = largest - float(weight @ weight) / total
    added = largest if method == "exact" else excess / 2
    share = float(weight @ hits) / total
    limits = []
    for unseen, level in ((0, (1 - confidence) / 2), (1, (1 + confidence) / 2)):
        moved = (share * total + added * unseen) / (total + added)
        spread = weight * (hits - moved)
        squares = float(spread @ spread) + added * largest * (unseen - moved) ** 2
        room = moved * (1 - moved)
        n = total**2 / float(weight @ weight)
        if room > 1e-12:
            n = room * (total + added) ** 2 / squares
        if share == unseen:  # nothing lies beyond
            limits.append(float(unseen))
        elif method == "exact":
            limits.append(float(betaincinv(moved * n, (1 - moved) * n, level)))
        else:
            limits.append(wilson_bounds(moved, n, -ndtri((1 - confidence) / 2))[unseen])
    residuals = weight * (hits - share)
    return *limits, float(np.sqrt(residuals @ residuals)) / total
