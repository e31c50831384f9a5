"""Selection of table columns by name, position, kind or dtype."""

import numbers
from collections.abc import Mapping

import numpy as np

from skrobust._containers import is_frame, is_value, missing_mask, refuse_mask
from skrobust._validation import invalid

_KINDS = {
    "number": ("number",),
    "category": ("category", "bool"),
    "bool": ("bool",),
    "time": ("time",),
    "all": ("number", "category", "bool", "time", "other"),
}
_RULE = (
    "None, a list of column names or positions, 'number', 'category', 'bool', 'time', "
    "'all', 'missing', a dtype, or a callable on the table"
)


class NoColumnsError(ValueError):
    """The table has no column that a perturbation could act on."""


def select_columns(columns, table, acts_on, caller):
    """Return the positions of the selected columns, in the order of the table.

    Parameters
    ----------
    columns : None, str, dtype, callable or list
        The parameter of the perturbation.
    table : Table
        A view of the training data.
    acts_on : {"number", "category", "all"}
        The kinds of columns that None stands for.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray of int
        Positions.
    """
    chosen = acts_on if columns is None else columns
    places = sorted(set(_places(chosen, table, caller)))
    if not places:
        cure = f" None stands for {acts_on!r}; say which columns to take instead."
        raise NoColumnsError(
            f"{caller} found no column to act on: columns={columns!r} selects none of "
            f"the {table.n_columns} columns.{cure if columns is None else ''}"
        )
    for j in places:
        if acts_on == "number" and table.kind(j) != "number":
            raise ValueError(
                f"{caller} acts on numbers, but column {column_label(table, j)} holds "
                f"values of the kind {table.kind(j)!r}; leave it out of 'columns'."
            )
    return np.array(places)


def column_label(table, j):
    """Return the name of a column, or its position in an array, for a message."""
    return repr(table.X.columns[j]) if is_frame(table.X) else int(j)


def _places(columns, table, caller):
    names = list(table.X.columns) if is_frame(table.X) else []
    if callable(columns) and not isinstance(columns, type):
        columns = columns(table.X)
    if isinstance(columns, str) and columns in names:
        columns = [columns]
    if isinstance(columns, str) and columns in _KINDS:
        kinds = _KINDS[columns]
        return [j for j in range(table.n_columns) if table.kind(j) in kinds]
    if isinstance(columns, str) and columns == "missing":
        places = range(table.n_columns)
        return [j for j in places if missing_mask(table.values(j)).any()]
    if columns is None or is_value(columns):
        raise invalid("columns", caller, _RULE, columns)
    if isinstance(columns, (slice, str, type)) or not hasattr(columns, "__iter__"):
        return _of_type(columns, table, caller)
    refuse_mask(columns, "columns")
    if isinstance(columns, Mapping):
        raise invalid("columns", caller, _RULE, columns)
    columns = list(columns)
    if any(hasattr(c, "__array__") and np.ndim(c) for c in columns):
        raise invalid("columns", caller, _RULE, columns)
    if columns and all(isinstance(c, (bool, np.bool_)) for c in columns):
        if len(columns) != table.n_columns:
            rule = f"as many booleans as columns ({table.n_columns})"
            raise invalid("columns", caller, rule, columns)
        return np.flatnonzero(columns).tolist()
    return [place for c in columns for place in _named(c, names, table, caller)]


def _of_type(dtype, table, caller):
    if isinstance(dtype, slice):
        return list(range(table.n_columns))[dtype]
    X = table.X
    try:
        if hasattr(X, "select_dtypes"):
            inside = X.iloc[:0].copy()
            inside.columns = range(X.shape[1])
            return list(inside.select_dtypes(include=[dtype]).columns)
        if is_frame(X):
            found = [j for j, t in enumerate(X.dtypes) if dtype in (t, str(t))]
        else:
            found = list(range(X.shape[1])) if X.dtype == np.dtype(dtype) else []
    except (TypeError, ValueError):  # of numpy and pandas, for what names no type
        raise invalid("columns", caller, _RULE, dtype) from None
    if not found and isinstance(dtype, str):
        cure = "The table has no column of that name." if is_frame(X) else ""
        raise invalid("columns", caller, _RULE, dtype, cure)
    return found


def _named(column, names, table, caller):
    if column in names:
        return [j for j, name in enumerate(names) if name == column]
    if isinstance(column, numbers.Integral):
        if -table.n_columns <= column < table.n_columns:
            return [int(column) % table.n_columns]
        raise ValueError(
            f"The 'columns' parameter of {caller} asks for column {column}, but the "
            f"table has {table.n_columns} columns."
        )
    raise ValueError(
        f"The 'columns' parameter of {caller} asks for column {column!r}, which the "
        "table lacks."
    )
