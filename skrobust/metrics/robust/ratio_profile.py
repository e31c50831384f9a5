"""Robust ratio read together with accuracy and average confidence."""

import numpy as np

from skrobust._array_checks import check_probabilities, check_same_length
from skrobust._containers import shape_of
from skrobust._results import Results
from skrobust._validation import check_confidence, invalid, metric
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.share_interval import share_interval
from skrobust.metrics.labels import label_array, label_columns
from skrobust.metrics.robust.probability_shift import check_tolerances, shift_and_atol


@metric
def robust_ratio_profile(
    y_true,
    y_prob,
    y_prob_perturbed,
    *,
    tolerances=None,
    reference="predicted",
    labels=None,
    clusters=None,
    confidence=0.95,
):
    r"""Compute the robust ratio together with accuracy and average confidence.

    At each tolerance :math:`b` the samples fall into four parts, by whether their
    probability stays within it and whether they are right under the perturbation:

    .. math:: RR(b) = \underbrace{SR(b)}_{stays, right} +
        \underbrace{SW(b)}_{stays, wrong}, \qquad
        RA = SR(b) + \underbrace{MR(b)}_{moves, right}, \qquad
        SR + SW + MR + MW = 1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes: column numbers, or labels when ``labels`` is given.
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities on the clean inputs.
    y_prob_perturbed : array-like of shape (n_samples, n_classes)
        Probabilities on the inputs under one perturbation or attack.
    tolerances : array-like of shape (n_tolerances,) or None, default=None
        Tolerances in [0, 1]; None: 0, 0.01, ..., 0.2 as in the source.
    reference : {"predicted", "true", "max"}, default="predicted"
        Class whose probability is compared, as in :func:`probability_shift`.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column.
    clusters : array-like of shape (n_samples,) or None, default=None
        Samples that were drawn together: the clip of a frame, the patient of a row.
    confidence : float in (0, 1), default=0.95
        Of the limits of the ratio.

    Returns
    -------
    Results
        Columns, one row per tolerance: ``tolerance``; ``ratio`` with ``ratio_low`` and
        ``ratio_high``; ``stays_right``, ``stays_wrong``, ``moves_right`` and
        ``moves_wrong``, shares of all samples; ``accuracy_of_those_that_stay``, the
        robust accuracy of the samples within the tolerance; and
        ``adversarial_confidence_stays`` and ``adversarial_confidence_moves``, the mean
        probability of the wrong class that is predicted, over the errors on each side.
        Nan over no sample. Beside them ``clean_accuracy``, ``robust_accuracy``,
        ``robustness_score`` (their ratio), ``misclassification_rate``,
        ``adversarial_class_confidence`` and ``true_class_confidence`` over all errors
        under the perturbation, ``constant_model_accuracy`` (of the most frequent class,
        whose robust ratio is 1), ``n``, ``unit`` and ``confidence``.

    Raises
    ------
    ValueError
        For several perturbations, and for what :func:`robust_ratio_curve` refuses.

    Notes
    -----
    A robust ratio counts samples that stay, right or wrong. Where ``stays_wrong`` makes
    up much of it, the model is sure of its errors rather than robust; where
    ``moves_right`` is large, probabilities move far without crossing the boundary, and
    the ratio tells of calibration. The source proposes to read the ratio together with
    the other two; how is our choice.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795); for the average confidences Ling et
    al., "DEEPSEC" (IEEE S&P, 2019); for the score Laugros, Caplier, Ospici (ICCV
    workshops, 2019).

    Examples
    --------
    >>> from skrobust.metrics import robust_ratio_profile
    >>> clean = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.9, 0.1]]
    >>> moved = [[0.85, 0.15], [0.4, 0.6], [0.4, 0.6], [0.95, 0.05]]
    >>> profile = robust_ratio_profile([0, 0, 1, 1], clean, moved, tolerances=[0.1])
    >>> profile.ratio, profile.stays_right, profile.stays_wrong
    (array([0.5]), array([0.25]), array([0.25]))
    >>> profile.robust_accuracy, round(profile.robustness_score, 4)
    (0.5, 0.6667)
    """
    caller = "robust_ratio_profile"
    confidence = check_confidence(confidence, caller)
    tolerances = check_tolerances(tolerances, caller)
    p = check_probabilities(y_prob, caller, name="y_prob")
    shape = shape_of(y_prob_perturbed, "y_prob_perturbed", caller)
    if len(shape) == 3:
        rule = "of one perturbation, of shape (n_samples, n_classes)"
        raise invalid("y_prob_perturbed", caller, rule, tuple(shape))
    y_true = label_array(y_true, caller, "y_true")
    check_same_length(caller, y_true=y_true, y_prob=p)
    settings = reference, y_true, labels, caller
    shift, atol = shift_and_atol(p, y_prob_perturbed, *settings)
    q = np.asarray(y_prob_perturbed, dtype=np.float64)
    column = label_columns(y_true, labels, p.shape[1], caller)
    right = q.argmax(axis=1) == column
    stays = shift <= (tolerances + atol)[:, None]
    units = make_units(clusters, len(p), caller)
    limits = [share_interval(rows, units, confidence, caller) for rows in stays]
    top = q.max(axis=1)
    table = {
        "tolerance": tolerances,
        "ratio": stays.mean(axis=1),
        "ratio_low": np.array([limit.low for limit in limits]),
        "ratio_high": np.array([limit.high for limit in limits]),
        "stays_right": (stays & right).mean(axis=1),
        "stays_wrong": (stays & ~right).mean(axis=1),
        "moves_right": (~stays & right).mean(axis=1),
        "moves_wrong": (~stays & ~right).mean(axis=1),
        "accuracy_of_those_that_stay": _means(right, stays),
        "adversarial_confidence_stays": _means(top, stays & ~right),
        "adversarial_confidence_moves": _means(top, ~stays & ~right),
    }
    clean = float((p.argmax(axis=1) == column).mean())
    robust = float(right.mean())
    own = q[np.arange(len(q)), column]
    return Results(
        columns=tuple(table),
        **table,
        clean_accuracy=clean,
        robust_accuracy=robust,
        robustness_score=robust / clean if clean else float("nan"),
        misclassification_rate=float((~right).mean()),
        adversarial_class_confidence=float(_means(top, ~right[None])[0]),
        true_class_confidence=float(_means(own, ~right[None])[0]),
        constant_model_accuracy=float(np.bincount(column).max() / len(column)),
        n=units.n,
        unit=units.name,
        confidence=confidence,
    )


def _means(values, chosen):
    """Return the mean over the chosen samples of each row, nan over none."""
    n = chosen.sum(axis=1)
    total = np.where(chosen, values, 0.0).sum(axis=1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
