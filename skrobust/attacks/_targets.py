"""Labels that an attack is to reach, as columns of the scores."""

import numpy as np

from skrobust._validation import invalid


def target_columns(view, target, n, owner):
    """Return the column of the target of each of n rows.

    Parameters
    ----------
    view : differentiable view
        Whose ``columns`` knows the labels.
    target : label, or array-like of shape (n,)
        Where to.
    n : int
        Number of rows.
    owner : str
        Who asks.

    Returns
    -------
    ndarray of int of shape (n,)
        Never negative; a net does not say how many columns it has, so that the caller
        must refuse those beyond (:func:`unknown_target`).
    """
    given = np.asarray(target)
    if given.ndim > 1 or (given.ndim and len(given) != n):
        rule = f"None, a label, or one label for each of the {n} samples"
        raise invalid("target", owner, rule, target)
    try:
        columns = view.columns(np.broadcast_to(given, n))
    except ValueError:
        columns = np.full(n, -1)
    if (columns < 0).any():
        raise unknown_target(target, owner)
    return columns


def unknown_target(target, owner):
    """Return the error for a label that the model does not know."""
    rule = "a label that the model knows, or one such label per sample"
    return invalid("target", owner, rule, target)


def check_target_and_objective(attack):
    """Refuse a target together with the probability shift, which goes both ways."""
    if attack.target is not None and attack.objective == "probability_shift":
        raise ValueError(
            f"{type(attack).__name__} with a target cannot have "
            "objective='probability_shift', which drives the predicted class both "
            "ways. Use target=None, or objective='loss'."
        )
