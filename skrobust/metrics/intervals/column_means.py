"""Means of columns over units, with limits that hold for all columns at once."""

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit
from scipy.stats import beta

from skrobust.metrics.intervals.proportion import wilson_centre

_N_DRAWS = 4000  # half of them are the other half with the sign turned
_SEED = 0  # the draws integrate numerically; the same data have the same quantile


class ColumnMeans:
    """Means of columns, with the contributions of the units to them.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_columns)
        Values in [0, 1].
    units : Units
        The independent units, two or more.

    Attributes
    ----------
    mean, error : ndarray of shape (n_columns,)
        The means and their jackknife (sandwich) errors over the units.
    contributions : ndarray of shape (n_units, n_columns)
        Their squares sum to the squared errors.
    n_effective : ndarray of shape (n_columns,)
        Samples that a share of independent samples with that error would have; at most
        those there are, and the number of clusters where all samples agree.
    df : float
        Degrees of freedom of the errors, infinite without clusters.
    """

    def __init__(self, values, units):
        values = np.asarray(values, dtype=np.float64)
        n, g = len(values), units.n
        sums = units.sums(values)
        sizes = units.sums(np.ones(n))[:, None]
        self.units = units
        self.mean = sums.sum(axis=0) / n
        deviation = (sums - sizes * self.mean) / (n - sizes)
        self.contributions = deviation * np.sqrt((g - 1) / g)
        variance = (self.contributions**2).sum(axis=0)
        self.error = np.sqrt(variance)
        binomial = self.mean * (1 - self.mean)
        self.n_effective, self.df = np.full(self.mean.size, float(n)), np.inf
        if units.clustered:
            known = binomial > 1e-12
            ratio = binomial / np.where(known & (variance > 0), variance, 1.0)
            ratio = np.where(variance > 0, np.minimum(ratio, n), n)
            self.n_effective = np.where(known, ratio, float(g))
            # A few large clusters are worth less than many equal ones.
            self.df = max(1.0, (sizes**2).sum() ** 2 / (sizes**4).sum() - 1)
        self._draws, self._scale = None, 1.0

    def t_quantile(self, level):
        """Return the one-sided quantile of t, of the normal without clusters."""
        return float(ndtri(level) if np.isinf(self.df) else stdtrit(self.df, level))

    def quantile(self, level, *, sides=2, columns=None):
        """Return the quantile of the largest studentised deviation of the columns.

        Parameters
        ----------
        level : float in (0, 1)
            Chance that no column deviates by more.
        sides : {1, 2}, default=2
            Whether a deviation counts on one side or on both.
        columns : ndarray of bool of shape (n_columns,) or None, default=None
            The columns that count.

        Returns
        -------
        float
            From normal multipliers of the contributions. Below 20 clusters, whose
            correlations are too uncertain, that of Bonferroni.
        """
        columns = np.ones(self.mean.size, bool) if columns is None else columns
        size = int(columns.sum())
        if size == 1 or (self.units.few and level > 0.5):
            return self.t_quantile(1 - (1 - level) / (sides * size))
        draws = self.deviations()[:, columns]
        largest = (np.abs(draws) if sides == 2 else draws).max(axis=1)
        return float(np.quantile(largest / self._scale, level))

    def deviations(self):
        """Return draws of the deviations over their errors, (n_draws, n_columns)."""
        if self._draws is None:
            varies = self.error > 1e-12
            scaled = self.contributions / np.where(varies, self.error, 1.0)
            correlation = np.where(varies[:, None] & varies, scaled.T @ scaled, 0.0)
            np.fill_diagonal(correlation, 1.0)
            # The sum of normal multipliers times contributions has this distribution.
            values, vectors = np.linalg.eigh(correlation)
            root = vectors * np.sqrt(np.maximum(values, 0.0))
            rng = np.random.default_rng(_SEED)
            half = rng.normal(size=(_N_DRAWS // 2, len(root))) @ root.T
            self._draws = np.concatenate([half, -half])
            if np.isfinite(self.df):  # errors are estimated, as those of t
                chi_square = rng.chisquare(self.df, size=len(half)) / self.df
                self._scale = np.sqrt(np.tile(chi_square, 2))
        return self._draws

    def limits(self, quantile):
        """Return the limits of each mean at a positive quantile, shape (n_columns,).

        They are the exact limits of Clopper and Pearson for the effective number of
        samples, corrected for its degrees of freedom (Korn and Graubard). Clusters
        that would differ altogether and that so many clusters may have missed are
        within the limits.
        """
        normal = np.isinf(self.df)
        tail = float(ndtr(-quantile) if normal else stdtr(self.df, -quantile))
        shrink = (ndtri(tail) / quantile) ** 2
        n = self.n_effective * shrink
        count = self.mean * n
        with np.errstate(invalid="ignore"):  # where all agree there is no such quantile
            low = beta.ppf(tail, count, n - count + 1)
            high = beta.isf(tail, count + 1, n - count)
        low = np.where(self.mean <= 0, 0.0, low)
        high = np.where(self.mean >= 1, 1.0, high)
        if self.units.clustered:
            missed = 1 - tail ** (1 / (self.units.n * shrink))
            low, high = np.minimum(low, 1 - missed), np.maximum(high, missed)
        return low, high

    def wilson(self, quantile):
        """Return Wilson's limits of each mean, which are the means at quantile 0."""
        middle, half = wilson_centre(self.mean, self.n_effective, quantile)
        return middle - half, middle + half

    def band(self, confidence):
        """Return the limits that hold for all columns at once."""
        return self.limits(self.quantile(confidence))
