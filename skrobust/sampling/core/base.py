"""Base class of samplers."""

from skrobust._validation import (
    check_choice,
    check_confidence,
    invalid,
)
from skrobust.sampling.core.label_plan import (
    LabelPlan,
    checked_half_width,
    expected_or_none,
)
from skrobust.sampling.core.later_models import LaterModels
from skrobust.sampling.core.pool import refuse_arguments
from skrobust.sampling.core.rate_estimator import RateEstimator
from skrobust.sampling.core.ratio_estimator import RatioEstimator
from skrobust.sampling.core.reporting import ACCURACY, ResultInNotebook, sampling_result
from skrobust.sampling.core.stored import StoredSampler

KINDS = ("y_true", "failed", "loss")


class BaseSampler(ResultInNotebook, LaterModels, StoredSampler):
    """Base class of samplers: ``fit``, ``ask``, ``tell``, ``result``, ``sample``.

    A subclass writes ``_probabilities(taken)``, the probabilities of the next draw; or,
    where it knows a faster way, ``_draw(n)``, of one draw after the other or, with
    ``_sequential = False``, of a round. It may have further parameters, a predictor
    (``_snapshot`` and ``_predict``), its own ``_estimate`` and variance
    (``_round_variance``). The base class guarantees the rest:

    * ids are row positions in the pool, drawn without replacement and never twice;
    * probabilities and predictions are stored at draw time, so answers may come in any
      order;
    * estimates use the longest answered run of rounds, from the first one on: answers
      out of order give the estimate of answers in order, and an open question is
      never divided by;
    * a skipped answer counts as correct and as mispredicted (or as the least and the
      largest loss), and both are shown;
    * an error changes nothing; a pickled sampler continues bit for bit;
    * the model is used as it is, never refitted, and ``clone`` keeps it fitted.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is: never refitted, never cloned.
    auxiliary : "confidence", callable or array-like, default="confidence"
        Suspicion of each input, at least 0, higher = more likely mispredicted.
        "confidence" is 1 - max(predict_proba), or the scores that ``fit`` gets where
        there is no estimator. A callable gets the inputs and returns the scores.
    loss : callable, default=None
        ``loss(y_true, y_pred)`` gets what was told and predicted of n inputs and
        returns the loss of each, shape (n,); ``tell(ids, y_true)`` then stores losses.
        None: a label is right or wrong.
    loss_range : (float, float), default=(0.0, 1.0)
        The least and the largest possible loss, of ``loss`` or of ``tell(ids,
        loss=...)``. Intervals depend on it; other losses are refused.
    random_state : int, RandomState, Generator or None, default=None
        Same int, same ids. ``fit`` advances a generator once and draws with its own.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import BaseSampler
    >>> class BySquare(BaseSampler):
    ...     def _probabilities(self, taken):
    ...         weight = np.where(taken, 0, self.scores_**2 + 0.01)
    ...         return weight / weight.sum()
    >>> sampler = BySquare(random_state=0).fit(np.linspace(0, 1, 50))
    >>> result = sampler.sample(20, lambda ids: ids > 40)
    >>> result.n_labels
    20
    """

    def result(
        self,
        *,
        confidence=0.95,
        method="default",
        estimator="default",
        predictor=None,
        features=None,
        model=None,
    ):
        """Estimate the accuracy, or mean loss, on the pool from the answers so far.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the interval.
        method : str, default="default"
            The interval: "default" (of the sampler), "t", "bootstrap" (percentile),
            "anytime" (valid however often it is looked at: required where the results
            decide when to stop), "asymptotic" (the same by an approximation that
            begins at 30 labels, and much narrower for draws in batches; of
            :class:`OperationalSampler` and uniform draws), "stopping" (that of the two
            by which ``should_stop`` decides), and for uniform draws "hypergeometric"
            or "wilson".
        estimator : str, default="default"
            "default" (of the sampler), "published" (that of the authors of the
            design), "difference" (corrects a predictor by the answers: unbiased
            whatever the predictor), "ppi" (the same with the predictor times a number
            in [0, 1] tuned on the answers), "learned" ("ppi" with a predictor learned
            from the answers by cross-fitting: each is predicted by a model of the
            others) or "lure" (weights that make it exact once all are drawn). PPI++
            (Angelopoulos et al. 2023) takes the number that minimises the estimated
            variance; clipping it to [0, 1] and multiplying it by k / (k + 5), with k
            the answers of the rarer kind, is our choice, since it is unstable while
            mispredictions are few. It looks at the answers, so the estimate is only
            nearly unbiased, and so is the learned one.
        predictor : array-like of shape (n_pool,) or "confidence", default=None
            For "difference" and "ppi": the probability that each input is mispredicted,
            fixed before its label was known. "confidence" is ``scores_``; None is the
            sampler's own predictor as it was at each draw, or else ``scores_``; of a
            model that was added, one minus its confidence, where it has one. For
            "learned": a regressor to clone and fit; None is a ridge regression.
        features : array-like of shape (n_pool, n_features), default=None
            For "learned": what is known of each input, such as the data of the model,
            surprise, or the grade of a cheap judge. ``scores_`` are added. None is what
            ``fit`` got.
        model : str, default=None
            Name of a model that was added (``add_model``): its accuracy, from the same
            labels. None is the fitted one.

        Returns
        -------
        SamplingResult
            Nan and (0, 1) before two labels; exact once the whole pool is told, except
            for ``estimator="published"``.

        Raises
        ------
        ValueError
            For arguments that are not valid for this sampler.
        """
        caller = self._caller("result")
        self._check_parameters()
        confidence = check_confidence(confidence, caller)
        is_stopping = isinstance(method, str) and method == "stopping"
        method = self._stopping if is_stopping else method
        answers = self._answers_of(model, caller)
        predictor = self._predictor_of(model, predictor, estimator)
        answered, unknown = self._answered(answers)
        query = RateEstimator(
            self, answered, estimator, method, confidence, predictor, caller, features
        )
        ids = self.ids_
        status = answers.status[ids]
        return sampling_result(query, unknown, ids, status, answers, self._pool_notes)

    def metric(
        self,
        name=None,
        *,
        label=None,
        groups=None,
        confidence=0.95,
        predictor="default",
    ):
        r"""Estimate a metric on the whole pool, for a class, or for parts of the pool.

        All are ratios of two totals over the pool, each estimated from the same
        draws as the accuracy, with the delta method for the standard error:

        .. math::

            \hat R = \frac{\hat A}{\hat B}, \qquad
            \hat V(\hat R) = \hat V\Bigl(\text{estimate of }
                \frac{a - \hat R b}{\hat B}\Bigr)

        so they are nearly unbiased. Recall and F1 are assisted by predictions: of each
        total the expected one is corrected by the answers, as the "ppi" estimator of
        ``result`` does, with one factor in [0, 1] for both, tuned on the variance of
        :math:`a - \hat R b`. Where it is known of each input of the pool
        whether it counts (groups, precision) and draws are weighted, the failures among
        them are estimated, with the sampler's predictor if it has one, and divided by
        their known number: this is exactly unbiased, and may leave [0, 1]. Uniform
        draws take the plain share among what was drawn.

        Parameters
        ----------
        name : {"accuracy", "loss", "precision", "recall", "f1"}, default=None
            None is the accuracy, or the mean loss where losses were told. The recall of
            a class is its per-class accuracy. Recall and F1 need the true labels of
            mispredicted inputs (``tell(ids, y_true)``).
        label : label, default=None
            The class that precision, recall and F1 are of; None gives all of them.
        groups : array-like of shape (n_pool,), default=None
            A boolean mask (one part of the pool), or the group of each input.
        confidence : float in (0, 1), default=0.95
            Nominal coverage of each interval (Korn and Graubard 1998; the t interval
            for losses).
        predictor : "default", "confidence", None or array-like, default="default"
            What is predicted of each input. "confidence" takes ``scores_`` for the
            probability of a misprediction, the other classes being equally likely.
            An array, fixed before labels were known, gives that probability, shape
            (n_pool,), or those of all classes, shape (n_pool, n_classes), sorted.
            "default" is, for recall and F1, the sampler's own predictor as it was at
            each draw, or ``scores_`` if they lie in [0, 1]; for the others what is said
            above. Where draws are weighted and the sampler has no predictor of its own,
            predictions improve the estimate, and the interval stays as wide as without.
            None: no predictor for recall and F1.

        Returns
        -------
        SamplingEstimate or dict
            One, or by label, or by group (with all labels inside).

        Raises
        ------
        ValueError
            For bad arguments, predictions that are missing, true labels that were
            never told, or skipped answers of which the metric would need the label.
        """
        caller = self._caller("metric")
        estimator = RatioEstimator(self, confidence, caller, predictor)
        return estimator.metric(name, label, groups)

    def estimate(self, numerator, denominator=None, *, confidence=0.95, predictor=None):
        """Estimate the pool mean of any number of each input, or a ratio of two.

        Parameters
        ----------
        numerator : callable
            ``numerator(y_true, y_pred)`` gets arrays of shape (n,) and returns n finite
            numbers.
        denominator : callable, default=None
            The same, for a ratio of two totals; None divides by the size of the pool.
        confidence : float in (0, 1), default=0.95
            Nominal coverage of the t interval.
        predictor : "confidence" or array-like, default=None
            As in ``metric``. Both functions are then called for each class as if it
            were true of all inputs, and what they give is expected over the classes.

        Returns
        -------
        SamplingEstimate
            Unbiased without a denominator, nearly so with one or with a predictor.

        Raises
        ------
        ValueError
            For values of another shape, and where true labels are missing.

        Examples
        --------
        >>> import numpy as np
        >>> from skrobust.sampling import SimpleRandomSampler
        >>> sampler = SimpleRandomSampler(random_state=0)
        >>> result = sampler.fit(np.ones(40), y_pred=np.arange(40)).sample(
        ...     40, lambda ids: ids + 2)
        >>> sampler.estimate(lambda y_true, y_pred: abs(y_true - y_pred)).value
        2.0
        """
        caller = self._caller("estimate")
        estimator = RatioEstimator(self, confidence, caller, predictor)
        return estimator.mean_or_ratio(numerator, denominator)

    def plan(
        self, half_width, *, confidence=0.95, expected_accuracy=None, expected_loss=None
    ):
        r"""Return how many labels an interval of a half-width is likely to need.

        With the probabilities q of the next draw and a failure probability p of each
        input, one draw has the variance

        .. math::

            \sigma^2 = \frac{1}{N^2} \sum_i \frac{(p_i - m_i)^2 + p_i (1 - p_i)}{q_i}
                - \Bigl(\overline{p - m}\Bigr)^2

        (m = 0 without a predictor), and :math:`n = z^2 \sigma^2 / h^2` draws suffice,
        N at most; inputs so probable that n draws are sure to meet them add nothing. p
        are the scores, scaled to the expected accuracy where it is given; what they
        cannot take is shared by inputs of score 0.
        Of all losses with a given mean, those that are least or largest vary most: for
        others the plan is on the safe side.

        Parameters
        ----------
        half_width : float in (0, 1)
            Half-width of the interval; of losses in their units.
        confidence : float in (0, 1), default=0.95
            Its nominal coverage.
        expected_accuracy : float in (0, 1), default=None
            None takes what the scores say, as probabilities of a misprediction.
        expected_loss : float, default=None
            Instead, for losses: their expected mean, within ``loss_range``.

        Returns
        -------
        LabelPlan
            A forecast, not a promise; ``int`` of it is the number of labels.

        Raises
        ------
        ValueError
            For bad arguments, and where the scores are no probabilities and no
            accuracy is given.
        """
        caller = self._caller("plan")
        scale = self._scale()
        half_width = checked_half_width(half_width, scale, caller)
        confidence = check_confidence(confidence, caller)
        expected = expected_or_none(expected_accuracy, expected_loss, scale, caller)
        n, assumption = self._plan(
            half_width / scale.span, confidence, expected, caller
        )
        return LabelPlan(n, half_width, confidence, assumption)

    def _scale(self):
        """Return the scale of what is estimated: of the accuracy, or of losses."""
        return self._answers.loss if self._answers.of_losses else ACCURACY

    def should_stop(self, half_width, *, confidence=0.95):
        """Return whether an interval is narrow enough that may be looked at any time.

        It may be asked after each label: the interval covers at all of them at once.
        It is that of ``method="anytime"``, or of "asymptotic" for samplers that have
        it, such as :class:`OperationalSampler`.

        Parameters
        ----------
        half_width : float in (0, 1)
            Half-width to reach; of losses in their units.
        confidence : float in (0, 1), default=0.95
            Nominal coverage.

        Returns
        -------
        bool
            False before two answers.
        """
        caller = self._caller("should_stop")
        half_width = checked_half_width(half_width, self._scale(), caller)
        found = self.result(confidence=confidence, method="stopping")
        low, high = found.interval
        is_known = found.n_used >= min(2, self.n_pool_)
        return bool(is_known and (high - low) / 2 <= half_width)

    def sample(self, n, oracle, kind=None, **unknown):
        """Ask and tell in one call.

        Parameters
        ----------
        n : int
            Number of inputs to label.
        oracle : callable
            ``oracle(ids)`` returns one answer for each input. It is called once per
            batch: samplers that learn from answers ask in several.
        kind : {"y_true", "failed", "loss"}, default=None
            What the answers are, as in ``tell``. None: true labels where the sampler
            has predictions (``y_pred_``), and otherwise whether each input was
            mispredicted.
        **unknown
            Refused, such as the ``budget`` of samplers that know costs.

        Returns
        -------
        SamplingResult
            As ``result()`` gives it. If the oracle raises, its inputs stay open
            (``pending_``), and what was told before is kept.

        Raises
        ------
        TypeError
            For arguments that this sampler does not take.
        ValueError
            If fewer than n are left: nothing is asked then.
        """
        refuse_arguments(unknown, type(self).__name__, "sample")
        kind = self._kind_of(oracle, kind)
        sizes = self._batches(self._check_left(n, "sample"))
        return self._sample([{"n": size} for size in sizes], oracle, kind)

    def _kind_of(self, oracle, kind):
        """Return what the answers of an oracle are, or raise."""
        if not callable(oracle):
            cure = "For an array of labels give labels.take."
            rule = "a callable that takes ids and returns their labels"
            raise invalid("oracle", f"{type(self).__name__}.sample", rule, oracle, cure)
        caller = self._caller("sample")
        check_choice(kind, "kind", caller, (None, *KINDS))
        if kind is None:
            kind = "failed" if self.y_pred_ is None else "y_true"
        if kind == "y_true" and self.loss is None:
            self._answers.loss.refuse_comparison(None, caller)
        return kind

    def _sample(self, rounds, oracle, kind):
        """Ask in rounds, of which each is what ``ask`` takes, and tell."""
        for options in rounds:
            if self._n_asked == self.n_pool_:
                break
            ids = self.ask(**options)
            self.tell(ids, **{kind: oracle(ids)})
        return self.result()
