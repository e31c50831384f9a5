"""Ratio of two totals over the pool, with its standard error."""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri
from scipy.stats import beta

from skrobust.sampling.core.assistance import (
    best_factor,
    predicted_rounds,
    sources_of_draws,
)
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.rate_interval import t_half_width


class TotalsRatio:
    """Estimates of ratios and means from the answered rounds of a ``design``."""

    def ratio(self, answered, above, below, pair=None):
        """Return the ``Estimate`` of a ratio of two totals, and a list of notes."""
        combine, census = self.design._combine, answered.n == answered.n_pool
        notes = [self.design._caveat] if self.design._caveat and not census else []
        if (answered.n < 2 and not census) or not below.any():
            notes.append("Nothing of this kind was drawn: nothing is estimated yet.")
            return Estimate(np.nan, np.nan, 0.0, 0.0), notes
        if census:
            value, n = above.sum() / below.sum(), float(answered.n)
            return Estimate(value, 0.0, np.inf, n), notes
        total = combine(replace(answered, y=below)).rate
        value = combine(replace(answered, y=above)).rate / total
        residual = above - value * below
        if np.abs(residual).max() <= 1e-12 * max(abs(value), 1e-300) * abs(total):
            return Estimate(value, 0.0, answered.n - 1.0, 0.0), notes
        plain = replace(combine(replace(answered, y=residual / total)), rate=value)
        if pair is not None:
            rarer = min((residual > 0).sum(), (residual < 0).sum())
            rest = pair[0].minus(value, pair[1]).over(answered, residual)
            factor = best_factor(combine, rest, int(rarer))
            return self._assisted(answered, above, below, pair, factor, plain), notes
        return plain, notes

    def _assisted(self, answered, above, below, pair, factor, plain):
        """Return the ratio of two corrected predictions, times a factor."""
        combine = self.design._combine
        total = combine(pair[1].over(answered, below, factor)).rate
        if not (factor > 0 and total > 0):
            return plain
        value = combine(pair[0].over(answered, above, factor)).rate / total
        rest, residual = pair[0].minus(value, pair[1]), above - value * below
        found = combine(rest.over(answered, residual / total, factor / total))
        return replace(found, rate=value)

    def mean(self, answered, y, pair=None):
        """Return the ``Estimate`` of the pool mean of numbers y."""
        combine = self.design._combine
        if pair is None:
            return combine(replace(answered, y=y))
        middle = combine(replace(answered, y=y)).rate
        rarer = min((y > middle).sum(), (y < middle).sum())
        factor = best_factor(combine, pair[0].over(answered, y), int(rarer))
        return combine(pair[0].over(answered, y, factor))

    def failures_in(self, answered, part):
        """Return the same for the accuracy in a part whose size is known."""
        share, design, inside = part.mean(), self.design, part[answered.ids]
        y = answered.y * inside
        if answered.n < 2 or answered.n == answered.n_pool:
            return self.ratio(answered, inside - y, inside)
        sources = sources_of_draws(design, answered)
        of_part = predicted_rounds(answered, sources, lambda failure: failure * part)
        found = design._combine(of_part.over(answered, y))
        rate, std_error = 1 - found.rate / share, found.std_error / share
        return replace(found, rate=rate, std_error=std_error), []


def proportion_ends(value, std_error, df, tail):
    r"""Return the ends of a proportion from its standard error.

    Those of Clopper and Pearson for :math:`n^* = p (1 - p) / s^2` labels, times
    :math:`(z / t)^2` for the degrees of freedom of s (Korn and Graubard 1998). A t
    interval is symmetric, and covers too rarely near 0 and 1.
    """
    if 1 - tail == 1:  # of a confidence that rounds to 1
        return 0.0, 1.0
    n = value * (1 - value) / std_error**2
    if tail < 0.5:  # else of a confidence that rounds to 0
        n *= (ndtri(1 - tail) / t_half_width(1.0, df, 1 - tail)) ** 2
    hits = value * n
    low = beta.ppf(tail, hits, n - hits + 1)
    return float(low), float(beta.isf(tail, hits + 1, n - hits))
