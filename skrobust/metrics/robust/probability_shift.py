"""Probability shift: how far the probability of one class moves."""

import numpy as np

from skrobust._array_checks import (
    check_fractions,
    check_probabilities,
    check_same_length,
    check_scores,
)
from skrobust._containers import to_array
from skrobust._validation import check_choice, invalid
from skrobust.metrics.labels import label_array, label_columns
from skrobust.metrics.robust.unmoved import warn_unmoved, warn_zero_shifts

REFERENCES = ("predicted", "true", "max")


def probability_shift(
    y_prob, y_prob_perturbed, *, reference="predicted", y_true=None, labels=None
):
    r"""Compute how far the probability of one class moves, sample by sample.

    In [0, 1]; 0 is best.

    .. math:: |dP|_i = \max_j \left| y\_prob\_perturbed_{j i c_i} -
        y\_prob_{i c_i} \right|

    where :math:`j` runs over the perturbations and :math:`c_i` is one fixed class.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities on the clean inputs; each row sums to 1.
    y_prob_perturbed : array-like of shape ([n_perturbations,] n_samples, n_classes)
        Probabilities on the perturbed inputs.
    reference : {"predicted", "true", "max"}, default="predicted"
        The class of the largest clean probability (the first of equals), the true
        class, or the largest move over all classes. For two classes all agree.
    y_true : array-like of shape (n_samples,) or None, default=None
        True classes, used with ``reference="true"`` only: column numbers, or labels
        when ``labels`` is given.
    labels : array-like of shape (n_classes,) or None, default=None
        The label of each column, as in ``estimator.classes_``.

    Returns
    -------
    ndarray of shape (n_samples,), dtype float64
        The largest absolute move of each sample.

    Raises
    ------
    ValueError
        For shapes that differ, rows that are no probabilities, an unknown reference, or
        true labels without a column.

    Notes
    -----
    The source does not say which label the definition holds fixed; the class predicted
    on the clean input is our choice.

    References
    ----------
    Lyu, Jin, Das (NLDL 2025, arXiv 2412.09795), Eq. 2.

    Examples
    --------
    >>> from skrobust.metrics import probability_shift
    >>> probability_shift([[0.6, 0.3, 0.1]], [[0.35, 0.05, 0.6]]).round(6)
    array([0.25])
    """
    caller = "probability_shift"
    data = y_prob, y_prob_perturbed
    shift, _ = shift_and_atol(*data, reference, y_true, labels, caller)
    kind = np.result_type(*map(to_array, data))
    # The shift is as exact as the probabilities, which a tolerance must know.
    return shift.astype(kind if kind == np.float32 else np.float64)


def check_tolerances(tolerances, caller, *, min_size=1):
    """Return tolerances in [0, 1]; None: 0, 0.01, ..., 0.2, as in the source."""
    if tolerances is None:
        return np.arange(21) / 100
    tolerances = check_scores(tolerances, caller, name="tolerances", min_size=min_size)
    return check_fractions(tolerances, caller, name="tolerances")


def check_curve(tolerances, ratios, caller, *, min_size):
    """Return different tolerances, which rise, and the ratio at each, or raise."""
    tolerances = check_tolerances(tolerances, caller, min_size=min_size)
    ratios = check_scores(ratios, caller, name="ratios")
    check_same_length(caller, tolerances=tolerances, ratios=ratios)
    check_fractions(ratios, caller, name="ratios")
    order = np.argsort(tolerances)
    tolerances, ratios = tolerances[order], ratios[order]
    again = np.diff(tolerances) == 0
    if again.any():
        rule = "different tolerances, free of repetitions"
        raise invalid("tolerances", caller, rule, float(tolerances[1:][again][0]))
    return tolerances, ratios


def shift_and_atol(y_prob, y_prob_perturbed, reference, y_true, labels, caller):
    """Return the shift of each sample and the rounding that comparisons allow."""
    check_choice(reference, "reference", caller, REFERENCES)
    clean = check_probabilities(y_prob, caller, name="y_prob")
    name = "y_prob_perturbed"
    moved = check_probabilities(y_prob_perturbed, caller, name=name, ndims=(2, 3))
    if moved.shape[-2:] != clean.shape or 0 in moved.shape:
        raise ValueError(
            f"{caller} needs y_prob_perturbed of the shape of y_prob, or "
            "(n_perturbations, n_samples, n_classes), with at least one sample. Got "
            f"{moved.shape} against {clean.shape}."
        )
    atol = max(_atol(clean.dtype), _atol(moved.dtype))
    if moved.ndim == 2:
        moved = moved[None]
    columns = reference_columns(clean, reference, y_true, labels, caller)
    warn_unmoved(clean, moved, "probabilities", caller)
    if columns is not None:
        place = np.arange(len(clean)), columns, None
        clean, moved = clean[place], moved[:, *place]
    shift = np.zeros(len(clean))
    clean = clean.astype(np.float64)
    # One perturbation at a time keeps the memory at that of one matrix.
    for one in moved:
        np.maximum(shift, np.abs(one - clean).max(axis=1), out=shift)
    return shift, atol


def shifts(data, caller, reference="predicted", y_true=None, labels=None):
    """Return the probability shift of each sample and the rounding allowed.

    ``data`` holds the shifts themselves, or clean and perturbed probabilities.
    """
    if len(data) == 2:
        return shift_and_atol(*data, reference, y_true, labels, caller)
    if len(data) != 1:
        raise ValueError(
            f"{caller} needs clean and perturbed probabilities, or the shift of each "
            f"sample. Got {len(data)} arrays."
        )
    shift = check_scores(data[0], caller, name="shifts")
    single = getattr(data[0], "dtype", None) == np.float32
    warn_zero_shifts(shift, caller)
    return check_fractions(shift, caller, name="shifts"), 1e-6 if single else 1e-9


def reference_columns(p, reference, y_true, labels, caller):
    """Return the column of each sample that is watched, or None for all of them."""
    if reference == "predicted":
        return p.argmax(axis=1)
    if reference == "max":
        return None
    if y_true is None:
        raise ValueError(f"{caller} needs y_true when reference='true'.")
    y_true = label_array(y_true, caller, "y_true")
    check_same_length(caller, y_prob=p, y_true=y_true)
    return label_columns(y_true, labels, p.shape[1], caller)


def _atol(dtype):
    # Integers are exact probabilities; half precision has three decimals.
    if dtype.kind != "f" or dtype.itemsize >= 8:
        return 1e-9
    return 1e-6 if dtype.itemsize == 4 else 1e-3
