"""Correctness of samples, as given or made of predictions."""

import numpy as np

from skrobust._array_checks import check_same_length, refuse_missing
from skrobust._containers import one_per_row
from skrobust._validation import invalid
from skrobust.metrics.labels import check_same_kind, check_stack, label_array


def correctness(data, caller, *, name="y_pred"):
    """Return the 0 and 1 matrix of shape (n_samples, n_conditions), or raise.

    ``data`` holds the correctness itself, or true labels and predictions of shape
    (n_samples,) or (n_conditions, n_samples).
    """
    if len(data) == 2:
        return correct_predictions(*data, caller, name=name)
    if len(data) != 1:
        raise ValueError(
            f"{caller} needs correctness, or true labels and predictions. Got "
            f"{len(data)} arrays."
        )
    correct = one_per_row(data[0], "correct", caller)
    refuse_missing(correct, caller, "correct")
    if correct.ndim not in (1, 2) or 0 in correct.shape:
        rule = "of shape (n_samples,) or (n_samples, n_conditions)"
        raise invalid("correct", caller, rule, correct.shape or data[0])
    if correct.dtype.kind not in "biuf" or not np.isin(correct, (0, 1)).all():
        raise ValueError(
            f"{caller} needs correctness of each sample as booleans, or 0 and 1. For "
            "labels pass the true ones and the predicted ones."
        )
    return correct.reshape(len(correct), -1).astype(bool)


def correct_predictions(y_true, y_pred, caller, *, name="y_pred"):
    """Return which predictions are correct, shape (n_samples, n_conditions)."""
    y_true = label_array(y_true, caller, "y_true")
    what = f"{name} as predictions"
    check_stack(y_pred, len(y_true), what, "n_conditions", caller)
    y_pred = label_array(one_per_row(y_pred, name, caller).ravel(), caller, name)
    check_same_kind(y_true, y_pred, caller, names=("y_true", name))
    return (y_pred.reshape(-1, len(y_true)) == y_true).T


def with_clean_correctness(data, caller, title):
    """Return correctness under conditions and on clean rows, or raise.

    Parameters
    ----------
    data : tuple of array-like
        Correctness of shape (n_samples,) or (n_samples, n_conditions) and that on the
        clean rows, of shape (n_samples,); or true labels, predictions of shape
        (n_samples,) or (n_conditions, n_samples) and those for the clean rows.
    caller : str
        Name of the public function, for error messages.
    title : str
        Title of the metric.

    Returns
    -------
    correct : ndarray of bool of shape (n_samples, n_conditions)
        Under the conditions.
    clean : ndarray of bool of shape (n_clean_samples,)
        On the clean rows, of which there may be another number.
    """
    if len(data) == 3:
        y_true, y_pred, y_clean = data
        correct = correct_predictions(y_true, y_pred, caller)
        clean = correct_predictions(y_true, y_clean, caller, name="y_pred_clean")
    elif len(data) == 2 and np.ndim(data[0]) > 0 and np.ndim(data[1]) > 0:
        correct, clean = (correctness((one,), caller) for one in data)
    else:
        raise ValueError(
            f"{caller} of the {title} takes no scores of conditions, which are no "
            "sample: resampling them says nothing about new data. It needs the "
            "correctness of each sample under the conditions and on clean rows, or the "
            "true labels with both predictions."
        )
    if clean.shape[1] != 1:
        rule = "one value per sample, of shape (n_samples,)"
        raise invalid("clean", caller, rule, clean.shape)
    return correct, clean[:, 0]


def paired_with_clean(data, caller, title):
    """Return :func:`with_clean_correctness` of the same rows, or raise."""
    correct, clean = with_clean_correctness(data, caller, title)
    check_same_length(caller, correct=correct, clean=clean)
    return correct, clean
