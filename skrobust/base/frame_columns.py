"""Columns of a data frame: which hold numbers, their cells, and new values for them."""

import sys

import numpy as np


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
        Arrays take the type of a column of floats; a column of integers becomes one of
        floats.
    """
    if hasattr(frame, "iloc"):
        out = frame.copy()
        for place, values in changes.items():
            kept = frame.dtypes.iloc[place]
            if isinstance(values, np.ndarray):
                values = values.astype(kept) if _is_float(kept) else values
            else:
                values = values.set_axis(frame.index)
            out.isetitem(place, values)
        return out
    library = sys.modules[type(frame).__module__.partition(".")[0]]
    columns = []
    for place, values in changes.items():
        name = frame.columns[place]
        series = values
        if isinstance(values, np.ndarray):
            series = library.Series(name, values)
            kept = frame.dtypes[place]
            series = series.cast(kept) if kept.is_float() else series
        columns.append(series.alias(name))
    return frame.with_columns(columns)


def _is_float(dtype):
    return isinstance(dtype, np.dtype) and dtype.kind == "f"
