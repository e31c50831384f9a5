"""Row operations on any container: take, join, make dense."""

import sys

import numpy as np

from skrobust._containers import is_frame, to_array
from skrobust._keyed_noise.row_hash import is_categorical, is_series


def is_text(X):
    """Return whether X has one text a row: a series, or a list or array of str."""
    if is_series(X):
        return True
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and all(isinstance(text, str) or text is None for text in X)
    return getattr(X, "ndim", 0) == 1 and X.dtype.kind in "OUT"


def dense_rows(X):
    """Return a frame that a perturbation can take: sparse columns made dense."""
    return _cast(X, {i: t.subtype for i, t in _sparse_columns(X).items()})


def _sparse_columns(X):
    if not (is_frame(X) and hasattr(X, "iloc")):
        return {}
    kinds = enumerate(X.dtypes)
    return {i: t for i, t in kinds if type(t).__name__ == "SparseDtype"}


def _cast(X, dtypes):
    # By place: names may occur twice.
    if not dtypes:
        return X
    frame = X.set_axis(range(X.shape[1]), axis=1).astype(dtypes)
    return frame.set_axis(X.columns, axis=1)


def take_rows(container, rows):
    """Return some rows of any container."""
    if hasattr(container, "iloc"):
        return container.iloc[rows]
    if isinstance(container, (list, tuple)):
        return type(container)(container[i] for i in rows)
    return to_array(container)[rows] if _is_bare(container) else container[rows]


def _is_bare(container):
    """Return whether rows cannot be picked by an array: buffers, arrays of Arrow."""
    return (
        not isinstance(container, np.ndarray)
        and not hasattr(container, "device")
        and (
            type(container).__module__.partition(".")[0]
            in {"array", "builtins", "pyarrow"}
        )
    )


def join_rows(parts):
    """Return the rows of all parts, one part after the other."""
    first = parts[0]
    if not (is_frame(first) or is_series(first)):
        return np.concatenate(parts)
    if hasattr(first, "iloc"):
        if is_frame(first):
            parts = _with_common_categories(parts)
        return sys.modules["pandas"].concat(parts, ignore_index=True)
    how = "vertical_relaxed" if is_frame(first) else "vertical"
    return sys.modules["polars"].concat(parts, how=how)


def _with_common_categories(parts):
    """Return frames of pandas whose columns of categories know those of all parts.

    pandas makes text or objects of categories that differ.
    """
    parts, places = list(parts), range(parts[0].shape[1])
    for j in (j for j in places if is_categorical(parts[0].iloc[:, j])):
        columns = [part.iloc[:, j] for part in parts]
        if all(c.dtype == columns[0].dtype for c in columns):
            continue
        known = dict.fromkeys(v for c in columns for v in c.cat.categories)
        for i, column in enumerate(columns):
            parts[i] = parts[i].copy(deep=False)
            parts[i].isetitem(j, column.cat.set_categories(list(known)))
    return parts


def rows_as_given(new, X):
    """Return new rows in the container that came in, sparse columns sparse again."""
    if isinstance(X, (list, tuple)):
        return new.tolist()
    return new_index(_cast(new, _sparse_columns(X)))


def new_index(container):
    """Return the container; rows of pandas are numbered from 0 again."""
    if hasattr(container, "iloc"):
        return container.reset_index(drop=True)
    return container
