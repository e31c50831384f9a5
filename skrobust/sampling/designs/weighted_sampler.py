"""Draws in proportion to scores, mixed with a uniform part."""

import numpy as np

from skrobust._parameters import Number
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.designs.fixed_size import mixed_weights


class FloorMixin:
    """Parameter ``floor`` of a sampler: the uniform part of its probabilities.

    ``_start`` sets ``_n_unreachable``, how many inputs can only be drawn last.
    """

    _parameter_rules = {"floor": Number(low=0, high=1)}

    @classmethod
    def _get_test_params(cls):
        return [{}, {"floor": 0.3}]

    def _interval(self, answered, estimate, query):
        bounds = super()._interval(answered, estimate, query)
        if not self._n_unreachable:
            return bounds
        note = (
            f"{self._n_unreachable} inputs have no weight and are drawn last: the "
            "estimate is biased if some of them fail; with a floor above 0 it is not."
        )
        return bounds._replace(notes=[note, *bounds.notes])

    def _plan_draws(self):
        q = self._probabilities(np.zeros(self.n_pool_, dtype=bool))
        return np.where(q > 0, q, np.inf)


class WeightedSampler(FloorMixin, BaseSampler):
    """Base class of samplers that draw in proportion to mixed scores."""

    def _start(self):
        self._p = mixed_weights(self.scores_, self.floor)
        self._n_unreachable = int((self._p == 0).sum())

    def _probabilities(self, taken):
        weights = np.where(taken, 0.0, self._p)
        if not weights.any():
            weights = (~taken).astype(np.float64)
        return weights / weights.sum()
