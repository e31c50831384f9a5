"""Mean of the rows of a period over batches, and its sampling noise."""

import numpy as np


class PeriodMoments:
    """Number, mean and sum of squares about it, also of clusters of rows.

    Moments are joined as Chan, Golub and LeVeque (1983) have it.
    """

    def __init__(self):
        self.n_rows, self.mean, self.squares = 0, 0.0, 0.0
        self.low, self.high = np.inf, -np.inf
        self.clusters = {}

    def update(self, values, clusters):
        """Add rows, of some clusters or of none."""
        apart = values - values[0]
        middle = float(apart.mean())
        squares = float(((apart - middle) ** 2).sum())
        self._join(len(values), float(values[0]) + middle, squares)
        self.low = min(self.low, float(values.min()))
        self.high = max(self.high, float(values.max()))
        if clusters is not None:
            names, codes = np.unique(clusters, return_inverse=True)
            parts = np.bincount(codes, values), np.bincount(codes)
            for name, total, n in zip(names.tolist(), *parts, strict=True):
                self._add_cluster(name, float(total), int(n))

    def merge(self, other):
        """Add the rows of another object."""
        self._join(other.n_rows, other.mean, other.squares)
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        for name, (total, n) in other.clusters.items():
            self._add_cluster(name, total, n)

    def _join(self, m, mean, squares):
        n = self.n_rows
        apart = mean - self.mean
        self.n_rows = n + m
        self.mean += apart * m / (n + m)
        self.squares += squares + apart**2 * n * m / (n + m)

    def _add_cluster(self, name, total, n):
        known, size = self.clusters.get(name, (0.0, 0))
        self.clusters[name] = known + total, size + n

    @property
    def n_units(self):
        """Number of rows, or of clusters."""
        return len(self.clusters) or self.n_rows

    def error(self):
        """Return the standard error of the mean over rows or clusters."""
        n = self.n_units
        if n < 2:
            return 0.0
        if not self.clusters:
            return float(np.sqrt(self.squares / (n - 1) / n))
        totals, sizes = np.array(list(self.clusters.values())).T
        residuals = totals - self.mean * sizes
        return float(np.sqrt(n / (n - 1) * (residuals @ residuals))) / self.n_rows
