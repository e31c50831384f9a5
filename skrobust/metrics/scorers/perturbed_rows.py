"""Perturbed rows for a scorer, with a warning where none changed."""

import warnings

from scipy.sparse import issparse

from skrobust._containers import n_rows
from skrobust._guarded_rows import perturb_guarded
from skrobust._stacklevel import level_outside
from skrobust.base.changed_rows import changed_rows, is_clean
from skrobust.base.idle import idle_reason
from skrobust.base.row_kind import check_row_kind


def dense_rows(X):
    """Return a sparse matrix as an array, and anything else as it is."""
    return X.toarray() if issparse(X) else X


def perturbed_rows(perturbation, estimator, X, y, caller):
    """Return perturbed rows; warn where no row changed although it was to.

    A sparse X is perturbed as an array and given back in its format, which is that of
    the rows on which the model was fitted.

    Parameters
    ----------
    perturbation : object with ``perturb``
        The perturbation or attack; one of strength 0 may change nothing.
    estimator, X, y : object
        As for ``perturb``.
    caller : str
        Name of the scorer, for the warning.

    Returns
    -------
    container like X
        The new rows.
    """
    rows = dense_rows(X)
    check_row_kind(perturbation, rows, caller)
    moved = perturb_guarded(perturbation, estimator, rows, y)
    as_sparse = type(X) if issparse(X) else lambda found: found
    if n_rows(moved) != n_rows(rows) or is_clean(perturbation):
        return as_sparse(moved)
    if not changed_rows(rows, moved).any():
        name = getattr(perturbation, "name", None) or type(perturbation).__name__
        reason = idle_reason(perturbation, rows)
        why = "" if reason is None else f" ({reason})"
        text = (
            f"{caller}: {name} changed no row{why}, so that the score is that of the "
            "clean rows. Use a perturbation that suits this kind of input, or a larger "
            "strength; an attack that finds nothing shows no robustness."
        )
        warnings.warn(text, UserWarning, stacklevel=level_outside())
    return as_sparse(moved)
