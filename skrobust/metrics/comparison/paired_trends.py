"""Differences of stability indices of models over the same periods."""

import itertools

import numpy as np
from scipy.special import stdtrit

from skrobust._validation import check_number, check_scores, invalid
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.stability.period_rows import time_values


class PairedTrends:
    """Series of scores, one per model, over the same periods."""

    def __init__(self, models, caller, fall, scatter, times):
        self.fall = check_number(fall, "falling_rate_weight", caller, low=0)
        self.scatter = check_number(scatter, "variability_weight", caller, low=0)
        scores = np.stack([check_scores(one, caller) for one in models])
        n = scores.shape[1]
        if n < 4:
            rule = "scores of four or more periods"
            raise invalid("models", caller, rule, f"{n} periods")
        if times is None:
            times = np.arange(n, dtype=np.float64)
        else:
            times = time_values(times, caller)
            check_one_each(times, n, "one time per period", "times", caller)
        if times.min() == times.max():
            raise invalid("times", caller, "times that are not all equal", times[0])
        order = np.argsort(times, kind="stable")
        x = times[order] - times.min()
        self.x = x - x.mean()
        self.squares = float(self.x @ self.x)
        scores = scores[:, order]
        self.mean = scores.mean(axis=1)
        self.slope = (scores - self.mean[:, None]) @ self.x / self.squares
        line = self.mean[:, None] + self.slope[:, None] * self.x
        self.residuals = scores - line
        self.n = n
        self.df, self.basis = _smooth_basis(self.x)
        self._quantile = float(stdtrit(self.df, 0.975))

    @property
    def values(self):
        """Return the stability index of each model."""
        falling = self.fall * np.minimum(0.0, self.slope)
        return self.mean + falling - self.scatter * self.residuals.std(axis=1)

    def warnings(self):
        """Return reasons for doubt about the limits."""
        if self.n < 6:
            return (f"{self.n} periods say little about a difference of trends.",)
        gaps = self.residuals[:, None] - self.residuals[None]
        squares = (gaps**2).sum(axis=2)
        products = (gaps[..., 1:] * gaps[..., :-1]).sum(axis=2)
        r = float((products / np.where(squares > 1e-20, squares, np.inf)).max())
        if r + (2 + 4 * max(r, 0.0)) / self.n > 0.7:
            return (
                "Neighbouring differences are strongly correlated; the intervals may "
                "be too narrow.",
            )
        return ()

    def error(self, first, second):
        """Return the standard error of the difference of two indices.

        The variance of the mean and of the slope follows from the slow components of
        the paired residuals, so that autocorrelation is part of it. Where the sign of a
        slope is uncertain, the index bends: the larger error counts.
        """
        pair = self.residuals[[first, second]]
        level = self._slow(pair[0] - pair[1]) / self.n
        reach = abs(self.slope[first] - self.slope[second])
        trend = 0.0
        for a, b in itertools.product(*(self._signs(one) for one in (first, second))):
            error = np.sqrt(self._slow(a * pair[0] - b * pair[1]) / self.squares)
            if a != b:
                # Whatever the signs, the two parts differ by no more than the slopes.
                joint = np.sqrt(self._slow(pair[0] - pair[1]) / self.squares)
                error = min(error, joint + reach / self._quantile)
            trend = max(trend, error)
        sd = pair.std(axis=1)[:, None]
        parts = pair**2 / np.maximum(2 * sd, 1e-300)
        scatter = float((parts[0] - parts[1]).var()) / (self.n - 2)
        variance = level + (self.fall * trend) ** 2
        return float(np.sqrt(variance + self.scatter**2 * scatter))

    def _signs(self, model):
        """Return 1 for a falling series, 0 for a rising one, both when uncertain."""
        error = np.sqrt(self._slow(self.residuals[model]) / self.squares)
        slope = self.slope[model]
        return [int(slope < 0)] if abs(slope) > self._quantile * error else [0, 1]

    def _slow(self, series):
        """Return the long-run variance from the slow components of a series."""
        return float(((self.basis @ series) ** 2).mean())


def _smooth_basis(x):
    """Return the number and the values of smooth components orthogonal to a line."""
    n = len(x)
    df = min(n - 2, max(3, round(0.41 * n ** (2 / 3))))
    grid = np.linspace(-1, 1, n)
    powers = np.polynomial.legendre.legvander(grid, df + 1)
    powers[:, 1] = x / np.abs(x).max()
    return df, np.linalg.qr(powers)[0][:, 2:].T
