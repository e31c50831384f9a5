"""Conditions of an evaluation: names, fits, and severities."""

from collections.abc import Iterable

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from skrobust._guarded_rows import perturb_guarded
from skrobust._validation import invalid
from skrobust.base.changed_rows import is_clean
from skrobust.base.row_kind import check_row_kind, suited
from skrobust.base.sequence_steps import steps_of
from skrobust.datasets import BatchedRows
from skrobust.evaluation.core.failures import MisusedCondition

# What does not make one corruption another one.
_NOT_ITS_KIND = {"severity", "random_state", "name", "number"}


def read_conditions(conditions, caller, X, X_ref=None):
    """Return the conditions for these rows, the columns that describe them, and others.

    Parameters
    ----------
    conditions : list of objects with ``perturb``
        As a user gave them.
    caller : str
        Name of the public function, for messages.
    X : array-like or data frame of shape (n_samples, ...)
        The rows, whose kind must suit every condition.
    X_ref : array-like or data frame, default=None
        Rows on which copies will be fitted; None: as the conditions were fitted.

    Returns
    -------
    conditions : list
        Those with columns to act on.
    table : dict
        As :func:`condition_table` has it.
    left_out : tuple of str
        Names of the others.
    """
    listed = isinstance(conditions, Iterable) and not isinstance(conditions, str)
    conditions = list(conditions) if listed else [conditions]
    wrong = [isinstance(c, type) or not hasattr(c, "perturb") for c in conditions]
    if not conditions or any(wrong):
        rule = "a non-empty list of objects with perturb(estimator, X, y)"
        raise invalid("conditions", caller, rule, conditions)
    if isinstance(X_ref, BatchedRows):
        cure = "Take one batch, X_ref=next(iter(rows))[0], or a sample of the rows."
        rule = "rows in memory, from which conditions learn scales"
        raise invalid("X_ref", caller, rule, X_ref, cure)
    for condition in conditions:
        check_row_kind(condition, X, caller)
    acting = suited(conditions, X_ref)
    left_out = tuple(_name(c) for c in conditions if c not in acting)
    if all(map(is_clean, acting)) and left_out:
        raise ValueError(
            f"{caller} found no column that any of the conditions could change; take "
            "conditions for columns of these kinds."
        )
    return acting, condition_table(acting), left_out


def object_array(objects):
    """Return objects as an array, of which a table or a notebook shows the shape."""
    found = np.empty(len(objects), dtype=object)
    found[:] = objects
    return found


def fit_conditions(conditions, X_ref):
    """Return copies fitted on these rows; conditions without ``fit`` are kept."""
    return [clone(c).fit(X_ref) if hasattr(c, "fit") else c for c in conditions]


def perturb_rows(condition, estimator, X, y, caller):
    """Return perturbed rows, or say that the condition must be fitted."""
    try:
        return perturb_guarded(condition, estimator, X, y)
    except (NotFittedError, AttributeError) as error:
        learns = hasattr(condition, "fit") and not hasattr(condition, "n_features_in_")
        missing = getattr(error, "name", None) or "_"
        if not learns or not missing.endswith("_"):
            raise
        raise MisusedCondition(
            f"{caller} needs the condition {_name(condition)!r} fitted, since it "
            "learns scales from training data: fit it there, or pass X_ref=X_train."
        ) from error


def shown(condition):
    """Return the text of a condition or an attack; that of a plain object is its class.

    Text with an address would make another name in each process.
    """
    kind = type(condition)
    if kind.__repr__ is not object.__repr__ or kind.__str__ is not object.__str__:
        return str(condition)
    params = condition.get_params() if hasattr(condition, "get_params") else {}
    return f"{kind.__name__}({', '.join(f'{k}={v!r}' for k, v in params.items())})"


def _name(condition):
    return str(getattr(condition, "name", None) or shown(condition))


def condition_table(conditions):
    """Return the columns that describe the conditions.

    Parameters
    ----------
    conditions : list of objects with ``perturb``
        A condition lies on the severity curve of a corruption if it is one step with
        a severity in force. Steps of one class whose other parameters are equal are
        one corruption.

    Returns
    -------
    dict
        ``number`` and ``name``; ``corruption``, the name of the curve, empty for
        conditions on none; ``severity``, nan for these and 0 for the clean one.
    """
    kinds, corruption, severity = {}, [], []
    for condition in conditions:
        steps = steps_of(condition)
        steps = [condition] if steps is None else steps
        level = _severity(steps[0]) if len(steps) == 1 else None
        if not steps:
            level = 0.0
        name = ""
        if steps and level is not None:
            name = kinds.setdefault(_kind(steps[0]), _label(steps[0], kinds))
        corruption.append(name)
        severity.append(np.nan if level is None else float(level))
    numbers = [getattr(c, "number", None) or i for i, c in enumerate(conditions, 1)]
    return {
        "number": np.array(numbers),
        "name": np.array([_name(c) for c in conditions]),
        "corruption": np.array(corruption),
        "severity": np.array(severity),
    }


def table_columns(table):
    """Return the names of the columns, the score next to the name."""
    first = ("number", "name", "score")
    return (*first, *[name for name in table if name not in first])


def _severity(step):
    if hasattr(step, "_severity"):
        return step._severity()
    return getattr(step, "severity", None)


def _kind(step):
    params = step.get_params() if hasattr(step, "get_params") else {}
    settings = {k: v for k, v in params.items() if k not in _NOT_ITS_KIND}
    return type(step), repr(sorted(settings.items()))


def _label(step, kinds):
    name = str(getattr(step, "name", None) or type(step).__name__)
    taken, n = set(kinds.values()), 1
    label = name
    while label in taken:
        n += 1
        label = f"{name} {n}"
    return label
