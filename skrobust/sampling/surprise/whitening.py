"""Covariance of activations and the whitening it defines."""

import copy

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

CURES = (
    "Set jitter (for example 1e-6), take a layer with fewer units, or use "
    "DistanceSurprise, which needs no covariance."
)
_ROUNDING = 1e-10  # share of a variance that float32 activations cannot tell from none


class Whitener:
    """Mean and Cholesky factor of activations, without units of little variance.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_units)
        Activations, for the mean; and for the covariance where none is given.
    cloud, caller : str
        Names of the rows and of the class, for messages.
    var_threshold : float
        Units of a smaller variance are left out.
    ridge : float
        Added to each variance.
    covariance : ndarray of shape (n_units, n_units), default=None
        Given covariance.
    """

    def __init__(self, rows, cloud, *, caller, var_threshold, ridge, covariance=None):
        shared = covariance is not None
        n_rows = len(rows)
        # float64 before the mean: sums of many float32 lose digits.
        rows = rows.astype(np.float64)
        if not shared:
            covariance = _covariance(rows)
        variances = np.diag(covariance)
        if not np.isfinite(variances).all():
            raise ValueError(
                f"{caller} needs X whose squares are finite; its variance is infinite "
                f"in {cloud}. Scale the activations down."
            )
        self.kept = np.flatnonzero(variances >= var_threshold)
        d = len(self.kept)
        if d == 0:
            raise ValueError(
                f"{caller} finds no unit that varies by var_threshold="
                f"{var_threshold:g} or more in {cloud} ({n_rows} sample(s)). Scale the "
                "activations up, or set a lower var_threshold together with jitter."
            )
        if not shared and not ridge and n_rows < d + 1:
            raise ValueError(
                f"{caller} needs at least {d + 1} training activations in {cloud} for "
                f"the covariance of {d} units; got {n_rows} sample(s). {CURES}"
            )
        self.mean = rows.mean(axis=0)[self.kept]
        kept = covariance[np.ix_(self.kept, self.kept)]
        kept.flat[:: d + 1] += ridge
        try:
            self.factor = cholesky(kept, lower=True)
        except LinAlgError:
            raise ValueError(
                f"{caller} finds a singular covariance in {cloud}: some units are "
                f"linear functions of others, as the outputs of a softmax are. {CURES}"
            ) from None
        # What is left of each variance, given the units before it.
        left = np.diag(self.factor) ** 2 / np.diag(kept)
        self.rests_on_rounding = bool(left.min() < _ROUNDING)

    def moved(self, rows):
        """Return the same shape around the mean of other rows."""
        other = copy.copy(self)
        other.mean = rows.mean(axis=0, dtype=np.float64)[self.kept]
        return other

    @property
    def log_det(self):
        """Half the log determinant of the covariance."""
        return float(np.log(np.diag(self.factor)).sum())

    def whiten(self, rows):
        """Return rows as coordinates of unit covariance around the mean."""
        gap = rows[:, self.kept].astype(np.float64)
        gap -= self.mean
        return solve_triangular(self.factor, gap.T, lower=True, check_finite=False).T


def within_covariance(rows, codes):
    """Return the covariance around the mean of each class, pooled over the classes."""
    rows = rows.astype(np.float64)
    for code in np.unique(codes):
        rows[codes == code] -= rows[codes == code].mean(axis=0)
    return rows.T @ rows / max(1, len(rows) - len(np.unique(codes)))


def _covariance(rows):
    n = len(rows)
    if n < 2:
        return np.zeros((rows.shape[1], rows.shape[1]))
    # With weights, numpy rounds as within scipy's density estimate; on activations
    # that hardly vary in one direction it is the rounding that decides.
    return np.atleast_2d(np.cov(rows, rowvar=False, aweights=np.full(n, 1 / n)))
