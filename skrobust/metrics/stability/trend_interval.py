"""Confidence interval of the stability index."""

import dataclasses

import numpy as np
from scipy.special import ndtri

from skrobust._array_checks import check_scores
from skrobust._validation import check_choice, check_number, invalid
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.stability.autoregressive_trend import trend_draws
from skrobust.metrics.stability.period_rows import time_values
from skrobust.metrics.stability.period_scores import period_scores
from skrobust.metrics.stability.residual_methods import residual_interval

STRONG = 0.6  # correlation of neighbours with which an interval is much wider


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

    def is_exact(self, scores):
        """Say whether the scores lie on a line, but for rounding."""
        deviation = np.abs(self.parts(scores)[2]).max()
        return bool(deviation <= 1e-12 * max(1.0, np.abs(scores).max()))

    def index_without_noise(self, scores, noise_variance):
        """Return the index, less what the noise of each score adds to it.

        What independent noise of these variances adds to the square of the slope and to
        the mean square of the residuals is subtracted, down to 0.
        """
        mean, slope, residuals = self.parts(scores)
        shares = self.x**2 / self.squares
        of_slope = float(shares @ noise_variance) / self.squares
        left = 1 - 1 / len(scores) - shares
        of_residuals = float(left @ noise_variance) / len(scores)
        fall = np.sqrt(max(0.0, min(0.0, slope) ** 2 - of_slope))
        spread = np.sqrt(max(0.0, float((residuals**2).mean()) - of_residuals))
        return float(mean - self.fall * fall - self.scatter * spread)


@dataclasses.dataclass(frozen=True)
class RowNoise:
    """Sampling noise of scores that were computed from rows.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, n_periods)
        Deviations of each score when its rows are resampled.
    variance : ndarray of shape (n_periods,)
        Its variance, which is inverse to the number of units of a period.
    highest : float
        Greatest possible score; infinite where that is not known.
    """

    draws: np.ndarray
    variance: np.ndarray
    highest: float

    @classmethod
    def of_periods(cls, draws, sizes, data, score):
        """Pool the noise of the periods.

        A variance of its own would give a period with better scores a greater weight,
        as shares near 1 vary less.
        """
        per_unit = float((draws.var(axis=0) * sizes).mean())
        highest = np.inf
        if score is None and data.min() >= 0 and data.max() <= 1:
            highest = 1.0
            if data.min() == data.max():
                # No unit differs, and as many units may as 95 % of such samples miss.
                hidden = 1 - 0.05 ** (1 / sizes.sum())
                per_unit = hidden * (1 - hidden)
        return cls(draws, per_unit / sizes, highest)


def trend_interval(scores, trend, rows, request):
    """Return the interval of the stability index.

    ``rows`` is a :class:`RowNoise`, or None where the scores are all that is known.
    """
    confidence, method = request.confidence, request.method
    known = "auto", "autoregressive", "delta", "blocks"
    check_choice(method, "method", request.caller, known)
    if method == "auto":
        method = "autoregressive"
    n, nan = len(scores), float("nan")
    common = {"confidence": confidence, "n_units": n, "unit": "periods"}
    value = float(trend.index(scores)) if n > 1 else nan
    if n < 3:
        text = f"{n} periods leave no degree of freedom, so that there is no interval."
        return Interval(value, nan, nan, nan, method=method, warnings=(text,), **common)
    if method == "autoregressive":
        return _autoregressive(scores, trend, rows, request, common)
    return residual_interval(scores, trend, rows, request, method, common)


def _autoregressive(scores, trend, rows, request, common):
    n, confidence = len(scores), common["confidence"]
    plug_in, noise = None, None
    value = float(trend.index(scores))
    if rows is not None:
        noise, plug_in = rows.variance, value
        value = trend.index_without_noise(scores, noise)
    common |= {"method": "autoregressive trend", "plug_in": plug_in}
    if trend.is_exact(scores) and (noise is None or not noise.any()):
        nan = float("nan")
        text = (
            f"The {n} scores lie on a line and show no error, so that there is no "
            "interval; give the rows of each period with periods=."
        )
        return Interval(value, nan, nan, nan, warnings=(text,), **common)
    draws = request.once("draws", lambda: trend_draws(scores, trend.x, noise))
    index = draws.index(trend.fall, trend.scatter)
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = np.quantile(index, tails)
    if np.quantile(draws.slope, tails[1]) > 0:
        # All draws of min(0, slope) lie at or below 0, where it is if nothing falls.
        level = draws.level - trend.scatter * draws.spread
        high = max(high, np.quantile(level, tails[1]))
    low, high = min(low, value), max(high, value)
    if rows is not None:
        high = min(high, max(value, rows.highest))
    error = float((high - low) / (2 * ndtri(tails[1])))
    warnings = _doubts(draws, n, confidence)
    return Interval(value, float(low), float(high), error, warnings=warnings, **common)


def _doubts(draws, n, confidence):
    warnings = []
    if n < 6:
        warnings.append(
            f"{n} periods leave {n - 2} degrees of freedom; the interval says little."
        )
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = np.quantile(draws.slope, tails)
    if low < 0 < high:
        warnings.append(
            "The slope is not clearly different from 0, where the index bends; it is "
            "biased downwards there."
        )
    return (*warnings, *correlation_warnings(draws, n))


def correlation_warnings(draws, n):
    """Return what to doubt where periods are, or may be, strongly correlated."""
    share = float((draws.correlation > STRONG).mean())
    if share > 0.8:
        return (
            f"Neighbouring periods are correlated (by more than {STRONG} with a "
            f"probability of {share:.2f}): {n} periods tell as little as far fewer "
            "independent ones would.",
        )
    if share > 0.25:
        return (
            f"{n} periods cannot tell whether neighbours are correlated (by more than "
            f"{STRONG} with a probability of {share:.2f}), so that the interval is "
            "wide; take more periods.",
        )
    return ()


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
    warnings, rows = (), None
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
        found = request.once("periods", lambda: period_scores(*parts))
        kept, scores, noise, sizes, warnings = found
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
    if periods is not None:
        rows = RowNoise.of_periods(noise[:, order], sizes[order], arrays[0], score)
    interval = trend_interval(scores, Trend(times, fall, scatter), rows, request)
    return dataclasses.replace(interval, warnings=warnings + interval.warnings)
