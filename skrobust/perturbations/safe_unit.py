"""Scale factors that keep squares of huge and tiny values finite."""

import numpy as np

_HUGE, _TINY = 1e150, 1e-130


def safe_unit(low, high):
    """Return a power of two to divide values by before they are squared.

    Parameters
    ----------
    low, high : ndarray
        Smallest and largest of the values; NaN where there are none.

    Returns
    -------
    ndarray of the same shape
        1 for values of ordinary size. Division by a power of two is exact, so nothing
        is lost where it is not 1.
    """
    peak = np.maximum(np.abs(low), np.abs(high))
    extreme = (peak > _HUGE) | ((peak > 0) & (peak < _TINY))
    exponent = np.frexp(np.where(extreme, peak, 1.0))[1] - 1
    return np.ldexp(1.0, exponent)
