"""Sampling design: what a new sampler may write, with the defaults."""

from abc import ABC

import numpy as np
from sklearn.base import BaseEstimator

from skrobust._parameters import NamedOr, SharedParameters, check_parameters
from skrobust.sampling.core.draws import pick
from skrobust.sampling.core.estimates import combined_estimate, hajek_variance
from skrobust.sampling.core.label_plan import assumed_failures, draws_needed
from skrobust.sampling.core.pool import read_scores
from skrobust.sampling.core.prefitted import PrefittedMixin
from skrobust.sampling.core.rate_estimator import ESTIMATORS
from skrobust.sampling.core.rate_interval import rate_interval


class SamplingDesign(SharedParameters, PrefittedMixin, BaseEstimator, ABC):
    """Hooks of a sampler: draws, predictor, estimate, variance, interval and plan.

    When a hook is called there are ``scores_``, ``y_pred_`` and ``n_pool_``, the
    generator ``_rng``, the draws so far (``_draws``, ``_n_asked``), which inputs are
    free (``_unasked``) and the answers told (``_outcomes()``). Estimates and intervals
    depend on the answered rounds that they are given, never on the running state.
    """

    # One draw after the other; otherwise what one ask draws is one round.
    _sequential = True
    # Whether the draws depend on a suspicion of each input.
    _needs_scores = True
    _needs_confidence = False  # beside scores
    # Whether to divide by the true size of a part of the pool, or by an estimate of it.
    _known_sizes = True
    # Whether the default interval also covers what rare draws could not have met.
    _widened = True
    # Why there is no valid interval; None where there is one.
    _caveat = None
    _estimators = ESTIMATORS
    _methods = ("default", "t", "anytime", "bootstrap")
    # The interval that decides when to stop.
    _stopping = "anytime"
    _parameter_rules = {"auxiliary": NamedOr(("confidence",))}
    _added_before = "loss"

    @property
    def _is_uniform(self):
        """Whether draws are uniform, so that the exact intervals of counts hold."""
        return "wilson" in self._methods

    def _check_parameters(self):
        """Raise for bad parameters."""
        check_parameters(self)

    # Pool.

    def _suspicion(self, X, y_pred):
        """Return the scores of the pool, or None, and a list of notes."""
        caller, needed = type(self).__name__, self._needs_scores
        scores = read_scores(self.estimator, self.auxiliary, X, caller, needed=needed)
        return scores, []

    def _pool_arrays(self):
        """Return by name what draws and answers need of the pool."""
        arrays = {"scores_": self.scores_, "y_pred_": self.y_pred_}
        more = {"costs_": self.costs_, "features_": self.features_}
        # Pools without them keep their hash.
        return arrays | {name: v for name, v in more.items() if v is not None}

    # Draws.

    def _start(self):
        """Prepare the draws."""

    def _batches(self, n):
        """Return how many inputs ``sample`` asks for at a time."""
        return [n]

    def _probabilities(self, taken):
        """Return the probabilities of the next draw.

        Parameters
        ----------
        taken : ndarray of shape (n_pool,), bool
            The inputs drawn before.

        Returns
        -------
        ndarray of shape (n_pool,)
            Sums to 1; 0 where taken, and positive elsewhere, or the estimate is biased.
        """
        raise NotImplementedError("Write _probabilities(taken) or _draw(n).")

    def _draw(self, n):
        """Return n positions, their probabilities and, optionally, a design.

        One draw after the other: the probability of each draw given those before it.
        In a round (``_sequential`` is False): the inclusion probabilities; and, as a
        third value, a dictionary of plain data that ``_round_variance`` gets.
        """
        taken = ~self._unasked
        ids, drawn_with, floors = np.empty(n, dtype=np.intp), np.empty(n), np.empty(n)
        for step, uniform in enumerate(self._rng.random(n)):
            q = np.asarray(self._probabilities(taken), dtype=np.float64)
            valid = q.shape == taken.shape and (q >= 0).all() and not q[taken].any()
            if not valid or abs(q.sum() - 1) > 1e-9:
                raise ValueError(
                    f"{type(self).__name__}._probabilities must return {len(taken)} "
                    "probabilities that sum to 1 and are 0 where taken."
                )
            i = pick(q, uniform)
            floors[step] = q[~taken].min()
            ids[step], drawn_with[step], taken[i] = i, q[i], True
        self._draws.floors.extend(floors.tolist())
        return ids, drawn_with

    def _floor(self, n):
        """Return, for each of n draws, a probability that no free input falls below.

        In a round of several draws: the lowest inclusion probability over the size.
        """
        floors = self._draws.floors
        return np.array(floors)[:n] if len(floors) >= n else np.zeros(n)

    # Predictor.

    def _snapshot(self):
        """Return the predictor for the coming draws as plain data, or None.

        Called once by each ``ask``, before the draw. It learns from what was told
        before; it is stored, so that late answers cannot change it.
        """
        return None

    def _predict(self, snapshot):
        """Return the predicted failure probability of each unit."""
        raise NotImplementedError("Write _predict(snapshot) along with _snapshot().")

    # Estimate and interval.

    def _estimate(self, answered):
        """Return the default estimate, with the predictors at draw time, if any."""
        return self._combine(answered)

    def _published(self, answered):
        """Return the estimate that the authors of the design compute; m is 0."""
        return self._combine(answered)

    def _combine(self, answered, weights=None):
        """Combine rounds, weighted by their sizes unless told."""
        round_variance = None if self._sequential else self._round_variance
        return combined_estimate(answered, weights, round_variance)

    def _round_variance(self, residuals, pi, design):
        """Return variance (of z, given the past) and degrees of freedom of a round.

        Parameters
        ----------
        residuals, pi : ndarray of shape (n,)
            y - m in draw order, and inclusion probabilities.
        design : dict or None
            What ``_draw`` returned as its third value.
        """
        return hajek_variance(residuals, pi, self.n_pool_)

    def _interval(self, answered, estimate, query):
        """Return the ``Bounds`` of the failure rate for a ``RateEstimator``."""
        return rate_interval(self, answered, estimate, query)

    # Plan.

    _in_groups = False  # whether one input of each of n random groups is drawn

    def _plan(self, half_width, confidence, expected_accuracy, caller):
        """Return a number of labels and the assumption behind it."""
        p, assumption = self._assumed(expected_accuracy, caller)
        snapshot = self._snapshot()
        m = 0.0 if snapshot is None else self._predict(snapshot)
        q = self._plan_draws()
        ends = half_width, confidence
        return draws_needed(p, m, q, *ends, in_groups=self._in_groups), assumption

    def _plan_draws(self):
        """Return the probabilities, summing to 1, with which inputs are drawn."""
        return self._probabilities(np.zeros(self.n_pool_, dtype=bool))

    def _assumed(self, expected_accuracy, caller):
        """Return assumed failure probabilities and the sentence that says so."""
        return assumed_failures(
            self.scores_,
            self.n_pool_,
            expected_accuracy,
            caller,
            self._answers.of_losses,
        )
