"""Containers of text: documents read, checked and put back."""

import copy
import numbers

import numpy as np

from skrobust._containers import is_frame, is_missing
from skrobust._keyed_noise.row_hash import is_series
from skrobust._validation import invalid


def check_texts(X, columns, caller):
    """Return X, as an array if its container is unknown, or raise.

    Parameters
    ----------
    X : list, tuple, ndarray, series or frame
        Of str, None and NaN in the columns that count.
    columns : list, scalar or None
        Which columns of a 2-D container hold text; None is all of them.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    container
        With at most two dimensions and text in its columns.
    """
    known = isinstance(X, (list, tuple, np.ndarray)) or is_frame(X) or is_series(X)
    # A Categorical or an Index of pandas has no place for rows, as a series has.
    bare = not is_frame(X) and not isinstance(X, np.ndarray) and not hasattr(X, "name")
    index = hasattr(X, "to_flat_index")
    if hasattr(X, "__array__") and (not known or bare or index):
        X, known = np.asarray(X, dtype=object), True
    shape = getattr(X, "shape", (0,))
    if not known or len(shape) not in (1, 2):
        what = f"shape {shape}" if known else f"{X!r:.60}"
        raise ValueError(
            f"{caller} takes a list, array or series of texts, or a table with columns "
            f"of text. Got {what}."
        )
    for place, texts in text_columns(X, columns, caller):
        for row, text in enumerate(texts):
            if not isinstance(text, str) and not is_missing(text):
                column, cure = "", ""
                if len(shape) == 2:
                    label = X.columns[place] if is_frame(X) else place
                    column = f" of column {label!r}"
                    cure = "; choose the columns of text with 'columns'"
                raise ValueError(
                    f"{caller} takes text; row {row}{column} holds {text!r:.60} "
                    f"of type {type(text).__name__}{cure}."
                )
    return X


def _places(X, columns, caller):
    """Return the positions of the chosen columns."""
    if len(getattr(X, "shape", (0,))) == 1:
        if columns is not None:
            raise invalid("columns", caller, "None for one column of text", columns)
        return [0]
    labels = list(X.columns) if is_frame(X) else list(range(X.shape[1]))
    if columns is None:
        return range(len(labels))
    single = isinstance(columns, (str, numbers.Integral))
    listed = isinstance(columns, (list, tuple, np.ndarray))
    chosen = [columns] if single else list(columns) if listed else [None]
    if any(label not in labels for label in chosen):
        raise invalid("columns", caller, f"columns of a table, among {labels}", columns)
    return sorted(i for i, label in enumerate(labels) if label in chosen)


def text_columns(X, columns, caller):
    """Return pairs of the position of a column and the list of its values."""
    places = _places(X, columns, caller)
    if isinstance(X, (list, tuple)):
        return [(0, X)]
    if len(X.shape) == 2:
        pick = X.iloc if hasattr(X, "iloc") else X
        return [(j, _values(pick[:, j])) for j in places]
    return [(0, _values(X))]


def _values(column):
    return column.to_list() if hasattr(column, "to_list") else column.tolist()


def as_keyable(X):
    """Return the container that row hashes read: lists as arrays of objects."""
    if isinstance(X, np.ndarray):
        return X.astype(object) if X.dtype.kind == "T" else X
    if not isinstance(X, (list, tuple)):
        return X
    out = np.empty(len(X), dtype=object)
    out[:] = X
    return out


def with_texts(X, new):
    """Put new texts into a copy of their container.

    Parameters
    ----------
    X : list, tuple, ndarray, series or frame
        The container to imitate; never changed.
    new : dict of int to list
        New values by the position of their column.

    Returns
    -------
    container
        Of the type of X, with its index, names and order. Arrays of fixed-width
        strings are as wide as the new texts need; categories become text.
    """
    if isinstance(X, (list, tuple)):
        return type(X)(new[0]) if type(X) in (list, tuple) else list(new[0])
    if is_frame(X):
        out = copy.copy(X)
        for j, texts in new.items():
            if hasattr(X, "iloc"):
                out.isetitem(j, _series_like(X.iloc[:, j], texts))
            else:
                out.replace_column(j, _series_like(X[:, j], texts))
        return out
    if not isinstance(X, np.ndarray):
        return _series_like(X, new[0])
    out = np.array(X, dtype=object)
    for j, texts in new.items():
        out[(slice(None), j) if X.ndim == 2 else slice(None)] = texts
    # Longer text must not be cut off.
    return out.astype(str if X.dtype.kind == "U" else X.dtype, copy=False)


def _series_like(column, texts):
    if not hasattr(column, "iloc"):
        dtype = column.dtype if str(column.dtype) in {"String", "Null"} else None
        return type(column)(column.name, texts, dtype=dtype)
    dtype = getattr(column.dtype, "categories", column).dtype
    return type(column)(texts, index=column.index, name=column.name, dtype=dtype)
