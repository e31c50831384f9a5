"""Simple random sampling."""

import numpy as np
from scipy.special import ndtri
from scipy.stats import hypergeom

from skrobust._parameters import Choice
from skrobust.metrics.intervals.proportion import wilson_bounds
from skrobust.sampling.core.anytime import FEWEST, sequence_quantile
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.draws import first_where
from skrobust.sampling.core.estimates import Estimate
from skrobust.sampling.core.graded_bounds import gaffke_bounds
from skrobust.sampling.core.rate_interval import Bounds


class SimpleRandomSampler(BaseSampler):
    r"""Simple random sampling without replacement.

    The failure rate is the plain mean of the outcomes, with the finite-population
    correction in its variance:

    .. math::

        \hat\theta = \frac{f}{n}, \qquad
        V = \Bigl(1 - \frac{n}{N}\Bigr) \frac{\hat\theta (1 - \hat\theta)}{n - 1}

    for f mispredictions among n labels out of N inputs. The accuracy is
    :math:`1 - \hat\theta`. The default interval holds at least its nominal coverage for
    every N, n and true rate, and has width zero once n = N.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is, for its predictions only.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Taken so that samplers can be exchanged; the draws do not use it. The model's
        confidence is not computed, so ``predict_proba`` is not needed.
    interval : {"hypergeometric", "wilson"}, default="hypergeometric"
        "hypergeometric" inverts the two exact one-sided tests of the number of
        mispredictions in the pool; "wilson" is the score interval with the
        finite-population correction, shorter and only approximate. Both are of labels
        right or wrong; graded losses get the interval of Gaffke (2005).
    loss : callable, default=None
        ``loss(y_true, y_pred)`` returns one loss per input; None: right or wrong.
    loss_range : (float, float), default=(0.0, 1.0)
        The least and the largest possible loss.
    random_state : int, RandomState, Generator or None, default=None
        Same int, same ids. ``fit`` advances a generator once and draws with its own.

    Attributes
    ----------
    n_pool_ : int
        Size of the pool.
    scores_ : ndarray of shape (n_pool,) or None
        Scores, where some were given.
    y_pred_ : ndarray of shape (n_pool,) or None
        Predicted labels, where there are any.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley 1977, sections 2.5 and 3.6.
    E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 1927.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import SimpleRandomSampler
    >>> failed = np.arange(500) % 10 == 0
    >>> sampler = SimpleRandomSampler(random_state=0).fit(np.ones(500))
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> result.n_labels, result.method
    (100, 'hypergeometric')
    >>> low, high = result.interval
    >>> low < 0.9 < high
    True
    """

    _needs_scores = False
    _known_sizes = False
    _methods = (
        "default", "t", "hypergeometric", "wilson", "anytime", "asymptotic",
        "bootstrap",
    )  # fmt: skip
    _parameter_rules = {"interval": Choice("hypergeometric", "wilson")}

    def __init__(self, estimator=None, *, interval="hypergeometric", **shared):
        super().__init__(estimator, **shared)
        self.interval = interval

    def _start(self):
        self._permutation = self._rng.permutation(self.n_pool_)

    def _probabilities(self, taken):
        return np.where(taken, 0.0, 1 / (~taken).sum())

    def _draw(self, n):
        start = self._n_asked
        left = self.n_pool_ - np.arange(start, start + n)
        return self._permutation[start : start + n], 1 / left

    def _combine(self, answered, weights=None):
        # Mean of y - m plus that of m over the pool, with the textbook variance.
        n, n_pool, residuals = answered.n, self.n_pool_, answered.residuals
        m_pool = float(answered.m_free[0]) / n_pool
        rate = m_pool + float(residuals.mean())
        spread = ((residuals - residuals.mean()) ** 2).sum() / max(n - 1, 1)
        varied = np.ptp(residuals) > 1e-12
        std_error = float(np.sqrt((1 - n / n_pool) * spread / n)) if varied else 0.0
        z, weights = m_pool + residuals, np.full(n, 1 / n)
        return Estimate(rate, std_error, n - 1.0, float(n), z, weights)

    @classmethod
    def _get_test_params(cls):
        return [{}, {"interval": "wilson"}]

    def _interval(self, answered, estimate, query):
        exact = query.estimator in ("default", "published", "lure")
        default = query.method == "default" and exact
        method = self.interval if default else query.method
        total, n = float(answered.y.sum()), answered.n
        if method == "asymptotic":
            return self._sequence(total, n, query.confidence)
        if answered.graded and method in EXACT_BOUNDS:
            bounds = gaffke_bounds(answered.y, self.n_pool_, query.tail)
            return Bounds(*bounds, "gaffke", [])
        if method not in EXACT_BOUNDS:
            return super()._interval(answered, estimate, query)
        bounds = EXACT_BOUNDS[method](int(total), n, self.n_pool_, query.tail)
        return Bounds(*bounds, method, [])

    def _sequence(self, total, n, confidence):
        """Return the asymptotic confidence sequence."""
        if n < FEWEST:
            note = f"An asymptotic confidence sequence begins at {FEWEST} labels."
            return Bounds(0.0, 1.0, "none", [note])
        rate = (total + 1) / (n + 2)  # a bound of the variance of losses
        variance = rate * (1 - rate) * (1 / n - 1 / self.n_pool_)
        quantile = sequence_quantile(variance, n, confidence)
        trials = n * (self.n_pool_ - 1) / (self.n_pool_ - n)
        ends = wilson_bounds(total / n, trials, quantile)
        return Bounds(*ends, "asymptotic", [])

    def _floor(self, n):
        return 1 / (self.n_pool_ - np.arange(n))

    def _plan(self, half_width, confidence, expected_accuracy, caller):
        rate = 0.5 if expected_accuracy is None else 1 - expected_accuracy
        bounds = EXACT_BOUNDS[self.interval]
        n_pool, tail = self.n_pool_, (1 - confidence) / 2

        def narrow(n):
            low, high = bounds(round(n * rate), n, n_pool, tail)
            return high - low <= 2 * half_width

        n = first_where(narrow, 2, n_pool)
        while n < n_pool and not all(narrow(k) for k in range(n, min(n + 5, n_pool))):
            n += 1  # rounding the expected failures makes the widths jump a little
        text = f"{rate:g} of the labels are mispredictions, as expected"
        if expected_accuracy is None:
            text = "Half of the labels are mispredictions, the worst case"
        if self._answers.of_losses:
            text = "All outcomes lie at the ends of the range"
            text += ", half at each" if expected_accuracy is None else ""
            text += ", the worst case"
        return min(n, n_pool), f"{text}; {self.interval} interval."


def _hypergeometric(n_failed, n, n_pool, tail):
    """Return the lowest and the highest failure rate that no exact test rejects."""
    fewest, most = n_failed, n_failed + n_pool - n
    low = first_where(
        lambda k: hypergeom.sf(n_failed - 1, n_pool, k, n) > tail, fewest, most
    )
    beyond = first_where(
        lambda k: hypergeom.cdf(n_failed, n_pool, k, n) <= tail, low, most + 1
    )
    return low / n_pool, (beyond - 1) / n_pool


def _wilson(n_failed, n, n_pool, tail):
    """Return the Wilson interval with the finite-population correction."""
    # Drawing without replacement is worth more trials; the whole pool, any number.
    trials = n * (n_pool - 1) / (n_pool - n) if n < n_pool else np.inf
    return wilson_bounds(n_failed / n, trials, -ndtri(tail))


EXACT_BOUNDS = {"hypergeometric": _hypergeometric, "wilson": _wilson}
