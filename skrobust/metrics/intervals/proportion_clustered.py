"""Confidence interval of a share of samples, weighted or in clusters."""

import numpy as np

from skrobust._validation import check_choice, check_same_length, check_weights
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.intervals.proportion import (
    cluster_effective_n,
    proportion_interval,
    wilson_bounds,
)


def sample_share_interval(hits, weight, request):
    """Return the interval of a share of samples, as a request asks for it."""
    caller, clusters = request.caller, request.clusters
    weight = check_weights(weight, len(hits), caller)
    if weight is not None and not weight.all():  # rows of weight 0 count as absent
        check_same_length(caller, data=hits, clusters=clusters)
        kept = weight > 0
        hits, weight = hits[kept], weight[kept]
        clusters = None if clusters is None else np.asarray(clusters)[kept]
    units = make_units(clusters, len(hits), caller)
    settings = {"weight": weight, "method": request.method}
    return share_interval(hits, units, request.confidence, caller, **settings)


def share_interval(hits, units, confidence, caller, *, weight=None, method="auto"):
    """Return the interval of the weighted mean of 0 and 1 values."""
    hits = np.asarray(hits, dtype=np.float64)
    weight = np.ones(len(hits)) if weight is None else weight
    value = float(np.average(hits, weights=weight))
    common = {"n_units": units.n, "unit": units.name, "confidence": confidence}
    if units.clustered:
        check_choice(method, "method", caller, ("auto", "cluster t"))
        return _cluster_t(hits, weight, value, units, common)
    check_choice(method, "method", caller, ("auto", "wilson", "exact"))
    method = "wilson" if method == "auto" else method
    n = effective_n(weight)
    settings = {"confidence": confidence, "method": method}
    low, high = proportion_interval(min(n, value * n), n, **settings)
    error = float(np.sqrt(value * (1 - value) / n))
    return Interval(value, low, high, error, method=method, **common)


def effective_n(weight):
    """Return Kish's effective number of samples of some weights."""
    return float(weight.sum() ** 2 / (weight**2).sum())


def _cluster_t(hits, weight, value, units, common):
    warnings = units.warnings()
    common |= {"method": "cluster t"}
    if not units.enough:
        nan = float("nan")
        return Interval(value, nan, nan, nan, warnings=warnings, **common)
    sums = units.sums(weight * hits), units.sums(weight)
    n, error = cluster_effective_n(*sums, effective_n(weight))
    if value * (1 - value) < 1e-12:
        warnings += ("All samples agree; each cluster counts as one draw.",)
    low, high = wilson_bounds(value, n, units.quantile(common["confidence"]))
    return Interval(value, low, high, error, warnings=warnings, **common)
