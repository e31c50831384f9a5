"""Operational sampler: adaptive batches with a predictor that knows its doubts."""

import numpy as np
from scipy.special import ndtri, stdtrit

from skrobust._containers import n_rows
from skrobust._parameters import Count, Flag, NamedOr, Number
from skrobust.sampling.core.anytime import FEWEST, sequence_quantile
from skrobust.sampling.core.batched_pool import in_memory
from skrobust.sampling.core.cross_fitted import check_features
from skrobust.sampling.core.draws import first_where
from skrobust.sampling.core.rate_interval import Bounds, score_bounds
from skrobust.sampling.designs.batches import batch_sizes, batch_weights
from skrobust.sampling.designs.costed_sampler import CostedSampler
from skrobust.sampling.designs.expected_error import expected_error
from skrobust.sampling.designs.frontier import frontier
from skrobust.sampling.designs.learned_scores import LearnedScores
from skrobust.sampling.designs.ordered_draw import ordered_draw, successive_variance
from skrobust.sampling.designs.score_curves import (
    ScoreCurves,
    ScoreGroups,
    as_probabilities,
)

EMPHASIS = {"accuracy": 0.0, "balanced": 0.5, "failures": 1.0}
AVERSION = 3.0, 6.0  # to curves that make it worse: at first, and halved by answers
REFIT = 1.1  # growth of the answers after which the predictor is made anew
DIGITS = 6  # of predictions that are stored
WRONG_WAY = 0.975  # weight of the falling curves at which the result says so
POINTS_THE_WRONG_WAY = (
    "Mispredictions are rarer where scores are higher, so the scores point the wrong "
    "way: was a confidence given as suspicion?"
)


class OperationalSampler(CostedSampler):
    r"""Adaptive batch sampling between a small error and many failures.

    Each ``ask(n)`` draws one batch. What a score means for the failure probability is
    not taken for granted: of some 800 curves (calibrated, over- and underconfident,
    scores that say nothing or point the wrong way, shares of confident errors), each
    has a weight that the answers told so far raise or lower. With p, the failure
    probability of each input averaged over the curves:

    * **probabilities** :math:`\pi_i`, of being in the batch, minimise the error to
      expect, averaged over the curves: while little is known the draw is close to a
      uniform one, and no curve that is still possible makes it much worse; as answers
      come in, more is drawn where outcomes vary. ``failure_emphasis`` shifts it towards
      a number of failures to expect, and none is below ``exploration`` times that of
      uniform draws. At emphasis 1 the likeliest failures are taken for sure;
    * the **draw** is of fixed size along the scores (Deville's systematic sampling),
      which stratifies by them and has exactly these probabilities;
    * the **estimate** of the batch corrects the prediction by what was found,

      .. math::

          z_t = \frac{1}{N} \Bigl[\sum_{\text{drawn before}} y_j
              + \sum_{\text{free}} p_j
              + \sum_{i \in t} \frac{y_i - p_i}{\pi_i}\Bigr]

      and is exactly unbiased whatever p is, since p knew only earlier answers. The
      failure rate is their mean with weights
      :math:`\propto n_t \max(l_t, n_1)^{0.2}`, for n_t draws after l_t before: later
      batches are drawn better, and weights depend on sizes alone.

    With ``fit(..., features=...)``, such as a judge's grade or the group of each input,
    answers also tell what features add to the scores: a logistic regression is fitted
    to the earlier answers, and its predictions replace the scores in design, draw and
    estimate wherever, by cross-fitting, they predict answers clearly better (a Bayes
    factor of :math:`e^3`). Otherwise features change nothing.

    With ``costs`` given to ``fit``, the error is minimised for a given cost instead of
    a given number: the variance of an outcome is divided by the cost of its label.

    Answers that come late improve the batches after them, never those before. For the
    gain of learning ask in several batches: ``sample`` makes up to ``n_batches``.

    The default interval is the wider one, at each end, of two. One is Wilson's score
    interval with an effective number of labels,
    :math:`\tilde\theta (1 - \tilde\theta) / V`, with V the variance that the curves
    expect of the draws made, given all answers, or that of successive differences in
    draw order where it gives fewer labels; so it does not shrink while rare failures
    were not met. The other is the t interval with the latter variance. The
    combination is our own; ``benchmarks/worlds.py`` measures its coverage.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, at least 0, higher = more likely mispredicted.
        "confidence" is 1 - max(predict_proba), or the scores that ``fit`` gets where
        there is no estimator. A callable gets the inputs and returns the scores. Scores
        in [0, 1] are taken for probabilities of a misprediction. If any is above 1,
        only their ranks count, and the result says so: the middle rank gets .1. Where
        answers show that scores point the wrong way, the result says so.
    failure_emphasis : float in [0, 1] or str, default=0.0
        0 aims at the smallest error of the accuracy, 1 at the most failures; the
        expected number of failures goes evenly from one to the other. "accuracy" is 0,
        "balanced" 0.5 and "failures" 1.
    exploration : float in (0, 1], default=0.1
        Lowest probability of an input, as a share of that of uniform draws. 1 draws
        uniformly (still along the scores, with the difference estimator).
    recalibrate : bool, default=True
        Whether answers tell what scores mean. Without, p are the scores, in up to 200
        groups and kept within [0.0003, 0.97] as always; the interval allows for scores
        that are far off.
    n_batches : int, default=6
        Most batches of ``sample``: a pilot of 15 labels and a twentieth of all (at most
        two fifths), and equal batches of at least 12.
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
    features_ : ndarray of shape (n_pool, n_features) or None
        What ``fit`` got.
    costs_ : ndarray of shape (n_pool,) or None
        Costs of the labels, where ``fit`` got any.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input.

    References
    ----------
    C.-E. Särndal, B. Swensson, J. Wretman, "Model Assisted Survey Sampling", Springer
    1992 (difference estimator). J.-C. Deville, INSEE working paper 9804, 1998 (draw).
    E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 1927. The curves, the design and the combination are our own.

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
    _widened = False  # by the variance that the curves expect instead
    _methods = ("default", "t", "anytime", "asymptotic", "bootstrap")
    _stopping = "asymptotic"
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

    def fit(self, X, y=None, *, y_pred=None, costs=None, features=None):
        """Read the pool.

        Parameters
        ----------
        X : array-like of shape (n_pool,) or (n_pool, ...)
            With an estimator, or with a callable ``auxiliary``: the inputs, handed on
            as they are. Otherwise 1-D scores, finite and at least 0; higher means
            more likely mispredicted, for example 1 - confidence. Inputs may come in
            :class:`~skrobust.datasets.BatchedRows`: the model, or the callable, is then
            asked about one batch after the other.
        y : None
            Ignored.
        y_pred : array-like of shape (n_pool,) or (n_pool, n_outputs), default=None
            Predicted labels, where no estimator gives them; 2-D, or numbers of a
            regressor, where the sampler has a ``loss``.
        costs : array-like of shape (n_pool,), default=None
            What the label of each input costs (minutes, money): finite, above 0. Dear
            inputs are then drawn less often. None: all cost the same.
        features : array-like of shape (n_pool, n_features), default=None
            What else is known of each input: surprise, the grade of a cheap judge, the
            group as columns of 0 and 1, an embedding. Kept as 64-bit floats.

        Returns
        -------
        self : object
            The sampler, with no input asked yet.

        Raises
        ------
        ValueError
            For an empty pool, bad scores, costs or features, or unequal lengths.
        """
        X = in_memory(self, X, y_pred)
        n_pool = n_rows(X)
        if features is not None:
            caller = f"{type(self).__name__}.fit"
            if not self.recalibrate:
                raise ValueError(
                    f"{caller}: features= needs recalibrate=True, since answers have "
                    "to say what they mean."
                )
            features = check_features(features, None, n_pool, caller)
        costs = self._checked(costs, n_pool)
        return self._read_pool(X, y_pred, costs_=costs, features_=features)

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
        groups = ScoreGroups(as_probabilities(self.scores_))
        self._curves = ScoreCurves(groups, known=not self.recalibrate)
        self._learned = None
        if self.features_ is not None:
            self._learned = LearnedScores(self.features_, self._curves)
        self._last_fit = None  # answers used, snapshot, groups and shares
        self._free, self._free_in, self._n_free = groups.order, groups, groups.sizes

    def _snapshot(self):
        told, failed = self._outcomes()
        if self._last_fit is None or not self._is_current(len(told)):
            curves, weights, learned = self._read(told, failed)
            rarer = min(failed.sum(), len(told) - failed.sum())
            most, half_at = AVERSION
            aversion = 1 + most * half_at / (half_at + rarer)
            shares = curves.safe_shares(weights, aversion, self.exploration)
            mean = [float(f"{p:.{DIGITS}g}") for p in curves.mean(weights).tolist()]
            snapshot = {**learned, "p": mean} if learned else mean
            self._last_fit = len(told), snapshot, curves.groups, shares
        return self._last_fit[1]

    def _read(self, ids, y):
        """Return what answers say: curves, their weights, and how scores were learned.

        The last is None where the scores are those that were given.
        """
        if self._learned and (found := self._learned.learn(ids, y)):
            learned, curves, weights = found
            return curves, weights, learned
        return self._curves, self._weights(ids, y), None

    def _is_current(self, n_told):
        n = self._last_fit[0]
        return n <= n_told < max(REFIT * n, n + 1)

    def _weights(self, ids, failed):
        return self._curves.weights(*self._curves.groups.counts(ids, failed))

    def _predict(self, snapshot):
        if isinstance(snapshot, list):
            return np.array(snapshot)[self._curves.groups.of]
        return np.array(snapshot["p"])[self._learned.groups(snapshot).of]

    def _draw(self, n):
        each = self._coming(n)
        drawn = ordered_draw(each, self._rng.random(n))
        self._draws.floors.extend([float(each.min()) / n] * n)
        ids = self._free[drawn]
        self._free = np.delete(self._free, drawn)
        self._n_free = self._n_free - self._free_in.counts(ids)[0]
        return ids, each[drawn]

    def _coming(self, n):
        """Return the probability of each of ``_free``, put in order of the scores."""
        _, snapshot, groups, shares = self._last_fit
        if groups is not self._free_in:
            self._free = groups.order[self._unasked[groups.order]]
            self._n_free, self._free_in = groups.counts(self._free)[0], groups
        p = np.array(snapshot["p"] if isinstance(snapshot, dict) else snapshot)
        return self._of_units(p, shares, self._free, self._n_free, n)

    def _of_units(self, p, shares, free, sizes, n):
        """Return the probability of each free unit, in the order of the scores."""
        if self.costs_ is None:
            return np.repeat(self._design(p, shares, sizes, n), sizes)
        p, shares = np.repeat(p, sizes), np.repeat(shares, sizes)
        shares = shares / np.sqrt(self.costs_[free])
        return self._design(p, shares, np.ones(len(free)), n)

    def _expected_cost(self, n):
        return float(self._coming(n) @ self.costs_[self._free])

    def _design(self, p, shares, sizes, n):
        emphasis = EMPHASIS.get(self.failure_emphasis, self.failure_emphasis)
        return frontier(p, shares**2, sizes, n, emphasis, self.exploration)

    def _combine(self, answered, weights=None):
        weights = batch_weights(answered.planned) if weights is None else weights
        return super()._combine(answered, weights)

    def _round_variance(self, residuals, pi, design):
        return successive_variance(residuals, pi, self.n_pool_)

    def _interval(self, answered, estimate, query):
        sequence = query.method == "asymptotic"
        own = sequence or query.method == "default"
        if query.estimator != "default" or not own:
            return super()._interval(answered, estimate, query)
        if sequence and answered.n < FEWEST:
            note = f"An asymptotic confidence sequence begins at {FEWEST} labels."
            return Bounds(0.0, 1.0, "none", [note])
        curves, weights, learned = self._read(answered.ids, answered.y)
        rate, expected = expected_error(
            answered, curves, weights, are_believed=not self.recalibrate
        )
        found = np.nan_to_num(estimate.std_error**2)
        if sequence:
            quantile = sequence_quantile(
                max(expected, found), answered.n, query.confidence
            )
        else:
            # Within rounds, or between them where they are of single units.
            n, n_rounds = answered.n, len(answered.ends)
            df = max(n - n_rounds, n_rounds - 1, 1)
            quantile = stdtrit(df, 1 - query.tail)
        low, high = score_bounds(estimate.rate, rate, found, expected, quantile)
        if learned:
            weights = self._weights(answered.ids, answered.y)
        falling = weights[self._curves.slope < 0].sum()
        notes = [POINTS_THE_WRONG_WAY] if falling > WRONG_WAY else []
        return Bounds(low, high, "asymptotic" if sequence else "score", notes)

    def _plan(self, half_width, confidence, expected_accuracy, caller):
        groups, curves = self._curves.groups, self._curves
        weights = np.exp(curves.log_prior)
        text = "Averaged over what the scores may mean"
        if expected_accuracy is not None:
            weights = curves.of_rate(weights, 1 - expected_accuracy)
            of_losses = self._answers.of_losses
            at = "the expected mean" if of_losses else f"accuracy {expected_accuracy:g}"
            text += f", at {at}"
        shares = curves.safe_shares(weights, 1.0, self.exploration)
        p, spread = curves.mean(weights), curves.outcome_variance(weights)
        z = ndtri((1 + confidence) / 2)

        def enough(n):
            if self.costs_ is None:
                pi = self._design(p, shares, groups.sizes, n)
                variance = groups.sizes @ (spread * (1 / pi - 1))
            else:
                pi = self._of_units(p, shares, groups.order, groups.sizes, n)
                variance = np.repeat(spread, groups.sizes) @ (1 / pi - 1)
            return z * np.sqrt(variance) / self.n_pool_ <= half_width

        n = max(first_where(enough, 1, self.n_pool_), min(2, self.n_pool_))
        return n, f"{text}; drawn as one batch."
