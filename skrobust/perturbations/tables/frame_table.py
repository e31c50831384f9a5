"""Frame tables: columns of pandas and polars frames, read and replaced by position."""

import numpy as np

from skrobust._containers import is_frame, is_missing
from skrobust._keyed_noise.row_hash import is_categorical
from skrobust.perturbations.tables.array_table import (
    KINDS,
    ArrayTable,
    Table,
    all_columns,
    as_integers,
    as_numbers,
    day_steps,
    distinct,
    kind_of,
    shift_dates,
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
            if self.values(j).dtype.kind == "O":
                new[j] = ArrayTable(self.values(j)[:, None]).with_numbers(
                    [0], values[:, None], keep_integer
                )[:, 0]
            else:
                new[j] = self._numeric(self.column(j), values, keep_integer)
        return self._replace(new)

    def with_shifted(self, columns, days):
        """Return the container with the dates of columns later by days."""
        new = {}
        for j, step in zip(columns, days.T, strict=True):
            if self.values(j).dtype.kind == "O":
                new[j] = shift_dates(self.values(j), step)
            else:
                new[j] = self._dates(self.column(j), step)
        return self._replace(new)


class PandasTable(_FrameTable):
    """A pandas frame; columns keep their types where the values allow it."""

    def column(self, j):
        """Return one column as a series."""
        return self.X.iloc[:, j]

    def kind(self, j):
        """Return what a column holds."""
        dtype = self.X.dtypes.iloc[j]
        if dtype == "O":
            return kind_of(self.values(j))
        if is_categorical(self.column(j)):
            return "category"
        return KINDS.get(getattr(dtype, "kind", "O"), "category")

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
            return out
        return super().with_numbers(columns, block, keep_integer)

    def _dates(self, column, days):
        whole = (column == column.dt.normalize()).to_numpy()
        return (column + day_steps(days, whole)).astype(column.dtype)

    def _numeric(self, column, values, keep_integer):
        dtype = column.dtype
        if dtype.kind == "f":
            return column._constructor(values, index=column.index).astype(dtype)
        if not keep_integer:
            return np.ascontiguousarray(values)
        if isinstance(dtype, np.dtype):
            return as_integers(values, column.to_numpy())
        return column._constructor(np.rint(values), index=column.index).astype(dtype)

    def with_missing(self, columns, mask, value=None):
        """Return the container with selected cells missing, or set to ``value``."""
        new = {}
        for j, selected in zip(columns, mask.T, strict=True):
            column = self.column(j)
            if value is not None:
                if is_categorical(column) and value not in column.cat.categories:
                    column = column.cat.add_categories([value])
                new[j] = column.mask(selected, value)
            elif column.dtype == object or column.dtype == bool:
                new[j] = column.to_numpy(dtype=object, copy=True)
                new[j][selected] = None
            else:
                new[j] = column.mask(selected)
        return self._replace(new)

    def with_cells(self, cells):
        """Return the container with ``{column: (rows, values)}`` set."""
        new = {}
        for j, (rows, values) in cells.items():
            column = self.column(j).copy()
            if is_categorical(column):
                known = set(column.cat.categories)
                given = distinct(np.asarray(values, dtype=object))
                unknown = [v for v in given if not is_missing(v) and v not in known]
                if unknown:
                    column = column.cat.add_categories(unknown)
            elif isinstance(column.dtype, np.dtype) and column.dtype != object:
                new[j] = ArrayTable(column.to_numpy()[:, None]).with_cells(
                    {0: (rows, values)}
                )[:, 0]
                continue
            column.iloc[np.flatnonzero(rows)] = values
            new[j] = column
        return self._replace(new)

    def _replace(self, new):
        out = self.X.copy()
        for j, column in new.items():
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

    def _numeric(self, column, values, keep_integer):
        dtype, missing = column.dtype, column.is_null().to_numpy()
        if keep_integer and not (dtype.is_float() or dtype.is_decimal()):
            old = column.fill_null(0).to_numpy()
            values = as_integers(np.where(missing, 0.0, values), old)
        new = type(column)(column.name, np.ascontiguousarray(values), nan_to_null=False)
        if missing.any():
            new = new.scatter(np.flatnonzero(missing), None)
        return new.cast(dtype) if dtype.is_float() else new

    def with_missing(self, columns, mask, value=None):
        """Return the container with selected cells missing, or set to ``value``."""
        cells = {}
        for j, selected in zip(columns, mask.T, strict=True):
            blank = np.nan if self.column(j).dtype.is_float() else None
            new = blank if value is None else value
            cells[j] = (selected, [new] * int(selected.sum()))
        return self.with_cells(cells)

    def with_cells(self, cells):
        """Return the container with ``{column: (rows, values)}`` set."""
        new = {}
        for j, (rows, values) in cells.items():
            column = self.column(j)
            items = column.to_list()
            plain = np.asarray(values, dtype=object).tolist()
            for row, value in zip(np.flatnonzero(rows), plain, strict=True):
                items[row] = value.item() if isinstance(value, np.generic) else value
            dtype = column.dtype
            if str(dtype).startswith("Enum"):
                known = dtype.categories.to_list()
                added = [v for v in dict.fromkeys(plain) if v is not None]
                dtype = type(dtype)(list(dict.fromkeys([*known, *added])))
            try:
                new[j] = type(column)(column.name, items, dtype=dtype)
            except (TypeError, OverflowError, ValueError, _polars_error()):
                new[j] = type(column)(column.name, items, strict=False)
        return self._replace(new)

    def _replace(self, new):
        columns = self.X.get_columns()
        for j, column in new.items():
            if isinstance(column, np.ndarray):
                series = type(self.column(j))
                column = series(self.column(j).name, column.tolist())
            columns[j] = column
        return type(self.X)(columns)


def _polars_error():
    import polars

    return polars.exceptions.PolarsError
