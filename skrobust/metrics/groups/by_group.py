"""Metrics by group, with gaps, ranges and permutation tests."""

from functools import partial

import numpy as np

from skrobust._validation import invalid
from skrobust.metrics.callable_metrics import read_callable
from skrobust.metrics.groups.group_tables import GroupComparison
from skrobust.metrics.intervals.bootstrap import Shares, function_statistic
from skrobust.metrics.labels import label_array
from skrobust.metrics.registry import call_with_options, resolve_metric


def by_group(
    metric,
    *data,
    groups,
    clusters=None,
    confidence=0.95,
    n_permutations=999,
    random_state=None,
    **metric_params,
):
    r"""Compare a metric over groups.

    .. math:: m_g = m(\{i : groups_i = g\}), \qquad gap_{gh} = m_g - m_h

    Parameters
    ----------
    metric : str or callable
        A metric of samples, as in :func:`confidence_interval`, or any callable of
        arrays whose first axis is the samples, with a direction as in
        :func:`compare_models`.
    *data : array-like
        The data of the metric, as in :func:`confidence_interval`.
    groups : array-like of shape (n_samples,)
        The group of each sample; at least two groups.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that belong together (clips, patients), each within one group. Clusters
        are then drawn and permuted instead of samples.
    confidence : float in (0, 1), default=0.95
        Of each interval.
    n_permutations : int, default=999
        Random assignments of the samples (or clusters) to the groups.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations.
    **metric_params : dict
        Parameters of the metric. ``tolerance`` of the robust ratio may be an array: the
        groups are then compared at each of them.

    Returns
    -------
    Results
        The tables of :func:`group_robustness`, or, for several tolerances, those of
        :func:`group_robust_ratio_curve`.

    Raises
    ------
    ValueError
        For an unknown metric, lengths that differ, fewer than two groups, or a cluster
        in two groups.

    Notes
    -----
    Shares of samples have the intervals and tests of :func:`group_robustness`. Other
    metrics have bootstrap intervals in each group (below 20 clusters those of the
    jackknife), Newcombe's combination of them for gaps, and permutation tests of pairs;
    their bands are the intervals, wider by the ratio of the quantiles of both levels.

    Examples
    --------
    >>> from sklearn.metrics import f1_score
    >>> from skrobust.metrics import by_group
    >>> y_true, y_pred = [0, 1] * 40, [0, 1] * 20 + [0, 0] * 20
    >>> groups = ["a"] * 40 + ["b"] * 40
    >>> by_group("accuracy", y_true, y_pred, groups=groups, random_state=0).value
    array([1. , 0.5])
    >>> by_group(f1_score, y_true, y_pred, groups=groups, n_permutations=99).value
    array([1., 0.])
    """
    draws = confidence, n_permutations, random_state
    parts = data, metric_params, groups, clusters, draws
    return compare_groups(metric, *parts, "by_group")


def compare_groups(metric, data, params, groups, clusters, draws, caller):
    """Return the tables of :func:`by_group`.

    ``draws`` are confidence, number of permutations and seed.
    """
    spec = resolve_metric(metric, caller)
    if not data:
        raise ValueError(f"{caller} needs the data of the metric; got none.")
    if "scores" in getattr(spec, "needs", ()):
        raise invalid("metric", caller, "a metric of samples, not of periods", metric)
    if spec is not None and spec.per_sample is not None:
        of = values = spec.values(data, params, caller)
        if values.dtype != bool:
            of = partial(Shares, values)
    elif spec is not None and spec.compare is not None:
        of = call_with_options(spec.compare, data, params, caller, spec.title)
    else:
        made = None if spec is not None else read_callable(metric, caller)
        function = spec.function if spec is not None else made.of_arrays(data, caller)
        of = function_statistic(function, *data, **params)
    units = groups, clusters, len(data[0])
    comparison = GroupComparison(*units, draws, caller)
    if spec is None:  # a metric that takes no such data says so; nan is for groups
        of(comparison.units).whole()
    facts = {}
    if spec is None:
        comparison.greater_is_better = made.sign > 0
        facts["measure"] = made.name
    else:
        comparison.greater_is_better = spec.greater_is_better
        facts["measure"] = spec.title
        if "labels" in spec.needs and spec.task == "classification" and len(data) > 1:
            y_true = label_array(data[0], caller, "y_true")
            classes = np.unique(y_true)
            comparison.warn_of_missing_classes(y_true)
            if len(classes) == 1:
                rate = spec.title.replace("accuracy", "rate")
                facts["measure"] = f"{rate} of class {classes[0].item()!r}"
    tolerance = params.get("tolerance")
    if np.ndim(tolerance):
        tolerances = np.asarray(tolerance, dtype=np.float64)
        return comparison.compare_columns(of, "tolerance", tolerances, **facts)
    if tolerance is not None:
        facts["tolerance"] = tolerance
    return comparison.compare(of, **facts)
