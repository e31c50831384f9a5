"""Sensitivity of the Accuracy-Stability Index, and F-type combinations beside it."""

import math

import numpy as np

from skrobust._array_checks import check_fractions
from skrobust._results import Results
from skrobust._validation import check_number, metric
from skrobust.metrics.stability.indices import mean_and_spread, non_negative
from skrobust.metrics.undefined import warn_undefined


@metric
def accuracy_stability_sensitivity(scores):
    r"""Compute the derivatives of the Accuracy-Stability Index, in closed form.

    With the mean :math:`\mu`, the population standard deviation :math:`\sigma` and
    :math:`c = \sigma / \mu`,

    .. math:: \frac{\partial ASI}{\partial \mu}\Big|_c = \frac{2 c}{(\mu + c)^2},
        \qquad \frac{\partial ASI}{\partial c}\Big|_\mu = \frac{-2 \mu}{(\mu + c)^2},
        \qquad \frac{\partial ASI}{\partial a_k} = \frac{2 \mu}{n \sigma}
        \frac{2 \sigma^2 - \mu (a_k - \mu)}{(\mu^2 + \sigma)^2}

    for the scores :math:`a_1, ..., a_n`.

    Parameters
    ----------
    scores : array-like of shape (n_conditions,)
        Accuracies in [0, 1], one per condition.

    Returns
    -------
    Results
        Columns, one row per condition: ``score`` and ``slope``, the change of the
        index per unit of that score. ``by_mean`` and ``by_variation``, the first two
        derivatives; ``turning_point``, the score :math:`\mu + 2 \sigma^2 / \mu`: to
        improve a condition above it lowers the index.

    Raises
    ------
    ValueError
        For what :func:`accuracy_stability_index` refuses.

    Warns
    -----
    UndefinedMetricWarning
        For equal scores, where the index has a kink and the slopes are nan: any change
        of one score lowers it.

    Notes
    -----
    A slope below 0 is no fault of a model: the index rewards equal scores, so that
    better accuracy under the easiest conditions counts against it. Read it beside the
    mean.

    References
    ----------
    Accuracy-Stability Index (arXiv 2311.15332, 2023); the derivatives are elementary.

    Examples
    --------
    >>> from skrobust.metrics import accuracy_stability_sensitivity
    >>> found = accuracy_stability_sensitivity([0.9, 0.8, 0.4])
    >>> found.slope.round(3)
    array([-0.202,  0.101,  1.315])
    >>> round(found.turning_point, 3)
    0.833
    """
    caller = "accuracy_stability_sensitivity"
    scores = check_fractions(non_negative(scores, caller), caller)
    mean, spread = mean_and_spread(scores)
    slope = np.full(scores.size, np.nan)
    by_mean = by_variation = turning_point = float("nan")
    if spread > 0:
        variation = spread / mean
        total = (mean + variation) ** 2
        by_mean, by_variation = 2 * variation / total, -2 * mean / total
        inner = 2 * spread**2 - mean * (scores - mean)
        slope = 2 * mean / (scores.size * spread) * inner / (mean**2 + spread) ** 2
        turning_point = mean + 2 * spread**2 / mean
    else:
        text = f"{caller} is undefined for equal scores; slopes are set to nan."
        warn_undefined(text)
    return Results(
        columns=("score", "slope"),
        score=scores,
        slope=slope,
        by_mean=by_mean,
        by_variation=by_variation,
        turning_point=turning_point,
    )


@metric
def accuracy_stability_f_score(scores, *, beta=1.0):
    r"""Compute the weighted harmonic mean of mean accuracy and stability.

    In [0, 1]; 1 is best.

    .. math:: F_\beta = (1 + \beta^2) \frac{\mu S}{\beta^2 \mu + S}, \qquad
        S = \frac{1}{1 + CV}, \qquad CV = \frac{\sigma}{\mu}

    where :math:`\mu` is the mean of ``scores`` and :math:`\sigma` their population
    standard deviation.

    Parameters
    ----------
    scores : array-like of shape (n_conditions,)
        Accuracies in [0, 1], one per condition.
    beta : float, default=1.0
        Positive; stability counts ``beta`` times as much as the mean accuracy. 1 is
        the harmonic mean.

    Returns
    -------
    float
        The combination; 0 when every score is 0.

    Raises
    ------
    ValueError
        For what :func:`accuracy_stability_index` refuses, or a beta that is not
        positive.

    Notes
    -----
    Unlike the :func:`accuracy_stability_index`, which is 1 for equal scores of any
    height, it is at most :math:`(1 + \beta^2) \mu / (1 + \beta^2 \mu)`: a model that is
    stable and seldom right scores low. It is our choice, beside the published index.

    References
    ----------
    C. J. van Rijsbergen, "Information Retrieval" (Butterworths, 1979), on F.

    Examples
    --------
    >>> from skrobust.metrics import accuracy_stability_f_score
    >>> round(accuracy_stability_f_score([0.9, 0.8, 0.7]), 4)
    0.8503
    >>> round(accuracy_stability_f_score([0.1, 0.1, 0.1]), 4)
    0.1818
    """
    caller = "accuracy_stability_f_score"
    scores = check_fractions(non_negative(scores, caller), caller)
    beta = check_number(beta, "beta", caller, low=0, low_open=True)
    mean, spread = mean_and_spread(scores)
    if mean == 0:
        return 0.0
    stability = 1 / (1 + spread / mean)
    square = beta * beta
    if not math.isfinite(square):  # the limit, in which the mean has no weight
        return float(stability)
    return (1 + square) * mean * stability / (square * mean + stability)
