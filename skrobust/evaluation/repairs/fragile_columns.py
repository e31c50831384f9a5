"""Columns of a table on which the failures of a model depend."""

import numpy as np

from skrobust._containers import is_frame, to_array
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import predict_labels
from skrobust.base.frame_columns import columns_from
from skrobust.evaluation.core.condition_table import perturb_rows
from skrobust.metrics.labels import label_pair

MOST_COLUMNS = 60  # one prediction each, per condition
_MOST_ROWS = 500


def column_names(X):
    """Return the names of columns of a frame, positions in an array, or None."""
    if is_frame(X):
        return list(X.columns) if len(set(X.columns)) == X.shape[1] else None
    if np.ndim(X) != 2:
        return None
    return list(range(np.shape(X)[1]))


def number_columns(X):
    """Return the columns that hold numbers, by name in a frame, else by position."""
    if not is_frame(X):
        return column_names(X) if to_array(X).dtype.kind in "fiub" else []
    if hasattr(X, "iloc"):
        return [n for n, t in X.dtypes.items() if getattr(t, "kind", "O") in "fiu"]
    return [name for name, kind in X.schema.items() if kind.is_numeric()]


def fragile_columns(model, conditions, X, y, caller):
    """Rank columns by the accuracy that is lost when conditions change them alone.

    Parameters
    ----------
    model : fitted classifier
        The model.
    conditions : list of objects with ``perturb``
        Fitted.
    X : array or data frame of shape (n_samples, n_features)
        Rows, of which the first 500 are asked.
    y : ndarray of shape (n_samples,)
        Their labels.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    list of (column, float)
        Name or position and mean loss, the largest first; only losses above 0.
    """
    names = column_names(X)
    if names is None or not 1 < len(names) <= MOST_COLUMNS:
        return []
    rows = np.arange(min(len(y), _MOST_ROWS))
    X, y = take_rows(X, rows), y[rows]
    X = X if is_frame(X) else to_array(X)
    clean = _accuracy(model, X, y, caller)
    lost = np.zeros(len(names))
    for condition in conditions:
        moved = perturb_rows(condition, model, X, y, caller)
        for place in range(len(names)):
            one = columns_from(X, moved, [place])
            lost[place] += clean - _accuracy(model, one, y, caller)
    order = np.argsort(-lost, kind="stable")
    losses = lost / max(len(conditions), 1)
    return [(names[i], float(losses[i])) for i in order if losses[i] > 0]


def _accuracy(model, X, y, caller):
    try:
        truth, labels = label_pair(y, predict_labels(model, X), caller)
    except ValueError:  # it refuses the rows
        return 0.0
    return float((truth == labels).mean())
