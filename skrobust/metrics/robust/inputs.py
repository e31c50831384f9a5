"""What the metrics with intervals take: correctness, probability shifts, options."""

import numpy as np

from skrobust._validation import check_fractions, check_number, check_scores, invalid
from skrobust.metrics.labels import check_same_kind, label_array
from skrobust.metrics.robust.probability_shift import shift_and_atol


def take(params, caller, what, **defaults):
    """Return the options of a metric with defaults filled in, or raise."""
    unknown = sorted(set(params) - set(defaults))
    if unknown:
        known = ", ".join(defaults) or "none"
        raise TypeError(
            f"{caller} of {what} has no parameter {unknown[0]!r}; it takes {known}."
        )
    return defaults | params


def is_per_row(value, n_samples):
    """Say whether an option of a metric has one entry per sample."""
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__"):
        return False
    return len(value) == n_samples


def correctness(data, caller, *, y_true=None):
    """Return the 0 and 1 matrix of shape (n_samples, n_conditions), or raise.

    ``data`` holds the correctness itself, or true labels and predictions of shape
    (n_samples,) or (n_conditions, n_samples).
    """
    if y_true is not None:
        data = (y_true, *data)
    if len(data) == 2:
        y_true = label_array(data[0], caller, "y_true")
        shape = np.shape(data[1])
        if len(shape) not in (1, 2) or shape[-1] != len(y_true) or 0 in shape:
            raise ValueError(
                f"{caller} needs predictions of shape (n_samples,) or (n_conditions, "
                f"n_samples). Got shape {shape} for {len(y_true)} samples."
            )
        y_pred = label_array(np.asarray(data[1]).ravel(), caller, "y_pred")
        check_same_kind(y_true, y_pred, caller, names=("y_true", "y_pred"))
        return (y_pred.reshape(-1, len(y_true)) == y_true).T
    if len(data) != 1:
        raise ValueError(
            f"{caller} needs correctness, or true labels and predictions. Got "
            f"{len(data)} arrays."
        )
    right = np.asarray(data[0])
    if right.ndim not in (1, 2) or 0 in right.shape:
        rule = "of shape (n_samples,) or (n_samples, n_conditions)"
        raise invalid("correct", caller, rule, right.shape)
    if right.dtype.kind not in "biuf" or not np.isin(right, (0, 1)).all():
        raise ValueError(
            f"{caller} needs correctness of each sample as booleans, or 0 and 1. For "
            "labels pass the true ones and the predicted ones."
        )
    return right.reshape(len(right), -1).astype(bool)


def shifts(data, caller, *, reference="predicted", y_true=None, labels=None):
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
    return check_fractions(shift, caller, name="shifts"), 1e-6 if single else 1e-9


def check_tolerance(tolerance, caller):
    """Return one tolerance, or raise."""
    if tolerance is None:
        raise ValueError(f"{caller} of the robust ratio needs tolerance=.")
    return check_number(tolerance, "tolerance", caller, low=0, high=1)
