"""Columns of a data frame: which hold numbers, their cells, and new values for them."""

import sys

import numpy as np

from skrobust._column_numbers import numbers_in
from skrobust._containers import is_frame, like, to_array


def column_at(X, place):
    """Return a column of a frame of pandas or polars by its place."""
    return X.iloc[:, place] if hasattr(X, "iloc") else X.to_series(place)


def rows_at(X, places):
    """Return rows of a frame by their places, which may repeat."""
    return X.iloc[places] if hasattr(X, "iloc") else X[places]


def cells(column):
    """Return the cells of a column as an array, the levels of categories too."""
    return np.asarray(column.to_numpy())


def numbers_of(column):
    """Return a column as float64 (missing: nan), or None where it holds no numbers.

    Categories are none, whatever their levels, and digits in a text are text.
    """
    if str(column.dtype).partition("(")[0].lower() in ("category", "categorical"):
        return None
    values = cells(column)
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    out = np.empty(len(values))
    for place, value in enumerate(values.tolist()):
        if value is None or type(value).__name__ == "NAType":
            value = np.nan
        if isinstance(value, (str, bytes)):
            return None
        try:
            out[place] = float(value)
        except (TypeError, ValueError):
            return None
    return out


def joined_frames(X, more):
    """Return the rows of two frames of the same columns, one after the other."""
    library = sys.modules[type(X).__module__.partition(".")[0]]
    if hasattr(X, "iloc"):
        return library.concat([X, more], ignore_index=True)
    return library.concat([X, more], how="vertical_relaxed")


def level_series(column, levels):
    """Return levels as a series of the type of a column, to be picked by place."""
    library = sys.modules[type(column).__module__.partition(".")[0]]
    if hasattr(column, "iloc"):
        return library.Series(list(levels), dtype=column.dtype)
    return library.Series(column.name, list(levels), dtype=column.dtype)


def with_columns(frame, changes):
    """Return a frame with other values in some columns, given by place.

    Parameters
    ----------
    frame : data frame of pandas or polars
        Left as it is.
    changes : dict of int to (array or series)
        Arrays of numbers get the type that
        :func:`~skrobust._column_numbers.numbers_in` says; series keep theirs.
    """
    out = frame.copy() if hasattr(frame, "iloc") else frame.clone()
    for place, values in changes.items():
        if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
            values = numbers_in(column_at(frame, place), values)
        if hasattr(frame, "iloc"):
            if not isinstance(values, np.ndarray):
                values = values.set_axis(frame.index)
            out.isetitem(place, values)
            continue
        name = frame.columns[place]
        if isinstance(values, np.ndarray):
            values = type(frame.to_series(place))(name, values)
        out = out.with_columns(values.alias(name))
    return out


def columns_from(X, other, places):
    """Return rows with some columns of other rows of the same shape.

    Columns of frames have the type that they have in the other rows; an array has the
    type that holds the values of both.

    Parameters
    ----------
    X, other : data frame or array-like of shape (n_samples, n_features)
        Rows that give the columns; left as they are.
    places : sequence of int
        Places of the columns that ``other`` gives.
    """
    if is_frame(X):
        return with_columns(X, {int(j): column_at(other, int(j)) for j in places})
    values, new = np.asarray(to_array(X)), np.asarray(to_array(other))
    out = values.astype(np.result_type(values, new), copy=True)
    out[:, places] = new[:, places]
    return like(out, X)
