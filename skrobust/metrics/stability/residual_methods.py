"""Delta method and block bootstrap of the stability index."""

import numpy as np

from skrobust.metrics.intervals.clusters import t_quantile
from skrobust.metrics.intervals.interval import Interval


def residual_interval(scores, trend, rows, request, method, common):
    """Return the interval of the stability index from the residuals of its line.

    Parameters
    ----------
    scores : ndarray of shape (n_periods,)
        At least three scores.
    trend : Trend
        Their line.
    rows : RowNoise or None
        The sampling noise of the scores, where it is known.
    request : IntervalRequest
        Confidence, number of resamples and generator.
    method : {"delta", "blocks"}
        The method.
    common : dict
        Further fields of the interval.

    Returns
    -------
    Interval
        The interval.
    """
    n, confidence = len(scores), request.confidence
    mean, slope, residuals = trend.parts(scores)
    value = float(trend.index(scores))
    variance = float(residuals @ residuals) / (n - 2)
    noise = None if rows is None else rows.draws
    row_variance = 0.0 if noise is None else float((noise**2).mean())
    slope_half = t_quantile(confidence, n - 2) * np.sqrt(variance / trend.squares)
    warnings = _warnings(slope, slope_half, residuals, variance, row_variance)
    if method == "delta":
        spread = np.sqrt(max(variance, row_variance))
        parts = trend, value, float(slope), spread, n, confidence
        low, high, error = _delta_limits(*parts)
        method = "delta method, t"
    else:
        parts = trend, mean, slope, residuals, noise, row_variance
        draws, length = _block_draws(*parts, request.n_resamples, request.rng)
        error = float(draws.std(ddof=1))
        half = t_quantile(confidence, n / length - 2) * error
        low, high = value - half, value + half
        method = f"residual blocks of {length}, t"
    return Interval(value, low, high, error, method=method, warnings=warnings, **common)


def _delta_limits(trend, value, slope, spread, n, confidence):
    quantile = t_quantile(confidence, n - 2)
    slope_error = spread / np.sqrt(trend.squares)
    steady = spread**2 / n + (trend.scatter * spread) ** 2 / (2 * (n - 2))
    falling = trend.fall * slope_error if slope < 0 else 0.0
    error = float(np.sqrt(steady + falling**2))
    # Where the slope may have either sign min(0, slope) has no derivative: its lower
    # limit, which is exact, is there combined with those of the other two parts (Zou
    # and Donner). For a negative slope this is the delta method; the upper limit is
    # the delta method's, the wider of the two.
    lowest = min(0.0, slope - quantile * slope_error)
    reach = trend.fall * (min(0.0, slope) - lowest)
    down = np.hypot(quantile * np.sqrt(steady), reach)
    return float(value - down), float(value + quantile * error), error


def _block_draws(trend, mean, slope, residuals, noise, row_variance, n_resamples, rng):
    n = len(residuals)
    length = _block_length(residuals)
    # A line takes two degrees of freedom, and blocks vary less than the series by about
    # their share of it.
    inflated = residuals * np.sqrt(n / (n - 2 * length))
    variance = float((inflated**2).mean())
    if row_variance and variance:
        # The rows' noise is in the residuals already; it leaves them before it is
        # drawn again, each period's own.
        inflated = inflated * np.sqrt(max(0.0, 1 - row_variance / variance))
    starts = rng.integers(n, size=(n_resamples, -(-n // length)))
    places = (starts[..., None] + np.arange(length)) % n
    scores = mean + slope * trend.x
    scores = scores + inflated[places.reshape(n_resamples, -1)[:, :n]]
    if noise is not None:
        picked = rng.integers(len(noise), size=scores.shape)
        scores = scores + noise[picked, np.arange(n)]
    return trend.index(scores), length


def _block_length(residuals):
    # Carlstein's rule for a first-order autoregression; the estimated correlation is
    # too low by about (2 + 4 r) / n after a line was fitted.
    n = len(residuals)
    r = _correlation(residuals)
    r = min(0.9, r + (2 + 4 * max(r, 0.0)) / n)
    if r <= 0:
        return 1
    length = int(np.ceil((2 * r / (1 - r**2)) ** (2 / 3) * n ** (1 / 3)))
    return max(1, min(length, n // 6))


def _correlation(residuals):
    squares = float(residuals @ residuals)
    return float(residuals[1:] @ residuals[:-1]) / squares if squares > 0 else 0.0


def _warnings(slope, slope_half, residuals, variance, row_variance):
    n = len(residuals)
    warnings = []
    if n < 6:
        warnings.append(
            f"{n} periods leave {n - 2} degrees of freedom; the interval says little."
        )
    if abs(slope) < slope_half:
        warnings.append(
            "The slope is not clearly different from 0, where the index bends; it is "
            "biased downwards there."
        )
    if n >= 6 and abs(_correlation(residuals) + 2 / n) > 1.96 / np.sqrt(n):
        warnings.append(
            "Neighbouring residuals are correlated; the interval may be too narrow."
        )
    if row_variance > variance:
        warnings.append(
            "The scatter about the trend is no more than what sampling the rows gives."
        )
    return tuple(warnings)
