"""Limits of a share of samples with fixed design weights."""

from collections.abc import Callable
from dataclasses import dataclass

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
    share = _WeightedShare.of(hits, weight)
    return share.limits(confidence, method)


@dataclass(frozen=True)
class _WeightedShare:
    """Sums that give the limits of a weighted share, and its spread about any share."""

    total: float
    squares: float
    largest: float
    hit_total: float
    spread: Callable

    @classmethod
    def of(cls, hits, weight):
        def spread(share):
            residuals = weight * (hits - share)
            return float(residuals @ residuals)

        parts = float(weight.sum()), float(weight @ weight), float(weight.max())
        return cls(*parts, float(weight @ hits), spread)

    def limits(self, confidence, method):
        """Return limits and standard error, see :func:`weighted_proportion_limits`."""
        total, largest = self.total, self.largest
        excess = largest - self.squares / total
        added = largest if method == "exact" else excess / 2
        share = self.hit_total / total
        limits = []
        for unseen, level in ((0, (1 - confidence) / 2), (1, (1 + confidence) / 2)):
            moved = (share * total + added * unseen) / (total + added)
            squares = self.spread(moved) + added * largest * (unseen - moved) ** 2
            room = moved * (1 - moved)
            n = total**2 / self.squares
            if room > 1e-12:
                n = room * (total + added) ** 2 / squares
            if share == unseen:  # nothing lies beyond
                limits.append(float(unseen))
            elif method == "exact":
                limits.append(float(betaincinv(moved * n, (1 - moved) * n, level)))
            else:
                bounds = wilson_bounds(moved, n, -ndtri((1 - confidence) / 2))
                limits.append(bounds[unseen])
        return *limits, float(np.sqrt(self.spread(share))) / total


def limits_of_weighted_sums(sums, largest, confidence, method="wilson"):
    """Return :func:`weighted_proportion_limits` of sums over the samples.

    Parameters
    ----------
    sums : (float, float, float, float)
        Of the weights, their squares, the weights of successes, and their squares.
    largest : float
        The largest weight.
    confidence, method
        As there.
    """
    total, squares, hit_total, hit_squares = sums

    def spread(share):
        # The weight of a success counts (1 - share) squared, any other share squared.
        return max(0.0, hit_squares * (1 - 2 * share) + squares * share**2)

    share = _WeightedShare(total, squares, largest, hit_total, spread)
    return share.limits(confidence, method)
