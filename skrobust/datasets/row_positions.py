"""Positions of rows that a caller chooses, by numbers or by a mask."""

import numpy as np

from skrobust._containers import to_array
from skrobust._validation import invalid


def row_positions(rows, n, caller):
    """Return chosen positions among n rows as a 1-D array, or raise.

    Parameters
    ----------
    rows : int, slice, or array-like of int or bool
        Positions, of which negative ones count from the end, or a mask of n rows.
    n : int
        Number of rows.
    caller : str
        Name of the public method, for messages.

    Returns
    -------
    ndarray of shape (n_chosen,), intp
        In the order that was given.
    """
    rule = "positions of rows (integers, along one axis), a slice, or a mask"
    if isinstance(rows, slice):
        try:
            return np.arange(n)[rows]
        except (TypeError, ValueError):  # ends that are no integers, a step of 0
            raise invalid("rows", caller, rule, rows) from None
    found = np.atleast_1d(to_array(rows, "rows", caller))
    if found.shape == (0,):
        found = found.astype(np.intp)
    if found.ndim != 1 or found.dtype.kind not in "biu":
        raise invalid("rows", caller, rule, rows)
    if found.dtype.kind == "b" and len(found) != n:
        raise invalid("rows", caller, f"a mask of {n} rows", found.shape)
    if found.dtype.kind != "b" and ((found < -n) | (found >= n)).any():
        outside = found[(found < -n) | (found >= n)][0]
        raise invalid("rows", caller, f"positions among {n} rows", int(outside))
    return np.arange(n)[found]
