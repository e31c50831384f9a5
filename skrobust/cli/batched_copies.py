"""Perturbed copies of parquet and npy files that are read and written in batches."""

import warnings
from functools import partial

import numpy as np

from skrobust._optional import require
from skrobust._parquet import ParquetPieces
from skrobust._whole_file import write_whole
from skrobust.base.idle import idle_sentence
from skrobust.base.row_kind import suited
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.cli.perturbed_copies import open_array
from skrobust.cli.table_file import PARQUET
from skrobust.datasets import BatchedRows
from skrobust.report.core.section_log import one_line


def copy_in_batches(path, conditions, target, X_ref, batch_size, out, done, say):
    """Write a copy of a parquet or npy file under each condition, batch by batch.

    Parameters
    ----------
    path : Path
        The file.
    conditions : list of (str, perturbation)
        Folder below ``out``, and the perturbation.
    target : sequence of str
        Columns to copy unchanged.
    X_ref : container of rows or None
        Rows to learn scales from.
    batch_size : int
        Rows in memory at a time.
    out : Path
        Folder.
    done : WrittenFiles
        Files that are kept; what is written is added.
    say : Progress
        Called with a line before each condition.

    Returns
    -------
    written : int
        Number of files.
    notes : list of str
        Notes for the user.
    """
    kind = _Table if path.suffix.lower() in PARQUET else _Array
    source, notes, written = kind(path, target, batch_size), [], 0
    first = next(source.batches(), None)
    if first is None:
        raise UserError(f"{path.name!r} has no rows.")
    acting = suited([one for _, one in conditions], first if X_ref is None else X_ref)
    if len(acting) < len(conditions):
        n = len(conditions) - len(acting)
        notes.append(f"{n} conditions left out, as the table has no column for them")
    for folder, one in conditions:
        place = out / folder / path.name
        if not any(one is other for other in acting) or done.has(place):
            continue
        label = folder or type(one).__name__
        say(label)
        moved = _Moved(source, one, X_ref, notes, partial(say.bar, label=label))
        write_whole(place, lambda file, m=moved: source.write(m, file), is_named=False)
        done.add(place)
        written += 1
    return written, list(dict.fromkeys(notes))


class _Moved:
    """Batches under a perturbation, each time they are gone over; notes are kept."""

    def __init__(self, source, one, X_ref, notes, bar):
        self.source, self.notes, self.bar = source, notes, bar
        self.one = one if X_ref is None else one.fit(X_ref)

    def __iter__(self):
        idle, clean = None, self.source.batches()
        rows = BatchedRows(lambda: ((X, None) for X in self.source.batches()))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                for i, (X, _) in enumerate(self.bar(rows.perturbed(self.one))):
                    before = next(clean)
                    if i == 0 or idle is not None:  # idle, if it is on every batch
                        idle = idle_sentence(self.one, before, X)
                    yield X
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
        for name in target:
            if name not in self.pieces.stored:
                there = ", ".join(self.pieces.stored)
                raise UserError(
                    f"{path.name!r} has no column {name!r}; its columns are {there}."
                )
        self.kept, self.batch_size = list(target), batch_size

    def _frames(self):
        for _, _, batch in self.pieces.batches(self.pieces.stored, self.batch_size):
            yield batch.to_pandas()  # with the index that pandas had written

    def batches(self):
        """Yield the rows to perturb."""
        for frame in self._frames():
            if len(frame.columns) == len(self.kept):
                name = self.pieces.files[0].name
                raise UserError(f"{name!r} has no column left to perturb.")
            yield frame.drop(columns=self.kept)

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
            for frame, changed in zip(self._frames(), moved, strict=True):
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
        self.rows, self.name = open_array(path, target), path.name
        self.batch_size = batch_size

    def batches(self):
        """Yield the rows."""
        for start in range(0, len(self.rows), self.batch_size):
            yield np.array(self.rows[start : start + self.batch_size])

    def write(self, moved, file):
        """Write the rows as ``numpy.save`` does."""
        dtype = None
        for part in moved:
            if dtype is None:
                dtype, shape = part.dtype, (len(self.rows), *part.shape[1:])
                facts = {"descr": np.lib.format.dtype_to_descr(dtype), "shape": shape}
                facts["fortran_order"] = False
                np.lib.format.write_array_header_1_0(file, facts)
            if part.dtype != dtype:
                raise UserError(
                    f"{self.name!r}: rows become {dtype} in one batch and {part.dtype} "
                    "in another; leave out --batch-size."
                )
            file.write(np.ascontiguousarray(part).data)
