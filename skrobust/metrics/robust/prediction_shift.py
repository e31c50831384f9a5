"""Prediction shift and robust ratio of regressors."""

import numpy as np

from skrobust._array_checks import (
    check_same_length,
    check_scores,
    check_weights,
    number_array,
)
from skrobust._validation import check_choice, check_number, invalid, metric
from skrobust.metrics.labels import check_stack
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.robust.unmoved import warn_unmoved

REFERENCES = ("predicted", "true")


def prediction_shift(y_pred, y_pred_perturbed, *, reference="predicted", y_true=None):
    r"""Compute how far the prediction of a regressor moves, sample by sample.

    In the units of the target, at least 0; 0 is best.

    .. math:: |dy|_i = \max_j \left| y\_pred\_perturbed_{ji} - r_i \right|

    where :math:`j` runs over the perturbations and :math:`r_i` is the clean prediction,
    or the true target with ``reference="true"``.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predictions on the clean inputs.
    y_pred_perturbed : array-like of shape ([n_perturbations,] n_samples)
        Predictions on the perturbed inputs; the worst perturbation counts.
    reference : {"predicted", "true"}, default="predicted"
        Origin of the distance.
    y_true : array-like of shape (n_samples,) or None, default=None
        True targets, used with ``reference="true"`` only.

    Returns
    -------
    ndarray of shape (n_samples,), dtype float64
        The largest absolute distance of each sample.

    Raises
    ------
    ValueError
        For shapes that differ, NaN, an unknown reference, or true targets that are
        missing.

    Notes
    -----
    The analogue, for numbers, of :func:`probability_shift`; it is our definition.

    Examples
    --------
    >>> from skrobust.metrics import prediction_shift
    >>> prediction_shift([1.0, 2.0], [[1.5, 2.0], [1.0, 0.0]])
    array([0.5, 2. ])
    """
    caller = "prediction_shift"
    return _shift(y_pred, y_pred_perturbed, reference, y_true, caller)[0]


@metric
def regression_robust_ratio_score(
    y_pred,
    y_pred_perturbed,
    *,
    tolerance,
    reference="predicted",
    y_true=None,
    sample_weight=None,
):
    r"""Compute the share of samples whose prediction stays within a tolerance.

    In [0, 1]; 1 is best. It never falls when the tolerance grows.

    .. math:: RRR = \frac{1}{N} \sum_{i=1}^{N} \mathbf{1}[|dy|_i \le tolerance]

    where :math:`|dy|_i` is the :func:`prediction_shift` of sample :math:`i`.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predictions on the clean inputs.
    y_pred_perturbed : array-like of shape ([n_perturbations,] n_samples)
        Predictions on the perturbed inputs; the worst perturbation counts.
    tolerance : float
        The move that is still accepted, at least 0, in the units of the target.
    reference : {"predicted", "true"}, default="predicted"
        Origin of the distance, as in :func:`prediction_shift`. With "true" it is the
        share of samples whose error stays within the tolerance.
    y_true : array-like of shape (n_samples,) or None, default=None
        True targets, used with ``reference="true"`` only.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights.

    Returns
    -------
    float
        The share.

    Raises
    ------
    ValueError
        For a negative tolerance and for what :func:`prediction_shift` refuses.

    Notes
    -----
    Over a ball of inputs a value from some of them is an upper bound. The predictions
    must come from the full attack on every sample. Equality counts: 1e-9 of the larger
    of the tolerance and the reference is added, as 0.9 - 0.85 is a little above 0.05.
    The analogue of :func:`robust_ratio_score`; it is our definition.

    Examples
    --------
    >>> from skrobust.metrics import regression_robust_ratio_score
    >>> regression_robust_ratio_score([10.0, 20.0], [10.5, 24.0], tolerance=1.0)
    0.5
    """
    caller = "regression_robust_ratio_score"
    tolerance = check_number(tolerance, "tolerance", caller, low=0)
    shift, origin = _shift(y_pred, y_pred_perturbed, reference, y_true, caller)
    weight = check_weights(sample_weight, len(shift), caller)
    return float(_shares(shift, np.array([tolerance]), origin, weight)[0])


@metric
def regression_robust_ratio_curve(
    y_pred,
    y_pred_perturbed,
    *,
    tolerances=None,
    reference="predicted",
    y_true=None,
    sample_weight=None,
):
    r"""Compute the robust ratio of a regressor at several tolerances.

    .. math:: RRR(b) = \frac{1}{N} \sum_{i=1}^{N} \mathbf{1}[|dy|_i \le b]

    for each :math:`b` of ``tolerances``: the empirical distribution function of the
    :func:`prediction_shift`.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predictions on the clean inputs.
    y_pred_perturbed : array-like of shape ([n_perturbations,] n_samples)
        Predictions on the perturbed inputs; the worst perturbation counts.
    tolerances : array-like of shape (n_tolerances,) or None, default=None
        Tolerances of at least 0, in any order, in the units of the target. None: 21
        equal steps from 0 to the largest shift, where the curve reaches 1.
    reference : {"predicted", "true"}, default="predicted"
        Origin of the distance, as in :func:`prediction_shift`.
    y_true : array-like of shape (n_samples,) or None, default=None
        True targets, used with ``reference="true"`` only.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights.

    Returns
    -------
    tolerances : ndarray of shape (n_tolerances,), dtype float64
        The tolerances.
    ratios : ndarray of shape (n_tolerances,), dtype float64
        The ratio at each, in [0, 1].

    Raises
    ------
    ValueError
        For negative tolerances and for what :func:`prediction_shift` refuses.

    Examples
    --------
    >>> from skrobust.metrics import regression_robust_ratio_curve
    >>> regression_robust_ratio_curve([1.0, 2.0], [1.5, 4.0], tolerances=[0, 1, 2])[1]
    array([0. , 0.5, 1. ])
    """
    caller = "regression_robust_ratio_curve"
    shift, origin = _shift(y_pred, y_pred_perturbed, reference, y_true, caller)
    if tolerances is None:
        tolerances = np.linspace(0, shift.max(), 21)
    tolerances = check_scores(tolerances, caller, name="tolerances")
    if (tolerances < 0).any():
        raise invalid("tolerances", caller, "numbers of at least 0", tolerances.min())
    weight = check_weights(sample_weight, len(shift), caller)
    return tolerances, _shares(shift, tolerances, origin, weight)


def _shift(y_pred, y_pred_perturbed, reference, y_true, caller):
    check_choice(reference, "reference", caller, REFERENCES)
    clean = anchor = check_scores(y_pred, caller, name="y_pred")
    if reference == "true":
        if y_true is None:
            raise ValueError(f"{caller} needs y_true for reference='true'.")
        target = check_scores(y_true, caller, name="y_true")
        check_same_length(caller, y_pred=anchor, y_true=target)
        anchor = target
    name = "y_pred_perturbed"
    check_stack(y_pred_perturbed, len(anchor), name, "n_perturbations", caller)
    moved = number_array(y_pred_perturbed, name, caller)
    moved = check_scores(moved.ravel(), caller, name=name)
    moved = moved.reshape(-1, len(anchor))
    warn_unmoved(clean, moved, "predictions", caller)
    return np.abs(moved - anchor).max(axis=0), anchor


def _within(shift, bounds, origin):
    slack = 1e-9 * np.maximum(np.abs(origin)[None, :], bounds[:, None])
    return shift <= bounds[:, None] + slack


def _shares(shift, bounds, origin, weight):
    rows = _within(shift, bounds, origin)
    return np.array([np.average(row, weights=weight) for row in rows])


def _within_tolerance(
    y_pred, y_pred_perturbed, *, tolerance, reference="predicted", y_true=None, caller
):
    tolerance = check_number(tolerance, "tolerance", caller, low=0)
    shift, origin = _shift(y_pred, y_pred_perturbed, reference, y_true, caller)
    return _within(shift, np.array([tolerance]), origin)[0]


register(
    MetricSpec(
        "regression_robust_ratio",
        regression_robust_ratio_score,
        title="robust ratio of predictions",
        task="regression",
        needs={"labels", "clean", "tolerance"},
        per_sample=_within_tolerance,
        objective="prediction_shift",
    )
)
