"""Rows that a command reads in batches: parquet, mapped arrays, tar files."""

from pathlib import Path

import numpy as np

from skrobust._parquet import piece_files
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.datasets import BatchedRows


def batched_source(data, target, batch_size, model):
    """Return the rows of a file or folder in batches.

    Parameters
    ----------
    data : str
        A parquet file or a folder of them; an npy file; tar files, a folder of them or
        a pattern.
    target : str or None
        Column of the labels; for npy the npy file of the labels; for tar files the
        ending of the member with the label, or ``json:FIELD``, by default ``cls``.
    batch_size : int
        Rows of a batch.
    model : fitted estimator
        Its ``feature_names_in_`` choose the columns of a table.

    Returns
    -------
    BatchedRows
        The rows and labels.
    """
    path = Path(data)
    with as_user_error(f"--batch-size: {data!r}", (ValueError, OSError)):
        if piece_files(path):
            _need(target, "column", data)
            names = getattr(model, "feature_names_in_", None)
            how = {"target": target, "batch_size": batch_size}
            how |= {"columns": None if names is None else list(names)}
            return BatchedRows.from_parquet(path, as_frame=names is not None, **how)
        if path.suffix.lower() == ".npy":
            _need(target, "npy file", data)
            X, y = np.load(path, mmap_mode="r"), np.load(target)
            return BatchedRows.from_arrays(X, y, batch_size=batch_size)
        label = "cls" if target is None else target
        return BatchedRows.from_shards(data, label=label, batch_size=batch_size)


def _need(target, what, data):
    if target is None:
        raise UserError(f"Name the {what} of the labels of {data!r} with --target.")
