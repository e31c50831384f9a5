"""Differences of stability indices of models over the same periods."""

import itertools

import numpy as np

from skrobust._array_checks import check_scores
from skrobust._validation import check_number, invalid
from skrobust.metrics.comparison.evidence import SAME, NoSpread, PosteriorDraws
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.stability.autoregressive_trend import TrendDraws, trend_draws
from skrobust.metrics.stability.period_rows import time_values
from skrobust.metrics.stability.trend_interval import Trend, correlation_warnings

_SURE = 0.975  # one-sided, of the sign of a slope
_SEED = 0  # the draws integrate numerically; the same data have the same limits


class PairedTrends:
    """Series of scores, one per model, over the same periods."""

    def __init__(self, models, caller, fall, scatter, times):
        fall = check_number(fall, "falling_rate_weight", caller, low=0)
        scatter = check_number(scatter, "variability_weight", caller, low=0)
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
        self.scores, self.n = scores[:, order], n
        self.trend = Trend(times[order], fall, scatter)
        self._pairs = {}

    @property
    def values(self):
        """Return the stability index of each model."""
        return self.trend.index(self.scores)

    def warnings(self):
        """Return reasons for doubt about the limits."""
        if self.n < 6:
            return (f"{self.n} periods say little about a difference of trends.",)
        pairs = itertools.combinations(range(len(self.scores)), 2)
        found = [self._draws(*pair)[0] for pair in pairs]
        found = [draws for draws in found if draws.spread.any()]
        if not found:
            return ()
        worst = max(found, key=lambda draws: float(draws.correlation.mean()))
        return correlation_warnings(worst, self.n)

    def evidence(self, first, second, *, of_means=False):
        """Return the evidence of the difference of two indices, or of mean scores.

        The difference d of the series and the part e of their mean that is not
        correlated with d are lines with autoregressive deviations, each with a
        correlation of its own, and the draws of both make those of the two indices.
        Where the sign of a slope is uncertain the index bends: the draws are also taken
        as if nothing fell, and the more doubtful ones count.
        """
        d, e, share = self._draws(first, second)
        if not d.spread.any():
            difference = float(np.diff(self.values[[second, first]])[0])
            return NoSpread(difference, self.n, False)
        if of_means:
            difference = float(np.diff(self.scores.mean(axis=1)[[second, first]])[0])
            return PosteriorDraws(difference, [d.level])
        falls, spreads = [], []
        for part in (share + 0.5, share - 0.5):
            slope = e.slope + part * d.slope
            fall = np.minimum(0.0, slope)
            bent = np.quantile(slope, 1 - _SURE) < 0 < np.quantile(slope, _SURE)
            falls.append([fall, np.zeros_like(fall)] if bent else [fall])
            spreads.append(np.hypot(e.spread, part * d.spread))
        steady = d.level - self.trend.scatter * (spreads[0] - spreads[1])
        # min(0, slope) differs as the slopes do, or less.
        ends = np.minimum(0.0, d.slope), np.maximum(0.0, d.slope)
        draws = [
            steady + self.trend.fall * np.clip(a - b, *ends)
            for a, b in itertools.product(*falls)
        ]
        return PosteriorDraws(float(self.values[first] - self.values[second]), draws)

    def _draws(self, first, second):
        """Return the draws of d and e, and the share of d in the mean of the pair."""
        if (first, second) not in self._pairs:
            a, b = self.scores[[first, second]]
            difference, mean = a - b, (a + b) / 2
            left, rest = (self.trend.parts(one)[2] for one in (difference, mean))
            squares = float(left @ left)
            share = float(left @ rest) / squares if squares > SAME**2 else 0.0
            found = self._line(difference), self._line(mean - share * difference, True)
            self._pairs[first, second] = *found, share
        return self._pairs[first, second]

    def _line(self, scores, shuffled=False):
        if self.trend.is_exact(scores):
            mean, slope, _ = self.trend.parts(scores)
            zero = np.zeros(1)
            return TrendDraws(zero + mean, zero + slope, zero, zero)
        draws = trend_draws(scores, self.trend.x)
        if not shuffled:
            return draws
        # The points of both series are the same; in another order they go together
        # with the first as independent ones do.
        order = np.random.default_rng(_SEED).permutation(len(draws.level))
        parts = draws.level, draws.slope, draws.spread, draws.correlation
        return TrendDraws(*(part[order] for part in parts))
