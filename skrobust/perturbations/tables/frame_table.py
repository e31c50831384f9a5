"""Frame tables: columns of pandas and polars frames, read and replaced by position."""

import numpy as np

from skrobust._column_numbers import numbers_in
from skrobust._containers import is_frame
from skrobust._keyed_noise.row_hash import is_categorical
from skrobust.perturbations.tables.array_table import (
    KINDS,
    ArrayTable,
    Table,
    all_columns,
    as_numbers,
    day_steps,
    kind_of,
    shift_dates,
)
from skrobust.perturbations.tables.column_cells import (
    is_object,
    pandas_cells,
    pandas_missing,
    polars_cells,
)


def table_of(X):
    """Return the view of a 2-D array or a frame."""
    if not is_frame(X):
        return ArrayTable(X)
    return PandasTable(X) if hasattr(X, "iloc") else PolarsTable(X)


class _FrameTable(Table):
    def numbers(self, columns):
        """Return columns as a new C-ordered float64 block."""
        block = np.empty((self.n_rows, len(columns)))
        for i, j in enumerate(columns):
            block[:, i] = as_numbers(self.values(j))
        return block

    def with_numbers(self, columns, block, keep_integer):
        """Return the container with columns replaced by a float block."""
        new = {}
        for j, values in zip(columns, block.T, strict=True):
            column = self.column(j)
            if is_object(column):
                new[j] = ArrayTable(self.values(j)[:, None]).with_numbers(
                    [0], values[:, None], keep_integer
                )[:, 0]
            else:
                new[j] = numbers_in(column, values, whole=keep_integer)
        return self._replace(new)

    def with_shifted(self, columns, days):
        """Return the container with the dates of columns later by days."""
        new = {}
        for j, step in zip(columns, days.T, strict=True):
            if self.values(j).dtype.kind == "O":
                new[j] = self._shifted_cells(j, shift_dates(self.values(j), step))
            else:
                new[j] = self._dates(self.column(j), step)
        return self._replace(new)

    def _shifted_cells(self, j, cells):
        rows = np.ones(self.n_rows, dtype=bool)
        return self._cells(self.column(j), rows, cells)

    def with_cells(self, cells, levels=None):
        """Return the container with ``{column: (rows, values)}`` set.

        ``levels`` are values that a column of categories is to know, by column, whether
        they occur among these rows or not.
        """
        levels = levels or {}
        return self._replace(
            {
                j: self._cells(self.column(j), rows, values, levels.get(j, ()))
                for j, (rows, values) in cells.items()
            }
        )


class PandasTable(_FrameTable):
    """A pandas frame; columns keep their types where the values allow it."""

    def column(self, j):
        """Return one column as a series."""
        return self.X.iloc[:, j]

    def kind(self, j):
        """Return what a column holds."""
        column = self.column(j)
        if is_categorical(column):
            return "category"
        if str(column.dtype).startswith("str") and not hasattr(column, "struct"):
            return "category"  # text, without a look at its cells
        kind = getattr(column.dtype, "kind", "O")
        return KINDS.get(kind) or kind_of(self.values(j))

    def numbers(self, columns):
        """Return columns as a new C-ordered float64 block."""
        if all(isinstance(t, np.dtype) and t.kind != "O" for t in self.X.dtypes):
            whole = all_columns(columns, self.n_columns)
            part = self.X if whole else self.X.iloc[:, list(columns)]
            if all(t.kind in "iufb" for t in part.dtypes):
                return np.array(part.to_numpy(dtype=np.float64), order="C")
        return super().numbers(columns)

    def with_numbers(self, columns, block, keep_integer):
        """Return the container with columns replaced by a float block."""
        X = self.X
        if all_columns(columns, self.n_columns) and (X.dtypes == np.float64).all():
            out = type(X)(block, index=X.index, copy=False)
            out.columns = X.columns
            out.attrs.update(X.attrs)
            return out
        return super().with_numbers(columns, block, keep_integer)

    def _dates(self, column, days):
        at_midnight = column == column.dt.normalize()
        whole = at_midnight.fillna(value=True).to_numpy(dtype=bool)
        return (column + day_steps(days, whole)).astype(column.dtype)

    _cells = staticmethod(pandas_cells)

    def with_missing(self, columns, mask, value=None):
        """Return the container with selected cells missing, or set to ``value``."""
        new = {}
        for j, selected in zip(columns, mask.T, strict=True):
            if value is None:
                new[j] = pandas_missing(self.column(j), selected)
            else:
                values = [value] * int(selected.sum())
                new[j] = pandas_cells(self.column(j), selected, values, [value])
        return self._replace(new)

    def _replace(self, new):
        out = self.X.copy()
        for j, column in new.items():
            if isinstance(column, np.ndarray) and column.dtype == object:
                # pandas would guess a type from the cells.
                column = self.column(j)._constructor(
                    column, index=out.index, dtype=object
                )
            out.isetitem(j, column)
        return out


class PolarsTable(_FrameTable):
    """A polars frame; columns keep their types where the values allow it."""

    def column(self, j):
        """Return one column as a series."""
        return self.X.to_series(j)

    def copy(self):
        """Return a copy of the container."""
        return self.X.clone()

    def kind(self, j):
        """Return what a column holds."""
        dtype = self.column(j).dtype
        if dtype.is_numeric():
            return "number"
        if str(dtype) == "Boolean":
            return "bool"
        return "time" if dtype.is_temporal() else kind_of(self.values(j))

    def _dates(self, column, days):
        whole = (column == column.dt.truncate("1d")).fill_null(value=True).to_numpy()
        step = type(column)(column.name, day_steps(days, whole))
        return (column + step).cast(column.dtype)

    _cells = staticmethod(polars_cells)

    def with_missing(self, columns, mask, value=None):
        """Return the container with selected cells missing, or set to ``value``."""
        cells = {}
        for j, selected in zip(columns, mask.T, strict=True):
            blank = np.nan if self.column(j).dtype.is_float() else None
            new = blank if value is None else value
            cells[j] = (selected, [new] * int(selected.sum()))
        levels = {} if value is None else {j: [value] for j in cells}
        return self.with_cells(cells, levels)

    def _replace(self, new):
        columns = self.X.get_columns()
        for j, column in new.items():
            if isinstance(column, np.ndarray):  # of objects: a guess could round them
                old = self.column(j)
                column = type(old)(old.name, column.tolist(), dtype=old.dtype)
            columns[j] = column
        return type(self.X)(columns)
