"""Correctness of samples, as given or made of predictions."""

import numpy as np

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
    correct = np.asarray(data[0])
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
    y_pred = label_array(np.asarray(y_pred).ravel(), caller, name)
    check_same_kind(y_true, y_pred, caller, names=("y_true", name))
    return (y_pred.reshape(-1, len(y_true)) == y_true).T
