"""Confidence interval of a share of samples, weighted or in clusters."""

import numpy as np

from skrobust._validation import check_choice, check_same_length, check_weights
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.intervals.proportion import proportion_interval
from skrobust.metrics.intervals.proportion_clustered import clustered_proportion_limits
from skrobust.metrics.intervals.proportion_weighted import weighted_proportion_limits


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
    return Interval(value, low, high, error, method=method, **common)


def _over_clusters(hits, weight, value, units, common):
    warnings = units.warnings()
    common |= {"method": "cluster t"}
    if not units.enough:
        nan = float("nan")
        return Interval(value, nan, nan, nan, warnings=warnings, **common)
    sums, sizes = units.sums(weight * hits), units.sums(weight)
    n = float(weight.sum() ** 2 / (weight**2).sum())  # Kish's effective number
    low, high, error = clustered_proportion_limits(sums, sizes, n, common["confidence"])
    if value * (1 - value) < 1e-12:
        warnings += ("All samples agree; each cluster counts as one draw.",)
    n_equal = float(sizes.sum() ** 2 / (sizes**2).sum())
    if n_equal < units.n / 2:
        warnings += (
            f"The clusters differ in size so much that {units.n} of them say no more "
            f"than {n_equal:.1f} equal ones; where size goes with the outcome the "
            "interval is too narrow.",
        )
    return Interval(value, low, high, error, warnings=warnings, **common)
