"""Bounds of shares: scores of one class each, divided by their sum."""

import numpy as np
from scipy.special import expit


def share_bounds(low, high):
    """Return bounds of shares of numbers of which bounds are known.

    Parameters
    ----------
    low, high : ndarray of shape (n_samples, n_classes)
        Bounds of numbers that are not negative.

    Returns
    -------
    low, high : ndarray of shape (n_samples, n_classes)
        Bounds of each number over the sum of all. Where all may be 0 at once, the
        share is taken to be anything, as classifiers then answer in ways of their own.
    """
    rest_low = low.sum(axis=1, keepdims=True) - low
    rest_high = high.sum(axis=1, keepdims=True) - high
    with np.errstate(invalid="ignore", divide="ignore"):
        least, most = low / (low + rest_high), high / (high + rest_low)
    nothing = (low.sum(axis=1, keepdims=True) <= 0) & np.ones_like(low, dtype=bool)
    least = np.where(nothing | ~np.isfinite(least), 0.0, least)
    most = np.where(nothing | ~np.isfinite(most), 1.0, most)
    return least, most


def sigmoid_share_bounds(low, high, own_low, own_high, least, most):
    """Return bounds of the share of one class among sigmoids of scores.

    The sigmoid of another score over that of the own one is the greater, the greater
    their difference is; at a given difference it is monotone in the own score, which
    tells the ends at which it is the greatest.

    Parameters
    ----------
    low, high : ndarray of shape (n_samples, n_classes)
        Bounds of all scores.
    own_low, own_high : ndarray of shape (n_samples, 1)
        Bounds of the score of the class.
    least, most : ndarray of shape (n_samples, n_classes)
        Bounds of the score of the class less that of each other; 0 for itself.

    Returns
    -------
    low, high : ndarray of shape (n_samples,)
        Bounds of the share.
    """

    def ratio(own, other):
        return expit(other) / np.maximum(expit(own), 1e-300)

    # The greatest ratio: the others are ahead by -least, but no higher than `high`.
    # Ahead, the ratio falls with the own score; behind, it rises up to the bound.
    ahead = -least
    own = np.where(ahead > 0, own_low, np.clip(high - ahead, own_low, own_high))
    worst = ratio(own, np.minimum(high, own + ahead))
    ahead = -most
    own = np.where(ahead > 0, own_high, np.clip(low - ahead, own_low, own_high))
    best = ratio(own, np.maximum(low, own + ahead))
    same = (least == 0) & (most == 0)
    worst, best = np.where(same, 1.0, worst), np.where(same, 1.0, best)
    return 1 / worst.sum(axis=1), 1 / np.maximum(best.sum(axis=1), 1.0)
