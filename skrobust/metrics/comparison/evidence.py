"""One-sided p-values of a paired difference, and the limits that agree with them.

Each class has ``p_at_most(bound)`` and ``p_at_least(bound)``, the p-values against a
difference on that side of a bound, and ``limits(error)``: a bound is below the lower
limit where its p-value is below the error.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

SAME = 1e-12  # differences and errors below it are rounding


@dataclass(frozen=True)
class StudentT:
    """A difference with a standard error that follows Student's t."""

    difference: float
    error: float
    df: float

    def p_at_most(self, bound):
        """Return the p-value against a difference of at most ``bound``."""
        return float(stdtr(self.df, (bound - self.difference) / self.error))

    def p_at_least(self, bound):
        """Return the p-value against a difference of at least ``bound``."""
        return float(stdtr(self.df, (self.difference - bound) / self.error))

    def limits(self, error):
        """Return the lower and the upper limit, each with this error."""
        half = float(stdtrit(self.df, 1 - error)) * self.error
        return self.difference - half, self.difference + half

    def p_two_sided(self):
        """Return the p-value against no difference."""
        return 2 * float(stdtr(self.df, -abs(self.difference) / self.error))


class Resampled:
    """A difference with its bootstrap draws; the limits are symmetric."""

    def __init__(self, difference, draws):
        self.difference = float(difference)
        self.moved = np.sort(np.abs(draws - difference))

    def p_at_most(self, bound):
        """Return the p-value against a difference of at most ``bound``."""
        reach = self.difference - bound
        n = len(self.moved)
        # Equal numbers may differ by rounding after a resample.
        n_beyond = n - np.searchsorted(self.moved, abs(reach) - SAME)
        half = float(1 + n_beyond) / (n + 1) / 2
        return half if reach > 0 else 1 - half

    def p_at_least(self, bound):
        """Return the p-value against a difference of at least ``bound``."""
        return 1 - self.p_at_most(bound)

    def limits(self, error):
        """Return the lower and the upper limit, each with this error."""
        n_beyond = int(2 * error * (len(self.moved) + 1) - 1 + SAME)
        if n_beyond < 0:
            return -np.inf, np.inf
        half = float(self.moved[-1 - n_beyond])
        return self.difference - half, self.difference + half


class PosteriorDraws:
    """A difference with draws from its posterior, in one way or in several.

    Of several ways each p-value is the largest.
    """

    def __init__(self, difference, draws):
        self.difference = difference
        self.draws = np.sort(np.stack(draws), axis=1)

    def p_at_most(self, bound):
        """Return the p-value against a difference of at most ``bound``."""
        n = self.draws.shape[1]
        return float(1 + (self.draws <= bound).sum(axis=1).max()) / (n + 1)

    def p_at_least(self, bound):
        """Return the p-value against a difference of at least ``bound``."""
        n = self.draws.shape[1]
        return float(1 + (self.draws >= bound).sum(axis=1).max()) / (n + 1)

    def limits(self, error):
        """Return the lower and the upper limit, each with this error."""
        place = int(error * (self.draws.shape[1] + 1) + SAME) - 1
        if place < 0:
            return -np.inf, np.inf
        low, high = self.draws[:, place].min(), self.draws[:, -1 - place].max()
        return min(float(low), self.difference), max(float(high), self.difference)

    def p_two_sided(self):
        """Return the p-value against no difference."""
        return min(1.0, 2 * min(self.p_at_most(0.0), self.p_at_least(0.0)))


@dataclass(frozen=True)
class NoSpread:
    """A difference that each of some units shows alike.

    Of equal shares a unit that differs could have been missed: a proportion p of such
    units stays unseen with probability (1 - p) ** n. Otherwise there is no evidence.
    """

    difference: float
    n: int
    is_share: bool

    @property
    def known(self):
        """Whether there are limits."""
        return self.is_share and abs(self.difference) <= SAME

    def p_at_most(self, bound):
        """Return the p-value against a difference of at most ``bound``."""
        if not self.known:
            return np.nan
        return 1.0 if bound >= 0 else float(max(0.0, 1 + bound) ** self.n)

    def p_at_least(self, bound):
        """Return the p-value against a difference of at least ``bound``."""
        return self.p_at_most(-bound)

    def limits(self, error):
        """Return the lower and the upper limit, each with this error."""
        if not self.known:
            return np.nan, np.nan
        half = 1 - error ** (1 / self.n)
        return -half, half

    def p_two_sided(self):
        """Return the p-value against no difference: that of the signs of the units."""
        if abs(self.difference) <= SAME:
            return 1.0
        return min(1.0, 2.0 ** (1 - self.n))


def evidence_of_draws(difference, draws, n, is_share):
    """Return the evidence of each difference from its bootstrap draws."""
    return [
        Resampled(d, column) if column.std() > SAME else NoSpread(float(d), n, is_share)
        for d, column in zip(difference, draws.T, strict=True)
    ]


def evidence_of_errors(difference, error, df, n, is_share):
    """Return the evidence of each difference from its standard error."""
    return [
        StudentT(float(d), float(e), float(f))
        if e > SAME
        else NoSpread(float(d), n, is_share)
        for d, e, f in zip(*np.broadcast_arrays(difference, error, df), strict=True)
    ]
