"""Which estimators a sampler offers, and how each combines its rounds."""

import numpy as np

from skrobust._validation import check_choice, check_scores, invalid
from skrobust.sampling.core.estimates import (
    between_estimate,
    hajek_variance,
    lure_weights,
    size_of,
    size_weights,
    sums_of_free,
    within_estimate,
    z_values,
)

ESTIMATORS = ("default", "published", "difference", "lure", "ppi")
SHRINKAGE = 5  # answers of the rarer kind at which PPI++ trusts its lambda by half


class EstimateMixin:
    """The part of a sampler that turns answered rounds into an estimate.

    A sampler may write ``_estimate`` (its default), ``_published`` (what its authors
    compute), ``_combine`` (one formula for all), or ``_round_variance`` (of a round of
    several units), and leaves out of ``_estimators`` what is not valid for its draws.
    """

    # One unit a round; otherwise what one ask draws is one round.
    _sequential = True
    _estimators = ESTIMATORS

    def _estimate(self, answered):
        """Return the default: the predictors in force at draw time, if any."""
        return self._combine(answered, answered.m, answered.m_free)

    def _published(self, answered):
        """Return the estimate that the authors of the design compute."""
        return self._combine(answered)

    def _combine(self, answered, m=None, m_free=None, weights=None):
        """Combine rounds with predictions m, weighted by their sizes unless told."""
        weights = size_weights(answered) if weights is None else weights
        if m is not None and not (m.any() or np.any(m_free)):
            m = m_free = None
        z = z_values(answered, m=m, m_free=m_free)
        if self._sequential:
            return between_estimate(z, weights, size_of(answered.y, m))
        residuals = answered.y if m is None else answered.y - m
        return within_estimate(
            answered, z, weights, residuals, self._round_variance,
            size_of(answered.y, m),
        )  # fmt: skip

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

    def _estimate_by(self, answered, estimator, predicted):
        """Return the estimate of the named kind; predicted is (m, m_free) or None."""
        if estimator == "default":
            return self._estimate(answered)
        if estimator == "published":
            return self._published(answered)
        if estimator == "lure":
            return self._combine(answered, weights=lure_weights(answered))
        if estimator == "difference":
            return self._combine(answered, *predicted)
        return self._combine(answered, *self._tuned(answered, *predicted))

    def _tuned(self, answered, m, m_free):
        """Return predictions times the lambda of PPI++, clipped and shrunk."""
        lam = self._lambda(answered, m, m_free)
        return lam * m, lam * m_free

    def _lambda(self, answered, m, m_free):
        # The estimated variance is a quadratic in lambda; three values fix it.
        v0, v1, half = (
            self._combine(answered, lam * m, lam * m_free).std_error ** 2
            for lam in (0.0, 1.0, 0.5)
        )
        slope = ((v1 - v0) - 4 * (half - v0)) / 2
        curve = (v1 - v0) + 2 * slope
        if not curve > 0:
            return 0.0
        rarer = min(answered.y.sum(), answered.n - answered.y.sum())
        return float(np.clip(slope / curve, 0, 1) * rarer / (rarer + SHRINKAGE))

    def _check_estimator(self, estimator, predictor, caller):
        check_choice(estimator, "estimator", caller, ESTIMATORS)
        if estimator not in self._estimators:
            valid = ", ".join(repr(name) for name in self._estimators)
            raise ValueError(
                f"{caller}: estimator={estimator!r} is not valid for the draws of "
                f"{type(self).__name__}; these are: {valid}."
            )
        if predictor is not None and estimator not in ("difference", "ppi"):
            raise ValueError(
                f"{caller}: predictor= goes with estimator='difference' or 'ppi', not "
                f"with {estimator!r}."
            )

    def _predicted(self, answered, estimator, predictor, caller):
        """Return m, its sums over free units and its span, where they are needed."""
        if estimator == "default" or (
            estimator in ("difference", "ppi")
            and predictor is None
            and (answered.which >= 0).any()
        ):
            return answered.m, answered.m_free, answered.m_span
        if estimator not in ("difference", "ppi"):
            zero = np.zeros(len(answered.ends))
            return np.zeros(answered.n), zero, np.zeros((len(zero), 2))
        p = self._failure_probabilities(predictor, caller)
        span = np.tile([p.min(), p.max()], (len(answered.ends), 1))
        return p[answered.ids], sums_of_free(p, answered), span

    def _failure_probabilities(self, predictor, caller):
        """Return the probability of a misprediction that is given for each unit."""
        if predictor is None or isinstance(predictor, str):
            check_choice(predictor, "predictor", caller, (None, "confidence"))
            if self.scores_ is None or self.scores_.max() > 1:
                raise ValueError(
                    f"{caller} has no scores in [0, 1] to take for probabilities of a "
                    "misprediction: pass predictor=, one probability for each unit."
                )
            return self.scores_
        p = check_scores(predictor, caller, name="predictor")
        if len(p) != self.n_pool_ or p.min() < 0 or p.max() > 1:
            rule = f"{self.n_pool_} probabilities of a misprediction, fixed in advance"
            raise invalid("predictor", caller, rule, predictor)
        return p
