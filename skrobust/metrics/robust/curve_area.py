"""One number for a whole curve of robust ratios."""

import numpy as np

from skrobust._validation import check_choice, metric
from skrobust.metrics.robust.probability_shift import check_curve


@metric
def area_under_robust_ratio_curve(tolerances, ratios, *, method="trapezoid"):
    r"""Compute the mean height of a robust ratio curve over its range of tolerances.

    In [0, 1]; 1 is best.

    .. math:: \frac{1}{b_T - b_1} \sum_{t=2}^{T} (b_t - b_{t-1})
        \frac{RR(b_t) + RR(b_{t-1})}{2}

    with the tolerances :math:`b_1 < \dots < b_T`, or their plain mean
    :math:`\frac{1}{T} \sum_t RR(b_t)`.

    Parameters
    ----------
    tolerances : array-like of shape (n_tolerances,)
        At least two different tolerances in [0, 1], in any order.
    ratios : array-like of shape (n_tolerances,)
        The robust ratio at each, as from :func:`robust_ratio_curve`.
    method : {"trapezoid", "mean"}, default="trapezoid"
        The area, or the plain mean of the ratios, which depends on the spacing of the
        tolerances.

    Returns
    -------
    float
        The mean height.

    Raises
    ------
    ValueError
        For fewer than two tolerances, equal ones, lengths that differ, or values
        outside [0, 1].

    Notes
    -----
    The source of the robust ratio draws the curve and gives no area; both are our
    choices. Areas compare only over the same range of tolerances.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795), Fig. 1.

    Examples
    --------
    >>> from skrobust.metrics import area_under_robust_ratio_curve
    >>> round(area_under_robust_ratio_curve([0.0, 0.1, 0.2], [0.2, 0.8, 1.0]), 4)
    0.7
    """
    caller = "area_under_robust_ratio_curve"
    check_choice(method, "method", caller, ("trapezoid", "mean"))
    b, height = check_curve(tolerances, ratios, caller, min_size=2)
    if method == "mean":
        return float(height.mean())
    return float(np.trapezoid(height, b) / (b[-1] - b[0]))
