"""Intervals that hold for all conditions at once, and of the worst condition."""

import warnings

import numpy as np

from skrobust._results import Results
from skrobust._stacklevel import level_outside
from skrobust._validation import check_choice, check_confidence, invalid
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.intervals.share_interval import share_interval
from skrobust.metrics.robust.sample_values import correctness
from skrobust.metrics.stability.period_rows import period_text, rows_of_periods

_ALTERNATIVES = ("two-sided", "greater", "less")


def simultaneous_intervals(*data, clusters=None, periods=None, confidence=0.95):
    r"""Compute intervals of accuracies that hold for all conditions or periods at once.

    .. math:: P(\forall k: band\_low_k \le \mu_k \le band\_high_k) \ge confidence

    Parameters
    ----------
    *data : array-like
        Correctness of shape (n_samples, n_conditions), booleans or 0 and 1; or true
        labels of shape (n_samples,) and predictions of shape (n_conditions,
        n_samples).
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    periods : array-like of shape (n_samples,) or None, default=None
        The period of each row, as ``times`` of :func:`period_stability_index`, for
        accuracies by period instead of by condition; under one condition.
    confidence : float in (0, 1), default=0.95
        Wanted coverage, of all conditions together for the band.

    Returns
    -------
    Results
        Columns, one row per condition: ``value``, the accuracy; ``low`` and ``high``,
        which hold for one condition that was chosen beforehand; ``band_low`` and
        ``band_high``, which hold for all of them, so also for one that was chosen
        after a look at the results. ``quantile``, of the largest studentised
        deviation; ``confidence``, ``n_units``, ``unit``. With ``periods`` one row per
        period in the order of time, with ``period`` and ``n_samples`` before.

    Raises
    ------
    ValueError
        For data that are not correctness or labels, too few samples or clusters (in a
        period, too), and several conditions beside periods.

    Notes
    -----
    The quantile c of the largest :math:`|\hat\mu_k - \mu_k| / s_k` comes from normal
    multipliers of the contributions of the samples (or clusters), so that conditions
    under which the same samples fail count less than independent ones. The limits of
    each condition are those of Clopper and Pearson at the tail probability of c, with
    the effective number of samples of :math:`s_k` over clusters (Korn and Graubard);
    none has zero width. Below 20 clusters c is that of Bonferroni on t. The page
    "Coverage of intervals" of the guide has the measured coverage.

    References
    ----------
    V. Chernozhukov, D. Chetverikov, K. Kato, "Gaussian approximations and multiplier
    bootstrap for maxima of sums of high-dimensional random vectors" (Annals of
    Statistics, 2013); E. Korn, B. Graubard, "Confidence intervals for proportions with
    small expected number of positive counts estimated from survey data" (Survey
    Methodology, 1998).

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import simultaneous_intervals
    >>> correct = np.arange(100)[:, None] < [90, 80, 85]
    >>> found = simultaneous_intervals(correct)
    >>> found.value
    array([0.9 , 0.8 , 0.85])
    >>> bool((found.band_low < found.low).all())
    True
    """
    caller = "simultaneous_intervals"
    confidence = check_confidence(confidence, caller)
    correct = correctness(data, caller)
    units = make_units(clusters, len(correct), caller)
    table = {}
    if periods is None:
        means = _column_means(correct, units, caller)
        _warn(units, caller)
        columns = [share_interval(c, units, confidence, caller) for c in correct.T]
    else:
        found = _by_period(correct, periods, units, confidence, caller)
        means, columns, table = found
    low, high = np.array([tuple(interval) for interval in columns]).T
    band_low, band_high = simultaneous_band(means, confidence, low, high)
    table |= {
        "value": means.mean,
        "low": low,
        "high": high,
        "band_low": band_low,
        "band_high": band_high,
    }
    return Results(
        columns=tuple(table),
        **table,
        quantile=means.quantile(confidence),
        confidence=confidence,
        n_units=units.n,
        unit=units.name,
    )


def worst_case_interval(*data, clusters=None, confidence=0.95, alternative="two-sided"):
    r"""Compute the interval of the lowest accuracy, corrected for its selection.

    .. math:: \theta = \min_k \mu_k, \qquad
        \hat\theta = \min_k \hat\mu_k
        - E\left[\min_k(\tilde\mu_k + \epsilon_k) - \min_k \tilde\mu_k\right]

    where :math:`\mu_k` is the accuracy under condition k, :math:`\epsilon` normal with
    the covariance of the estimates, and :math:`\tilde\mu_k` the estimates, drawn
    together by what the noise explains of their spread. The lowest of many estimates
    is low by chance: 69 conditions that are all truly .8 show .735 on 200 samples.

    Parameters
    ----------
    *data : array-like
        Correctness of shape (n_samples, n_conditions), booleans or 0 and 1; or true
        labels of shape (n_samples,) and predictions of shape (n_conditions,
        n_samples).
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    confidence : float in (0, 1), default=0.95
        Wanted coverage.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" gives a lower limit alone (``high`` is 1), as for a threshold that
        each condition must pass; "less" an upper limit alone (``low`` is 0).

    Returns
    -------
    Interval
        ``value``, the corrected estimate, ``low`` and ``high``; ``plug_in`` is the
        lowest accuracy as it was observed and ``std_error`` the error of that one.

    Raises
    ------
    ValueError
        For data that are not correctness or labels, too few samples or clusters, or an
        unknown alternative.

    Notes
    -----
    The estimate is at least the lowest observed accuracy and at most
    :math:`\min_k (\hat\mu_k + c_{1/2} s_k)`, the half-median-unbiased estimate of
    Chernozhukov, Lee and Rosen, where :math:`c_{1/2}` is the median of the largest
    studentised deviation of the conditions that may be the worst. The upper limit has
    the quantile of the wanted level instead. The lower limit is the least lower limit
    of one condition at a time, without a correction: the limit of the truly worst
    condition holds by itself. One condition has no correction.

    Measured with 69 conditions and 200 samples: where all are truly .8, the estimate
    averages .794 to .799 (the lowest accuracy .731 to .760); where one is .6 and the
    others are .8, it averages .60 to .61. Where one is .76, too near to the others to
    be seen, it averages .79 to .80. The page "Coverage of intervals" of the guide has
    the measured coverage of the limits.

    References
    ----------
    V. Chernozhukov, S. Lee, A. Rosen, "Intersection bounds: estimation and inference"
    (Econometrica, 2013); limits as in :func:`simultaneous_intervals`.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.metrics import worst_case_interval
    >>> correct = np.random.default_rng(1).random((200, 50)) < 0.8
    >>> interval = worst_case_interval(correct)
    >>> round(interval.plug_in, 3), round(interval.value, 3)
    (0.73, 0.793)
    >>> interval.low < 0.8 < interval.high
    True
    """
    caller = "worst_case_interval"
    confidence = check_confidence(confidence, caller)
    check_choice(alternative, "alternative", caller, _ALTERNATIVES)
    correct = correctness(data, caller)
    units = make_units(clusters, len(correct), caller)
    means = _column_means(correct, units, caller)
    _warn(units, caller)
    return worst_case(means, confidence, alternative)


def simultaneous_band(means, confidence, low=0.5, high=0.5):
    """Return the band of some means, which holds the limits of each one."""
    band_low, band_high = means.band(confidence)
    return np.minimum(band_low, low), np.maximum(band_high, high)


def worst_case(means, confidence, alternative="two-sided"):
    """Return the interval of the lowest of some means, corrected for its selection."""
    units, worst = means.units, int(means.mean.argmin())
    plug_in = float(means.mean[worst])
    error = _steady_error(means)
    level = (1 + confidence) / 2 if alternative == "two-sided" else confidence
    may_be_worst = _near_the_least(means, error)
    half = means.quantile(0.5, sides=1, columns=may_be_worst)
    cap = np.clip(means.wilson(half)[1][may_be_worst].min(), plug_in, 1.0)
    value = min(cap, plug_in + max(0.0, _selection_bias(means, error)))
    low, high = 0.0, 1.0
    if alternative != "less":
        low = min(plug_in, float(means.limits(means.t_quantile(level))[0].min()))
    if alternative != "greater":
        wide = means.quantile(level, sides=1, columns=may_be_worst)
        high = max(value, float(means.limits(wide)[1][may_be_worst].min()))
    parts = float(value), low, high, float(means.error[worst]), confidence
    notes = units.warnings()
    method = "corrected for selection"
    return Interval(*parts, method, units.n, notes, units.name, plug_in)


def _column_means(correct, units, caller):
    if not units.enough:
        raise ValueError(
            f"{caller} needs more {units.name}: {units.n} allow no interval."
        )
    return ColumnMeans(correct, units)


def _by_period(correct, periods, units, confidence, caller):
    """Return the means of the periods, their intervals, and their names and sizes."""
    if correct.shape[1] > 1:
        rule = "None for correctness under several conditions"
        raise invalid("periods", caller, rule, correct.shape)
    correct = correct[:, 0]
    names, rows = rows_of_periods(periods, len(correct), caller, name="periods")
    parts, columns = np.empty(len(correct), dtype=np.int64), []
    for k, of_period in enumerate(rows):
        parts[of_period] = k
        n = len(np.unique(units.codes[of_period]))
        if units.clustered and n < 3:
            text = f"{caller} needs three clusters or more in each period"
            raise ValueError(f"{text}; {period_text(names[k])} has {n}.")
        own = make_units(units.codes[of_period], len(of_period), caller)
        columns.append(share_interval(correct[of_period], own, confidence, caller))
    means = ColumnMeans.of_parts(correct, parts, units)
    if means.few:
        text = f"only {means.n_units.min()} clusters in a period: limits are wide."
        warnings.warn(f"{caller}: {text}", UserWarning, stacklevel=level_outside())
    sizes = np.array([len(of_period) for of_period in rows])
    return means, columns, {"period": names, "n_samples": sizes}


def _warn(units, caller):
    for text in units.warnings():
        warnings.warn(f"{caller}: {text}", UserWarning, stacklevel=level_outside())


def _steady_error(means):
    """Return errors with two successes and two failures added to each column."""
    n = means.n_effective
    share = (means.mean * n + 2) / (n + 4)
    return np.maximum(means.error, np.sqrt(share * (1 - share) / (n + 4)))


def _near_the_least(means, error):
    """Return which columns may have the least mean, with a chance that goes to 1."""
    level = 1 - 0.1 / np.log(max(means.units.n, 3))
    wide = means.quantile(level, sides=1)
    return means.mean <= (means.mean + wide * error).min() + 2 * wide * error


def _selection_bias(means, error):
    """Return by how much the lowest of noisy means is expected to be too low.

    The noise is added to means that were drawn together until they are only as far
    apart as they differ beyond the noise, and one standard error less.
    """
    k = means.mean.size
    if k == 1:
        return 0.0
    noise = means.deviations() * error
    centred = noise - noise.mean(axis=1, keepdims=True)
    by_chance = (centred**2).mean(axis=1)
    explained = by_chance.mean() + by_chance.std()
    spread = means.mean.var()
    share = np.sqrt(max(0.0, 1 - explained / spread)) if spread > 0 else 0.0
    middle = means.mean.mean() + share * (means.mean - means.mean.mean())
    return float(middle.min() - (middle + noise).min(axis=1).mean())
