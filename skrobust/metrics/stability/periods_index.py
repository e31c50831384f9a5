"""Stability index of a metric over periods of time."""

from functools import partial

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._results import Results
from skrobust._validation import check_choice, check_flag, check_number, invalid, metric
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.scorers.over_time import GiniStabilityScorer
from skrobust.metrics.stability.indices import stability_index
from skrobust.metrics.stability.period_metrics import (
    named_metric,
    period_values,
    report_left_out,
)
from skrobust.metrics.stability.period_rows import rows_of_periods, time_values
from skrobust.metrics.stability.streamed_periods import StreamedPeriods
from skrobust.metrics.stability.trend_interval import index_interval


# Inside this function ``metric`` is the parameter, not the decorator.
@metric
def period_stability_index(
    y_true,
    y_pred,
    times,
    *,
    metric="accuracy",
    falling_rate_weight=12,
    variability_weight=0.5,
    slope_per="period",
    undefined="warn",
    return_periods=False,
    sample_weight=None,
):
    r"""Compute the stability index of a metric over the periods of ``times``.

    Greater is better; not bounded from below.

    .. math:: \bar{m} + w_f \min(0, a) - w_v \,
        \mathrm{std}\left(m_t - (a\,t + b)\right)

    where :math:`m_t` is the metric over the rows of period :math:`t`, :math:`\bar{m}`
    the mean over the periods, and the rest as in :func:`stability_index`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels for "accuracy"; scores of the second class in sorted order
        for "gini" and "roc_auc"; for a callable whatever it takes.
    times : array-like of shape (n_samples,)
        The period of each row: numbers, dates, periods of pandas, an ordered
        Categorical, or text that sorts in time, as ISO format does. Each distinct value
        is a period.
    metric : {"accuracy", "gini", "roc_auc"} or callable, default="accuracy"
        The metric of one period; "gini" is ``2 * AUC - 1``. The name of a registered
        metric of labels will do. A callable takes ``(y_true, y_pred)``, and
        ``sample_weight=`` where weights are given; nan says undefined. It is a scorer
        of scikit-learn, or a function named ``..._score``, or ``..._loss`` or
        ``..._error``, whose sign is changed.
    falling_rate_weight : float, default=12
        Non-negative weight of a negative slope.
    variability_weight : float, default=0.5
        Non-negative weight of the scatter about the trend.
    slope_per : {"period", "time"}, default="period"
        Per period that counts, gaps ignored, as in both sources; or per unit of
        ``times``, which are then numbers, or per day of dates (our extension).
    undefined : {"warn", "raise"}, default="warn"
        Periods in which the metric is undefined (one class only, or no weight) are left
        out with one warning that counts them, or refused.
    return_periods : bool, default=False
        Whether to return the table of the periods as well.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights of the rows within their period.

    Returns
    -------
    index : float
        The index; nan with a warning when fewer than two periods count.
    periods : Results
        Columns ``period``, ``n_samples`` and ``score`` (nan where left out). Only with
        ``return_periods=True``.

    Raises
    ------
    ValueError
        For missing times, lengths that differ, more than two classes with "gini" or
        "roc_auc", or an undefined period under ``undefined="raise"``.

    Notes
    -----
    Every period has the same weight, whatever its number of rows. A period that is left
    out counts as if its rows were not there: the public copies of the competition's
    function either fail on such a period or skip it.

    References
    ----------
    F. Rodriguez, documentation of ``stability_index`` in the package modstablib 0.1.2;
    Home Credit, Credit Risk Model Stability (Kaggle, 2024).

    Examples
    --------
    >>> from skrobust.metrics import period_stability_index
    >>> weeks = [0, 0, 1, 1, 2, 2]
    >>> y_true, y_pred = [0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0]
    >>> round(period_stability_index(y_true, y_pred, weeks), 4)
    -2.2256
    """
    data, factors = (y_true, y_pred, times), (falling_rate_weight, variability_weight)
    options = undefined, return_periods, sample_weight, "period_stability_index"
    return _index(data, metric, factors, slope_per, *options)


@metric
def gini_stability(
    y_true,
    y_score,
    times,
    *,
    undefined="warn",
    return_periods=False,
    sample_weight=None,
):
    r"""Compute the "gini stability" of the Home Credit competition.

    Greater is better; at most 1 and not bounded from below.

    .. math:: \bar{g} + 88 \min(0, a) - 0.5 \,
        \mathrm{std}\left(g_t - (a\,t + b)\right), \qquad g_t = 2 \, AUC_t - 1

    over the periods :math:`t`, with the slope :math:`a` per period.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the second in sorted order is the positive one.
    y_score : array-like of shape (n_samples,)
        Scores, greater for the positive class.
    times : array-like of shape (n_samples,)
        The period of each row, such as the number of its week.
    undefined : {"warn", "raise"}, default="warn"
        Periods of one class are left out with one warning that counts them, or refused.
    return_periods : bool, default=False
        Whether to return the table of the periods as well.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights of the rows within their period.

    Returns
    -------
    index : float
        The index; nan with a warning when fewer than two periods count.
    periods : Results
        Columns ``period``, ``n_samples`` and ``score``, the gini of each period. Only
        with ``return_periods=True``.

    Raises
    ------
    ValueError
        As :func:`period_stability_index`, which this is with ``metric="gini"`` and
        ``falling_rate_weight=88``.

    References
    ----------
    Home Credit, Credit Risk Model Stability (Kaggle, 2024).

    Examples
    --------
    >>> from skrobust.metrics import gini_stability
    >>> weeks = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> y_true = [0, 0, 1, 1, 0, 0, 1, 1]
    >>> y_score = [0.1, 0.4, 0.35, 0.8, 0.1, 0.2, 0.3, 0.4]
    >>> round(gini_stability(y_true, y_score, weeks), 4)
    0.75
    """
    options = undefined, return_periods, sample_weight, "gini_stability"
    return _index((y_true, y_score, times), "gini", (88, 0.5), "period", *options)


def gini_interval(data, request):
    """Return the interval of the gini stability of rows."""
    if len(data) != 3:
        rule = "three arrays, as gini_stability takes them: y_true, y_score and times"
        raise invalid("data", request.caller, rule, f"{len(data)} arrays")
    y_true, y_score, times = data
    y_true, y_score, gini = named_metric("gini", y_true, y_score, request.caller)
    options = {"falling_rate_weight": 88, "variability_weight": 0.5, "score": gini}
    return index_interval((y_true, y_score), request, periods=times, **options)


def _index(
    data, named, factors, slope_per, undefined, return_periods, sample_weight, caller
):
    check_choice(undefined, "undefined", caller, ("warn", "raise"))
    check_flag(return_periods, "return_periods", caller)
    check_choice(slope_per, "slope_per", caller, ("period", "time"))
    fall = check_number(factors[0], "falling_rate_weight", caller, low=0)
    scatter = check_number(factors[1], "variability_weight", caller, low=0)
    y_true, y_pred, times = data
    y_true, y_pred, score = named_metric(named, y_true, y_pred, caller)
    distinct, rows = rows_of_periods(times, len(y_true), caller)
    positions = np.arange(len(distinct), dtype=np.float64)
    if slope_per == "time":
        rule = "dates or numbers when slope_per='time'"
        positions = time_values(distinct, caller, rule=rule)
    weight = check_weights(sample_weight, len(y_true), caller)
    scores = period_values(score, y_true, y_pred, rows, weight)
    counts = ~np.isnan(scores)
    index = float("nan")
    if counts.sum() >= 2:
        index = stability_index(
            scores[counts],
            falling_rate_weight=fall,
            variability_weight=scatter,
            times=positions[counts] if slope_per == "time" else None,
        )
    report_left_out(distinct, counts, undefined, caller)
    if not return_periods:
        return index
    return index, Results(
        columns=("period", "n_samples", "score"),
        period=distinct,
        n_samples=np.array([len(i) for i in rows]),
        score=scores,
    )


register(
    MetricSpec(
        "gini_stability",
        gini_stability,
        bounds=(-np.inf, 1.0),
        needs={"labels", "scores", "periods"},
        interval=gini_interval,
        streaming=partial(StreamedPeriods, gini=True),
        scorer=GiniStabilityScorer,
    )
)
