"""What samplers that draw in proportion to scores share."""

import numpy as np

from skrobust._validation import check_number
from skrobust.sampling._designs import mixed_weights
from skrobust.sampling.core.base import BaseSampler


class FloorMixin:
    """The part of a sampler that mixes a uniform part into its probabilities.

    ``_start`` sets ``_n_unreachable``, how many inputs can only be drawn last.
    """

    def _interval(self, answered, estimate, **options):
        low, high, name, notes = super()._interval(answered, estimate, **options)
        if self._n_unreachable:
            notes = [
                f"{self._n_unreachable} inputs have no weight and are drawn last: the "
                "estimate is biased if some of them fail; with a floor above 0 it is "
                "not.",
                *notes,
            ]
        return low, high, name, notes

    def _plan_draws(self):
        q = self._probabilities(np.zeros(self.n_pool_, dtype=bool))
        return np.where(q > 0, q, np.inf)

    def _check_parameters(self):
        super()._check_parameters()
        check_number(self.floor, "floor", type(self).__name__, low=0, high=1)


class WeightedSampler(FloorMixin, BaseSampler):
    """Draws inputs in proportion to their scores, mixed with a uniform part."""

    def _start(self):
        self._p = mixed_weights(self.scores_, self.floor)
        self._n_unreachable = int((self._p == 0).sum())

    def _probabilities(self, taken):
        weights = np.where(taken, 0.0, self._p)
        if not weights.any():
            weights = (~taken).astype(np.float64)
        return weights / weights.sum()
