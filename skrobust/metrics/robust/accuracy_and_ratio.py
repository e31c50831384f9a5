"""Accuracy, robust accuracy and robust ratio."""

import numpy as np
from sklearn.metrics import accuracy_score

from skrobust._array_checks import check_weights
from skrobust._validation import check_number, metric
from skrobust.metrics.intervals.bootstrap import Shares
from skrobust.metrics.registry import MetricSpec, register
from skrobust.metrics.robust.probability_shift import check_tolerances, shifts
from skrobust.metrics.robust.sample_values import correctness


@metric
def robust_accuracy_score(y_true, y_pred_perturbed, *, sample_weight=None):
    r"""Compute the share of samples that are classified correctly under perturbation.

    In [0, 1]; 1 is best.

    .. math:: RA = \frac{1}{N} \sum_{i=1}^{N} \prod_{j}
        \mathbf{1}[y\_pred\_perturbed_{ji} = y\_true_i]

    over all :math:`N` samples, also those that were wrong before. With several
    perturbations :math:`j` a sample counts when it is correct under each.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels: text or numbers.
    y_pred_perturbed : array-like of shape (n_samples,) or (n_perturbations, n_samples)
        Labels predicted on the perturbed inputs.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights.

    Returns
    -------
    float
        The share.

    Raises
    ------
    ValueError
        For other shapes, no sample, one-hot or missing labels, or text against numbers.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795); the worst case over several
    perturbations is our choice.

    Examples
    --------
    >>> from skrobust.metrics import robust_accuracy_score
    >>> robust_accuracy_score([0, 1, 1, 0], [[0, 1, 1, 1], [0, 0, 1, 0]])
    0.5
    """
    caller = "robust_accuracy_score"
    name = "y_pred_perturbed"
    correct = correctness((y_true, y_pred_perturbed), caller, name=name)
    weight = check_weights(sample_weight, len(correct), caller)
    return float(np.average(correct.all(axis=1), weights=weight))


@metric
def robust_ratio_score(
    y_prob,
    y_prob_perturbed,
    *,
    tolerance,
    reference="predicted",
    y_true=None,
    labels=None,
    sample_weight=None,
):
    r"""Compute the share of samples whose probability stays within a tolerance.

    In [0, 1]; 1 is best. It never falls when the tolerance grows, and is 1 at 1.

    .. math:: RR = \frac{1}{N} \sum_{i=1}^{N} \mathbf{1}[|dP|_i \le tolerance]

    where :math:`|dP|_i` is the :func:`probability_shift` of sample :math:`i`.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities on the clean inputs; each row sums to 1.
    y_prob_perturbed : array-like of shape ([n_perturbations,] n_samples, n_classes)
        Probabilities on the perturbed inputs; the worst perturbation counts.
    tolerance : float in [0, 1]
        The move that is still accepted.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared, as in :func:`probability_shift`.
    y_true : array-like of shape (n_samples,) or None, default=None
        True classes, used with ``reference="true"`` only.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights.

    Returns
    -------
    float
        The share.

    Raises
    ------
    ValueError
        For a tolerance outside [0, 1] and for what :func:`probability_shift` refuses.

    Warns
    -----
    UserWarning
        Where rows keep their probabilities bit for bit (2 % of them or more, and at
        least 5), except for models of few different answers, such as trees.

    Notes
    -----
    The definition is over all perturbations in a ball, so that a value from a few of
    them is an upper bound. The probabilities must come from the full perturbation of
    every sample: rows left clean because they were wrong or not fooled flatter the
    ratio. An attack must run with ``objective="probability_shift"``, not
    ``"misclassification"``, which leaves wrong rows clean and stops at the first wrong
    label; :func:`make_robust_scorer` sees to that. This function sees probabilities
    alone: it notices rows that were left clean, but not rows that were moved too
    little. Equality counts, so 1e-9 is added to the tolerance for float64 and 1e-6 for
    float32 (the coarser of the inputs): 0.9 - 0.85 is a little above 0.05. The
    tolerance is the bound of the source itself; both are our choices.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795).

    Examples
    --------
    >>> from skrobust.metrics import robust_ratio_score
    >>> clean = [[0.1, 0.9], [0.8, 0.2]]
    >>> moved = [[0.15, 0.85], [0.5, 0.5]]
    >>> robust_ratio_score(clean, moved, tolerance=0.05)
    0.5
    """
    caller = "robust_ratio_score"
    tolerance = check_number(tolerance, "tolerance", caller, low=0, high=1)
    parts = (y_prob, y_prob_perturbed), caller, reference, y_true, labels
    return float(_shares_within(np.array([tolerance]), parts, sample_weight)[0])


@metric
def robust_ratio_curve(
    y_prob,
    y_prob_perturbed,
    *,
    tolerances=None,
    reference="predicted",
    y_true=None,
    labels=None,
    sample_weight=None,
):
    r"""Compute the robust ratio at several tolerances.

    .. math:: RR(b) = \frac{1}{N} \sum_{i=1}^{N} \mathbf{1}[|dP|_i \le b]

    for each :math:`b` of ``tolerances``: the empirical distribution function of the
    :func:`probability_shift`. Each value equals :func:`robust_ratio_score`.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities on the clean inputs; each row sums to 1.
    y_prob_perturbed : array-like of shape ([n_perturbations,] n_samples, n_classes)
        Probabilities on the perturbed inputs; the worst perturbation counts.
    tolerances : array-like of shape (n_tolerances,) or None, default=None
        Tolerances in [0, 1], in any order; None: 0, 0.01, ..., 0.2 as in the source.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared, as in :func:`probability_shift`.
    y_true : array-like of shape (n_samples,) or None, default=None
        True classes, used with ``reference="true"`` only.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Non-negative weights.

    Returns
    -------
    tolerances : ndarray of shape (n_tolerances,), dtype float64
        The tolerances, as given.
    ratios : ndarray of shape (n_tolerances,), dtype float64
        The robust ratio at each, in [0, 1].

    Raises
    ------
    ValueError
        For tolerances outside [0, 1] and for what :func:`probability_shift` refuses.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795).

    Examples
    --------
    >>> from skrobust.metrics import robust_ratio_curve
    >>> clean = [[0.1, 0.9], [0.8, 0.2]]
    >>> moved = [[0.15, 0.85], [0.5, 0.5]]
    >>> robust_ratio_curve(clean, moved, tolerances=[0.0, 0.05, 0.3])[1]
    array([0. , 0.5, 1. ])
    """
    caller = "robust_ratio_curve"
    tolerances = check_tolerances(tolerances, caller)
    parts = (y_prob, y_prob_perturbed), caller, reference, y_true, labels
    return tolerances, _shares_within(tolerances, parts, sample_weight)


def _shares_within(tolerances, parts, sample_weight):
    shift, atol = shifts(*parts)
    weight = check_weights(sample_weight, len(shift), parts[1])
    # Each sum runs in the order of the samples, so that rounding never lowers the share
    # for a larger tolerance or fewer perturbations, and a share of all is exactly 1.
    within = [shift <= bound for bound in tolerances + atol]
    return np.array([np.average(inside, weights=weight) for inside in within])


def _accuracy(y_true, y_pred, sample_weight=None):
    """Return the share of correct predictions."""
    return accuracy_score(y_true, y_pred, sample_weight=sample_weight)


def _correct(*data, caller):
    return correctness(data, caller).all(axis=1)


def _robustly_correct(*data, caller):
    return correctness(data, caller, name="y_pred_perturbed").all(axis=1)


def _within_tolerance(
    *data, tolerance=None, reference="predicted", y_true=None, labels=None, caller
):
    if tolerance is None:
        raise ValueError(f"{caller} of the robust ratio needs tolerance=.")
    if np.ndim(tolerance) == 0:
        bounds = check_number(tolerance, "tolerance", caller, low=0, high=1)
    else:
        bounds = check_tolerances(tolerance, caller)
    shift, atol = shifts(data, caller, reference, y_true, labels)
    shift = shift[:, None] if np.ndim(bounds) else shift
    return shift <= bounds + atol


def _ratio_statistic(*data, caller, **options):
    within = _within_tolerance(*data, caller=caller, **options)
    return lambda units: Shares(within, units)


register(MetricSpec("accuracy", _accuracy, per_sample=_correct))
register(
    MetricSpec(
        "robust_accuracy",
        robust_accuracy_score,
        per_sample=_robustly_correct,
        objective="misclassification",
    )
)
register(
    MetricSpec(
        "robust_ratio",
        robust_ratio_score,
        needs={"probabilities", "clean", "tolerance"},
        per_sample=_within_tolerance,
        compare=_ratio_statistic,
        objective="probability_shift",
    )
)
