"""One question about each of many rows of an ensemble of trees, on several cores."""

import numpy as np
from joblib import effective_n_jobs

from skrobust._parallel import run_tasks
from skrobust.attacks.trees.tree_questions import Budget, Nearest, Row


def ask_each_row(rows, question, *columns, n_jobs=None):
    """Return the answers to a question about each row.

    Parameters
    ----------
    rows : TreeRows
        The rows.
    question : callable
        One of the functions below, called with a :class:`Row` and one of each column.
    *columns : ndarray of shape (n_samples,), or anything else
        One argument a row, or of all rows.
    n_jobs : int, default=None
        As everywhere in scikit-learn.

    Returns
    -------
    list
        One answer a row.
    """
    n = len(rows.values)
    parts = np.array_split(np.arange(n), min(n, 4 * effective_n_jobs(n_jobs)))
    tasks = [(rows, question, p, *(_of(c, p) for c in columns)) for p in parts]
    answers = run_tasks(_ask, tasks, n_jobs=n_jobs)
    return [one for some in answers for one in some]


def _of(column, part):
    return column[part] if isinstance(column, np.ndarray) else [column] * len(part)


def _ask(rows, question, part, *columns):
    return [
        question(Row.of(rows, i), *of) for i, *of in zip(part, *columns, strict=True)
    ]


def any_change(row, label, eps, n_parts):
    """Return a box within eps with another label, near or not."""
    if label < 0 or row.label != label:
        return Nearest(None, 0.0, 0.0, False)
    return row.change(label, eps, Budget(n_parts), sound=True)


def nearest_change(row, label, limit, n_parts):
    """Return the nearest box with another label; None where the row has one."""
    if label < 0 or row.label != label:
        return Nearest(None, 0.0, 0.0, True)
    return row.nearest_change(label, limit, n_parts)


def ends_of_answer(row, eps, n_parts):
    """Return the boxes within eps where the answer of a regressor is at its ends."""
    return tuple(row.highest(np.array([[sign]]), eps, n_parts) for sign in (1.0, -1.0))


def range_of_probability(row, column, eps, n_parts, sound=False):
    """Return bounds of the probability of a class within eps."""
    return row.probability_range(column, eps, n_parts, sound=sound)
