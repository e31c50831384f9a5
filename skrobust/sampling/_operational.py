"""Operational sampler: adaptive batches with a recalibrated predictor."""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from skrobust._parameters import Count, Flag, NamedOr, Number
from skrobust.sampling.core.base import BaseSampler
from skrobust.sampling.core.draws import first_where
from skrobust.sampling.designs.frontier import frontier
from skrobust.sampling.designs.ordered_draw import ordered_draw, successive_variance
from skrobust.sampling.designs.recalibration import (
    IDENTITY,
    as_probabilities,
    fit_recalibration,
    predict,
    score_terms,
)

EMPHASIS = {"accuracy": 0.0, "balanced": 0.5, "failures": 1.0}
TRUST = 0.2  # power of the labels behind a predictor, in the weight of its batch


class OperationalSampler(BaseSampler):
    r"""Adaptive batch sampling between a small error and many failures.

    Each ``ask(n)`` draws one batch. With p the failure probability that is predicted
    for each input, from its score and from all answers told so far:

    * **probabilities** :math:`\pi_i`, of being in the batch, minimise
      :math:`\sum p_i (1 - p_i) / \pi_i`, the error to expect, for a given number of
      failures to expect (``failure_emphasis``) and none below ``exploration`` times
      those of uniform draws. At emphasis 0 inputs are drawn in proportion to
      :math:`\sqrt{p_i (1 - p_i)}`; the more emphasis, the more of the likeliest
      failures are taken for sure, and the fewer of the rest are drawn;
    * the **draw** is of fixed size along p (Deville's systematic sampling), which
      stratifies by the prediction and has exactly these probabilities;
    * the **estimate** of the batch corrects the prediction by what was found,

      .. math::

          z_t = \frac{1}{N} \Bigl[\sum_{\text{drawn before}} y_j
              + \sum_{\text{free}} p_j
              + \sum_{i \in t} \frac{y_i - p_i}{\pi_i}\Bigr]

      and is exactly unbiased whatever p is, since p knew only earlier answers. The
      failure rate is their mean with weights
      :math:`\propto n_t \max(l_t, n_1)^{0.2}`, for n_t draws after l_t before: later
      batches have the better predictor, and weights depend on sizes alone;
    * **recalibration** refits p before each batch: a logistic regression on log p and
      -log(1 - p), shrunk towards leaving p as it is.

    Answers that come late improve the batches after them, never those before. For the
    gain of recalibration ask in several batches: ``sample`` makes ``n_batches``.

    The standard error is that of successive differences in draw order, summed over
    batches. It is conservative up to terms of higher order: no unbiased estimator
    exists for a draw of one unit a stratum. The default interval (t) takes the larger
    of it and of the error implied by the predictor, since residuals vary too little
    while no rare failure was met. It rests on predictions that are not far
    off among inputs that are rarely drawn; "anytime" does not, and is much wider. Where
    no misprediction at all was seen, it reaches as far as that allows.

    An uninformative score costs precision: residuals weigh at most 1 / exploration
    times what they do in uniform draws, so the error is at most about
    :math:`1/\sqrt{\text{exploration}}` times that of simple random sampling once
    predictions are recalibrated (3.2 times at 0.1).

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, at least 0, higher = more likely mispredicted.
        "confidence" is 1 - max(predict_proba), or the scores that ``fit`` gets where
        there is no estimator. A callable gets the inputs and returns the scores. Scores
        in [0, 1] are taken for probabilities of a misprediction. If any is above 1,
        only their ranks count, and the result says so: the middle rank gets .1.
    failure_emphasis : float in [0, 1] or str, default=0.0
        0 aims at the smallest error of the accuracy, 1 at the most failures; the
        expected number of failures goes evenly from one to the other. "accuracy" is 0,
        "balanced" 0.5 and "failures" 1.
    exploration : float in (0, 1], default=0.1
        Lowest probability of an input, as a share of that of uniform draws. 1 draws
        uniformly (still along p, with the difference estimator).
    recalibrate : bool, default=True
        Whether answers improve the predictor. Without, p are the scores, kept within
        [0.0003, 0.97] as always.
    n_batches : int, default=6
        Batches of ``sample``; the very first has half the size of the others.
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
    scores_ : ndarray of shape (n_pool,)
        Suspicion of each input.
    y_pred_ : ndarray of shape (n_pool,) or None
        Predicted labels, where there are any.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    C.-E. Särndal, B. Swensson, J. Wretman, "Model Assisted Survey Sampling", Springer
    1992 (difference estimator). J.-C. Deville, INSEE working paper 9804, 1998 (draw).
    M. Kull, T. Silva Filho, P. Flach, "Beta calibration", AISTATS 2017. The frontier
    and the combination are our own.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import OperationalSampler
    >>> scores = np.linspace(0, 0.5, 1000)        # 1 - confidence
    >>> failed = np.random.default_rng(0).random(1000) < scores
    >>> sampler = OperationalSampler(random_state=0).fit(scores)
    >>> result = sampler.sample(100, lambda ids: failed[ids])
    >>> result.n_labels, result.n_failures > 20
    (100, True)
    >>> low, high = result.interval
    >>> low < 1 - float(failed.mean()) < high
    True
    """

    _sequential = False
    _widened = False  # by the error implied by the predictor instead
    _estimators = ("default", "difference", "lure", "ppi", "learned")
    _parameter_rules = {
        "failure_emphasis": NamedOr(tuple(EMPHASIS), Number(low=0, high=1)),
        "exploration": Number(low=0, high=1, low_open=True),
        "recalibrate": Flag(),
        "n_batches": Count(),
    }

    @classmethod
    def _get_test_params(cls):
        return [{}, {"failure_emphasis": 0.7, "n_batches": 3}]

    def __init__(
        self,
        estimator=None,
        *,
        failure_emphasis=0.0,
        exploration=0.1,
        recalibrate=True,
        n_batches=6,
        **shared,
    ):
        super().__init__(estimator, **shared)
        self.failure_emphasis = failure_emphasis
        self.exploration = exploration
        self.recalibrate = recalibrate
        self.n_batches = n_batches

    def _suspicion(self, X, y_pred):
        scores, notes = super()._suspicion(X, y_pred)
        if len(scores) and scores.max() > 1:
            notes.append(
                f"Scores as high as {scores.max():g} are no probabilities of a "
                "misprediction: only their ranks were used."
            )
        return scores, notes

    def _batches(self, n):
        return batch_sizes(n, self.n_batches, first=self._n_asked == 0)

    def _start(self):
        p = as_probabilities(self.scores_)
        self._terms = score_terms(p)
        self._order = np.argsort(-p, kind="stable")

    def _snapshot(self):
        told, failed = self._outcomes()
        if not self.recalibrate or not len(told):
            return list(IDENTITY)
        return fit_recalibration(self._terms[told], failed).tolist()

    def _predict(self, snapshot):
        return predict(self._terms, snapshot)

    def _draw(self, n):
        free = self._order[self._unasked[self._order]]
        p = self._foreseen[free]
        if (np.diff(p) > 0).any():  # recalibration reversed the scores
            again = np.argsort(-p, kind="stable")
            free, p = free[again], p[again]
        pi = self._design(p, n)
        drawn = ordered_draw(pi, self._rng.random(n))
        expected = float((p * (1 - p) * (1 / pi - 1)).sum()) / self.n_pool_**2
        self._draws.floors.extend([float(pi.min()) / n] * n)
        return free[drawn], pi[drawn], {"expected": expected}

    def _design(self, p, n):
        emphasis = EMPHASIS.get(self.failure_emphasis, self.failure_emphasis)
        return frontier(p, p * (1 - p), n, emphasis, self.exploration)

    def _combine(self, answered, weights=None):
        weights = batch_weights(answered.sizes) if weights is None else weights
        return super()._combine(answered, weights)

    def _round_variance(self, residuals, pi, design):
        return successive_variance(residuals, pi, self.n_pool_)

    def _interval(self, answered, estimate, query):
        if query.method == query.estimator == "default" and answered.designs:
            parts = [answered.designs[t]["expected"] for t in range(len(answered.ends))]
            weights = batch_weights(answered.sizes)
            expected = float(np.sqrt(weights**2 @ np.array(parts)))
            if expected > estimate.std_error:
                estimate = replace(estimate, std_error=expected)
                bounds = super()._interval(answered, estimate, query)
                return bounds._replace(method="t, widened")
        return super()._interval(answered, estimate, query)

    def _plan(self, half_width, confidence, expected_accuracy, caller):
        p, assumption = self._assumed(expected_accuracy, caller)
        p = -np.sort(-predict(score_terms(p), IDENTITY))
        z = ndtri((1 + confidence) / 2)

        def enough(n):
            variance = (p * (1 - p) * (1 / self._design(p, n) - 1)).sum()
            return z * np.sqrt(variance) / self.n_pool_ <= half_width

        n = max(first_where(enough, 1, self.n_pool_), min(2, self.n_pool_))
        return n, f"{assumption} Drawn as one batch."


def batch_sizes(n, n_batches, *, first=True):
    """Cut n labels into batches; the very first is half as large as the others."""
    shares = np.ones(n_batches)
    shares[0] = 0.5 if first and n_batches > 1 else 1.0
    ends = np.round(np.cumsum(shares) * n / shares.sum()).astype(int)
    sizes = np.diff(np.r_[0, ends])
    return sizes[sizes > 0].tolist()


def batch_weights(sizes):
    """Return weights from sizes alone: the more labels before a batch, the better."""
    before = np.cumsum(sizes) - sizes
    weights = sizes * np.maximum(before, sizes[0]).astype(np.float64) ** TRUST
    return weights / weights.sum()
