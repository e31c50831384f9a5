"""Ratios of two weighted totals, with their errors and intervals."""

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from skrobust.sampling.core.answers import FAILED, OPEN, SKIPPED
from skrobust.sampling.core.estimate_interval import FEW_RESIDUALS, unseen_bounds
from skrobust.sampling.core.rounds import running_sum
from skrobust.sampling.core.sampling_estimate import SamplingEstimate


class ShareMixin:
    """The arithmetic of a sampler's metrics."""

    # Whether to divide by the true size of a part of the pool, or by an estimate of it.
    _known_sizes = True

    def _usable(self):
        """Return the answered rounds, and places of skipped answers among them."""
        status = self._status[self.ids_]
        answered = self._rounds.answered(status != OPEN, status == FAILED, self.n_pool_)
        return answered, np.flatnonzero(status[: answered.n] == SKIPPED)

    def _share_of(self, answered, hit, under, part, confidence):
        """Return a share; part is the denominator over the pool, where it is known."""
        n_used, tail = int(np.count_nonzero(under)), (1 - confidence) / 2
        census = answered.n == self.n_pool_
        if part is not None and self._known_sizes and n_used:
            found = self._failures_in(answered, part)
        else:
            found = self._ratio(answered, hit, under)
        value, std_error, df, n_eff, notes = found
        if np.isnan(value) or np.isnan(std_error):
            low, high = 0.0, 1.0
        elif std_error == 0 and not census:
            low, high = 0.0, 1.0
            notes = ["No variation seen: the interval is only what that allows."]
            if part is not None and n_used:
                failed = 1 - hit[under > 0]
                floor = self._floor(answered.n)
                seen = np.full(answered.n, failed[0] > 0)
                below, above = unseen_bounds(seen, floor, self.n_pool_, tail)
                hidden = (above - below) * self.n_pool_ / max(part.sum(), 1)
                low, high = (0.0, hidden) if failed[0] else (1 - hidden, 1.0)
        else:
            half = stdtrit(min(max(df, 1.0), 1e9), 1 - tail) * std_error
            low, high = value - half, value + half
        if low < high and (low >= 1 or high <= 0):
            low, high = 0.0, 1.0
            notes = ["The interval lies outside [0, 1]: it tells nothing of the share."]
        low, high = np.clip([low, high], 0, 1)
        if n_eff < FEW_RESIDUALS and not census and not notes:
            notes = [
                f"The interval rests on {n_eff:.1f} effective residuals and may be too "
                "narrow."
            ]
        return SamplingEstimate(
            float(value), (float(low), float(high)), float(std_error), n_used,
            float(n_eff), float(confidence), tuple(notes),
        )  # fmt: skip

    def _ratio(self, answered, above, below):
        """Return value, standard error, df, effective n and notes of a ratio."""
        nothing = ["Nothing of this kind was drawn: nothing is estimated yet."]
        if (answered.n < 2 and answered.n < self.n_pool_) or not below.any():
            return np.nan, np.nan, 0.0, 0.0, nothing
        if answered.n == self.n_pool_:
            return above.sum() / below.sum(), 0.0, np.inf, float(answered.n), []
        parts = [self._combine(replace(answered, y=v)) for v in (above, below)]
        value = parts[0].rate / parts[1].rate
        residual = (above - value * below) / parts[1].rate
        if np.abs(residual).max() <= 1e-12 * max(abs(value), 1e-300):
            return value, 0.0, float(answered.n - 1), 0.0, []
        error = self._combine(replace(answered, y=residual))
        return value, error.std_error, error.df, error.effective_n, []

    def _failures_in(self, answered, part):
        """Return the same for the accuracy in a part whose size is known."""
        share = part.mean()
        m, m_free = np.zeros(answered.n), np.zeros(len(answered.ends))
        row_of = np.repeat(np.arange(len(answered.ends)), answered.sizes)
        for at, snapshot in enumerate(self._rounds.snapshots):
            values, rounds = self._predict(snapshot) * part, answered.which == at
            drawn = values[answered.ids]
            m[rounds[row_of]] = drawn[rounds[row_of]]
            free = values.sum() - running_sum(drawn)[answered.starts]
            m_free[rounds] = free[rounds]
        y = answered.y * part[answered.ids]
        if answered.n < 2 or answered.n == self.n_pool_:
            return self._ratio(answered, part[answered.ids] - y, part[answered.ids])
        found = self._combine(replace(answered, y=y), m, m_free)
        return (
            1 - found.rate / share, found.std_error / share, found.df,
            found.effective_n, [],
        )  # fmt: skip
