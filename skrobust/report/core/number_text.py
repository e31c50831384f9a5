"""Numbers as text, on the page and in the terminal."""

import math

import numpy as np


def number(value, digits=3):
    """Return a number as text; what is not finite is "undefined".

    Parameters
    ----------
    value : float or None
        The number.
    digits : int, default=3
        After the point, for fractions; integers keep theirs, and fractions of 1000 and
        more have none.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> number(0.98765), number(float("nan")), number(1797), number(float("inf"))
    ('0.988', 'undefined', '1797', 'undefined')
    """
    if value is None or not math.isfinite(value):
        return "undefined"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    digits = 0 if abs(value) >= 1000 else digits
    return f"{round(float(value), digits) + 0.0:.{digits}f}"  # no minus before 0


def compact(value):
    """Return a setting as short text, such as 16 for 16.0."""
    if isinstance(value, (int, float, np.number)):
        return f"{value:g}" if math.isfinite(value) else str(value)
    return str(value)
