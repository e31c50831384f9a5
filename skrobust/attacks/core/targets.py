"""Target labels of an attack, and their indices in the scores."""

import numpy as np

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
    labels = np.asarray(target)
    if labels.ndim > 1 or (labels.ndim and len(labels) != n):
        rule = f"None, a label, or one label for each of the {n} samples"
        raise invalid("target", caller, rule, target)
    return np.broadcast_to(labels, n)


def target_index(view, target, n, caller):
    """Return the index of the target class of each of n rows.

    Parameters
    ----------
    view : differentiable view
        Whose ``label_index`` knows the labels.
    target : label, or array-like of shape (n,)
        Where to.
    n : int
        Number of rows.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray of int of shape (n,)
        Never negative; a net does not say how many classes it has, so that the caller
        must refuse those beyond (:func:`unknown_target`).
    """
    labels = target_labels(target, n, caller)
    try:
        index = view.label_index(labels)
    except ValueError:
        index = np.full(n, -1)
    if (index < 0).any():
        raise unknown_target(target, caller)
    return index


def unknown_target(target, caller):
    """Return the error for a label that the model does not know."""
    rule = "a label that the model knows, or one such label per sample"
    return invalid("target", caller, rule, target)
