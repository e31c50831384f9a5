"""Moments of the columns of a table that comes in batches."""

import numpy as np

from skrobust.base.table_change import read_column, table_columns


class ColumnMoments:
    """Moments of the finite numbers of each column, joined over batches.

    Number, mean and sum of squares about it are joined as Chan, Golub and LeVeque
    (1983) have it.
    """

    def __init__(self):
        self.moments = None

    def update(self, X):
        """Add the rows of a batch."""
        found = [_moments(*read_column(column)) for column in table_columns(X)]
        known = found if self.moments is None else self.moments
        if known is not found:
            known = [_joined(a, b) for a, b in zip(known, found, strict=True)]
        self.moments = known

    @property
    def sd(self):
        """Standard deviations, nan for columns of no numbers."""
        found = [
            np.nan if one is None else np.sqrt(one[2] / max(1, one[0]))
            for one in self.moments
        ]
        return np.array(found)


def _moments(kind, values):
    if kind != "numbers":
        return None
    known = values[np.isfinite(values)]
    if not known.size:
        return 0, 0.0, 0.0
    apart = known - known[0]  # equal numbers have a spread of exactly 0
    middle = float(apart.mean())
    return known.size, float(known[0]) + middle, float(((apart - middle) ** 2).sum())


def _joined(first, second):
    if first is None or second is None:
        return first or second
    (n, mean, squares), (m, other, more) = first, second
    if not n or not m:
        return first if n else second
    apart = other - mean
    squares += more + apart**2 * n * m / (n + m)
    return n + m, mean + apart * m / (n + m), squares
