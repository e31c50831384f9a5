"""Array tables: columns of an array, read and replaced by position."""

import datetime
import decimal
import numbers

import numpy as np

from skrobust._array_checks import number_array
from skrobust._column_numbers import as_floats, as_integers, check_exact
from skrobust._containers import is_missing
from skrobust._keyed_noise.row_hash import column_values

# What a column holds, by the kind of its numpy type.
KINDS = {"b": "bool", "M": "time", "m": "time", "U": "category", "S": "category"}
KINDS |= {"c": "other"}
KINDS |= dict.fromkeys("iuf", "number")
_DAY_IN_US = 86_400_000_000
_TIMES = (datetime.date, datetime.timedelta, datetime.time, np.datetime64)
_TIMES += (np.timedelta64,)


def kind_of(values):
    """Return "number", "bool", "time", "category" or "other" for a column's values.

    Other are cells that cannot be told apart by a look-up, such as lists, and complex
    numbers.
    """
    if values.dtype.kind != "O":
        return KINDS.get(values.dtype.kind, "number")
    found = distinct(values)
    seen = [v for v in found if not is_missing(v)]
    if not seen:
        return "category"
    if all(isinstance(v, (bool, np.bool_)) for v in seen):
        return "bool"
    if all(isinstance(v, _TIMES) or is_period(v) for v in seen):
        return "time"  # before numbers: a timedelta64 is an integer to Python
    if all(_is_number(v) and v is not True for v in seen):
        return "number"
    is_other = isinstance(found, list) or any(_is_complex(v) for v in seen)
    return "other" if is_other else "category"


def _is_number(value):
    return isinstance(value, (numbers.Real, decimal.Decimal))


def _is_complex(value):
    return isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)


def is_period(value):
    """Return whether a cell is a period of pandas, such as a month."""
    return hasattr(value, "ordinal") and hasattr(value, "freqstr")


def as_numbers(values):
    """Return a column as float64, with NaN for what is missing."""
    if values.dtype.kind != "O":
        return values.astype(np.float64)
    return number_array(values, "X", "a perturbation of tables")


def day_steps(days, whole):
    """Return durations in microseconds; those of the mask are rounded to days."""
    days = np.where(whole, np.rint(days), days)
    return np.rint(days * _DAY_IN_US).astype("timedelta64[us]")


def shift_dates(values, days):
    """Return an array of dates, each later by its number of days.

    Dates at midnight stay at midnight.
    """
    if values.dtype.kind == "M":
        whole = values == values.astype("datetime64[D]")
        return values + day_steps(days, whole).astype(f"m8[{_unit(values.dtype)}]")
    out = values.copy()
    for i, value in enumerate(values):
        if is_missing(value):
            continue
        if isinstance(value, np.datetime64):
            out[i] = shift_dates(np.array([value]), days[i : i + 1])[0]
            continue
        has_time = isinstance(value, datetime.datetime)
        whole = not has_time or value.time() == datetime.time()
        step = round(days[i]) if whole else float(days[i])
        out[i] = value + datetime.timedelta(days=step)
    return out


def _unit(dtype):
    return np.datetime_data(dtype)[0]


def listed(values):
    """Return the cells of a column as a list; times keep their type.

    Times in nanoseconds would become bare integers by ``tolist``.
    """
    return list(values) if values.dtype.kind in "mM" else values.tolist()


def distinct(values):
    """Return the distinct values of a column, or all where they cannot be hashed."""
    try:
        return dict.fromkeys(listed(values))
    except TypeError:  # lists, dicts
        return listed(values)


def all_columns(columns, width):
    """Return whether columns are all columns in their order."""
    return len(columns) == width and np.array_equal(columns, np.arange(width))


class Table:
    """Base class of views of tables, with columns by position."""

    def __init__(self, X):
        self.X = X
        self.n_rows, self.n_columns = X.shape

    def copy(self):
        """Return a copy of the container."""
        return self.X.copy()

    def values(self, j):
        """Return the values of one column as an array."""
        return column_values(self.column(j))


class ArrayTable(Table):
    """A 2-D array; an object array has columns of several kinds."""

    def column(self, j):
        """Return one column."""
        return self.X[:, j]

    def kind(self, j):
        """Return what a column holds."""
        return kind_of(self.values(j))

    def numbers(self, columns):
        """Return columns as a new C-ordered float64 block."""
        whole = all_columns(columns, self.n_columns)
        if self.X.dtype.kind != "O":
            part = self.X if whole else self.X[:, columns]
            return np.array(part, dtype=np.float64, order="C")
        return np.column_stack([as_numbers(self.X[:, j]) for j in columns])

    def with_numbers(self, columns, block, keep_integer):
        """Return the container with columns replaced by a float block."""
        X = self.X
        if X.dtype.kind == "O":
            out = X.copy()
            for j, new in zip(columns, block.T, strict=True):
                old = as_numbers(X[:, j])
                selected = ~((new == old) | (np.isnan(new) & np.isnan(old)))
                integral = keep_integer and all(
                    isinstance(v, numbers.Integral) or is_missing(v) for v in X[:, j]
                )
                cells = new[selected]
                if integral:
                    cells = [v if np.isnan(v) else round(v) for v in cells]
                out[selected, j] = cells
            return out
        if X.dtype.kind in "iu" and keep_integer:
            out = X.copy()
            out[:, columns] = as_integers(block, X[:, columns])
            return out
        dtype = X.dtype if X.dtype.kind == "f" else np.float64
        if X.dtype.kind in "iu":
            staying = np.ones(X.shape, dtype=bool)
            staying[:, columns] = block == X[:, columns].astype(np.float64)
            check_exact(X, staying)
        if all_columns(columns, self.n_columns):
            return as_floats(block, dtype)
        out = X.astype(dtype)
        out[:, columns] = as_floats(block, dtype)
        return out

    def with_shifted(self, columns, days):
        """Return the container with the dates of columns later by days."""
        out = self.X.copy()
        for j, step in zip(columns, days.T, strict=True):
            out[:, j] = shift_dates(self.X[:, j], step)
        return out

    def with_missing(self, columns, mask, value=None):
        """Return the container with selected cells missing, or set to ``value``."""
        dtype = self.X.dtype
        if value is not None and dtype.kind != "O":
            dtype = _common_type(dtype, value)
        elif dtype.kind in "iub":
            dtype = np.float64
        elif dtype.kind in "US":
            dtype = object
        blanks = {"f": np.nan, "c": np.nan, "M": "NaT", "m": "NaT"}
        blank = blanks.get(np.dtype(dtype).kind)
        if all_columns(columns, self.n_columns):
            whole = mask
        else:
            whole = np.zeros(self.X.shape, dtype=bool)
            whole[:, columns] = mask
        if np.dtype(dtype).kind in "fc":
            check_exact(self.X, ~whole)
        out = self.X.astype(dtype)
        if value is not None and out.dtype.kind == "f":
            value = as_floats(value, dtype)
        out[whole] = blank if value is None else value
        return out

    def with_cells(self, cells, levels=None, name=None):
        """Return the container with ``{column: (rows, values)}`` set.

        ``name`` is that of the only column, for error messages.
        """
        dtype = self.X.dtype
        for _, values in cells.values():
            for value in {type(v): v for v in values}.values():
                if dtype.kind not in "OUS":
                    dtype = _common_type(dtype, value)
            if dtype.kind in "US":  # longer text must not be cut off
                dtype = np.result_type(dtype, np.asarray(values, dtype=dtype.kind))
        if dtype.kind in "fc":
            staying = np.ones(self.X.shape, dtype=bool)
            for j, (rows, _) in cells.items():
                staying[rows, j] = False
            check_exact(self.X, staying, name)
        out = self.X.astype(dtype)
        for j, (rows, values) in cells.items():
            if dtype.kind == "f" and dtype.itemsize < 8:
                values = as_floats(np.asarray(values, dtype=np.float64), dtype)
            out[rows, j] = values
        return out


def _common_type(dtype, value):
    if isinstance(value, (str, bytes)) and dtype.kind not in "US":
        return np.dtype(object)
    if not isinstance(value, (np.generic, *_TIMES)):
        value = np.asarray(value)
        if value.dtype.kind in "iu" and dtype.kind in "iu":
            fits = np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
            return dtype if fits else np.result_type(dtype, value.dtype)
        if value.dtype.kind == dtype.kind == "f":
            return dtype
    if dtype.kind == "f" and np.asarray(value).dtype.kind in "iufb":
        return dtype
    kind = np.asarray(value).dtype
    try:
        return np.result_type(dtype, kind)
    except TypeError:
        raise ValueError(
            f"X is an array of {dtype}, which holds no {kind}: pass a data frame, "
            "whose columns have types of their own, or X.astype(object)."
        ) from None
