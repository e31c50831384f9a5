"""Sums of columns whose rounding does not grow with the number of rows."""

import numpy as np


class CompensatedSums:
    """Totals of columns, each kept in two floats.

    A batch is summed pairwise by NumPy, and totals are joined without error but for the
    second float (TwoSum of Knuth, 1969), so that the order of batches and of merges
    hardly matters.

    Parameters
    ----------
    n_columns : int
        Number of columns.
    """

    def __init__(self, n_columns):
        self.high, self.low = np.zeros((2, n_columns))

    def add(self, rows):
        """Add the column sums of rows of shape (n_rows, n_columns)."""
        # Along the last axis of a contiguous array NumPy adds pairwise.
        self.add_totals(np.ascontiguousarray(np.transpose(rows)).sum(axis=1))

    def add_totals(self, totals):
        """Add totals that were summed before, shape (n_columns,)."""
        total = self.high + totals
        part = total - self.high
        self.low += (self.high - (total - part)) + (totals - part)
        self.high = total

    def merge(self, other):
        """Add the totals of another object."""
        self.add_totals(other.high)
        self.low += other.low

    @property
    def totals(self):
        """The totals, shape (n_columns,)."""
        return self.high + self.low
