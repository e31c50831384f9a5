"""Input of attacks: numbers, the order of columns, and the bounds of the data."""

import numpy as np

from skrobust._array_checks import check_rows, number_array
from skrobust._containers import (
    is_frame,
    refuse_mask,
    refuse_ragged,
    refuse_unordered,
    to_array,
)
from skrobust._validation import invalid


def number_rows(X, caller):
    """Return the values of X, or raise where one of them is not a number."""
    refuse_ragged(X, caller)
    parts = _columns(X) if is_frame(X) else [("X", to_array(X, "X", caller))]
    for name, values in parts:
        if values.dtype.kind not in "OSTUMm":
            continue
        for value in values.ravel().tolist():
            try:
                float("nan" if value is None else value)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(
                    f"{caller} changes numbers, and {name} holds {value!r}. Encode X "
                    "first, and attack the model behind the encoder."
                ) from None
    values = to_array(X)
    if is_frame(X) and values.dtype.kind == "O":  # nullable columns of pandas, too
        return np.column_stack([column.astype(np.float64) for _, column in parts])
    return values


def _columns(X):
    """Return names and values of the columns of a frame; names may occur twice."""
    columns = X.items() if hasattr(X, "iloc") else ((c.name, c) for c in X)
    return [(f"column {name!r}", column.to_numpy()) for name, column in columns]


def in_order_of(X, rows, name, caller):
    """Return rows with the columns of X in its order, where both are frames."""
    if not is_frame(X) or not is_frame(rows) or list(rows.columns) == list(X.columns):
        return rows
    absent = [column for column in X.columns if column not in rows.columns]
    if absent:
        raise ValueError(
            f"{caller} needs {name} with the columns of X; {absent[0]!r} is not there."
        )
    return rows[list(X.columns)]


def start_rows(start, X, values, caller):
    """Return the rows to start from as an array, checked against those of X."""
    rows = check_rows(to_array(in_order_of(X, start, "start", caller)), caller)
    if rows.shape != values.shape:
        raise ValueError(
            f"{caller} needs start of the shape of X, {values.shape}. Got {rows.shape}."
        )
    return rows.copy()


def check_data_range(data_range, values, caller):
    """Raise where ``data_range`` is no pair of bounds, or values lie outside."""
    refuse_mask(data_range, "data_range")
    refuse_unordered(data_range, "data_range", caller)
    try:
        low, high = (number_array(b, "data_range", caller) for b in data_range)
        low, high = low.astype(np.float64), high.astype(np.float64)
        fine = bool(np.all(low <= high) and np.any(low < high))
        fine = fine and np.isfinite(low).all() and np.isfinite(high).all()
    except (TypeError, ValueError):
        fine = False
    if not fine:
        rule = "None or a pair (low, high) with low < high"
        raise invalid("data_range", caller, rule, data_range)
    for bound in (low, high):
        if bound.ndim and bound.shape != values.shape[1:]:
            raise ValueError(
                f"The 'data_range' parameter of {caller} must hold scalars or one "
                f"bound per feature of shape {values.shape[1:]}. Got bounds of shape "
                f"{bound.shape}."
            )
    slack = 1e-6 * (high - low)
    # The extremes of each feature, or where one bound holds for all, of all.
    least = values.min(axis=0 if low.ndim else None)
    most = values.max(axis=0 if high.ndim else None)
    if (least < low - slack).any() or (most > high + slack).any():
        raise ValueError(
            f"{caller} found input outside data_range: values in "
            f"[{values.min():g}, {values.max():g}], data_range "
            f"[{low.min():g}, {high.max():g}]. Give data_range and eps in units of the "
            "raw input of the whole pipeline."
        )
