"""Target labels of an attack, and their indices in the scores."""

import numbers

import numpy as np

from skrobust._containers import to_array
from skrobust._validation import invalid


def target_labels(target, n, caller):
    """Return the label that each of n rows is driven to, or None without a target.

    Parameters
    ----------
    target : None, label, or array-like of shape (n,)
        Where to.
    n : int
        Number of rows.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray of shape (n,), or None
        Read-only.
    """
    if target is None:
        return None
    labels = to_array(target, "target", caller)
    if labels.ndim > 1 or (labels.ndim and len(labels) != n):
        rule = f"None, a label, or one label for each of the {n} samples"
        raise invalid("target", caller, rule, target)
    if labels.dtype.kind not in "biufUS" and not all(
        isinstance(label, (str, bytes, numbers.Real)) for label in labels.ravel()
    ):
        raise unknown_target(target, caller)
    return np.broadcast_to(labels, n)


def target_index(view, target, X, caller):
    """Return the index of the target class of each row.

    Parameters
    ----------
    view : differentiable view
        Whose ``label_index`` knows the labels.
    target : label, or array-like of shape (n,)
        Where to.
    X : ndarray of shape (n, ...)
        The rows.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray or tensor of int of shape (n,)
        Where the view computes.
    """
    labels = target_labels(target, len(X), caller)
    try:
        index = view.label_index(labels)
    except ValueError:
        raise unknown_target(target, caller) from None
    # A net does not say how many classes it has.
    n_classes = view.logits(view.tensor(X[:1])).shape[1]
    if int(index.min()) < 0 or int(index.max()) >= n_classes:
        raise unknown_target(target, caller)
    return index


def unknown_target(target, caller):
    """Return the error for a label that the model does not know."""
    rule = "a label that the model knows, or one such label per sample"
    return invalid("target", caller, rule, target)
