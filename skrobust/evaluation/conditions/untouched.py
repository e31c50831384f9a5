"""Columns that no condition changes, and whether the model depends on them."""

import warnings

import numpy as np

from skrobust._containers import is_frame
from skrobust._responses import predict_labels, score_guarded
from skrobust._stacklevel import level_outside
from skrobust.base.changed_rows import is_clean
from skrobust.base.frame_columns import columns_from, rows_at
from skrobust.base.sequence_steps import steps_of
from skrobust.base.table_change import (
    ColumnUnits,
    change_figures,
    change_words,
    column_changes,
    column_labels,
    read_column,
    table_columns,
    touched_columns,
)
from skrobust.evaluation.core.failures import reason_of

_SHOWN = 5  # names in a warning


def units_for(conditions, X):
    """Return units in which changes of a table are told, or None for other rows.

    Arrays count as tables where a condition is one of tables.
    """
    of_tables = any(_takes_tables(condition) for condition in conditions)
    is_table = is_frame(X) or (of_tables and isinstance(X, np.ndarray))
    return ColumnUnits.of(X) if is_table else None


def _takes_tables(condition):
    steps = steps_of(condition)
    if steps is not None:
        return any(_takes_tables(step) for step in steps)
    return getattr(condition, "_takes", None) == "table"


def change_fields(X, moved, units):
    """Return what a condition did to a table, for its part; empty for other rows."""
    if units is None or table_columns(moved) is None or moved.shape != X.shape:
        return {}
    changes = column_changes(X, moved)
    figures = change_figures(changes, units.sd)
    return {
        "figures": figures,
        "touched": touched_columns(changes),
        "changes": changes,
    }


def dependence(estimator, X, places, scorer, y, clean):
    """Return how much the answers change when columns are shuffled among the rows.

    Parameters
    ----------
    estimator : fitted estimator
        The model.
    X : data frame or ndarray of shape (n_samples, n_features)
        Clean rows.
    places : sequence of int
        The columns, which are shuffled together.
    scorer : callable or None
        None: the share of labels that change; else the change of the score.
    y : array-like of shape (n_samples,)
        True labels or targets.
    clean : (float, ndarray or None)
        The score and, without a scorer, the labels of these rows.

    Returns
    -------
    float
        At least 0.
    """
    order = np.random.default_rng(0).permutation(X.shape[0])
    other = rows_at(X, order) if is_frame(X) else X[order]
    shuffled = columns_from(X, other, places)
    score, labels = clean
    if scorer is None:
        return float(np.mean(labels != predict_labels(estimator, shuffled)))
    return abs(score - score_guarded(scorer, estimator, shuffled, y))


def untouched_columns(X, touched):
    """Return the labels of the columns that no condition touched."""
    labels = column_labels(X)
    return tuple(labels[j] for j in np.flatnonzero(~touched))


def _varies(column):
    values = read_column(column)[1]
    return any(str(value) != str(values[0]) for value in values)


def _asked(depends, places, caller):
    """Return how much answers depend on columns, nan with a warning where it fails.

    What was measured before is not lost by this question.
    """
    try:
        return depends(places)
    except Exception as error:
        text = f"{caller}: untouched_dependence is nan, as the model fails where the "
        text += "cells of the columns that no condition changes are shuffled among the "
        text += f"rows: {reason_of(error)}."
        warnings.warn(text, UserWarning, stacklevel=level_outside())
        return float("nan")


def add_untouched(results, table, conditions, parts, X, depends, caller):
    """Add what conditions do in words, and the columns that none of them changes.

    A warning follows where the model depends on these and the conditions are of more
    than one kind.

    Parameters
    ----------
    results : Results
        Gets ``untouched_columns`` and ``untouched_dependence``, nan where the model
        fails when it is asked.
    table : dict
        Columns of the conditions; gets ``std_change``, ``percent_changed`` and
        ``effect``.
    conditions : list
        The conditions.
    parts : pair of ndarray of shape (n_conditions, 8) and (n_features,)
        Figures of the changes, and which columns a condition touched.
    X : data frame or ndarray of shape (n_samples, n_features)
        Clean rows.
    depends : callable or None
        From places of columns to how much the answers depend on them; None where rows
        come in batches, whose cells are not shuffled.
    caller : str
        Name of the public function, for the warning.
    """
    figures, touched = parts
    table["std_change"], table["percent_changed"] = figures[:, 0], figures[:, 2]
    table["effect"] = np.array([change_words(row) for row in figures])
    labels, places = column_labels(X), np.flatnonzero(~touched)
    results["untouched_columns"] = untouched_columns(X, touched)
    if depends is None:
        return
    size = _asked(depends, places, caller) if len(places) else 0.0
    results["untouched_dependence"] = size
    kinds = set(table["corruption"][[not is_clean(c) for c in conditions]].tolist())
    # Who asks for one perturbation alone knows which columns it leaves.
    if not size > 0 or len(kinds) < 2:
        return
    columns = table_columns(X)
    places = [j for j in places if _varies(columns[j])]
    shown = ", ".join(repr(labels[j]) for j in places[:_SHOWN])
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    what = "answers change" if "flip_rate" in table else "its score changes"
    by = (
        f"{size:.1%} of the {what}" if "flip_rate" in table else f"{what} by {size:.3g}"
    )
    text = (
        f"{caller}: no condition changes the columns {shown}{more}, on which the model "
        f"depends: {by} when their cells are shuffled among the rows. The scores say "
        "nothing of errors in these columns; add conditions that change them."
    )
    warnings.warn(text, UserWarning, stacklevel=level_outside())
