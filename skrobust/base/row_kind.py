"""Kinds of rows: which perturbations suit them, checked before anything is fitted."""

from scipy.sparse import issparse

from skrobust._containers import is_frame, on_device, shape_or_none, to_array
from skrobust.base.frame_columns import column_at, numbers_of


def describe_rows(X):
    """Return what rows are, in words for a message.

    Parameters
    ----------
    X : array-like, data frame, tensor, list of text or list of series
        The rows.

    Returns
    -------
    str
        Such as "a data frame of 5 columns".
    """
    if is_frame(X):
        return f"a data frame of {X.shape[1]} columns"
    if len(X) and isinstance(X[0] if isinstance(X, (list, tuple)) else None, str):
        return "a list of texts"
    shape = shape_or_none(X)
    if shape is not None and len(shape) == 2:
        return f"a table of {shape[1]} columns"
    if shape is None:
        return "a list of rows of several lengths"
    return f"an array of shape {tuple(shape)}"


def column_without_numbers(X):
    """Return the label of the first column of no numbers, for a message, or None.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The rows.
    """
    if on_device(X):  # numbers all of them
        return None
    if is_frame(X):
        labels = list(X.columns)
        columns = (column_at(X, place) for place in range(len(labels)))
    else:
        values = to_array(X)
        if values.dtype.kind in "biufc":
            return None
        labels, columns = range(values.shape[1]), (_Column(c) for c in values.T)
    for label, column in zip(labels, columns, strict=True):
        if numbers_of(column) is None:
            return f"column {label!r}"
    return None


class _Column:
    """A column of an array, with what :func:`numbers_of` asks of a series."""

    def __init__(self, values):
        self.dtype = values.dtype
        self.to_numpy = lambda: values


def check_row_kind(perturbation, X, caller):
    """Raise unless a perturbation takes rows of this kind.

    Parameters
    ----------
    perturbation : object with ``perturb``
        The perturbation; what does not say which rows it takes is not checked.
    X : array-like, data frame, list of text or list of series
        The rows.
    caller : str
        Name of the public function or class, for the message.
    """
    refusal = getattr(perturbation, "_refusal", None)
    reason = None if refusal is None or issparse(X) else refusal(X)
    if reason is not None:
        name = getattr(perturbation, "name", None) or type(perturbation).__name__
        raise ValueError(f"{caller} cannot use {name} on these rows: {reason}.")


def suited(conditions, X=None):
    """Return the conditions that have columns to act on.

    Parameters
    ----------
    conditions : list of objects with ``perturb``
        Those that do not say so are kept.
    X : array-like or data frame of shape (n_samples, n_features), default=None
        Rows that are looked at; None asks for what the conditions found in ``fit``.

    Returns
    -------
    list
        The conditions for which ``finds_columns`` is not False.
    """
    return [
        c for c in conditions if not hasattr(c, "finds_columns") or c.finds_columns(X)
    ]
