"""Confidence interval of a share of samples, weighted or in clusters."""

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._validation import check_choice
from skrobust.metrics.intervals.absent_rows import present_rows
from skrobust.metrics.intervals.clusters import make_units, t_p_value
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.intervals.proportion import proportion_interval
from skrobust.metrics.intervals.proportion_clustered import clustered_proportion_limits
from skrobust.metrics.intervals.proportion_weighted import (
    limits_of_weighted_sums,
    weighted_proportion_limits,
)

_FEW_SAMPLES = 10  # equal samples, below which a missed row counts
_MANY_CLUSTERS = 50  # equal clusters, from which the largest will have been seen
_LEVEL = 0.05  # of the test whether shares go with sizes


def sample_share_interval(hits, weight, request):
    """Return the interval of a share of samples, as a request asks for it."""
    caller = request.caller
    weight = check_weights(weight, len(hits), caller)
    kept, clusters = present_rows(weight, request.clusters, caller)
    hits, weight = hits[kept], None if weight is None else weight[kept]
    units = make_units(clusters, len(hits), caller)
    settings = {"weight": weight, "method": request.method}
    return share_interval(hits, units, request.confidence, caller, **settings)


def share_interval(hits, units, confidence, caller, *, weight=None, method="auto"):
    """Return the interval of the weighted mean of 0 and 1 values."""
    hits = np.asarray(hits, dtype=np.float64)
    value = float(np.average(hits, weights=weight))
    common = {"n_units": units.n, "unit": units.name, "confidence": confidence}
    if units.clustered:
        check_choice(method, "method", caller, ("auto", "cluster t"))
        weight = np.ones(len(hits)) if weight is None else weight
        return _over_clusters(hits, weight, value, units, common)
    check_choice(method, "method", caller, ("auto", "wilson", "exact"))
    method = "wilson" if method == "auto" else method
    if weight is None:
        n, settings = len(hits), {"confidence": confidence, "method": method}
        low, high = proportion_interval(hits.sum(), n, **settings)
        error = float(np.sqrt(value * (1 - value) / n))
    else:
        low, high, error = weighted_proportion_limits(hits, weight, confidence, method)
        common["warnings"] = _weight_warnings(len(hits), _equal_number(weight))
    return Interval(value, low, high, error, method=method, **common)


def share_interval_of_sums(n, sums, largest, request):
    """Return the interval of a share of independent samples from sums over them.

    Parameters
    ----------
    n : int
        Number of samples of positive weight.
    sums : (float, float, float, float)
        Of the weights, their squares, the weights of successes, and their squares.
    largest : float or None
        The largest weight; None where no sample has a weight.
    request : IntervalRequest
        Wanted confidence and method.
    """
    method, confidence = request.method, request.confidence
    check_choice(method, "method", request.caller, ("auto", "wilson", "exact"))
    method = "wilson" if method == "auto" else method
    total, squares, hits, _ = sums
    value, warnings = hits / total, ()
    if largest is None:
        settings = {"confidence": confidence, "method": method}
        low, high = proportion_interval(hits, n, **settings)
        error = float(np.sqrt(value * (1 - value) / n))
    else:
        parts = sums, largest, confidence, method
        low, high, error = limits_of_weighted_sums(*parts)
        warnings = _weight_warnings(n, total**2 / squares)
    facts = {"confidence": confidence, "method": method, "warnings": warnings}
    return Interval(value, low, high, error, n_units=n, **facts)


def share_interval_of_clusters(units, sums, sizes, n_equal, request):
    """Return the interval of a share over clusters from sums over each.

    Parameters
    ----------
    units : Units
        The clusters.
    sums, sizes : ndarray of shape (n_clusters,)
        Weights of successes and of all samples.
    n_equal : float
        Number of equal weights that say as much as those of the samples.
    request : IntervalRequest
        Wanted confidence and method.
    """
    check_choice(request.method, "method", request.caller, ("auto", "cluster t"))
    common = {"n_units": units.n, "unit": units.name, "confidence": request.confidence}
    value = float(sums.sum()) / float(sizes.sum())
    return _of_clusters(sums, sizes, n_equal, value, units, common)


def _over_clusters(hits, weight, value, units, common):
    parts = units.sums(weight * hits), units.sums(weight), _equal_number(weight)
    return _of_clusters(*parts, value, units, common)


def _of_clusters(sums, sizes, n_equal, value, units, common):
    warnings = units.warnings()
    common |= {"method": "cluster t"}
    if not units.enough:
        nan = float("nan")
        return Interval(value, nan, nan, nan, warnings=warnings, **common)
    parts = sums, sizes, n_equal, common["confidence"]
    low, high, error = clustered_proportion_limits(*parts)
    if value * (1 - value) < 1e-12:
        warnings += ("All samples agree; each cluster counts as one draw.",)
    warnings += _size_warnings(sums, sizes)
    return Interval(value, low, high, error, warnings=warnings, **common)


def _weight_warnings(n, n_equal):
    """Return what to doubt where few rows have most of the weight."""
    if n_equal >= min(_FEW_SAMPLES, n / 2):
        return ()
    return (
        f"The weights let {n} samples say no more than {n_equal:.1f} equal ones; more "
        "rows of the heavy kind, or one that was not seen, may move the share beyond "
        "the limits.",
    )


def _size_warnings(sums, sizes):
    """Return what to doubt where clusters differ in size, or outcomes with size."""
    n, n_equal, found = len(sizes), _equal_number(sizes), ()
    if n_equal < n / 2:
        found += (
            f"The clusters differ in size so much that {n} of them say no more "
            f"than {n_equal:.1f} equal ones; where size goes with the outcome the "
            "interval is too narrow.",
        )
    shares = sums / sizes
    if n_equal < _MANY_CLUSTERS and np.ptp(sizes) > 0 and np.ptp(shares) > 1e-12:
        r = float(np.corrcoef(sizes, shares)[0, 1])
        statistic = r * np.sqrt((n - 2) / max(1 - r**2, 1e-12))
        if t_p_value(statistic, n - 2) < _LEVEL:
            found += (
                f"Size goes with the outcome (correlation {r:.2f} over {n} clusters): "
                "the largest clusters may not have been seen, and the interval may be "
                "too narrow; take more clusters.",
            )
    return found


def _equal_number(sizes):
    """Return how many equal ones say as much, after Kish."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())
