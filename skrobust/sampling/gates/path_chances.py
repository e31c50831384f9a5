"""Bounds of a sequential test, and the exact chances of its paths."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy
from scipy.stats import binom, hypergeom

NEGLIGIBLE = 1e-12  # chance of paths that are still open


@dataclass(frozen=True)
class TwoRates:
    """A bad and a good failure rate: of a pool in inputs, else in shares.

    Parameters
    ----------
    n_pool : int or None
        Size of the pool; None for independent draws.
    bad, good : float
        Failures in the pool (integers), or failure rates; ``good < bad``.
    """

    n_pool: int | None
    bad: float
    good: float

    def log_ratio(self, n, f):
        r"""Return the log likelihood of good less that of bad, of f failures in n.

        In a pool, of draws without replacement,

        .. math:: \log \frac{(K_1)_f (N - K_1)_{n-f}}{(K_0)_f (N - K_0)_{n-f}}

        with falling factorials; the order of the draws cancels.
        """
        good, bad = self.good, self.bad
        if self.n_pool is None:
            right = xlog1py(n - f, -good) - xlog1py(n - f, -bad)
            return xlogy(f, good) - xlogy(f, bad) + right
        n_right_good, n_right_bad = self.n_pool - good, self.n_pool - bad
        ratio = _log_falling(good, f) - _log_falling(bad, f)
        ratio += _log_falling(n_right_good, n - f) - _log_falling(n_right_bad, n - f)
        # Where neither can be, more are right than bad allows, or less than good does.
        ratio = np.where(f > good, -np.inf, ratio)
        return np.where((n - f > n_right_bad) & (f < bad), np.inf, ratio)

    def chance_of_failure(self, failures, n, f):
        """Return the chance that the draw after n with f failures is a failure."""
        if self.n_pool is None:
            return np.full(len(f), float(failures))
        return np.clip((failures - f) / (self.n_pool - n), 0, 1)

    def fewest(self, alpha, beta):
        """Return n and c of the smallest test of fixed size with the same errors.

        None where it takes more labels than 64 bits count exactly.
        """
        n = 1
        step = 1
        while not self._fits(n, alpha, beta):  # doubling, then one by one
            n, step = n + step, 2 * step
            if n > 2**53:
                return None
        low = max(n - step, 0)
        while n - low > 1:
            middle = (low + n) // 2
            if self._fits(middle, alpha, beta):
                n = middle
            else:
                low = middle
        # Rounding makes it jump: smaller sizes may fit, too.
        n = next(k for k in range(max(1, n - 60), n + 1) if self._fits(k, alpha, beta))
        return n, self._cutoff(n, alpha)

    def _cutoff(self, n, alpha):
        """Return the most failures among n that bad shows with chance up to alpha."""
        c = int(self._of(self.bad, n).ppf(alpha))
        return c if self._of(self.bad, n).cdf(c) <= alpha else c - 1

    def _fits(self, n, alpha, beta):
        if self.n_pool is not None and n >= self.n_pool:
            return True
        c = self._cutoff(n, alpha)
        return c >= 0 and self._of(self.good, n).sf(c) <= beta

    def _of(self, failures, n):
        if self.n_pool is None:
            return binom(n, failures)
        return hypergeom(self.n_pool, int(failures), n)


@dataclass(frozen=True, eq=False)
class Bounds:
    """After n labels: pass with at most ``passes[n]`` failures, fail with ``fails[n]``.

    -1 and n + 1 stand for "not yet".
    """

    passes: np.ndarray
    fails: np.ndarray


def ratio_bounds(rates, to_pass, to_fail, n_most):
    """Return the bounds at which the log likelihood ratio reaches either goal.

    Parameters
    ----------
    rates : TwoRates
        Good and bad.
    to_pass, to_fail : float
        Pass at ``log_ratio >= to_pass``, fail at ``log_ratio <= -to_fail``.
    n_most : int
        Most labels.
    """
    n = np.arange(n_most + 1)
    low, high = np.full(n_most + 1, -1), n + 1  # the ratio falls with the failures
    fails = _first(lambda f: rates.log_ratio(n, f) <= -to_fail, low, high)
    beyond = _first(lambda f: rates.log_ratio(n, f) < to_pass, low, high)
    return Bounds(beyond - 1, fails)


def path_chances(rates, bounds, failures):
    """Return the chance to pass, and that of a decision at each number of labels.

    Parameters
    ----------
    rates : TwoRates
        Of the pool.
    bounds : Bounds
        Of the test.
    failures : float
        The true number of failures, or their rate.

    Returns
    -------
    passed, failed : ndarray of shape (n_most + 1,)
        Chance to pass and to fail after exactly n labels: summed over all paths, by
        dynamic programming over the number of failures.
    """
    n_most = len(bounds.passes) - 1
    passed, failed = np.zeros(n_most + 1), np.zeros(n_most + 1)
    first, open_paths = 0, np.ones(1)  # of first, first + 1, ... failures
    for n in range(n_most):
        f = np.arange(first, first + len(open_paths))
        to_failure = open_paths * rates.chance_of_failure(failures, n, f)
        paths = np.append(open_paths - to_failure, 0.0)
        paths[1:] += to_failure
        low = max(int(bounds.passes[n + 1]) + 1 - first, 0)
        high = max(int(bounds.fails[n + 1]) - first, 0)
        passed[n + 1], failed[n + 1] = paths[:low].sum(), paths[high:].sum()
        open_paths, first = paths[low:high], first + low
        if not open_paths.sum() > NEGLIGIBLE:
            break
    return passed, failed


def _first(holds, low, high):
    """Return the first integers above low for which it holds; high where none does."""
    low, high = low.copy(), high.copy()
    while (high - low > 1).any():
        middle = (low + high) // 2
        true = holds(middle)
        high = np.where((high - low > 1) & true, middle, high)
        low = np.where((high - low > 1) & ~true, middle, low)
    return high


def _log_falling(count, k):
    """Return log of count (count - 1) ... over k factors, where k <= count."""
    return gammaln(count + 1.0) - gammaln(np.maximum(count - k, 0) + 1.0)
