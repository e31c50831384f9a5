"""P-value that inverts one-sided limits, whatever their method."""

import numpy as np

_MOST = 0.499  # limits at an error of one half are the value, or know no side
_STEPS = 30  # each halves the logarithm of the bracket


def p_value_of_limits(limits, threshold, error, least, *, greater_is_better=True):
    """Return the smallest error at which the limit reaches a threshold.

    Parameters
    ----------
    limits : callable
        Takes a one-sided error in (0, 0.5) and returns the two limits.
    threshold : float
        The required value.
    error : float
        The error of interest, at which the p-value and the limit must agree.
    least : float
        Smallest p-value that the limits can show.
    greater_is_better : bool, default=True
        Whether the lower limit must reach the threshold, or the upper one.

    Returns
    -------
    float
        At most ``error`` if and only if the limit at ``error`` reaches the threshold.
        Above one half, one less the smallest error at which the other limit misses it;
        0.5 where neither is so at any error.
    """

    def above(level):
        return limits(level)[0] >= threshold

    def below(level):
        return limits(level)[1] <= threshold

    sides = (above, below) if greater_is_better else (below, above)
    reached, missed = (_smallest(side, error, min(least, error)) for side in sides)
    if reached is not None:
        return reached
    return 0.5 if missed is None else 1 - missed


def _smallest(holds, error, least):
    """Return the smallest level at which a statement holds, None if it never does."""
    if holds(error):
        start, stop = least, error
        if holds(start):
            return start
    elif holds(_MOST):
        start, stop = error, _MOST
    else:
        return None
    for _ in range(_STEPS):
        middle = float(np.sqrt(start * stop))
        if holds(middle):
            stop = middle
        else:
            start = middle
    return stop
