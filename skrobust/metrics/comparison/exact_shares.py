"""Exact limits and p-values of the difference of two paired shares."""

from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc, gammaln, xlog1py, xlogy
from scipy.stats import beta, binom

_EXCLUDED = 1e-5  # error of the set of second shares that is searched
_ORDER = 1.645  # quantile of the limit that orders the tables
_GRID = np.linspace(0.0, 1.0, 65)


class PairedShares:
    """Unconditional exact evidence about the difference of two paired shares.

    The counts of discordant pairs are multinomial. Tables are ordered by the lower
    limit of Bonett and Price; the p-value is the largest probability of a table that
    lies at least as high, over all second shares of discordant pairs that the data do
    not exclude (Berger and Boos). Limits invert the p-value (Buehler), so that both
    agree and their error is at most the stated one for every sample size.
    """

    def __init__(self, first, second):
        self.n = len(first)
        self.only_first = int(np.sum(first & ~second))
        self.only_second = int(np.sum(second & ~first))

    @cached_property
    def _up(self):
        return _Tables(self.only_first, self.only_second, self.n)

    @cached_property
    def _down(self):
        return _Tables(self.only_second, self.only_first, self.n)

    def p_at_most(self, bound):
        """Return the p-value against a difference of at most ``bound``."""
        return self._up.p_value(bound)

    def p_at_least(self, bound):
        """Return the p-value against a difference of at least ``bound``."""
        return self._down.p_value(-bound)

    def limits(self, error):
        """Return the lower and the upper limit, each with this error."""
        return self._up.lower_limit(error), -self._down.lower_limit(error)


class _Tables:
    """The tables whose difference is ordered at least as high as the one seen."""

    def __init__(self, up, down, n):
        tail = _EXCLUDED / 2
        low = beta.ppf(tail, down, n - down + 1) if down else 0.0
        high = beta.isf(tail, down + 1, n - down) if down < n else 1.0
        self.n, self.low, self.high = n, float(low), float(high)
        first, last = binom.isf([1 - 1e-12, 1e-12], n, [self.low, self.high])
        self.down = np.arange(max(0, int(first)), min(n, int(last)) + 1)
        self.up = self._smallest(_order(up, down, n))

    def _smallest(self, seen):
        """Return the smallest first count that is ordered as high, by second count."""
        left, right = np.zeros_like(self.down), self.n - self.down + 1
        while np.any(left < right):
            middle = (left + right) // 2
            reached = _order(middle, self.down, self.n) >= seen - 1e-12
            right = np.where(reached, middle, right)
            left = np.where(reached | (left >= right), left, middle + 1)
        return left

    def p_value(self, bound):
        """Return the p-value against a difference of at most ``bound``."""
        low = max(self.low, -bound)
        if low > self.high:
            return _EXCLUDED
        # The first share is the largest that the null allows beside the second one.
        q = (low + (self.high - low) * _GRID)[:, None]
        chance = np.clip((q + bound) / np.maximum(1 - q, 1e-300), 0.0, 1.0)
        n, c, b = self.n, self.down, self.up
        log = gammaln(n + 1) - gammaln(c + 1) - gammaln(n - c + 1)
        weight = np.exp(log + xlogy(c, q) + xlog1py(n - c, -q))
        # P(B >= b) of a binomial variable of n - c trials.
        rest = np.maximum(n - c - b + 1, 1)
        tail = betainc(np.maximum(b, 1), rest, chance)
        tail = np.where(b > n - c, 0.0, np.where(b == 0, 1.0, tail))
        return min(1.0, float((weight * tail).sum(axis=1).max()) + _EXCLUDED)

    def lower_limit(self, error):
        """Return the largest difference that is excluded with this error."""
        if self.p_value(-1 + 1e-9) > error:
            return -1.0
        return float(brentq(lambda d: self.p_value(d) - error, -1 + 1e-9, 1.0))


def _order(up, down, n):
    """Return the lower limit of Bonett and Price, which orders the tables."""
    a, b = (up + 1) / (n + 2), (down + 1) / (n + 2)
    spread = np.maximum(a + b - (a - b) ** 2, 0.0)
    return a - b - _ORDER * np.sqrt(spread / (n + 2))
