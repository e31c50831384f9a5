"""Area under the robust ratio curve, and its linearity."""

import numpy as np

from skrobust._array_checks import check_weights
from skrobust._results import Results
from skrobust._validation import check_choice, metric
from skrobust.metrics.intervals.row_outcomes import RowOutcomes, outcome_spec
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.robust.probability_shift import (
    check_curve,
    check_tolerances,
    shifts,
)


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
    area = np.trapezoid(height, b) / (b[-1] - b[0])
    return float(np.clip(area, height.min(), height.max()))  # but for rounding


@metric
def rr_linearity(tolerances, ratios):
    r"""Compute how linear the robust ratio is in the tolerance.

    .. math:: R^2_{chord} = 1 - \frac{\sum_b (RR(b) - L(b))^2}
        {\sum_b (RR(b) - \overline{RR})^2}

    where :math:`L` is the straight line through the first and the last point of the
    curve.

    Parameters
    ----------
    tolerances : array-like of shape (n_tolerances,)
        At least three different tolerances in [0, 1], in any order.
    ratios : array-like of shape (n_tolerances,)
        The robust ratio at each, as of :func:`robust_ratio_curve`.

    Returns
    -------
    Results
        ``r_squared_chord`` (1 for a straight line; below 0 where the mean describes the
        curve better than the chord), ``r_squared`` (of the least-squares line, in
        [0, 1]), ``max_deviation`` (the largest distance to the chord in units of the
        ratio, with its sign: positive where the curve lies above) and ``at`` (its
        tolerance). Of a curve that does not rise both R squared are nan.

    Raises
    ------
    ValueError
        For fewer than three tolerances, equal ones, or values outside [0, 1].

    Notes
    -----
    The source says that the curves of videos are nearly linear and those of images are
    not, and gives no statistic; these are our choice. A curve that jumps at once and
    stays lies far above its chord.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795), on the shape of the curves.

    Examples
    --------
    >>> from skrobust.metrics import rr_linearity
    >>> line = rr_linearity([0.0, 0.1, 0.2], [0.2, 0.8, 0.9])
    >>> round(line.max_deviation, 6), line.at
    (0.25, 0.1)
    """
    caller = "rr_linearity"
    tolerances, ratios = check_curve(tolerances, ratios, caller, min_size=3)
    chord, line, deviation, place = straightness(tolerances, ratios[None])
    return Results(
        columns=(),
        r_squared_chord=float(chord[0]),
        r_squared=float(line[0]),
        max_deviation=float(deviation[0]),
        at=float(tolerances[place[0]]),
    )


def straightness(tolerances, curves):
    """Return both R squared, the largest deviation and its place of several curves.

    ``tolerances`` rise; ``curves`` has shape (n_curves, n_tolerances).
    """
    along = (tolerances - tolerances[0]) / (tolerances[-1] - tolerances[0])
    chord = curves[:, :1] + along * (curves[:, -1:] - curves[:, :1])
    off = curves - chord
    centred = curves - curves.mean(axis=1, keepdims=True)
    spread = (centred**2).sum(axis=1)
    flat = spread < 1e-20
    total = np.where(flat, 1.0, spread)
    t = tolerances - tolerances.mean()
    explained = (centred @ t) ** 2 / (t @ t)
    place = np.abs(off).argmax(axis=1)
    nan = np.where(flat, np.nan, 0.0)
    return (
        1 - (off**2).sum(axis=1) / total + nan,
        np.minimum(explained, total) / total + nan,
        off[np.arange(len(off)), place],
        place,
    )


def area_outcomes(tolerances, within, weight):
    """Return the areas of the samples, whose mean is that of the curve.

    Parameters
    ----------
    tolerances : ndarray of shape (n_tolerances,)
        At least two different ones, in any order.
    within : ndarray of bool of shape (n_samples, n_tolerances)
        Whether the shift of a sample is within a tolerance.
    weight : ndarray of shape (n_samples,) or None
        Weights.
    """
    order = np.argsort(tolerances)
    b = tolerances[order]
    area = np.trapezoid(within[:, order].astype(float), b, axis=1) / (b[-1] - b[0])
    return RowOutcomes(area[:, None], _only_column, (0.0, 1.0), weight=weight)


def _only_column(means):
    return means[:, 0]


def _outcomes(
    *data,
    tolerances=None,
    reference="predicted",
    y_true=None,
    labels=None,
    sample_weight=None,
    caller,
):
    tolerances = check_tolerances(tolerances, caller)
    check_curve(tolerances, np.zeros(len(tolerances)), caller, min_size=2)
    shift, atol = shifts(data, caller, reference, y_true, labels)
    weight = check_weights(sample_weight, len(shift), caller)
    return area_outcomes(tolerances, shift[:, None] <= tolerances + atol, weight)


register(
    MetricSpec(
        "area_under_robust_ratio_curve",
        area_under_robust_ratio_curve,
        needs={"outcomes"},
        **outcome_spec(_outcomes, "area under the robust ratio curve"),
    )
)
