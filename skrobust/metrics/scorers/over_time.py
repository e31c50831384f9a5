"""Scorers of the stability index over time."""

import copy
from functools import partial

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._containers import is_frame
from skrobust._keyed_noise.rows import take_rows
from skrobust._parameters import Choice, Count, Number
from skrobust._responses import (
    predict_labels,
)
from skrobust._validation import invalid
from skrobust.metrics.callable_metrics import (
    is_scorer,
    response_of,
    response_values,
)
from skrobust.metrics.registry import find_metric, get_metric
from skrobust.metrics.scorers.base import BaseScorer
from skrobust.metrics.scorers.constant_guard import with_quality
from skrobust.metrics.stability.period_metrics import (
    named_metric,
    period_values,
    report_left_out,
    takes_scores,
)
from skrobust.metrics.stability.period_rows import rows_of_periods

_N_BLOCKS = 10


class StabilityIndexScorer(BaseScorer):
    """Scorer of the stability index over time.

    Made by :func:`make_stability_index_scorer`, which describes the parameters.
    """

    _parameter_rules = {
        "n_periods": Count(low=2, optional=True),
        "response_method": Choice(
            "auto", "predict", "predict_proba", "decision_function"
        ),
        "falling_rate_weight": Number(low=0),
        "variability_weight": Number(low=0),
        "floor": Number(low=0, high=1, optional=True),
    }

    _times = None

    def __init__(
        self,
        n_periods=None,
        *,
        metric="accuracy",
        response_method="auto",
        falling_rate_weight=12,
        variability_weight=0.5,
        floor=None,
    ):
        self.n_periods = n_periods
        self.metric = metric
        self.response_method = response_method
        self.falling_rate_weight = falling_rate_weight
        self.variability_weight = variability_weight
        self.floor = floor

    def _label(self):
        return "stability_index"

    def score(self, estimator, X, y=None, *, sample_weight=None, times=None):
        """Return the stability index of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            The model to score.
        X : array-like or data frame of shape (n_samples, ...)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,)
            True labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows within their period.
        times : array-like of shape (n_samples,), default=None
            The time of each row: numbers, dates, periods of pandas, an ordered
            Categorical or text that sorts in time. None: the rows are in the order of
            time. In a search or a cross-validation, request them by
            ``set_score_request(times=True)`` and pass ``params={"times": times}``, with
            metadata routing enabled.

        Returns
        -------
        float
            Greater is better.
        """
        # The base class checks and calls _score, whose arguments are fixed.
        scorer = copy.copy(self)
        scorer._times = times
        return super(StabilityIndexScorer, scorer).score(
            estimator, X, y, sample_weight=sample_weight
        )

    def _score(self, estimator, X, y, sample_weight):
        caller = type(self).__name__
        periods, rows = self._periods(X, len(y), caller)
        weight = check_weights(sample_weight, len(y), caller)
        response = self._response()
        if response is None:
            of_rows = partial(self.metric, estimator)
            scores = period_values(of_rows, _Rows(X), y, rows, weight)
        else:
            answers = response_values(estimator, X, response, caller)
            true, given, metric = named_metric(self.metric, y, answers, caller)
            scores = period_values(metric, true, given, rows, weight)
        counts = ~np.isnan(scores)
        report_left_out(periods, counts, "warn", caller)
        if counts.sum() < 2:
            return float("nan")
        names = "falling_rate_weight", "variability_weight"
        settings = {name: getattr(self, name) for name in names}
        value = get_metric("stability_index").function(scores[counts], **settings)
        if response != "predict":
            # Of scores, a constant has no more than chance: only a floor needs labels.
            if self.floor is None:
                return value
            answers = predict_labels(estimator, X)
        parts = value, estimator, y, answers, sample_weight
        return with_quality(*parts, self._lowest())

    def _lowest(self):
        """Return a bound below every index of scores between low and high."""
        # The mean is at least low. The slope of least squares is a weighted mean of
        # the slopes of all pairs of periods, which are a step or more apart, so it is
        # at least low - high, for any number of periods. The residuals spread no more
        # than the scores, which is half of high - low at most.
        spec = find_metric(self.metric)
        low, high = (-1.0, 1.0) if spec is None else spec.bounds
        penalty = self.falling_rate_weight + self.variability_weight / 2
        return low - penalty * (high - low)

    def _periods(self, X, n_samples, caller):
        """Return the names of the periods and the rows of each."""
        if self._times is None:
            _check_index(X, caller)
            n_periods = self.n_periods or _N_BLOCKS
            what, cure = f"the number of rows, which is {n_samples}", ""
            distinct, rows = np.arange(n_samples), np.arange(n_samples)[:, None]
        else:
            distinct, rows = rows_of_periods(self._times, n_samples, caller)
            if self.n_periods is None:
                return distinct, rows
            n_periods = self.n_periods
            what = f"the number of distinct times, which is {len(distinct)}"
            cure = "With None each time is a period."
        if n_periods > len(distinct):
            raise invalid("n_periods", caller, f"at most {what}", n_periods, cure)
        blocks = np.array_split(np.arange(len(distinct)), n_periods)
        names = distinct[[block[0] for block in blocks]]
        return names, [np.concatenate([rows[i] for i in block]) for block in blocks]

    def _response(self):
        """Return what the metric takes, with "auto" resolved; None: a scorer asks."""
        if callable(self.metric) and is_scorer(self.metric):
            return None
        if self.response_method != "auto":
            return self.response_method
        if callable(self.metric):
            return response_of(self.metric)
        return "scores" if takes_scores(self.metric) else "predict"

    def check_folds(self, folds, times=None):
        """Raise where training rows lie between the test rows of a fold.

        A scorer sees the test rows alone, so that no call of scikit-learn can find
        this; :func:`skrobust.evaluation.cross_validate_perturbations` calls this
        method.

        Parameters
        ----------
        folds : iterable of (train, test)
            Positions of rows, as ``splitter.split(X, y)`` gives.
        times : array-like of shape (n_samples,), default=None
            The times of all rows; None: the rows are in the order of time.

        Raises
        ------
        ValueError
            For shuffled folds, and others whose test rows are no whole stretch of time.

        Examples
        --------
        >>> from sklearn.model_selection import TimeSeriesSplit
        >>> from skrobust.metrics import make_stability_index_scorer
        >>> scorer = make_stability_index_scorer()
        >>> scorer.check_folds(TimeSeriesSplit(3).split(range(40)))
        """
        caller = type(self).__name__
        if times is not None:
            _, rows = rows_of_periods(times, len(times), caller)
            place = np.empty(len(times), dtype=int)
            for i, members in enumerate(rows):
                place[members] = i
        for number, (train, test) in enumerate(folds):
            if times is not None:
                train, test = place[train], place[test]
            train, test = np.asarray(train), np.asarray(test)
            inside = (train > test.min()) & (train < test.max())
            if inside.any():
                raise ValueError(
                    f"{caller} needs test folds that are whole stretches of time, and "
                    f"{inside.sum()} training rows lie between the test rows of fold "
                    f"{number}, as in shuffled and stratified folds. Use "
                    "TimeSeriesSplit, or KFold without shuffle."
                )


class GiniStabilityScorer(StabilityIndexScorer):
    """Scorer of the "gini stability" of the Home Credit competition.

    Made by ``get_scorer("gini_stability")``: :class:`StabilityIndexScorer` with
    ``metric="gini"`` and a weight of 88 of a falling trend.
    """

    def __init__(
        self,
        n_periods=None,
        *,
        falling_rate_weight=88,
        variability_weight=0.5,
        floor=None,
    ):
        super().__init__(
            n_periods,
            metric="gini",
            falling_rate_weight=falling_rate_weight,
            variability_weight=variability_weight,
            floor=floor,
        )

    def _label(self):
        return "gini_stability"


class _Rows:
    """Rows of any container, taken by their positions."""

    def __init__(self, X):
        self.X = X

    def __getitem__(self, rows):
        return take_rows(self.X, rows)


def _check_index(X, caller):
    """Raise where the index of a data frame says that rows are not in time order."""
    index = getattr(X, "index", None) if is_frame(X) else None
    kind = type(index).__name__
    if kind not in {"DatetimeIndex", "PeriodIndex"}:
        return
    if not index.is_monotonic_increasing:
        raise ValueError(
            f"{caller} needs rows in the order of time, and the dates of the index of "
            "X are not: shuffled rows have no trend. Sort them, or pass times=."
        )
