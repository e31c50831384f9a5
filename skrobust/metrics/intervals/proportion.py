"""Confidence interval of a proportion, weighted or in clusters."""

import numpy as np
from scipy.special import ndtri
from scipy.stats import beta

from skrobust._validation import (
    check_choice,
    check_confidence,
    check_number,
    check_same_length,
    check_weights,
    invalid,
)
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.interval import Interval


def proportion_interval(count, n, *, confidence=0.95, method="wilson"):
    r"""Compute a two-sided confidence interval of a proportion.

    .. math:: \frac{p + \frac{z^2}{2n}}{1 + \frac{z^2}{n}} \pm
        \frac{z}{1 + \frac{z^2}{n}}
        \sqrt{\frac{p (1 - p)}{n} + \frac{z^2}{4 n^2}}, \qquad p = \frac{count}{n}

    is the "wilson" interval, where :math:`z` is the normal quantile of ``confidence``.
    "exact" takes the quantiles of the beta distribution and covers at least
    ``confidence`` for every true share.

    Parameters
    ----------
    count : float
        Number of successes in [0, n]; an effective count may be fractional.
    n : float
        Number of trials, non-negative; an effective number may be fractional.
    confidence : float in (0, 1), default=0.95
        Wanted coverage.
    method : {"wilson", "exact"}, default="wilson"
        Wilson's score interval, or Clopper and Pearson's.

    Returns
    -------
    low : float
        Lower end in [0, 1]; 0.0 when ``n`` is 0.
    high : float
        Upper end in [0, 1]; 1.0 when ``n`` is 0.

    Raises
    ------
    ValueError
        For a count outside [0, n], a confidence outside (0, 1), or an unknown method.

    Notes
    -----
    The trials are taken as independent. Frames of one clip or rows of one patient are
    not, and their interval must be taken over the clips or patients.

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference" (JASA, 1927); C. Clopper, E. S. Pearson, "The use of confidence or
    fiducial limits illustrated in the case of the binomial" (Biometrika, 1934).

    Examples
    --------
    >>> from skrobust.metrics import proportion_interval
    >>> low, high = proportion_interval(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    caller = "proportion_interval"
    n = check_number(n, "n", caller, low=0)
    count = check_number(count, "count", caller, low=0)
    if count > n:
        raise invalid("count", caller, f"at most n={n:g}", count)
    confidence = check_confidence(confidence, caller)
    check_choice(method, "method", caller, ("wilson", "exact"))
    if n == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    if method == "exact":
        low = beta.ppf(tail, count, n - count + 1) if count > 0 else 0.0
        high = beta.isf(tail, count + 1, n - count) if count < n else 1.0
        return float(low), float(high)
    return wilson_bounds(count / n, n, -ndtri(tail))


def wilson_bounds(share, n, quantile):
    """Return Wilson's limits of a share of n trials, for any quantile."""
    shrink = 1 + quantile**2 / n
    middle = (share + quantile**2 / (2 * n)) / shrink
    spread = share * (1 - share) / n + quantile**2 / (4 * n**2)
    half = quantile / shrink * np.sqrt(spread)
    # At the ends the formula gives 0 and 1 up to rounding.
    low = max(0.0, middle - half) if share > 0 else 0.0
    high = min(1.0, middle + half) if share < 1 else 1.0
    return float(low), float(high)


def cluster_effective_n(hits, sizes, n):
    """Return the effective sample size of a proportion over clusters.

    Parameters
    ----------
    hits, sizes : ndarray of shape (n_clusters,)
        (Weighted) successes and samples of each cluster.
    n : float
        Effective number of samples, an upper bound of the result.

    Returns
    -------
    n_effective : float
        Share times one minus share, over the between-cluster variance of the share.
        Where all samples agree, the variance is 0 and each cluster counts as one trial.
    error : float
        Square root of that variance.
    """
    total, n_clusters = float(sizes.sum()), len(sizes)
    share = float(hits.sum()) / total
    residuals = hits - share * sizes
    variance = n_clusters / (n_clusters - 1) * float(residuals @ residuals) / total**2
    if share * (1 - share) < 1e-12:
        return float(n_clusters), float(np.sqrt(variance))
    if variance * n <= share * (1 - share):
        return float(n), float(np.sqrt(variance))
    return share * (1 - share) / variance, float(np.sqrt(variance))


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
