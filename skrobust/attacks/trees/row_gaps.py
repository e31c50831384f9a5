"""Rows with missing values, for attacks under which these stay missing."""

import numpy as np

from skrobust._containers import like, to_array


def gaps_of(X):
    """Return the mask of the missing values of rows of numbers; None where none is."""
    values = to_array(X)
    if values.dtype.kind == "f":
        if np.isfinite(values.sum()):
            return None
        missing = np.isnan(values)
    elif values.dtype.kind == "O" and hasattr(X, "isna"):  # columns of several types
        missing = X.isna().to_numpy()
    else:
        return None
    return missing if missing.any() and missing.ndim == 2 else None


def without_gaps(X, missing):
    """Return rows in their container with a known value of the column in each gap.

    A column that is missing everywhere gets zeros.
    """
    kind = to_array(X).dtype
    if kind.kind == "O":
        values = X.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = to_array(X).astype(np.float64)
    for column in np.flatnonzero(missing.any(axis=0)):
        known = values[~missing[:, column], column]
        values[missing[:, column], column] = known[0] if len(known) else 0.0
    return like(values.astype(kind) if kind.kind == "f" else values, X)


def with_gaps(values, missing):
    """Return rows whose gaps are gaps again."""
    return np.where(missing, np.nan, values).astype(values.dtype)


class DomainWithGaps:
    """Domain of rows with missing values, which are no part of a length.

    Parameters
    ----------
    domain : Domain
        Of the rows without gaps.
    missing : ndarray of bool
        The gaps.
    """

    def __init__(self, domain, missing):
        self._domain, self._missing = domain, missing
        self.values = with_gaps(domain.values, missing)

    def distance(self, rows, clean):
        """Return how far rows are from their clean rows, in units of the features."""
        full = self._domain.values
        rows, clean = (np.where(self._missing, full, part) for part in (rows, clean))
        return self._domain.distance(rows, clean)
