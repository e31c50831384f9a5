"""Confidence interval of the stability index: delta method and block bootstrap."""

import dataclasses

import numpy as np

from skrobust._validation import check_choice, check_number, check_scores, invalid
from skrobust.metrics.intervals.clusters import t_quantile
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.stability.period_rows import time_values
from skrobust.metrics.stability.period_scores import period_scores

LONG_SERIES = 30  # periods from which residual blocks can be resampled


class Trend:
    """A least-squares line through scores, and the stability index made of it."""

    def __init__(self, times, fall, scatter):
        x = times - times[0]
        self.x = x - x.mean()
        self.squares = float(self.x @ self.x)
        self.fall, self.scatter = fall, scatter

    def parts(self, scores):
        """Return mean, slope and residuals, along the last axis."""
        mean = scores.mean(axis=-1)
        slope = (scores - mean[..., None]) @ self.x / self.squares
        return mean, slope, scores - mean[..., None] - slope[..., None] * self.x

    def index(self, scores):
        """Return the stability index, along the last axis."""
        mean, slope, residuals = self.parts(scores)
        level = mean + self.fall * np.minimum(0.0, slope)
        return level - self.scatter * residuals.std(axis=-1)


def trend_interval(scores, trend, noise, request):
    """Return the interval of the stability index.

    ``noise`` holds the deviations of each period's score when its rows are resampled,
    of shape (n_draws, n_periods), or is None.
    """
    confidence, method = request.confidence, request.method
    check_choice(method, "method", request.caller, ("auto", "delta", "blocks"))
    n = len(scores)
    if method == "auto":
        method = "delta" if n < LONG_SERIES else "blocks"
    common = {"confidence": confidence, "n_units": n, "unit": "periods"}
    if n < 3:
        nan = float("nan")
        value = float(trend.index(scores)) if n == 2 else nan
        text = f"{n} periods leave no degree of freedom, so that there is no interval."
        return Interval(value, nan, nan, nan, method=method, warnings=(text,), **common)
    mean, slope, residuals = trend.parts(scores)
    value = float(trend.index(scores))
    variance = float(residuals @ residuals) / (n - 2)
    row_variance = 0.0 if noise is None else float((noise**2).mean())
    slope_half = t_quantile(confidence, n - 2) * np.sqrt(variance / trend.squares)
    warnings = _warnings(slope, slope_half, residuals, variance, row_variance)
    if method == "delta":
        spread = np.sqrt(max(variance, row_variance))
        low, high, error = _delta(trend, value, float(slope), spread, n, confidence)
        method = "delta method, t"
    else:
        parts = trend, mean, slope, residuals, noise, row_variance
        draws, length = _block_draws(*parts, request.n_resamples, request.rng)
        error = float(draws.std(ddof=1))
        half = t_quantile(confidence, n / length - 2) * error
        low, high = value - half, value + half
        method = f"residual blocks of {length}, t"
    return Interval(value, low, high, error, method=method, warnings=warnings, **common)


def _delta(trend, value, slope, spread, n, confidence):
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


def index_interval(
    data,
    request,
    *,
    falling_rate_weight=12,
    variability_weight=0.5,
    times=None,
    periods=None,
    score=None,
):
    """Return the interval of the stability index."""
    caller = request.caller
    fall = check_number(falling_rate_weight, "falling_rate_weight", caller, low=0)
    scatter = check_number(variability_weight, "variability_weight", caller, low=0)
    warnings, noise = (), None
    if periods is None:
        if request.clusters is not None or len(data) != 1:
            raise ValueError(
                f"{caller} of the stability index takes one score per period; for "
                "rows, and clusters of rows, pass periods=."
            )
        scores = check_scores(data[0], caller)
        kept = np.ones(len(scores), dtype=bool)
    else:
        arrays = tuple(np.asarray(array) for array in data)
        parts = arrays, periods, score, request.clusters, request.rng, caller
        kept, scores, noise, warnings = period_scores(*parts)
    if times is not None:
        times = time_values(times, caller)
        what, other = "one time per period", "the data have"
        check_one_each(times, len(kept), what, "times", caller, other=other)
        times = times[kept]
    else:
        times = np.arange(len(scores), dtype=np.float64)
    if len(times) > 1 and times.min() == times.max():
        raise invalid("times", caller, "times that are not all equal", float(times[0]))
    # Neighbours are neighbours in time, in whatever order the scores came.
    order = np.argsort(times, kind="stable")
    scores, times = scores[order], times[order]
    noise = None if noise is None else noise[:, order]
    interval = trend_interval(scores, Trend(times, fall, scatter), noise, request)
    return dataclasses.replace(interval, warnings=warnings + interval.warnings)
