"""Test of one model against a required value of a metric."""

import warnings

from scipy.stats import beta, binom

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, check_number, invalid
from skrobust.metrics.callable_metrics import direction_of, name_of
from skrobust.metrics.comparison.p_of_limits import p_value_of_limits
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.confidence_interval import requested_interval
from skrobust.metrics.intervals.interval import IntervalRequest
from skrobust.metrics.registry import resolve_metric


def threshold_test(
    metric,
    *data,
    threshold,
    sample_weight=None,
    clusters=None,
    confidence=0.95,
    n_resamples=2000,
    random_state=None,
    **metric_params,
):
    r"""Test whether a model reaches a required value of a metric.

    The verdict rests on one-sided limits: the probability of "passes" for a model that
    misses the threshold is at most :math:`\alpha` = 1 - ``confidence``, and so is that
    of "fails" for a model that reaches it.

    Parameters
    ----------
    metric : str or callable
        As in :func:`confidence_interval`; of callables the direction is known as in
        :func:`compare_models`.
    *data : array-like
        The data of the metric.
    threshold : float
        The required value: the smallest one, or the largest one for metrics of which
        smaller values are better.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights, where the metric takes them.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together.
    confidence : float in (0.5, 1), default=0.95
        One less the error of each verdict.
    n_resamples : int, default=2000
        Number of bootstrap resamples, where there are any.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the resamples.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    Results
        ``metric``, ``value``, ``threshold``, ``low`` and ``high`` (one-sided limits,
        each with the error), ``p_value`` (against a model that misses the threshold;
        nan where there are no limits), ``verdict`` ("passes", "fails" or
        "undecided"), ``method``, ``n``, ``unit``, ``confidence``, ``warnings``.

    Raises
    ------
    ValueError
        For bad parameters, and for what :func:`confidence_interval` refuses.

    Notes
    -----
    Shares of independent samples without weights have the exact binomial test: with k
    of n correct and the threshold t,

    .. math:: p = \sum_{i=k}^{n} \binom{n}{i} t^i (1 - t)^{n - i},

    and the limits of Clopper and Pearson, which invert it. Everything else has the
    limits of :func:`confidence_interval` at the level :math:`1 - 2 \alpha`, and the
    p-value inverts them: it is the smallest :math:`\alpha` at which the lower limit
    reaches the threshold (for an estimate that misses it, one less that of the upper
    limit), so that the verdict is "passes" if and only if :math:`p \le \alpha`. It
    is given down to 1 / (n_resamples + 1), or to :math:`\alpha` if that is smaller.
    Limits of zero width decide nothing.

    References
    ----------
    C. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in
    the case of the binomial" (Biometrika, 1934).

    Examples
    --------
    >>> from skrobust.metrics import threshold_test
    >>> correct = [True] * 196 + [False] * 4
    >>> found = threshold_test("robust_accuracy", correct, threshold=0.95)
    >>> found.verdict, round(found.low, 4), round(found.p_value, 4)
    ('passes', 0.9548, 0.0264)
    """
    caller = "threshold_test"
    threshold = check_number(threshold, "threshold", caller)
    confidence = check_confidence(confidence, caller)
    if confidence <= 0.5:
        raise invalid("confidence", caller, "a float in (0.5, 1)", confidence)
    n_resamples = check_count(n_resamples, "n_resamples", caller, low=100)
    spec, error = resolve_metric(metric, caller), 1 - confidence
    name = name_of(metric) if spec is None else spec.name
    if spec is None:
        is_better = direction_of(metric, caller)
    else:
        is_better = spec.greater_is_better
    about = {"metric": name, "threshold": threshold, "confidence": confidence}
    hits = None
    if sample_weight is not None:
        metric_params = {**metric_params, "sample_weight": sample_weight}
    elif spec is not None and spec.per_sample is not None and data:
        hits = spec.values(data, metric_params, caller)
        units = make_units(clusters, len(hits), caller)
        if units.clustered or hits.ndim > 1 or hits.dtype != bool:
            hits = None
    if hits is not None:
        return _exact(int(hits.sum()), len(hits), threshold, error, spec, about)
    seed = seed_number(random_state, caller) % 2**64
    settings = clusters, 1 - 2 * error, "auto", n_resamples, None, caller
    request = IntervalRequest(*settings, kept={})

    def limits(level):
        asked = request.at(1 - 2 * level, seed)
        return requested_interval(metric, data, metric_params, asked)

    interval = limits(error)
    for text in interval.warnings:
        warnings.warn(text, UserWarning, stacklevel=2)
    low, high = interval
    p_value, reached = float("nan"), (False, False)
    if high > low:
        reached = low >= threshold, high <= threshold
        side = {"greater_is_better": is_better}
        least = 1 / (n_resamples + 1)
        p_value = p_value_of_limits(limits, threshold, error, least, **side)
    return Results(
        **about,
        value=interval.value,
        low=low,
        high=high,
        p_value=p_value,
        verdict=_verdict(*reached, is_better),
        method=interval.method,
        n=interval.n_units,
        unit=interval.unit,
        warnings=interval.warnings,
    )


def _exact(k, n, threshold, error, spec, about):
    low = float(beta.ppf(error, k, n - k + 1)) if k else 0.0
    high = float(beta.isf(error, k + 1, n - k)) if k < n else 1.0
    chances = [binom.sf(k - 1, n, threshold), binom.cdf(k, n, threshold)]
    if not 0 <= threshold <= 1:
        chances = [float(threshold >= 0), float(threshold <= 1)]
    reached = [chance <= error for chance in chances]
    verdict = _verdict(*reached, spec.greater_is_better)
    if not spec.greater_is_better:
        chances = chances[::-1]
    return Results(
        **about,
        value=k / n,
        low=low,
        high=high,
        p_value=float(chances[0]),
        verdict=verdict,
        method="exact binomial",
        n=n,
        unit="samples",
        warnings=(),
    )


def _verdict(above, below, greater_is_better):
    if not greater_is_better:
        above, below = below, above
    return "passes" if above else "fails" if below else "undecided"
