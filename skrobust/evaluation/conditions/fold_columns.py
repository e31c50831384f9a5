"""Columns of a table under the conditions of a cross-validation."""

import numpy as np

from skrobust._parallel import alone
from skrobust.evaluation.conditions.refused_rows import add_refused
from skrobust.evaluation.conditions.untouched import add_untouched, dependence


def add_columns(results, table, conditions, folds, done, scorer, X, caller):
    """Add what the conditions did to the columns, over all folds and repeats.

    Parameters
    ----------
    results : Results
        Gets ``untouched_columns`` and ``untouched_dependence``, the mean over folds.
    table : dict
        Columns of the conditions; gets the mean changes and ``effect``.
    conditions : list
        The conditions.
    folds : list of (Bunch, str)
        Fitted folds, None where the fit failed, and errors.
    done : dict of (fold, condition, repeat) to (part, str)
        The parts.
    scorer : callable or None
        None is accuracy.
    X : data frame or ndarray of shape (n_samples, n_features)
        All rows.
    caller : str
        Name of the public function, for the warning.
    """
    parts = [(place[1], part) for place, (part, error) in done.items() if error is None]
    if not parts or any("figures" not in part.dtype.names for _, part in parts):
        return
    figures = np.array([part["figures"] for _, part in parts])
    condition = np.array([c for c, _ in parts])
    n_conditions = len(conditions)
    means = np.array([_mean(figures[condition == c]) for c in range(n_conditions)])
    touched = np.any([part["touched"] for _, part in parts], axis=0)
    fitted = [fold for fold, _ in folds if fold is not None]

    def depends(places):
        sizes = [
            alone(
                dependence, f.model, f.X, places, scorer, f.y, (f.clean_score, f.clean)
            )
            for f in fitted
        ]
        return float(np.mean(sizes))

    told = means, touched
    add_untouched(results, table, conditions, told, X, depends, caller)
    if scorer is None:
        refused = np.array([part["refused"] for _, part in parts])
        refused = [refused[condition == c].mean() for c in range(n_conditions)]
        add_refused(table, refused, [str(part["words"]) for _, part in parts], caller)


def _mean(figures):
    """Return values averaged over the parts that have one, and the most columns."""
    out = np.zeros(8)
    out[0::2] = np.nan
    for i in range(0, 8, 2):
        value, n = figures[:, i], figures[:, i + 1]
        if (n > 0).any():
            out[i : i + 2] = value[n > 0].mean(), n.max()
    return out
