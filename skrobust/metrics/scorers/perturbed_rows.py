"""Did it act: perturbed rows for a scorer, with a warning where none changed."""

import warnings

from skrobust.base.changed_rows import changed_rows, is_clean, n_rows
from skrobust.metrics.robust.unmoved import level_outside


def perturbed_rows(perturbation, estimator, X, y, caller):
    """Return perturbed rows; warn where no row changed although it was to.

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
    moved = perturbation.perturb(estimator, X, y)
    if n_rows(moved) != n_rows(X) or is_clean(perturbation):
        return moved
    if not changed_rows(X, moved).any():
        name = getattr(perturbation, "name", None) or type(perturbation).__name__
        text = (
            f"{caller}: {name} changed no row, so that the score is that of the clean "
            "rows. Use a perturbation that suits this kind of input, or a larger "
            "strength; an attack that finds nothing shows no robustness."
        )
        warnings.warn(text, UserWarning, stacklevel=level_outside())
    return moved
