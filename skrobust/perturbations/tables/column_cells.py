"""New cells in a column of a frame: the one rule for the type that it gets.

A column keeps its type where that can hold the new cells as they are. A type of
categories gets those that it lacks, after its own. Else a column of integers becomes
one of floats, one of times gets a finer unit, and where that does not do either, it
becomes a column of objects.
"""

import contextlib
import datetime
import decimal
import math
import numbers
import re
import sys

import numpy as np

from skrobust._column_numbers import (
    as_floats,
    check_exact,
    plain_type,
    refuse_rounding,
    rounded_integer,
)
from skrobust._containers import is_missing
from skrobust._keyed_noise.row_hash import is_categorical, object_cells
from skrobust.perturbations.tables.array_table import (
    ArrayTable,
    as_numbers,
    distinct,
    listed,
)

_REFUSALS = (TypeError, ValueError, OverflowError, NotImplementedError)


def is_object(column):
    """Return whether a column of a frame holds Python objects of any type."""
    return column.dtype == object or str(column.dtype) == "Object"


def pandas_cells(column, rows, values, levels=()):
    """Return a series of pandas with new cells.

    Parameters
    ----------
    column : Series
        Left as it is.
    rows : ndarray of bool of shape (n,)
        Where the new cells go.
    values : sequence
        One for each of these rows.
    levels : sequence, default=()
        Values that a column of categories is to know, too.

    Returns
    -------
    Series or ndarray of shape (n,)
        An array for a type of numpy.
    """
    if not isinstance(values, np.ndarray):
        values = object_cells(values)
    dtype, places = column.dtype, np.flatnonzero(rows)
    if isinstance(dtype, np.dtype):
        if dtype.kind != "O":
            table = ArrayTable(column.to_numpy()[:, None])
            return table.with_cells({0: (rows, values)}, name=column.name)[:, 0]
        cells = column.to_numpy(copy=True)
        cells[places] = values
        return cells
    if is_categorical(column):
        known = set(column.cat.categories)
        given = dict.fromkeys([*levels, *distinct(values)])
        given = [v for v in given if v not in known and not is_missing(v)]
        column = column.cat.add_categories(given) if given else column
        dtype = column.dtype
    array = column.array.copy()
    if not len(places):
        return _series(column, array, dtype)
    if getattr(dtype, "kind", "O") == "f":
        _check_range(values, plain_type(dtype))
    try:
        array[places] = listed(values)
        if _same_cells(array[places], values):
            return _series(column, array, dtype)
    except _REFUSALS:  # what a library says of a value of another type
        pass
    cells = column.to_numpy(dtype=object, copy=True)
    cells[places] = values
    if getattr(dtype, "kind", "O") in "iu":
        _check_exact_cells(cells[~rows], values, column)
    for wider in (dtype, *_wider(column)):  # first for sparse ones, which take no cells
        try:
            new = _series(column, cells.tolist(), wider)
        except _REFUSALS:
            continue
        if _same_cells(new, cells):
            return new
    return cells


def _are_numbers(values):
    return all(isinstance(v, numbers.Real) or is_missing(v) for v in values)


def _check_range(values, dtype):
    """Raise where new cells of a column of floats are too large for its type."""
    if _are_numbers(values):
        as_floats(as_numbers(object_cells(values)), dtype)


def _check_exact_cells(staying, values, column):
    """Raise where new cells make floats of integers that these would round."""
    rounded = rounded_integer(staying) if _are_numbers(values) else None
    if rounded is not None:
        refuse_rounding(rounded, column.dtype, column.name)


def _wider(column):
    """Yield types that hold more than that of a column of pandas."""
    if getattr(column.dtype, "kind", "O") in "iu":
        yield (column.iloc[:0] * 1.0).dtype
    name = str(column.dtype)
    if name.startswith(("date", "time", "duration")):
        name = name.replace("date32", "timestamp").replace("time32", "time64")
        for unit in ("us", "ns"):
            yield re.sub(r"\[(day|s|ms|us)\b", f"[{unit}", name)


def _same_cells(cells, values):
    """Return whether a library has kept values as they are; floats may be rounded."""
    if getattr(cells.dtype, "kind", "O") == "f":
        return True
    return all(map(_same, cells, values))


def _same(cell, value):
    if isinstance(cell, (list, tuple, np.ndarray)):
        return len(cell) == len(value) and all(map(_same, cell, value))
    if isinstance(cell, dict) and isinstance(value, dict):
        return all(_same(cell.get(k), value.get(k)) for k in {*cell, *value})
    if isinstance(cell, float) and isinstance(value, float) and math.isfinite(cell):
        return cell == value or cell == float(np.float32(value))
    if is_missing(cell) or is_missing(value):
        return is_missing(cell) and is_missing(value)
    if isinstance(cell, decimal.Decimal):
        return float(cell) == float(value)
    if isinstance(value, datetime.datetime) and type(cell) is datetime.date:
        cell = datetime.datetime.combine(cell, datetime.time())
    elif isinstance(cell, datetime.datetime) and type(value) is datetime.date:
        value = datetime.datetime.combine(value, datetime.time(), cell.tzinfo)
    return bool(cell == value)


def _series(column, cells, dtype):
    return column._constructor(cells, index=column.index, dtype=dtype, name=column.name)


def pandas_missing(column, rows):
    """Return a series of pandas, or an array of objects, with cells gone.

    Integers without a mark for what is missing become floats, booleans objects.
    """
    dtype = column.dtype
    if dtype in (object, bool):
        cells = column.to_numpy(dtype=object, copy=True)
        cells[rows] = None
        return cells
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        check_exact(column.to_numpy(), ~rows, column.name)
    # pandas would make objects of intervals between integers.
    if hasattr(dtype, "closed") and getattr(dtype.subtype, "kind", "f") in "iu":
        column = column.astype(f"interval[float64, {dtype.closed}]")
    return column.mask(rows)


def polars_cells(column, rows, values, levels=()):
    """Return a series of polars with new cells, see :func:`pandas_cells`."""
    series, dtype = type(column), column.dtype
    plain = [v.item() if isinstance(v, np.generic) else v for v in values]
    if str(dtype).startswith("Enum"):
        known = dtype.categories.to_list()
        added = [v for v in (*levels, *plain) if v is not None]
        dtype = type(dtype)(list(dict.fromkeys([*known, *added])))
        column = column.cast(dtype)
    if dtype.is_float():
        _check_range(plain, str(dtype).lower())
    places, n = np.flatnonzero(rows), len(column)
    try:
        new = series(column.name, plain, dtype=dtype)
        if getattr(dtype, "time_unit", None) == "ms":
            times = (datetime.datetime, datetime.timedelta)
            pairs = zip(new.to_list(), plain, strict=True)
            if any(isinstance(v, times) and cell != v for cell, v in pairs):
                finer = column.dt.cast_time_unit("us")
                return polars_cells(finer, rows, values, levels)
        if not _may_round(dtype) or all(map(_same, new.to_list(), plain)):
            source = np.arange(n)
            source[places] = n + np.arange(len(places))
            return column.clone().append(new).gather(source)
    except (*_REFUSALS, sys.modules["polars"].exceptions.PolarsError):
        cells = object_cells(column.to_list())
        cells[places] = object_cells(plain)
        if dtype.is_integer():
            _check_exact_cells(cells[~rows], plain, column)
        kept = dtype if is_object(column) else None
        if not dtype.is_nested():
            return series(column.name, cells.tolist(), dtype=kept, strict=False)
    return _in_floats(column, places, plain)


def _may_round(dtype):
    """Return whether polars makes cells of a type without a word on what is lost."""
    return dtype.is_nested() or dtype.is_decimal()


def _in_floats(column, places, values):
    """Return a series of polars whose integers and decimals are floats."""
    cells = object_cells(column.to_list())
    cells[places] = object_cells(values)
    new, dtype = None, _floats(column.dtype)
    if dtype != column.dtype:
        with contextlib.suppress(
            *_REFUSALS, sys.modules["polars"].exceptions.PolarsError
        ):
            new = type(column)(column.name, cells.tolist(), dtype=dtype)
    if new is None or not all(map(_same, new.to_list(), cells)):
        raise ValueError(
            f"The column {column.name!r} of {column.dtype} cannot hold "
            f"{str(values[0])[:60]!r} beside what stays: convert it to a type that "
            "holds both."
        )
    return new


def _floats(dtype):
    """Return a type of polars with floats for integers and decimals."""
    if hasattr(dtype, "fields"):
        return type(dtype)({f.name: _floats(f.dtype) for f in dtype.fields})
    if hasattr(dtype, "inner"):
        size = (dtype.size,) if hasattr(dtype, "size") else ()
        return type(dtype)(_floats(dtype.inner), *size)
    exact = dtype.is_integer() or dtype.is_decimal()
    return sys.modules["polars"].Float64() if exact else dtype
