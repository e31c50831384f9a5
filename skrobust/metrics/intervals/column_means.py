"""Means of columns over units, with limits that hold for all columns at once."""

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit
from scipy.stats import beta

from skrobust.metrics.intervals.clusters import FEW_CLUSTERS
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
    n_units : ndarray of int of shape (n_columns,) or (1,)
        Units of each column.
    df : float
        Degrees of freedom of the errors, infinite without clusters; the fewest of all
        columns.
    """

    def __init__(self, values, units):
        values = np.asarray(values, dtype=np.float64)
        sizes = units.sums(np.ones(len(values)))[:, None]
        self._set(units.sums(values), sizes, units)

    @classmethod
    def of_parts(cls, values, parts, units):
        """Return the means of one column over disjoint parts of the samples.

        Parameters
        ----------
        values : ndarray of shape (n_samples,)
            Values, 0 or 1 without clusters.
        parts : ndarray of int of shape (n_samples,)
            The part of each sample, 0 to n_parts - 1.
        units : Units
            The independent units, three or more in each part if they are clusters.
        """
        k, means = int(parts.max()) + 1, cls.__new__(cls)
        values = np.asarray(values, dtype=np.float64)
        if units.clustered:
            place, size = units.codes * k + parts, units.n * k
            tables = (np.bincount(place, w, size) for w in (values, None))
            means._set(*(table.reshape(units.n, k) for table in tables), units)
            return means
        # No sample is in two parts, so that each part is as good as one unit.
        n = np.bincount(parts, minlength=k).astype(np.float64)
        means._set(np.zeros((2, k)), np.ones((2, k)), units)
        means.mean = np.bincount(parts, values, k) / n
        variance = means.mean * (1 - means.mean) / np.maximum(n - 1, 1)
        means.error = np.sqrt(variance)
        means.contributions, means.n_effective = np.diag(means.error), n
        return means

    def _set(self, sums, sizes, units):
        """Set all from sums and sizes of the units, (n_units, n_columns) or one."""
        n, g = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
        self.units, self.n_units = units, g
        self.few = units.clustered and bool(g.min() < FEW_CLUSTERS)
        self.mean = sums.sum(axis=0) / n
        deviation = (sums - sizes * self.mean) / (n - sizes)
        self.contributions = deviation * np.sqrt((g - 1) / g)
        variance = (self.contributions**2).sum(axis=0)
        self.error = np.sqrt(variance)
        binomial = self.mean * (1 - self.mean)
        self.n_effective = np.full(self.mean.size, n, dtype=np.float64)
        self.df = np.inf
        if units.clustered:
            known = binomial > 1e-12
            ratio = binomial / np.where(known & (variance > 0), variance, 1.0)
            ratio = np.where(variance > 0, np.minimum(ratio, n), n)
            self.n_effective = np.where(known, ratio, g.astype(np.float64))
            # A few large clusters are worth less than many equal ones.
            equal = (sizes**2).sum(axis=0) ** 2 / (sizes**4).sum(axis=0)
            self.df = max(1.0, float(equal.min()) - 1)
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
        if size == 1 or (self.few and level > 0.5):
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
            missed = 1 - tail ** (1 / (self.n_units * shrink))
            low, high = np.minimum(low, 1 - missed), np.maximum(high, missed)
        return low, high

    def wilson(self, quantile):
        """Return Wilson's limits of each mean, which are the means at quantile 0."""
        middle, half = wilson_centre(self.mean, self.n_effective, quantile)
        return middle - half, middle + half

    def band(self, confidence):
        """Return the limits that hold for all columns at once."""
        return self.limits(self.quantile(confidence))
