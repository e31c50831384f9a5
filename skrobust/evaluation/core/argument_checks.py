"""Checks of arguments that several evaluations share."""

import numpy as np

from skrobust._array_checks import check_rows, check_same_length, check_targets
from skrobust._containers import to_array
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import (
    predict_labels,
    predict_probabilities,
    refuse_regressor,
)
from skrobust.metrics.robust.structural_similarity import check_data_range


def check_labels(estimator, X, y, caller):
    """Return the labels of rows that a classifier is evaluated on."""
    y = check_targets(y, caller)
    check_same_length(caller, X=X, y=y)
    refuse_regressor(estimator, caller, "It needs a classifier.")
    return y


def model_classes(estimator, X, y, caller):
    """Return the labels of a classifier in the order of its scores.

    They are asked of the model. One without ``classes_``, as a bare net, says how many
    there are by its probabilities, as rows may lack a class; without these the labels
    and predictions of the rows are all that is known.
    """
    if getattr(estimator, "classes_", None) is not None:
        return np.asarray(estimator.classes_)
    seen = np.unique(np.concatenate([np.ravel(y), predict_labels(estimator, X)]))
    if not hasattr(estimator, "predict_proba"):
        return seen
    n = predict_probabilities(estimator, take_rows(X, np.arange(1)), caller).shape[1]
    if np.isin(seen, np.arange(n)).all():
        return np.arange(n)
    if len(seen) != n:
        raise ValueError(
            f"{caller} needs classes_ of the model: it gives {n} probabilities, and "
            f"the rows show the labels {seen[:5].tolist()}."
        )
    return seen


def float_rows(X, caller):
    """Return rows as an array of floats."""
    values = check_rows(to_array(X), caller)
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def rows_in_range(X, y, data_range, caller):
    """Return float rows, their labels, and the range in which the rows lie."""
    low, high = check_data_range(data_range, caller)
    values, y = float_rows(X, caller), check_targets(y, caller)
    check_same_length(caller, X=values, y=y)
    slack = 1e-6 * (high - low)
    if values.min() < low - slack or values.max() > high + slack:
        raise ValueError(
            f"{caller} found input outside data_range: values in [{values.min():g}, "
            f"{values.max():g}], data_range [{low:g}, {high:g}]."
        )
    return values, y, (low, high)
