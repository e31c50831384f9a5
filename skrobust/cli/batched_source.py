"""Rows that a command reads in batches: parquet, mapped arrays, tar files."""

from pathlib import Path

import numpy as np

from skrobust._parquet import piece_files
from skrobust.cli.exit_codes import UserError, as_user_error
from skrobust.datasets import BatchedRows
from skrobust.datasets.tar_shards import shard_files


def batched_source(data, target, batch_size, model, **of_tar):
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
    **of_tar
        Options of ``BatchedRows.from_shards`` that were given.

    Returns
    -------
    BatchedRows
        The rows and labels.
    """
    path = Path(data)
    with as_user_error(f"--batch-size: {data!r}", (ValueError, OSError)):
        if piece_files(path):
            refuse_without_tar(of_tar, f"{data!r} is parquet")
            _need(target, "column", data)
            names = getattr(model, "feature_names_in_", None)
            how = {"target": target, "batch_size": batch_size}
            how |= {"columns": None if names is None else list(names)}
            return BatchedRows.from_parquet(path, as_frame=names is not None, **how)
        if path.suffix.lower() == ".npy":
            refuse_without_tar(of_tar, f"{data!r} is an npy file")
            _need(target, "npy file", data)
            return BatchedRows.from_arrays(
                *_arrays(path, target), batch_size=batch_size
            )
    how = {"label": "cls" if target is None else target, "batch_size": batch_size}
    how |= {"label_as": _kind_of_labels(model), **of_tar}
    files = _tar_files(data)
    with as_user_error(f"--batch-size: {data!r}", (ValueError, OSError)):
        return BatchedRows.from_shards(files, **how)


def refuse_without_tar(of_tar, reason):
    """Raise for options of tar files where DATA is none.

    Parameters
    ----------
    of_tar : dict of str to object
        Those that were given.
    reason : str
        What DATA is instead, or what is missing.
    """
    for name in of_tar:
        shown = f"--{name.replace('_', '-')}"
        raise UserError(f"{shown} is an option of tar files, and {reason}.")


def _arrays(path, target):
    """Return the mapped rows and the labels of two npy files."""
    for file in (path, Path(target)):
        if not file.is_file():
            raise UserError(
                f"There is no npy file {str(file)!r}; beside npy DATA, --target is the "
                "npy file of the labels."
            )
    X, y = np.load(path, mmap_mode="r"), np.load(target)
    if X.ndim < 2:
        raise UserError(
            f"{path.name!r} has the shape {X.shape}; rows have two axes at least."
        )
    if y.shape != X.shape[:1]:
        raise UserError(
            f"{target!r} has the shape {y.shape}; the {len(X)} rows of {path.name!r} "
            "need one label each, as a file of one axis."
        )
    return X, y


def _tar_files(data):
    """Return the tar files that DATA names."""
    path = Path(data)
    if path.is_file() and not {".tar", ".tgz"} & set(path.suffixes):
        raise UserError(
            f"--batch-size reads parquet, npy and tar files, and {path.name!r} is none "
            "of these: leave it out, or save the table as parquet."
        )
    try:
        return shard_files(data, "--batch-size")
    except ValueError as error:
        raise UserError(
            f"--batch-size finds no parquet, npy or tar file {data!r}, no folder with "
            "parquet or tar files, and no pattern that some have."
        ) from error


def _kind_of_labels(model):
    """Return what labels in tar files become: text or numbers, as a model has them."""
    classes = np.asarray(getattr(model, "classes_", []))
    if classes.ndim != 1 or not len(classes):
        return None
    is_text = isinstance(classes[0], str)
    is_number = classes.dtype.kind in "iuf"
    return "text" if is_text else "number" if is_number else None


def _need(target, what, data):
    if target is None:
        raise UserError(f"Name the {what} of the labels of {data!r} with --target.")
