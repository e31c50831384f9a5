"""Confidence intervals of failure rates estimated from weighted draws."""

import numpy as np
from scipy.special import pdtri, stdtrit

from skrobust._validation import check_choice
from skrobust.sampling.core.anytime import betting_interval
from skrobust.sampling.core.estimates import z_values
from skrobust.sampling.core.rounds import running_sum

FEW_RESIDUALS = 10
METHODS = ("default", "t", "hypergeometric", "wilson", "anytime", "bootstrap")
RESAMPLES = 2000


class IntervalMixin:
    """The part of a sampler that turns an estimate into an interval.

    A sampler whose draws all have a lowest probability says so in ``_floor``; then its
    default interval also covers what rare draws could not have met (unless
    ``_widened`` is False), and there is an anytime interval.
    """

    _methods = ("default", "t", "anytime", "bootstrap")
    _widened = True

    def _check_method(self, method, estimator, caller):
        check_choice(method, "method", caller, METHODS)
        if method not in self._methods:
            raise ValueError(
                f"{caller}: method={method!r} is not valid for the draws of "
                f"{type(self).__name__}; these are: "
                f"{', '.join(repr(name) for name in self._methods)}."
            )
        plain = estimator in ("default", "published")
        if method in ("hypergeometric", "wilson") and not plain:
            raise ValueError(
                f"{caller}: method={method!r} is an interval of the plain mean; with "
                f"estimator={estimator!r} use 't', 'anytime' or 'bootstrap'."
            )
        if method == "anytime" and estimator in ("lure", "ppi"):
            raise ValueError(
                f"{caller}: method='anytime' needs an estimate that looks at the past "
                f"alone; estimator={estimator!r} does not: use 'default' or "
                "'difference'."
            )

    def _interval(self, answered, estimate, *, method, estimator, predicted, level):
        """Return low, high (of the failure rate), the method and a list of notes."""
        if method == "anytime":
            return self._anytime(answered, predicted, level)
        tail = (1 - level) / 2
        if estimate.std_error == 0:
            return self._unvaried(answered, tail)
        if np.isnan(estimate.std_error):
            note = (
                "One round alone does not tell its error: only counts bound the rate."
            )
            return 0.0, 1.0, "none", [note]
        notes = []
        if estimate.effective_n < FEW_RESIDUALS:
            notes.append(
                f"The interval rests on {estimate.effective_n:.1f} effective residuals "
                f"(fewer than {FEW_RESIDUALS}) and may be too narrow."
            )
        if method == "bootstrap":
            return *self._bootstrap(answered, estimate, predicted, tail), method, notes
        half = stdtrit(min(max(estimate.df, 1.0), 1e9), 1 - tail) * estimate.std_error
        low, high = estimate.rate - half, estimate.rate + half
        if method == "default" and not 0 < answered.y.sum() < answered.n:
            # Residuals may vary, but the outcomes do not: none of the other kind at
            # all is what the answers say loudest.
            least, most, _, more = self._unvaried(answered, tail)
            return min(low, least), max(high, most), "t, widened", [*notes, *more]
        if method == "default" and self._widened:
            beyond, note = self._rare_bound(answered, tail, estimator)
            if beyond > high:
                return low, beyond, "t, widened", [note]
        return low, high, "t", notes

    def _unvaried(self, answered, tail):
        failed = answered.y > 0
        floor = self._floor(answered.n)
        low, high = unseen_bounds(failed, floor, self.n_pool_, tail)
        what = "mispredictions" if not failed.any() else "variation"
        note = f"No {what} seen: the interval is only what that allows."
        return low, high, "rule of three", [note]

    def _rare_bound(self, answered, tail, estimator):
        """Bound the failure rate by what draws at the lowest probability can tell.

        A t interval knows nothing of mispredictions among inputs that are rarely drawn
        until it meets some. Had K of them been there, the number met would be about
        Poisson with mean K times the sum of the lowest probabilities. Where predictions
        enter the estimate the bound counts only while few were met: with more of them
        the t interval is the better informed one.
        """
        floor, failed = self._floor(answered.n), answered.y > 0
        if not floor.any():
            return 0.0, ""
        # The floor is of one draw, pi of a round.
        rare = answered.pi <= 2 * floor * np.repeat(answered.sizes, answered.sizes)
        seen = int((failed & rare).sum())
        if estimator in ("difference", "ppi") and seen >= FEW_RESIDUALS:
            return 0.0, ""
        hidden = pdtri(seen, tail) / floor.sum()
        share = (int((failed & ~rare).sum()) + hidden) / self.n_pool_
        met = "1 misprediction was" if seen == 1 else f"{seen} mispredictions were"
        note = (
            f"{met} met in what amounts to "
            f"{floor.sum() * self.n_pool_:.0f} uniform draws; the interval is widened "
            "by what these cannot exclude."
        )
        return min(share, 1.0), note

    def _anytime(self, answered, predicted, level):
        floor = self._floor(answered.n)
        if not (floor > 0).all():
            raise ValueError(
                f"{type(self).__name__}.result: method='anytime' needs draws with a "
                "lowest probability above 0 for every free input, and these have none."
            )
        m, m_free, span = predicted
        z = z_values(answered, m=m, m_free=m_free)
        starts, n_pool = answered.starts, self.n_pool_
        known = running_sum(answered.y)[starts] + m_free
        reach = 1 / np.minimum.reduceat(floor, starts)  # how far one z can go
        least = (known - np.maximum(span[:, 1], 0) * reach) / n_pool
        most = (known + (1 - np.minimum(span[:, 0], 1)) * reach) / n_pool
        low, high = betting_interval(z, least, most, level)
        low, high = min(low, high), max(low, high)
        return low, high, "anytime", []

    def _bootstrap(self, answered, estimate, predicted, tail):
        """Return the percentile interval of resampled residuals.

        Rounds of one unit resample the z, larger ones the expanded residuals within
        each round. The seed is fixed by the draws, so the same answers give the same
        interval. Finite pools are not corrected for.
        """
        if estimate.z is None:
            raise ValueError(
                f"{type(self).__name__}.result: method='bootstrap' needs an estimate "
                "made of one value a round, and this one is not."
            )
        rng = np.random.default_rng(answered.ids.tolist())
        apart = self._sequential or len(estimate.z) == answered.n
        if apart or (answered.sizes == 1).any():  # one unit has no spread
            parts = [(estimate.weights * len(estimate.z), estimate.z)]
        else:
            e = (answered.y - predicted[0]) / answered.pi
            weights = estimate.weights * answered.sizes / answered.n_pool
            rounds = zip(weights, answered.starts, answered.ends, strict=True)
            parts = [(weight, e[i:j]) for weight, i, j in rounds]
        moved = np.zeros(RESAMPLES)
        for weight, value in parts:
            deviation = weight * (value - value.mean())
            step = max(1, 2_000_000 // len(value))
            for first in range(0, RESAMPLES, step):
                rows = min(step, RESAMPLES - first)
                pick = rng.integers(len(value), size=(rows, len(value)))
                moved[first : first + rows] += deviation[pick].mean(axis=1)
        low, high = np.quantile(estimate.rate + moved, [tail, 1 - tail])
        return float(low), float(high)

    def _floor(self, n):
        """Return, for each of n draws, a probability that no free input falls below.

        In a round of several draws: the lowest inclusion probability over the size.
        """
        return np.array(self._least)[:n] if len(self._least) >= n else np.zeros(n)


def unseen_bounds(failed, floor, n_pool, tail):
    """Bound the failure rate when all n outcomes agree.

    Had K inputs the other outcome, each draw would have met one with probability at
    least K * floor; K is the largest number for which n misses keep a chance of more
    than ``tail``.
    """
    n, n_failed = len(failed), int(np.sum(failed))
    if 0 < n_failed < n:
        return 0.0, 1.0
    least, most = 0, n_pool - n
    while least < most:
        middle = (least + most + 1) // 2
        if np.prod(np.clip(1 - middle * floor, 0, 1)) > tail:
            least = middle
        else:
            most = middle - 1
    share = least / n_pool
    return (0.0, share) if n_failed == 0 else (1 - share, 1.0)
