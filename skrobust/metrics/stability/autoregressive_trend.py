"""Line through scores whose deviations are a first-order autoregression."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import chdtri, ndtri
from scipy.stats import qmc

_LOWEST, _HIGHEST = -0.3, 0.99  # of the correlation of neighbours
_N_CORRELATIONS = 32
_N_SPREADS = 64
_LOG2_DRAWS = 12


@dataclass(frozen=True)
class TrendDraws:
    """Draws from the posterior of a line and of the deviations from it.

    Parameters
    ----------
    level, slope, spread, correlation : ndarray of shape (n_draws,)
        Height of the line at the mean of the times, its slope, the standard deviation
        about it and the correlation of neighbours.
    """

    level: np.ndarray
    slope: np.ndarray
    spread: np.ndarray
    correlation: np.ndarray

    def index(self, fall, scatter):
        """Return the stability index of each draw."""
        level = self.level + fall * np.minimum(0.0, self.slope)
        return level - scatter * self.spread


def trend_draws(scores, x, noise_variance=None):
    r"""Return draws from the posterior of a line with autoregressive deviations.

    .. math:: y_t = a + b x_t + e_t + n_t, \qquad
        \mathrm{cov}(e_s, e_t) = \sigma^2 \phi^{|x_s - x_t| / d}, \qquad
        n_t \sim N(0, v_t),

    where d is the median distance of neighbours. The priors of a and b are flat; that
    of :math:`\phi`, between -0.3 and 0.99, has the density
    :math:`(1 - \phi^2)^{-1/2}` (the reference prior of J. O. Berger and R.-Y. Yang,
    Econometric Theory, 1994) and that of :math:`\sigma^2` the density
    :math:`1 / (\tau^2 + \bar{v})` in the variance :math:`\tau^2 = \sigma^2 (1 -
    \phi^2)` of a step. The draws are the points of a Sobol sequence, always the same.

    Parameters
    ----------
    scores : ndarray of shape (n_periods,)
        At least three scores; without noise, not all on one line.
    x : ndarray of shape (n_periods,)
        Times in ascending order, with a mean of 0.
    noise_variance : ndarray of shape (n_periods,) or None, default=None
        Known variance :math:`v_t` of the error of each score.

    Returns
    -------
    TrendDraws
        4,096 draws.
    """
    n, gaps = len(scores), np.diff(x)
    unit = float(np.median(gaps[gaps > 0]))
    gaps = np.where(gaps > 0, gaps / unit, 1.0)  # of equal times: neighbours
    noise = np.zeros(n) if noise_variance is None else noise_variance
    center, scale = scores.mean(), float(np.sqrt(scores.var() + noise.mean()))
    noise = noise / scale**2
    columns = np.column_stack([np.ones(n), x / unit, (scores - center) / scale])
    has_noise = noise.mean() > 0
    shift = max(1e-3, noise.mean())
    shifted, width = np.log([1.0 + shift]), 0.0
    if has_noise:
        # From no variance to sixteen times that of the scores.
        first, last = np.log(shift), np.log(shift + 16.0)
        width = (last - first) / _N_SPREADS
        shifted = first + width * (np.arange(_N_SPREADS) + 0.5)
    grid = np.meshgrid(shifted, _correlations(), indexing="ij")
    shifted, rho = (part.ravel() for part in grid)
    variance = np.exp(shifted) - shift
    products, log_det = _whitened_products(columns, rho, variance, gaps, noise)
    inverse = np.linalg.inv(products[:, :2, :2])
    line = np.einsum("gij,gj->gi", inverse, products[:, :2, 2])
    squares = products[:, 2, 2] - np.einsum("gi,gi->g", line, products[:, :2, 2])
    fit = squares if has_noise else (n - 2) * np.log(squares)
    weight = 0.5 * (np.linalg.slogdet(inverse)[1] - log_det - fit)
    if has_noise:  # the prior, per unit of the logarithm that the grid divides
        steps = 1 - rho**2
        weight += np.log(steps * (variance + shift) / (steps * variance + shift))
    weight = np.exp(weight - weight.max())
    which, other, normal = _points()
    chosen = np.searchsorted(np.cumsum(weight), which * weight.sum())
    if has_noise:
        factor = 1.0
        shifted = shifted[chosen] + width * (other - 0.5)
        spread = np.sqrt(np.exp(shifted) - shift)
    else:
        factor = np.sqrt(squares[chosen] / chdtri(n - 2, other))
        spread = factor
    root = np.linalg.cholesky(inverse)[chosen]
    error = factor * np.einsum("gij,jg->ig", root, normal)
    a, b = line[chosen].T + error
    return TrendDraws(
        level=center + scale * a,
        slope=scale * b / unit,
        spread=scale * spread,
        correlation=rho[chosen],
    )


@cache
def _correlations():
    """Return correlations of equal prior weight."""
    # The angle is uniform where the density of its sine is (1 - sine^2)^(-1/2).
    low, high = np.arcsin([_LOWEST, _HIGHEST])
    steps = (np.arange(_N_CORRELATIONS) + 0.5) / _N_CORRELATIONS
    return np.sin(low + (high - low) * steps)


@cache
def _points():
    """Return two uniform coordinates and two normal ones of a Sobol sequence."""
    # Unscrambled, each coordinate holds 0, 1 / n, ..., (n - 1) / n once.
    points = qmc.Sobol(4, scramble=False).random_base2(_LOG2_DRAWS).T
    points = points + 0.5 / points.shape[1]
    return points[0], points[1], ndtri(points[2:])


def _whitened_products(columns, rho, variance, gaps, noise):
    """Return the products of whitened columns and the log-determinant, of each model.

    A Kalman filter, of which the deviation is the state.
    """
    signs = np.where(rho < 0, -1.0, 1.0)
    size = np.maximum(np.abs(rho), 1e-9)
    mean = np.zeros((len(rho), columns.shape[1]))
    error = variance.copy()
    products = np.zeros((len(rho), columns.shape[1], columns.shape[1]))
    log_det = np.zeros(len(rho))
    for t, row in enumerate(columns):
        total = error + noise[t]
        innovation = row - mean
        products += innovation[:, :, None] * (innovation / total[:, None])[:, None, :]
        log_det += np.log(total)
        if t == len(gaps):
            break
        gain = error / total
        mean = mean + gain[:, None] * innovation
        error = error * (1 - gain)
        carried = signs * size ** gaps[t]
        mean = carried[:, None] * mean
        error = carried**2 * error + (1 - carried**2) * variance
    return products, log_det
