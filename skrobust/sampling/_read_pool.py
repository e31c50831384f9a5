"""Scores, predictions, costs and features of a pool in parquet files."""

import numpy as np

from skrobust._parquet import ParquetPieces, piece_files
from skrobust._validation import check_path, invalid


def read_pool(
    path, *, scores=None, confidence=None, y_pred=None, costs=None, features=None
):
    """Read what a sampler needs of a pool in parquet files.

    Only the named columns are read, some ten thousand rows at a time, so that tables
    may be larger than memory. Needs pyarrow (the extra ``parquet``).

    Parameters
    ----------
    path : str or path
        A parquet file, or a folder: all files that end in .parquet or .pq in it and
        below, in the order of their names. Row positions count through all of them.
    scores : str, default=None
        Column of suspicion, at least 0, higher = more likely mispredicted.
    confidence : str, default=None
        Instead: column of the model's confidence in [0, 1]; scores are the rest.
    y_pred : str, default=None
        Column of predicted labels.
    costs : str, default=None
        Column of what each label costs.
    features : str or sequence of str, default=None
        Columns of numbers that may tell which inputs fail, in this order.

    Returns
    -------
    dict
        Arguments of ``fit``: ``X`` (scores, shape (n_pool,)), and ``y_pred``,
        ``costs`` and ``features`` (shape (n_pool, n_features)) where they were named.

    Raises
    ------
    ImportError
        Without pyarrow.
    ValueError
        For a path without parquet files, and columns that are missing, no numbers
        (labels may be text), have missing values (null or NaN), or, except labels,
        integers beyond 2**53, which float64 would round; and unless one of ``scores``
        and ``confidence`` is named.

    Examples
    --------
    >>> from skrobust.sampling import OperationalSampler, read_pool
    >>> pool = read_pool("2026/", confidence="sure")  # doctest: +SKIP
    >>> sampler = OperationalSampler().fit(**pool)  # doctest: +SKIP
    """
    caller = "read_pool"
    if (scores is None) == (confidence is None):
        raise ValueError(
            f"{caller} needs the name of one column: scores= or confidence=, not "
            f"{'both' if scores is not None else 'neither'}."
        )
    files = piece_files(check_path(path, "path", "read_pool"))
    if not files:
        rule = "a parquet file, or a folder with parquet files"
        raise invalid("path", caller, rule, str(path))
    table = ParquetPieces(files, caller)
    if not len(table):
        raise ValueError(f"{caller}: {str(path)!r} has no rows.")
    X = table.numbers(scores if confidence is None else confidence)
    if confidence is not None:
        if not (X.min() >= 0 and X.max() <= 1):
            rule = f"a column of numbers in [0, 1]; {confidence!r} is not"
            raise invalid("confidence", caller, rule, [float(X.min()), float(X.max())])
        X = 1 - X
    found = {"X": X}
    if y_pred is not None:
        found["y_pred"] = table.labels(y_pred)
    if costs is not None:
        found["costs"] = table.numbers(costs)
    if features is not None:
        names = [features] if isinstance(features, str) else list(features)
        if not names:
            raise invalid("features", caller, "names of columns, one at least", names)
        found["features"] = np.empty((len(table), len(names)))
        for place, name in enumerate(names):
            found["features"][:, place] = table.numbers(name)
    return found
