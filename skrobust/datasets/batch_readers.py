"""Readers of rows in batches: arrays on disk, parquet files, tar files."""

import glob
import mmap
import os
from pathlib import Path

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import to_array
from skrobust._optional import require
from skrobust._parquet import ParquetPieces, piece_files
from skrobust._validation import invalid
from skrobust.datasets.tar_shards import sample_label, sample_row, shard_samples

BATCH_BYTES = 1 << 25  # of one batch, where its size is not given
MOST_ROWS = 4096


class ArrayBatches:
    """Batches of an array that is read by slices, and of its labels.

    Parameters
    ----------
    X : array with ``shape`` and slices
        In memory, in a mapped file, or of another library (zarr, h5py, LazyImages).
    y : ndarray of shape (n_samples,) or None
        Labels.
    batch_size : int or None
        Rows of a batch; None: as many as take 32 MB, at most 4,096.
    """

    def __init__(self, X, y, batch_size):
        X = X.tocsr() if issparse(X) else X  # which has slices of rows
        self.X, self.y, self.n_rows = X, y, int(X.shape[0])
        if batch_size is None:
            # Of frames, whose columns have types of their own, 8 bytes a value.
            itemsize = getattr(getattr(X, "dtype", None), "itemsize", 8)
            size = int(np.prod(X.shape[1:])) * itemsize
            batch_size = max(1, min(MOST_ROWS, BATCH_BYTES // max(1, size)))
        self.batch_size = batch_size

    def __iter__(self):
        for start in range(0, self.n_rows, self.batch_size):
            rows = slice(start, min(start + self.batch_size, self.n_rows))
            yield _read(self.X, rows), None if self.y is None else self.y[rows]


def _read(X, rows):
    """Return rows of an array in memory, of a mapped file without keeping its pages."""
    mapped = isinstance(X, np.memmap) and isinstance(X.base, mmap.mmap)
    if mapped and X.mode != "c" and X.filename is not None:  # as an open file may have
        # Pages that were read count as memory until their map is closed.
        order = "C" if X.flags.c_contiguous else "F"
        X = np.memmap(X.filename, X.dtype, "r", X.offset, X.shape, order)
    if hasattr(X, "columns") or type(X) is np.ndarray or issparse(X):
        return X[rows]
    part = X[rows]
    return to_array(part) if hasattr(part, "detach") else np.array(part)


class ParquetBatches:
    """Batches of a table in parquet files, of which row groups are read in turn.

    Parameters
    ----------
    path : str, path, or list of these
        A file, a folder of them, or a pattern with ``*``.
    target : str or None
        Column of the labels.
    columns : list of str or None
        Columns of the rows; None: all but the target.
    batch_size : int or None
        Rows of a batch at most; None: 4,096.
    as_frame : bool
        Whether rows come as data frames of pandas, or as arrays.
    caller : str
        Name for messages.
    """

    def __init__(self, path, target, columns, batch_size, as_frame, caller):
        if columns is not None and not isinstance(columns, (list, tuple)):
            rule = "a list of names of columns, or None"
            raise invalid("columns", caller, rule, columns)
        files = _parquet_files(path, caller)
        if columns is None:
            _refuse_columns_in_folders(path, files, caller)
        self.table = ParquetPieces(files, caller)
        others = [name for name in self.table.columns if name != target]
        self.columns = others if columns is None else list(columns)
        self.target, self.as_frame, self.caller = target, as_frame, caller
        self.batch_size, self.n_rows = batch_size or MOST_ROWS, len(self.table)
        if as_frame:
            require("pandas", caller, extra="report")

    def __iter__(self):
        names = [*self.columns, *([self.target] if self.target else [])]
        for _, file, batch in self.table.batches(names, self.batch_size):
            y = None
            if self.target:
                column = batch.column(len(self.columns))
                if column.null_count:
                    raise ValueError(
                        f"{self.caller}: the column {self.target!r} of {file.name!r} "
                        "has missing values (null); leave their rows out of the file."
                    )
                y = column.to_numpy(zero_copy_only=False)
            frame = batch.select(self.columns).to_pandas()
            yield frame if self.as_frame else frame.to_numpy(), y


def _parquet_files(path, caller):
    """Return the files that a path, a pattern, or a list of these names."""
    if isinstance(path, (list, tuple)):
        return [file for one in path for file in _parquet_files(one, caller)]
    rule = "a parquet file, or a folder, a pattern or a list of such files"
    if not isinstance(path, (str, os.PathLike)):
        raise invalid("path", caller, rule, path)
    found = piece_files(Path(path))
    if not found and not Path(path).exists():
        names = sorted(glob.glob(str(path)))
        found = [file for name in names for file in piece_files(Path(name))]
    if not found:
        raise invalid("path", caller, rule, str(path))
    return found


def _refuse_columns_in_folders(path, files, caller):
    """Raise where folders such as ``month=1`` hold a column that is in no file."""
    given = [path] if isinstance(path, (str, os.PathLike)) else path
    own = {part for one in given for part in Path(one).parts if "*" not in part}
    for file in files:
        found = [part for part in file.parent.parts if "=" in part and part not in own]
        if found:
            name = found[0].partition("=")[0]
            raise ValueError(
                f"{caller}: the folder {found[0]!r} holds the column {name!r}, which "
                "is not in the files; write it into the files, or name the wanted "
                "columns with columns=."
            )


class ShardBatches:
    """Batches of the samples of tar files.

    Parameters
    ----------
    files : list of str
        The tar files.
    row, label, label_as : str or None
        Where the row and the label of a sample are, and what labels become, as
        :func:`sample_row` and :func:`sample_label` have them; no label: None.
    options : ImageOptions
        Treatment of images.
    batch_size : int or None
        Rows of a batch; None: as many as take 32 MB, at most 4,096.
    caller : str
        Name for messages.
    """

    n_rows = None  # known once they are read

    def __init__(self, files, row, label, label_as, options, batch_size, caller):
        self.files, self.row, self.options = files, row, options
        self.label, self.label_as = label, label_as
        self.batch_size, self.caller = batch_size, caller

    def __iter__(self):
        rows, labels, shape, size = [], [], None, self.batch_size
        is_text = None  # of the labels, which all batches share
        for file in self.files:
            for key, members in shard_samples(file, self.caller):
                where = f"sample {key!r} of {str(file)!r}"
                parts = members, self.row, self.options, where, self.caller
                row = sample_row(*parts)
                shape = row.shape if shape is None else shape
                if row.shape != shape:
                    raise ValueError(
                        f"{self.caller}: {where} has shape {row.shape}, and those "
                        f"before have {shape}; images take resize=(height, width)."
                    )
                if size is None:
                    size = max(1, min(MOST_ROWS, BATCH_BYTES // max(1, row.nbytes)))
                rows.append(row)
                if self.label is not None:
                    parts = members, self.label, self.label_as, where, self.caller
                    labels.append(sample_label(*parts))
                    before, is_text = is_text, isinstance(labels[-1], str)
                    if before not in (None, is_text):
                        raise ValueError(
                            f"{self.caller}: {where} has the label {labels[-1]!r}, and "
                            f"those before are {'text' if before else 'numbers'}; read "
                            "all as text with label_as='text'."
                        )
                if len(rows) == size:
                    yield np.stack(rows), np.array(labels) if labels else None
                    rows, labels = [], []
        if rows:
            yield np.stack(rows), np.array(labels) if labels else None
