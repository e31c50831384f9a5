"""Checks of arguments that several evaluations share."""

import numpy as np

from skrobust._containers import to_array
from skrobust._responses import refuse_regressor
from skrobust._validation import check_rows, check_same_length, check_targets
from skrobust.metrics.robust.structural_similarity import check_data_range


def check_labels(estimator, X, y, caller):
    """Return the labels of rows that a classifier is evaluated on."""
    y = check_targets(y, caller)
    check_same_length(caller, X=X, y=y)
    refuse_regressor(estimator, caller, "It needs a classifier.")
    return y


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
