"""Accuracy-Stability Index, coefficient of variation and stability index."""

from functools import partial

import numpy as np

from skrobust._array_checks import check_fractions, check_same_length, check_scores
from skrobust._validation import check_number, invalid, metric
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.scorers.classes import StabilityScorer
from skrobust.metrics.scorers.over_time import StabilityIndexScorer
from skrobust.metrics.stability import asi_interval
from skrobust.metrics.stability.period_rows import time_values
from skrobust.metrics.stability.streamed_index import StreamedIndex
from skrobust.metrics.stability.streamed_periods import StreamedPeriods
from skrobust.metrics.stability.trend_interval import index_interval
from skrobust.metrics.undefined import warn_undefined


def coefficient_of_variation(scores, *, condition_weight=None):
    r"""Compute the population standard deviation over the mean.

    Non-negative; 0 is best (all scores are equal).

    .. math:: CV = \frac{\sigma}{\mu}, \qquad
        \sigma^2 = \frac{1}{n} \sum_{k=1}^{n} (scores_k - \mu)^2

    where :math:`\mu` is the mean. The unit of the scores cancels.

    Parameters
    ----------
    scores : array-like of shape (n_conditions,)
        Finite, non-negative scores, one per condition.
    condition_weight : array-like of shape (n_conditions,), default=None
        Non-negative weights of the conditions in mean and standard deviation; a weight
        of 2 counts as the condition twice. None is equal weights.

    Returns
    -------
    float
        The coefficient; nan with a warning when all scores are 0.

    Raises
    ------
    ValueError
        For an empty, not 1-D, negative, or not finite input.

    References
    ----------
    "Benchmarking Deep Learning Classifiers: Beyond Accuracy" (arXiv 2103.03102, 2021).

    Examples
    --------
    >>> from skrobust.metrics import coefficient_of_variation
    >>> round(coefficient_of_variation([0.9, 0.8, 0.7]), 6)
    0.102062
    """
    caller = "coefficient_of_variation"
    scores = non_negative(scores, caller)
    weights = _condition_weights(condition_weight, scores, caller)
    mean, spread = mean_and_spread(scores, weights)
    if mean == 0:
        text = f"{caller} is undefined when every score is 0; it is set to nan."
        return warn_undefined(text)
    return spread / mean


@metric
def accuracy_stability_index(scores, *, condition_weight=None, zero_division=-1.0):
    r"""Compute the Accuracy-Stability Index over a set of test conditions.

    In [-1, 1]; 1 is best.

    .. math:: ASI = \frac{\mu - CV}{\mu + CV} = \frac{\mu^2 - \sigma}{\mu^2 + \sigma},
        \qquad CV = \frac{\sigma}{\mu}

    where :math:`\mu` is the mean of ``scores`` and :math:`\sigma` their population
    standard deviation (``ddof=0``).

    Parameters
    ----------
    scores : array-like of shape (n_conditions,)
        Accuracies in [0, 1], one per condition; the clean condition is one of them.
    condition_weight : array-like of shape (n_conditions,), default=None
        Non-negative weights of the conditions in mean and standard deviation, such as
        those of :func:`~skrobust.perturbations.severity_weights`; a weight of 2 counts
        as the condition twice. None is equal weights, as published.
    zero_division : float in [-1, 1] or nan, default=-1.0
        The value when every score is 0, where the index is 0/0.

    Returns
    -------
    float
        The index.

    Raises
    ------
    ValueError
        For percent, negative scores (as R2 and Matthews correlation can be), NaN, an
        empty or a not 1-D input.

    Notes
    -----
    Equal scores give 1 whatever their height, so read the index beside the mean. The
    index depends on :math:`\sigma/\mu^2` alone. That mean and CV are both fractions,
    and the value for a mean of 0, are our choices: an always wrong model must never
    win a model selection.

    References
    ----------
    Accuracy-Stability Index (arXiv 2311.15332, 2023); the population standard
    deviation is that of "Benchmarking Deep Learning Classifiers: Beyond Accuracy"
    (arXiv 2103.03102, 2021).

    Examples
    --------
    >>> from skrobust.metrics import accuracy_stability_index
    >>> round(accuracy_stability_index([0.9, 0.8, 0.7]), 6)
    0.773714
    """
    caller = "accuracy_stability_index"
    scores = check_fractions(non_negative(scores, caller), caller)
    is_nan = isinstance(zero_division, float) and np.isnan(zero_division)
    if not is_nan:
        bounds = {"low": -1, "high": 1}
        zero_division = check_number(zero_division, "zero_division", caller, **bounds)
    weights = _condition_weights(condition_weight, scores, caller)
    mean, spread = mean_and_spread(scores, weights)
    if mean == 0:
        text = f"{caller} is undefined when every score is 0; it is set to "
        text += f"zero_division={zero_division}."
        return warn_undefined(text, float(zero_division))
    variation = spread / mean
    return (mean - variation) / (mean + variation)


@metric
def stability_index(
    scores, *, falling_rate_weight=12, variability_weight=0.5, times=None
):
    r"""Compute the mean of a score over time, less a fall and less a scatter.

    Greater is better; not bounded from below, and values below 0 are normal.

    .. math:: \bar{s} + w_f \min(0, a) - w_v \,
        \mathrm{std}\left(s_t - (a\,t + b)\right)

    where :math:`s_t` are the ``scores``, :math:`\bar{s}` is their mean, :math:`a` and
    :math:`b` the slope and intercept of least squares, :math:`w_f` is
    ``falling_rate_weight``, :math:`w_v` is ``variability_weight``, and std is the
    population standard deviation. A rise earns nothing.

    Parameters
    ----------
    scores : array-like of shape (n_periods,)
        One finite score per period, in the order of time.
    falling_rate_weight : float, default=12
        Non-negative weight of a negative slope.
    variability_weight : float, default=0.5
        Non-negative weight of the scatter about the trend.
    times : array-like of shape (n_periods,) or None, default=None
        When each score was taken: numbers, and the slope is per unit of them; or
        dates, periods of pandas or text in ISO format, and the slope is per day. None:
        the slope is per step.

    Returns
    -------
    float
        The index; nan with a warning for fewer than two periods.

    Raises
    ------
    ValueError
        For NaN or infinity, a not 1-D input, a negative weight, or times of another
        length or all equal.

    Notes
    -----
    With weights 88 and 0.5 on ``2 * AUC - 1`` per week this is the "gini stability"
    of the Home Credit competition (Kaggle, 2024). ``times``, and refusing NaN, are
    our choices: the slope per step halves when the periods are cut in two.

    References
    ----------
    F. Rodriguez, documentation of ``stability_index`` in the package modstablib 0.1.2.

    Examples
    --------
    >>> from skrobust.metrics import stability_index
    >>> round(stability_index([0.85, 0.86, 0.84, 0.83, 0.82]), 6)
    0.728918
    """
    caller = "stability_index"
    fall = check_number(falling_rate_weight, "falling_rate_weight", caller, low=0)
    scatter = check_number(variability_weight, "variability_weight", caller, low=0)
    scores = check_scores(scores, caller, min_size=0)
    if times is not None:
        times = time_values(times, caller)
        if times.size != scores.size:
            check_same_length(caller, scores=scores, times=times)
    if scores.size < 2:
        text = f"{caller} is undefined for fewer than two periods; it is set to nan."
        return warn_undefined(text)
    if times is None:
        times = np.arange(scores.size, dtype=np.float64)
    if times.min() == times.max():
        raise invalid("times", caller, "times that are not all equal", float(times[0]))
    slope, residuals = _trend(scores, times)
    return float(scores.mean() + fall * min(0.0, slope) - scatter * residuals.std())


def non_negative(scores, caller):
    """Return finite, non-negative scores as an array, or raise."""
    scores = check_scores(scores, caller)
    if scores.min() < 0:
        raise ValueError(
            f"{caller} needs non-negative scores; found {scores.min():g}. Scores that "
            "can be negative, such as R2 or Matthews correlation, have no meaningful "
            "coefficient of variation."
        )
    return scores


def mean_and_spread(scores, weights=None):
    """Return the mean and the population standard deviation."""
    # Measured from the first score, so that equal scores have a spread of exactly 0.
    apart = scores - scores[0]
    if weights is None:
        return float(scores.mean()), float(apart.std())
    middle = np.average(apart, weights=weights)
    spread = np.sqrt(np.average((apart - middle) ** 2, weights=weights))
    return float(np.average(scores, weights=weights)), float(spread)


def _condition_weights(condition_weight, scores, caller):
    """Return checked weights of the conditions, or None."""
    if condition_weight is None:
        return None
    weights = check_scores(condition_weight, caller, name="condition_weight")
    check_same_length(caller, scores=scores, condition_weight=weights)
    if weights.min() < 0 or not weights.sum() > 0:
        rule = "non-negative numbers, not all 0"
        raise invalid("condition_weight", caller, rule, condition_weight)
    return weights


def _trend(scores, times):
    # Both are measured from their first value: far-off times would lose their
    # differences to rounding, and equal scores must have a slope of exactly 0.
    x = times - times[0]
    x = x - x.mean()
    y = scores - scores[0]
    y = y - y.mean()
    slope = float(x @ y / (x @ x))
    return slope, y - slope * x


register(
    MetricSpec(
        "accuracy_stability_index",
        accuracy_stability_index,
        aliases=("asi",),
        bounds=(-1.0, 1.0),
        needs={"labels", "conditions"},
        interval=asi_interval.correctness_interval,
        compare=asi_interval.index_statistic,
        streaming=partial(StreamedIndex, accuracy_stability_index),
        scorer=StabilityScorer,
    )
)
register(
    MetricSpec(
        "stability_index",
        stability_index,
        bounds=(-np.inf, np.inf),
        needs={"scores", "periods"},
        interval=index_interval,
        streaming=StreamedPeriods,
        scorer=StabilityIndexScorer,
    )
)
