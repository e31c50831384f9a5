"""Confidence intervals of failure rates estimated from weighted draws."""

import numpy as np
from scipy.special import pdtri, stdtrit

FEW_RESIDUALS = 10


class IntervalMixin:
    """The part of a sampler that turns an estimate into an interval.

    A sampler whose draws all have a lowest probability says so in ``_floor``; then the
    interval also covers what rare draws could not have met.
    """

    def _interval(self, failed, rate, std_error, effective_n, confidence):
        """Return low, high (of the failure rate), the method and a list of warnings."""
        n, tail = len(failed), (1 - confidence) / 2
        if std_error == 0:
            low, high = unseen_bounds(failed, self._floor(n), self.n_pool_, tail)
            what = "mispredictions" if not failed.any() else "variation"
            note = f"No {what} seen: the interval is only what that allows."
            return low, high, "rule of three", [note]
        notes = []
        if effective_n < FEW_RESIDUALS:
            notes.append(
                f"The interval rests on {effective_n:.1f} effective residuals (fewer "
                f"than {FEW_RESIDUALS}) and may be too narrow."
            )
        half = stdtrit(n - 1, 1 - tail) * std_error
        low, high = rate - half, rate + half
        beyond, note = self._rare_bound(failed, tail)
        if beyond > high:
            return low, beyond, "t, widened", [note]
        return low, high, "t", notes

    def _rare_bound(self, failed, tail):
        """Bound the failure rate by what draws at the lowest probability can tell.

        A t interval knows nothing of mispredictions among inputs that are rarely drawn
        until it meets some. Had K of them been there, the number met would be about
        Poisson with mean K times the sum of the lowest probabilities.
        """
        floor = self._floor(len(failed))
        if not floor.any():
            return 0.0, ""
        rare = np.array(self._drawn_with[: len(failed)]) <= 2 * floor
        seen = int((failed & rare).sum())
        hidden = pdtri(seen, tail) / floor.sum()
        share = (int((failed & ~rare).sum()) + hidden) / self.n_pool_
        note = (
            f"{seen} mispredictions were met in what amounts to "
            f"{floor.sum() * self.n_pool_:.0f} uniform draws; the interval is widened "
            "by what these cannot exclude."
        )
        return min(share, 1.0), note

    def _floor(self, n):
        """Return, for each of n draws, a probability that no free input falls below."""
        return np.zeros(n)


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
