"""Pattern of a metric over time, with its uncertainty."""

import numpy as np

from skrobust._array_checks import check_scores
from skrobust._containers import shape_of
from skrobust._results import Results
from skrobust._validation import check_confidence, check_number, invalid, metric
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.stability.autoregressive_trend import trend_draws
from skrobust.metrics.stability.period_rows import time_values
from skrobust.metrics.stability.trend_interval import Trend, correlation_warnings

PATTERNS = ("stable high", "decreasing trend", "high variability", "stable low")


@metric
def stability_pattern(
    scores,
    *,
    high,
    tolerance=0.05,
    falling_rate_weight=12,
    variability_weight=0.5,
    times=None,
    std_errors=None,
    confidence=0.95,
):
    r"""Classify a metric over time as one of four patterns, with probabilities.

    The patterns are told apart by the two penalties of :func:`stability_index`, of a
    line with slope a and deviations of standard deviation :math:`\sigma`:

    ==================  ===============================================================
    pattern             penalties
    ==================  ===============================================================
    "stable high"       both at most ``tolerance``, and the mean at least ``high``
    "decreasing trend"  :math:`-w_f \min(0, a)` is the greater one and above it
    "high variability"  :math:`w_v \sigma` is the greater one and above it
    "stable low"        both at most ``tolerance``, and the mean below ``high``
    ==================  ===============================================================

    Parameters
    ----------
    scores : array-like of shape (n_periods,)
        At least three finite scores in the order of time.
    high : float
        Mean from which a stable series is high.
    tolerance : float, default=0.05
        Non-negative penalty up to which a series is stable, in the units of the scores.
    falling_rate_weight : float, default=12
        Non-negative weight :math:`w_f` of a negative slope.
    variability_weight : float, default=0.5
        Non-negative weight :math:`w_v` of the scatter about the trend.
    times : array-like of shape (n_periods,) or None, default=None
        When each score was taken, as in :func:`stability_index`. None: the slope is per
        step.
    std_errors : array-like of shape (n_periods,), float or None, default=None
        Standard errors of the scores, where they are known from the rows of each
        period. None: all scatter is that of the periods.
    confidence : float in (0, 1), default=0.95
        Least probability of the confidence set.

    Returns
    -------
    Results
        Columns ``pattern``, the four in the order of the table, and ``probability``.
        ``most_probable`` is a pattern; ``confidence_set`` the smallest list of
        patterns, the most probable one first, that have together the probability
        ``confidence``; ``warnings`` a tuple of sentences.

    Raises
    ------
    ValueError
        For fewer than three scores, NaN, negative weights, tolerance or errors, or
        times of another length or all equal.

    Notes
    -----
    The probabilities are those of the penalties and the mean under the model of the
    interval of the stability index, see :func:`confidence_interval`, with correlated
    deviations. Where scores lie on a line, they show no error: the probabilities are
    nan and the set has all patterns. The limits between the patterns are our choice;
    the source names the patterns and gives none.

    References
    ----------
    F. Rodriguez, documentation of the model stability metric in the package modstablib
    0.1.2.

    Examples
    --------
    >>> from skrobust.metrics import stability_pattern
    >>> scores = [0.91, 0.90, 0.92, 0.91, 0.90, 0.91, 0.92, 0.90, 0.91, 0.92, 0.91]
    >>> found = stability_pattern(scores, high=0.8)
    >>> found.most_probable, found.confidence_set
    ('stable high', ['stable high'])
    """
    caller = "stability_pattern"
    high = check_number(high, "high", caller)
    tolerance = check_number(tolerance, "tolerance", caller, low=0)
    fall = check_number(falling_rate_weight, "falling_rate_weight", caller, low=0)
    scatter = check_number(variability_weight, "variability_weight", caller, low=0)
    confidence = check_confidence(confidence, caller)
    scores = check_scores(scores, caller, min_size=3)
    n = len(scores)
    noise = _noise_variance(std_errors, n, caller)
    if times is None:
        times = np.arange(n, dtype=np.float64)
    else:
        times = time_values(times, caller)
        check_one_each(times, n, "one time per score", "times", caller)
        if times.min() == times.max():
            rule = "times that are not all equal"
            raise invalid("times", caller, rule, float(times[0]))
    order = np.argsort(times, kind="stable")
    scores, noise = scores[order], None if noise is None else noise[order]
    trend, warnings = Trend(times[order], fall, scatter), ()
    if trend.is_exact(scores) and (noise is None or not noise.any()):
        mean, slope, _ = trend.parts(scores)
        place = _places(fall * -slope, np.zeros(1), mean, tolerance, high)[0]
        probability, count = np.full(4, np.nan), 4
        ranked = sorted(range(4), key=lambda one: one != place)
        warnings = (
            "The scores lie on a line and show no error, so that no pattern has a "
            "probability.",
        )
    else:
        draws = trend_draws(scores, trend.x, noise)
        penalties = fall * -draws.slope, scatter * draws.spread
        places = _places(*penalties, draws.level, tolerance, high)
        probability = np.bincount(places, minlength=4) / len(places)
        ranked = np.argsort(-probability, kind="stable")
        total = np.cumsum(probability[ranked])
        count = int(np.searchsorted(total, confidence - 1e-12)) + 1
        warnings = correlation_warnings(draws, n)
    return Results(
        columns=("pattern", "probability"),
        pattern=np.array(PATTERNS),
        probability=probability,
        most_probable=PATTERNS[ranked[0]],
        confidence_set=[PATTERNS[i] for i in ranked[:count]],
        warnings=warnings,
    )


def _noise_variance(std_errors, n, caller):
    if std_errors is None:
        return None
    errors = check_scores(
        np.full(n, std_errors)
        if len(shape_of(std_errors, "std_errors", caller)) == 0
        else std_errors,
        caller,
        name="std_errors",
    )
    check_one_each(errors, n, "one standard error per score", "std_errors", caller)
    if errors.min() < 0:
        raise invalid("std_errors", caller, "non-negative", float(errors.min()))
    # One for all, as better scores have smaller errors, and would count for more.
    return np.full(n, (errors**2).mean())


def _places(fall, scatter, mean, tolerance, high):
    """Return the place of each pattern in the list of patterns."""
    fall, scatter, mean = np.broadcast_arrays(fall, scatter, mean)
    is_stable = np.maximum(fall, scatter) <= tolerance
    unstable = np.where(fall >= scatter, 1, 2)
    return np.where(is_stable, np.where(mean >= high, 0, 3), unstable)
