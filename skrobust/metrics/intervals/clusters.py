"""Independent units: samples, or the clusters they come in."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from skrobust._array_checks import check_same_length
from skrobust.metrics.labels import label_array

FEW_CLUSTERS = 20  # below it a bootstrap or a normal quantile is too narrow


@dataclass(frozen=True)
class Units:
    """The independent units of ``n_rows`` samples."""

    codes: np.ndarray  # the unit of each sample, 0 to n - 1
    n: int
    clustered: bool

    @property
    def name(self):
        """Name of the units."""
        return "clusters" if self.clustered else "samples"

    @property
    def few(self):
        """Whether there are so few clusters that quantiles of t are needed."""
        return self.clustered and self.n < FEW_CLUSTERS

    @property
    def enough(self):
        """Whether there are enough units for an interval."""
        return self.n > 2 if self.clustered else self.n > 1

    def warnings(self):
        """Return warnings about the number of units."""
        if not self.enough:
            return (f"{self.n} {self.name} allow no interval.",)
        if self.few:
            return (
                f"Only {self.n} clusters: t with {self.n - 1} degrees of freedom; take "
                f"{FEW_CLUSTERS} or more.",
            )
        return ()

    def sums(self, values):
        """Return the sum over the samples of each unit, along the first axis."""
        values = np.asarray(values, dtype=np.float64)
        if not self.clustered:
            return values
        order = np.argsort(self.codes, kind="stable")
        starts = np.searchsorted(self.codes[order], np.arange(self.n))
        return np.add.reduceat(values[order], starts, axis=0)

    def quantile(self, confidence):
        """Return the two-sided t quantile on n - 1 degrees of freedom."""
        return t_quantile(confidence, self.n - 1)


def make_units(clusters, n_rows, caller, *, name="data"):
    """Return the units of the samples; clusters of one sample are no clusters."""
    codes, n = np.arange(n_rows), n_rows
    if clusters is not None:
        clusters = label_array(clusters, caller, "clusters")
        check_same_length(caller, **{name: codes}, clusters=clusters)
        names, inverse = np.unique(clusters, return_inverse=True)
        if len(names) < n_rows:
            return Units(inverse, len(names), True)
    return Units(codes, n, False)


def jackknife_df(deviations):
    """Return the degrees of freedom of a jackknife variance (Satterthwaite).

    Parameters
    ----------
    deviations : ndarray of shape (n_units,)
        Leave-one-out values less their mean.

    Returns
    -------
    float
        Twice the squared variance over the variance of its estimate, between 1 and
        n - 1: fewer where a few units make up most of it.
    """
    squares, most = deviations**2, len(deviations) - 1
    spread = float(((squares - squares.mean()) ** 2).sum())
    if not spread:
        return float(most)
    return float(min(most, max(1.0, 2 * squares.sum() ** 2 / spread)))


def t_quantile(confidence, df):
    """Return the two-sided quantile of Student's t."""
    return float(stdtrit(df, (1 + confidence) / 2))


def t_p_value(statistic, df):
    """Return the two-sided p-value of Student's t."""
    return 2 * stdtr(df, -np.abs(statistic))
