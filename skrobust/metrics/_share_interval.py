"""Intervals of a share of samples, weighted or in clusters."""

import numpy as np

from skrobust._validation import check_choice
from skrobust.metrics._interval_result import Interval
from skrobust.metrics._intervals import proportion_interval


def share_interval(hits, weight, units, confidence, method, owner):
    """Return the interval of the weighted mean of 0 and 1 values."""
    hits = np.asarray(hits, dtype=np.float64)
    weight = np.ones(len(hits)) if weight is None else weight
    value = float(np.average(hits, weights=weight))
    common = {"n": units.n, "unit": units.name, "confidence": confidence}
    if units.clustered:
        check_choice(method, "method", owner, ("auto", "cluster t"))
        return _cluster_t(hits, weight, value, units, common)
    check_choice(method, "method", owner, ("auto", "wilson", "exact"))
    method = "wilson" if method == "auto" else method
    n = effective_n(weight)
    low, high = proportion_interval(
        min(n, value * n), n, confidence=confidence, method=method
    )
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
    scores = units.sums(weight * (hits - value)) / weight.sum()
    error = float(np.sqrt(units.n / (units.n - 1) * (scores**2).sum()))
    variance = max(0.0, value * (1 - value))
    # Clusters are taken to be no better than independent samples, and those that are
    # right or wrong throughout as one draw each.
    n = effective_n(weight)
    if variance < 1e-12:
        n = units.n
        warnings += ("All samples agree; each cluster counts as one draw.",)
    elif error**2 * n > variance:
        n = variance / error**2
    quantile = units.quantile(common["confidence"])
    shrink = 1 + quantile**2 / n
    middle = (value + quantile**2 / (2 * n)) / shrink
    half = quantile / shrink * np.sqrt(variance / n + quantile**2 / (4 * n**2))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Interval(value, float(low), float(high), error, warnings=warnings, **common)
