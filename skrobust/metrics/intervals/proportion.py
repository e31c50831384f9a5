"""Confidence interval of a proportion."""

import numpy as np
from scipy.special import ndtri
from scipy.stats import beta

from skrobust._validation import check_choice, check_confidence, check_number, invalid


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


def wilson_centre(share, n, quantile):
    """Return the middle and the half width of Wilson's limits, also for arrays."""
    shrink = 1 + quantile**2 / n
    middle = (share + quantile**2 / (2 * n)) / shrink
    spread = share * (1 - share) / n + (quantile / n) ** 2 / 4
    # A mean of ones may round to a hair above 1.
    return middle, quantile / shrink * np.sqrt(np.maximum(spread, 0.0))


def wilson_bounds(share, n, quantile):
    """Return Wilson's limits of a share of n trials, for any quantile."""
    middle, half = wilson_centre(share, n, quantile)
    # At the ends the formula gives 0 and 1 up to rounding.
    low = max(0.0, middle - half) if share > 0 else 0.0
    high = min(1.0, middle + half) if share < 1 else 1.0
    return float(low), float(high)
