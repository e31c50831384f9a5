"""Draws inside strata and of strata."""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from skrobust._parameters import Choice, Count
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.draws import first_where, pick
from skrobust.sampling.core.rate_interval import Bounds
from skrobust.sampling.designs.fixed_size import stratified_sample
from skrobust.sampling.designs.partitions import (
    kmeans_strata,
    merge_strata,
    quantile_strata,
)
from skrobust.sampling.designs.variances import silent_variance, stratified_variance

STRATA = {"kmeans": kmeans_strata, "quantile": quantile_strata}
BIASED = (
    "This is the published estimate, which is biased; its authors give no variance, so "
    "only counts bound the accuracy."
)
SILENT = (
    "In some strata all labels agree; the interval is widened by the variance that "
    "they may hide (Laplace's rule)."
)


class StrataSampler(BaseSampler):
    """Base class of samplers that cut the pool into strata along the scores."""

    _parameter_rules = {"n_strata": Count(), "strata": Choice(*STRATA)}

    def __init__(self, estimator=None, *, n_strata=10, strata="kmeans", **shared):
        super().__init__(estimator, **shared)
        self.n_strata = n_strata
        self.strata = strata

    @classmethod
    def _get_test_params(cls):
        return [{}, {"n_strata": 3, "strata": "quantile"}]

    def _start(self):
        self.strata_ = STRATA[self.strata](self.scores_, self.n_strata)


class StratifiedRounds(BaseSampler):
    """Base class of stratified samplers; ``_start`` sets ``strata_``.

    Each round is drawn uniformly inside strata. A subclass writes
    ``_counts(sizes, parts, scores, labels, n, free)``, the allocation of n labels to
    the strata of the units that are still free.
    """

    _sequential = False
    _methods = ("default", "t", "anytime")
    _widened = False

    def _draw(self, n):
        free = np.flatnonzero(self._unasked)
        labels, counts, sizes = self._allocation(free, n)
        picked = stratified_sample(labels, counts, self._rng.random(len(free)))
        pi = counts / sizes
        self._draws.floors.extend([pi.min() / n] * n)
        return free[picked], pi[labels[picked]], {"counts": counts.tolist()}

    def _allocation(self, free, n):
        """Return strata of the free units, labels for each, and their sizes."""
        # Halved until none is above 1, without a rounding: squares may overflow.
        exponent = np.frexp(max(float(self.scores_.max()), 1.0))[1]
        scores = np.ldexp(self.scores_[free], -exponent)
        labels, parts = merge_strata(self.strata_[free], scores, max(n // 2, 1))
        sizes = np.bincount(labels)
        return labels, self._counts(sizes, parts, scores, labels, n, free), sizes

    def _plan(self, half_width, confidence, expected_accuracy, caller):
        p, assumption = self._assumed(expected_accuracy, caller)
        wanted = (half_width / ndtri((1 + confidence) / 2)) ** 2

        def enough(n):
            return self._expected_variance(p, n) <= wanted

        return first_where(enough, 2, self.n_pool_), assumption

    def _expected_variance(self, p, n):
        """Return the variance of n labels if inputs failed with probability p."""
        labels, counts, sizes = self._allocation(np.arange(self.n_pool_), n)
        rate = np.bincount(labels, p) / sizes
        spread = rate * (1 - rate)
        return float((sizes * (sizes / counts - 1) * spread).sum() / self.n_pool_**2)

    def _round_variance(self, residuals, pi, design):
        variance, df = stratified_variance(residuals, pi, design["counts"])
        return variance / self.n_pool_**2, df

    def _interval(self, answered, estimate, query):
        if query.method == "default" and estimate.std_error > 0:
            silent = self._silent_variance(answered, estimate.weights)
            if silent > 0:
                wider = float(np.sqrt(estimate.std_error**2 + silent))
                estimate = replace(estimate, std_error=wider)
                low, high, _, notes = super()._interval(answered, estimate, query)
                return Bounds(low, high, "t, widened", [SILENT, *notes])
        return super()._interval(answered, estimate, query)

    def _silent_variance(self, answered, weights):
        """Return the variance that strata whose labels all agree may hide."""
        rounds = zip(answered.starts, answered.ends, strict=True)
        designs = (answered.designs[t] for t in range(len(answered.ends)))
        parts = [
            silent_variance(answered.y[i:j], answered.pi[i:j], design["counts"])
            for (i, j), design in zip(rounds, designs, strict=True)
        ]
        return float(weights**2 @ parts / self.n_pool_**2)


class OneByStratum(StrataSampler):
    """Base class of samplers that draw a stratum, then one of its free units.

    A subclass writes ``_weights_now(left)``; the unit is drawn uniformly.
    """

    def _start(self):
        super()._start()
        self._sizes = np.bincount(self.strata_)
        keys = self._rng.random(self.n_pool_)
        self._order = np.lexsort((keys, self.strata_))
        self._ends = np.cumsum(self._sizes)
        self._left = self._sizes.copy()

    def _counts_by_stratum(self, ids, outcomes):
        """Return the number of answers and the sum of outcomes in each stratum."""
        strata, n_strata = self.strata_[ids], len(self._sizes)
        drawn = np.bincount(strata, minlength=n_strata)
        return drawn, np.bincount(strata, outcomes, minlength=n_strata)

    def _stratum_probabilities(self, left, weights):
        """Return the probability of each stratum at the next draw."""
        chance = np.where(left > 0, weights, 0.0)
        if not chance.sum() > 0:  # what is left has no weight
            chance = left.astype(np.float64)
        return chance / chance.sum()

    def _weights_now(self, left):
        """Return the weights of the strata, given how many of each are left."""
        raise NotImplementedError("Write _weights_now(left).")

    def _probabilities(self, taken):
        left = np.bincount(self.strata_[~taken], minlength=len(self._sizes))
        chance = self._stratum_probabilities(left, self._weights_now(left))
        return np.where(taken, 0.0, (chance / np.maximum(left, 1))[self.strata_])

    def _draw(self, n):
        ids, q, floors = np.empty(n, dtype=np.intp), np.empty(n), np.empty(n)
        for step, uniform in enumerate(self._rng.random(n)):
            left = self._left
            chance = self._stratum_probabilities(left, self._weights_now(left))
            h = pick(chance, uniform)
            each = chance[left > 0] / left[left > 0]
            ids[step] = self._order[self._ends[h] - left[h]]
            q[step], floors[step] = chance[h] / left[h], each.min()
            left[h] -= 1
        self._draws.floors.extend(floors.tolist())
        return ids, q

    def _interval(self, answered, estimate, query):
        if query.estimator == "published" and query.method != "anytime":
            return Bounds(0.0, 1.0, "none", [BIASED])
        return super()._interval(answered, estimate, query)
