"""Interval for the operation that a pool was drawn from."""

import numpy as np
from scipy.special import ndtri

from skrobust.metrics import proportion_interval


def operation_ends(accuracy, interval, n_pool, confidence):
    r"""Return the interval of the accuracy in operation, from that in the pool.

    The pool is itself a sample of N inputs of the operation, taken as independent. So
    the variance of the estimate has that of the pool's accuracy added,

    .. math:: V_{\text{operation}} = V_{\text{pool}} + \frac{a (1 - a)}{N}

    and the finite-population correction is gone. The two parts of each half-width, that
    of the interval given and that of Wilson's for a share of N, are joined as the root
    of the sum of their squares (Zou and Donner 2008; to combine any interval with
    Wilson's is our choice).

    Parameters
    ----------
    accuracy : float
        Estimate; nan gives (0, 1).
    interval : (float, float)
        Interval of the accuracy of the pool.
    n_pool : int
        N.
    confidence : float
        Of both.
    """
    if np.isnan(accuracy):
        return 0.0, 1.0
    share = float(np.clip(accuracy, 0, 1))
    least, most = proportion_interval(share * n_pool, n_pool, confidence=confidence)
    low = accuracy - np.hypot(accuracy - interval[0], share - least)
    high = accuracy + np.hypot(interval[1] - accuracy, most - share)
    low, high = np.clip([low, high], 0, 1)
    return float(min(low, accuracy)), float(max(high, accuracy))


def operation_difference_ends(value, interval, share_apart, n_pool, confidence):
    r"""Return the same for the difference of two models.

    The variance of one difference is at most the share of inputs on which they differ,
    less the square of the mean difference.

    Parameters
    ----------
    value : float
        Estimated difference; nan gives (-1, 1).
    interval : (float, float)
        Its interval in the pool.
    share_apart : float
        Share of the pool for which the predictions differ.
    n_pool : int
        N.
    confidence : float
        Of both.
    """
    if np.isnan(value):
        return -1.0, 1.0
    spread = max(share_apart - value**2, 0.0) / n_pool
    half = ndtri((1 + confidence) / 2) * np.sqrt(spread)
    low = value - np.hypot(value - interval[0], half)
    high = value + np.hypot(interval[1] - value, half)
    return float(max(low, min(-1.0, value))), float(min(high, max(1.0, value)))
