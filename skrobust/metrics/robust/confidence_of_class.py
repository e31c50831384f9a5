"""Success rate of attacks, and confidence of the model under them."""

import numpy as np

from skrobust._array_checks import check_probabilities, check_same_length
from skrobust._containers import shape_of
from skrobust._validation import metric
from skrobust.metrics.labels import (
    check_same_kind,
    label_array,
    label_columns,
    label_pair,
    true_columns,
)
from skrobust.metrics.undefined import warn_undefined


@metric
def misclassification_rate(y_true, y_pred_adversarial, *, target=None):
    r"""Compute the share of attacks that succeed (MR).

    In [0, 1]; 0 is best for the model.

    .. math:: MR = \frac{1}{N} \sum_{i=1}^{N}
        \mathbf{1}[y\_pred\_adversarial_i \ne y\_true_i]

    or, for targeted attacks, the share of :math:`y\_pred\_adversarial_i = target_i`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred_adversarial : array-like of shape (n_samples,)
        Labels predicted on the adversarial inputs.
    target : label or array-like of shape (n_samples,), default=None
        Labels that the attack drives to; None: any wrong label is a success.

    Returns
    -------
    float
        The share.

    Raises
    ------
    ValueError
        For lengths or kinds of labels that differ, or a target that is the true label.

    References
    ----------
    Ling et al., "DEEPSEC: a uniform platform for security analysis of deep learning
    model" (IEEE S&P, 2019).

    Examples
    --------
    >>> from skrobust.metrics import misclassification_rate
    >>> misclassification_rate([0, 1, 2, 0], [1, 1, 0, 2])
    0.75
    """
    caller = "misclassification_rate"
    names = ("y_true", "y_pred_adversarial")
    y_true, y_pred = label_pair(y_true, y_pred_adversarial, caller, names=names)
    return float(_success(y_true, y_pred, _targets(y_true, target, caller)).mean())


@metric
def adversarial_class_confidence(
    y_true, y_prob_adversarial, *, target=None, labels=None
):
    r"""Compute the average confidence of the adversarial class (ACAC).

    In [0, 1]; the greater, the more confident is the model of its errors.

    .. math:: ACAC = \frac{1}{|A|} \sum_{i \in A} \max_k y\_prob\_adversarial_{ik}

    over the set :math:`A` of samples whose attack succeeded.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes: column numbers, or labels when ``labels`` is given.
    y_prob_adversarial : array-like of shape (n_samples, n_classes)
        Probabilities on the adversarial inputs.
    target : label or array-like of shape (n_samples,), default=None
        Classes that the attack drives to; None: any wrong class is a success.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column, as in ``estimator.classes_``.

    Returns
    -------
    float
        The average; nan with a warning when no attack succeeded.

    Raises
    ------
    ValueError
        For rows that are no probabilities, labels without a column, lengths that
        differ, or a target that is the true class.

    Notes
    -----
    Without a success DEEPSEC divides by zero and AISafety gives 0; nan is our choice.

    References
    ----------
    Ling et al., "DEEPSEC" (IEEE S&P, 2019); code of the platform AISafety (2020).

    Examples
    --------
    >>> from skrobust.metrics import adversarial_class_confidence
    >>> round(adversarial_class_confidence([0, 1], [[0.2, 0.8], [0.3, 0.7]]), 4)
    0.8
    """
    caller = "adversarial_class_confidence"
    p, _, succeeded = _attacked(y_true, y_prob_adversarial, target, labels, caller)
    return mean_over(p.max(axis=1), succeeded, caller)


@metric
def true_class_confidence(y_true, y_prob_adversarial, *, target=None, labels=None):
    r"""Compute the average confidence of the true class (ACTC).

    In [0, 1]; the smaller, the further the attacks went.

    .. math:: ACTC = \frac{1}{|A|} \sum_{i \in A} y\_prob\_adversarial_{i,y\_true_i}

    over the set :math:`A` of samples whose attack succeeded.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes: column numbers, or labels when ``labels`` is given.
    y_prob_adversarial : array-like of shape (n_samples, n_classes)
        Probabilities on the adversarial inputs.
    target : label or array-like of shape (n_samples,), default=None
        Classes that the attack drives to; None: any wrong class is a success.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column, as in ``estimator.classes_``.

    Returns
    -------
    float
        The average; nan with a warning when no attack succeeded.

    Raises
    ------
    ValueError
        As :func:`adversarial_class_confidence`.

    References
    ----------
    Ling et al., "DEEPSEC" (IEEE S&P, 2019).

    Examples
    --------
    >>> from skrobust.metrics import true_class_confidence
    >>> round(true_class_confidence([0, 1], [[0.2, 0.8], [0.3, 0.7]]), 4)
    0.2
    """
    caller = "true_class_confidence"
    p, column, succeeded = _attacked(y_true, y_prob_adversarial, target, labels, caller)
    return mean_over(p[np.arange(len(p)), column], succeeded, caller)


@metric
def noise_tolerance_estimate(y_true, y_prob_adversarial, *, target=None, labels=None):
    r"""Compute the average gap of the two largest probabilities (NTE).

    In [0, 1]; the greater, the more noise the adversarial examples tolerate.

    .. math:: NTE = \frac{1}{|A|} \sum_{i \in A} \left(p_{i(1)} - p_{i(2)}\right)

    with the two largest of ``y_prob_adversarial[i]``, over the set :math:`A` of samples
    whose attack succeeded.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes: column numbers, or labels when ``labels`` is given.
    y_prob_adversarial : array-like of shape (n_samples, n_classes)
        Probabilities on the adversarial inputs.
    target : label or array-like of shape (n_samples,), default=None
        Classes that the attack drives to; None: any wrong class is a success.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column, as in ``estimator.classes_``.

    Returns
    -------
    float
        The average; nan with a warning when no attack succeeded.

    Raises
    ------
    ValueError
        As :func:`adversarial_class_confidence`.

    References
    ----------
    Ling et al., "DEEPSEC" (IEEE S&P, 2019).

    Examples
    --------
    >>> from skrobust.metrics import noise_tolerance_estimate
    >>> round(noise_tolerance_estimate([0, 1], [[0.2, 0.8], [0.3, 0.7]]), 4)
    0.6
    """
    caller = "noise_tolerance_estimate"
    p, _, succeeded = _attacked(y_true, y_prob_adversarial, target, labels, caller)
    top = np.partition(p, -2, axis=1)
    return mean_over(top[:, -1] - top[:, -2], succeeded, caller)


def mean_over(values, chosen, caller):
    """Return the mean over the successful attacks; nan with a warning for none."""
    if not chosen.any():
        text = f"{caller} is undefined when no attack succeeded; it is set to nan."
        return warn_undefined(text)
    return float(values[chosen].mean())


def _attacked(y_true, y_prob, target, labels, caller):
    """Return probabilities, columns of the true classes, and successes of attacks."""
    p = check_probabilities(y_prob, caller, name="y_prob_adversarial")
    y_true = label_array(y_true, caller, "y_true")
    column = true_columns(y_true, labels, caller, y_prob_adversarial=p)
    goal = _targets(y_true, target, caller)
    if goal is not None:
        goal = label_columns(goal, labels, p.shape[1], caller)
    return p, column, _success(column, p.argmax(axis=1), goal)


def _success(y_true, y_pred, target):
    return y_pred != y_true if target is None else y_pred == target


def _targets(y_true, target, caller):
    """Return one checked target per sample, or None."""
    if target is None:
        return None
    if len(shape_of(target, "target", caller)) == 0:
        target = [target] * len(y_true)
    target = label_array(target, caller, "target")
    check_same_length(caller, y_true=y_true, target=target)
    check_same_kind(y_true, target, caller, names=("y_true", "target"))
    if (target == y_true).any():
        raise ValueError(
            f"{caller} needs targets other than the true label; sample "
            f"{int((target == y_true).argmax())} is driven to its own. Leave such "
            "samples out."
        )
    return target
