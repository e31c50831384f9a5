"""Numbers in a column of a frame: the one rule for the type that new numbers get.

Floats keep their type. Integers and decimals become the float64 of their library, since
a perturbed number is seldom whole: ``int32`` becomes ``float64``, ``Int64`` becomes
``Float64``, ``int64[pyarrow]`` becomes ``double[pyarrow]``, ``Sparse[int64]`` becomes
``Sparse[float64]``, and ``Int64`` of polars its ``Float64``. Rounded on demand,
integers keep their type and its limits. What is missing keeps the mark of its type.
"""

import numbers

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
        _check_unchanged(column.to_numpy(), values, column.name)
        return as_floats(values, dtype) if kind == "f" else np.asarray(values)

    def series(cells, dtype):
        return column._constructor(
            cells, index=column.index, dtype=dtype, name=column.name
        )

    if kind in "iu":
        old = np.asarray(column.fillna(0).array, dtype=plain_type(dtype))
    if not keeps:
        if kind in "iu":
            _check_unchanged(old, values, column.name)
        floats = dtype if kind == "f" else (column.iloc[:0] * 1.0).dtype
        as_floats(values, plain_type(floats))
        return series(np.asarray(values, dtype=np.float64), floats)
    gone = np.isnan(values)
    new = series(as_integers(np.where(gone, 0.0, values), old), dtype)
    return new.mask(gone) if gone.any() else new


def plain_type(dtype):
    """Return the type of numpy behind one of pandas."""
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
    elif dtype.is_integer():
        _check_unchanged(column.fill_null(0).to_numpy(), values, column.name)
    values = np.ascontiguousarray(values)
    new = series(column.name, values, nan_to_null=False)
    if gone.any():
        new = new.scatter(np.flatnonzero(gone), None)
    if not dtype.is_float():
        return new
    as_floats(values, str(dtype).lower())
    return new.cast(dtype)


def as_floats(values, dtype):
    """Return numbers as an array of a type of floats, or raise where one is too large.

    Parameters
    ----------
    values : array-like
        Numbers.
    dtype : dtype or str
        A type of numpy.
    """
    values = np.asarray(values)
    with np.errstate(over="ignore"):  # an error with a reason follows
        new = values.astype(dtype, copy=False)
    if new.dtype.itemsize < 8:
        lost = np.isinf(new) & np.isfinite(values)
        if lost.any():
            raise ValueError(
                f"A perturbation makes {float(values[lost][0]):.6g}, which is too "
                f"large for {new.dtype} and would become infinite: convert the data "
                "to float64."
            )
    return new


def _check_unchanged(old, new, name):
    if new.dtype.kind == "f" and old.dtype.kind in "iu":
        check_exact(old, new == old.astype(np.float64), name)


def as_integers(new, old):
    """Round changed values back to integers inside the limits of the old type."""
    limits = np.iinfo(old.dtype)
    bounded = np.clip(np.rint(new), float(limits.min), float(limits.max))
    # The largest integers are no doubles: the bound itself is set as an integer.
    rounded = np.where(bounded >= float(limits.max), 0, bounded).astype(old.dtype)
    rounded[bounded >= float(limits.max)] = limits.max
    return np.where(new == old.astype(np.float64), old, rounded)


def check_exact(values, staying, name=None):
    """Raise for integers of an array that float64 would round.

    Parameters
    ----------
    values : ndarray of shape (n_samples,) or (n_samples, n_features)
        Integers that are about to become floats.
    staying : ndarray of bool, of the shape of ``values``
        Which of them are to stay as they are.
    name : str, default=None
        Name of the column; None for its number.
    """
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return
    floats = values.astype(np.float64)
    inside = floats < float(np.iinfo(values.dtype).max)
    back = np.where(inside, floats, 0.0).astype(values.dtype)
    rounded = ((back != values) | ~inside) & staying
    if rounded.any():
        place = tuple(np.argwhere(rounded)[0])
        name = int(place[-1]) if name is None else name
        refuse_rounding(values[place], values.dtype, name)


def refuse_rounding(value, dtype, name):
    """Raise for an integer of a column that floats would round."""
    raise ValueError(
        f"Numbers of {dtype} become float64 where some are perturbed, which would "
        f"round column {name!r}: it holds {int(value)}, which is to stay. Convert the "
        "column (of an array: the array) to objects, as astype(object) of numpy and "
        "pandas does: these keep integers of any size."
    )


def rounded_integer(cells):
    """Return the first Python integer that float64 would round, or None."""
    whole = (v for v in cells if isinstance(v, numbers.Integral))
    return next((v for v in whole if int(float(v)) != v), None)
