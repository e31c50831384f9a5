"""Weights of conditions by the severities that were observed."""

import numpy as np

from skrobust._array_checks import number_array
from skrobust._validation import invalid


def severity_weights(severities, observed):
    r"""Return weights of conditions, by the severities that were observed.

    Each observed severity is shared among the two nearest levels of the conditions,
    the more to the nearer, and at a level evenly among its conditions. So the weighted
    mean of the scores is the mean of the severity curve, linear between levels, at the
    observed severities:

    .. math:: \sum_k w_k a_k = \frac{1}{n} \sum_{i=1}^{n} a(s_i)

    Parameters
    ----------
    severities : array-like of shape (n_conditions,)
        Severity of each condition, 0 for the clean one; conditions with nan get no
        weight. Results of an evaluation have it as ``severity``.
    observed : float or array-like of shape (n,)
        Observed severities, such as those of :func:`calibrate_severity` for several
        periods; beyond the highest level (inf, too) it counts as that level, and below
        the lowest as the lowest.

    Returns
    -------
    weights : ndarray of shape (n_conditions,)
        Non-negative numbers with sum 1, for ``condition_weight`` of
        :func:`~skrobust.metrics.accuracy_stability_index`.

    Raises
    ------
    ValueError
        For negative or missing observed severities, and without any severity.

    Examples
    --------
    >>> from skrobust.perturbations import severity_weights
    >>> severity_weights([0, 1, 2, 3], 1.75).tolist()
    [0.0, 0.25, 0.75, 0.0]
    """
    caller = "severity_weights"
    levels = _numbers(severities, "severities", caller)
    known = levels[~np.isnan(levels)]
    if (
        levels.ndim != 1
        or not known.size
        or not ((known >= 0) & (known < np.inf)).all()
    ):
        rule = "a sequence of numbers of at least 0, or nan, one for each condition"
        raise invalid("severities", caller, rule, severities)
    seen = np.atleast_1d(_numbers(observed, "observed", caller))
    if seen.ndim != 1 or not seen.size or not (seen >= 0).all():
        rule = "a number of at least 0, or a sequence of them"
        raise invalid("observed", caller, rule, observed)
    distinct, place = np.unique(known, return_inverse=True)
    position = np.interp(
        np.minimum(seen, distinct[-1]), distinct, np.arange(len(distinct))
    )
    below = np.floor(position).astype(int)
    above = np.minimum(below + 1, len(distinct) - 1)
    share = position - below
    by_level = np.bincount(below, 1 - share, minlength=len(distinct))
    by_level += np.bincount(above, share, minlength=len(distinct))
    weights = np.zeros(len(levels))
    counts = np.bincount(place)
    weights[~np.isnan(levels)] = (by_level / counts)[place] / len(seen)
    return weights


def _numbers(values, name, caller):
    """Return numbers as an array; NaN for what is none, which the rules refuse."""
    try:
        return number_array(values, name, caller).astype(np.float64)
    except (TypeError, ValueError):
        return np.array(np.nan)
