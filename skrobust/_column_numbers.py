"""Numbers in a column of a frame: the one rule for the type that new numbers get.

Floats keep their type. Integers and decimals become the float64 of their library, since
a perturbed number is seldom whole: ``int32`` becomes ``float64``, ``Int64`` becomes
``Float64``, ``int64[pyarrow]`` becomes ``double[pyarrow]``, ``Sparse[int64]`` becomes
``Sparse[float64]``, and ``Int64`` of polars its ``Float64``. Rounded on demand,
integers keep their type and its limits. What is missing keeps the mark of its type.
"""

import numpy as np


def numbers_in(column, values, *, whole=False):
    """Return new numbers as a column of the type of another one.

    Parameters
    ----------
    column : series of pandas or polars
        The column that they replace; left as it is.
    values : ndarray of shape (n,)
        The new numbers; NaN is missing where the column is. Whole numbers in an array
        of integers stay so.
    whole : bool, default=False
        Whether a column of integers stays one: numbers are rounded, and clipped to the
        limits of the type.

    Returns
    -------
    ndarray or series of shape (n,)
        An array for columns of pandas with a type of numpy.
    """
    if hasattr(column, "to_physical"):
        return _of_polars(column, values, whole)
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    keeps = whole and kind in "iu"
    if isinstance(dtype, np.dtype):
        if keeps and not np.isnan(values).any():  # integers have no mark for it
            return as_integers(values, column.to_numpy())
        return np.asarray(values, dtype=dtype if kind == "f" else None)

    def series(cells, dtype):
        return column._constructor(
            cells, index=column.index, dtype=dtype, name=column.name
        )

    if not keeps:
        floats = dtype if kind == "f" else (column.iloc[:0] * 1.0).dtype
        return series(np.asarray(values, dtype=np.float64), floats)
    gone = np.isnan(values)
    old = np.asarray(column.fillna(0).array, dtype=_plain_type(dtype))
    new = series(as_integers(np.where(gone, 0.0, values), old), dtype)
    return new.mask(gone) if gone.any() else new


def _plain_type(dtype):
    return dtype.numpy_dtype if hasattr(dtype, "numpy_dtype") else dtype.subtype


def _of_polars(column, values, whole):
    dtype, series = column.dtype, type(column)
    gone = column.is_null().to_numpy()
    if values.dtype.kind == "f":
        gone = gone & np.isnan(values)
    if whole and dtype.is_integer():
        gone = np.isnan(values)
        old = column.fill_null(0).to_numpy()
        values = as_integers(np.where(gone, 0, values), old)
    values = np.ascontiguousarray(values)
    new = series(column.name, values, nan_to_null=False)
    if gone.any():
        new = new.scatter(np.flatnonzero(gone), None)
    return new.cast(dtype) if dtype.is_float() else new


def as_integers(new, old):
    """Round changed values back to integers inside the limits of the old type."""
    limits = np.iinfo(old.dtype)
    bounded = np.clip(np.rint(new), float(limits.min), float(limits.max))
    # The largest integers are no doubles: the bound itself is set as an integer.
    rounded = np.where(bounded >= float(limits.max), 0, bounded).astype(old.dtype)
    rounded[bounded >= float(limits.max)] = limits.max
    return np.where(new == old.astype(np.float64), old, rounded)


def check_exact(values, columns):
    """Raise for integers of an array that float64 would round.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        An array that is about to become one of floats.
    columns : array-like of int
        Places of the columns whose values are to stay.
    """
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return
    for j in columns:
        column = values[:, j]
        floats = column.astype(np.float64)
        inside = np.abs(floats) < 2.0**63
        back = np.where(inside, floats, 0.0).astype(column.dtype)
        rounded = (back != column) & (np.abs(floats) > 2.0**53)
        if rounded.any():
            raise ValueError(
                f"An array of {values.dtype} becomes one of float64 where a column of "
                f"it is perturbed, which would round column {int(j)}: it holds "
                f"{int(column[rounded][0])}. Pass a data frame, whose columns keep "
                "their types, or keep_integer=True."
            )
