"""Perturbed copies of parquet and npy files that are read and written in batches."""

import warnings
from functools import partial

import numpy as np

from skrobust._optional import require
from skrobust._parquet import ParquetPieces
from skrobust._whole_file import write_whole
from skrobust.base.idle import idle_sentence
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.cli.perturbed_copies import (
    acting_conditions,
    check_columns_left,
    open_array,
)
from skrobust.cli.table_file import PARQUET
from skrobust.datasets import BatchedRows
from skrobust.report.core.section_log import one_line


def copy_in_batches(path, conditions, target, X_ref, batch_size, out, done, say):
    """Write a copy of a parquet or npy file under each condition, batch by batch.

    Parameters
    ----------
    path : Path
        The file.
    X_ref : container of rows or None
        Rows to learn scales from.
    batch_size : int
        Rows in memory at a time.
    conditions, target, out, done, say
        As in :func:`~skrobust.cli.perturbed_copies.copy_table`.

    Returns
    -------
    written, notes
        As there.
    """
    kind = _Table if path.suffix.lower() in PARQUET else _Array
    source, notes, written = kind(path, target, batch_size), [], 0
    X = next(source.rows(part) for part in source.parts()) if X_ref is None else X_ref
    for folder, one in acting_conditions(conditions, X, notes):
        place = out / folder / path.name
        if done.has(place):
            continue
        label = folder or type(one).__name__
        say(label)
        moved = _Moved(source, one, X_ref, notes, partial(say.bar, label=label))
        write_whole(place, lambda file, m=moved: source.write(m, file), is_named=False)
        done.add(place)
        written += 1
    return written, list(dict.fromkeys(notes))


class _Moved:
    """Parts of a file with their rows under a perturbation, as often as gone over."""

    def __init__(self, source, one, X_ref, notes, bar):
        self.source, self.notes, self.bar = source, notes, bar
        self.one = one if X_ref is None else one.fit(X_ref)

    def __iter__(self):
        latest = None

        def batches():
            nonlocal latest
            for part in self.source.parts():
                latest = part, self.source.rows(part)
                yield latest[1], None

        rows, idle, is_first = BatchedRows(batches), None, True
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                for changed, _ in self.bar(rows.perturbed(self.one)):
                    part, clean = latest
                    if is_first or idle is not None:  # idle, if it is on every batch
                        idle = idle_sentence(self.one, clean, changed)
                    is_first = False
                    yield part, changed
            except AttributeError as error:
                if hasattr(self.one, "n_features_in_"):
                    raise
                raise UserError(
                    f"--batch-size needs --x-train: {type(self.one).__name__} learns "
                    "scales, and a batch is not the whole table."
                ) from error
        self.notes += [one_line(warning.message) for warning in caught]
        self.notes += [] if idle is None else [idle]


class _Table:
    """Parquet file, of which some columns are copied as they are."""

    def __init__(self, path, target, batch_size):
        self._arrow = require("pyarrow", "A parquet file", extra="parquet")
        with as_user_error("--batch-size", (ValueError, OSError)):
            self.pieces = ParquetPieces([path], "--batch-size")
        self.kept, self.batch_size = list(target), batch_size
        first = next(self.parts(), None)
        if first is None:
            raise UserError(f"{path.name!r} has no rows.")
        check_columns_left(first, target, path.name)

    def parts(self):
        """Yield data frames."""
        for _, _, batch in self.pieces.batches(self.pieces.stored, self.batch_size):
            yield batch.to_pandas()  # with the index that pandas had written

    def rows(self, part):
        """Return the columns to perturb."""
        return part.drop(columns=self.kept)

    def write(self, moved, file):
        """Write the whole table; types of columns are those that all batches fit."""
        schema = None
        while True:
            wider = self._write_as(schema, moved, file)
            if wider is None:
                return
            schema = wider
            file.seek(0)
            file.truncate()

    def _write_as(self, schema, moved, file):
        """Write batches under a schema, or return a wider one that is needed."""
        from pyarrow import parquet

        writer = None
        try:
            for frame, changed in moved:
                whole = changed.copy()
                for name in self.kept:
                    whole[name] = frame[name].to_numpy()
                table = self._arrow.Table.from_pandas(whole[list(frame.columns)])
                if schema is None:
                    schema = table.schema
                wider = self._arrow.unify_schemas(
                    [schema, table.schema], promote_options="permissive"
                )
                if not wider.equals(schema):
                    return wider
                if writer is None:
                    writer = parquet.ParquetWriter(file, schema)
                writer.write_table(table.cast(schema))
        finally:
            if writer is not None:
                writer.close()
        return None


class _Array:
    """Npy file of rows."""

    def __init__(self, path, target, batch_size):
        self.mapped, self.name = open_array(path, target), path.name
        self.batch_size = batch_size

    def parts(self):
        """Yield the rows."""
        for start in range(0, len(self.mapped), self.batch_size):
            yield np.array(self.mapped[start : start + self.batch_size])

    def rows(self, part):
        """Return all of a part."""
        return part

    def write(self, moved, file):
        """Write the rows as ``numpy.save`` does."""
        dtype = None
        for _, part in moved:
            if dtype is None:
                dtype, shape = part.dtype, (len(self.mapped), *part.shape[1:])
                facts = {"descr": np.lib.format.dtype_to_descr(dtype), "shape": shape}
                facts["fortran_order"] = False
                np.lib.format.write_array_header_1_0(file, facts)
            if part.dtype != dtype:
                raise UserError(
                    f"{self.name!r}: rows become {dtype} in one batch and {part.dtype} "
                    "in another; leave out --batch-size."
                )
            file.write(np.ascontiguousarray(part).data)
