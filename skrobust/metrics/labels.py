"""Class labels of any kind as arrays that can be compared."""

import numbers

import numpy as np

from skrobust._array_checks import check_same_length, check_targets, number_array
from skrobust._containers import shape_of
from skrobust._validation import invalid


def label_array(y, caller, name, *, warn=False):
    """Return labels as a 1-D array of text or of numbers, or raise.

    Object arrays (lists, Series) become plain text or number arrays, so that equal
    labels compare equal whatever container they came in.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels: text, integers, floats or booleans, without missing values.
    caller, name : str
        The function and the parameter that an error names.
    warn : bool, default=False
        Whether a column vector is warned of, as the fit of an estimator does.

    Returns
    -------
    ndarray of shape (n_samples,)
        The labels.

    Raises
    ------
    ValueError
        For one-hot columns, missing values, or labels that mix text and numbers.
    """
    y = check_targets(y, caller, name=name, warn=warn)
    if y.dtype.kind in "US":
        return y.astype(str)
    if y.dtype.kind == "O":
        values = y.tolist()
        if all(isinstance(value, str) for value in values):
            return np.array(values, dtype=str)
        # NaN is the one number that differs from itself.
        if all(isinstance(v, numbers.Real) and v == v for v in values):
            found = np.array(values)
            return found if found.dtype.kind != "O" else _exact(y, caller, name)
    if y.dtype.kind in "biuf":
        return y
    raise ValueError(
        f"{caller} needs {name} as text or numbers without missing values; found "
        f"{', '.join(sorted({type(value).__name__ for value in y.tolist()}))}."
    )


def _exact(y, caller, name):
    """Return numbers of other types, such as ``Fraction``, as floats; or raise."""
    found = number_array(y, name, caller)
    for number, value in zip(found.tolist(), y.tolist(), strict=True):
        if number != value:  # two labels could become one
            rule = "labels that numbers of 64 bits can hold"
            raise invalid(name, caller, rule, value)
    return found


def check_one_each(values, n, what, name, caller, *, other="the data"):
    """Raise a ValueError unless there are as many values as the other data have."""
    if len(values) != n:
        raise ValueError(
            f"{caller} needs {what}; {name} has {len(values)}, {other} {n}."
        )


def check_same_shape(first, second, names, caller):
    """Raise a ValueError unless two arrays have one shape."""
    if first.shape != second.shape:
        raise ValueError(
            f"{caller} needs {names} of one shape; they are {first.shape} and "
            f"{second.shape}."
        )


def check_stack(values, n, what, rows, caller):
    """Raise unless there is one value a sample, or several rows of these."""
    shape = tuple(shape_of(values, what.partition(" ")[0], caller))
    if len(shape) not in (1, 2) or shape[-1] != n or 0 in shape:
        raise ValueError(
            f"{caller} needs {what} of shape (n_samples,) or ({rows}, n_samples), with "
            f"at least one sample. Got shape {shape} for {n} samples."
        )


def label_pair(y_true, y_pred, caller, *, names=("y_true", "y_pred")):
    """Return two label arrays of equal length and of one kind, or raise."""
    y_true = label_array(y_true, caller, names[0])
    y_pred = label_array(y_pred, caller, names[1])
    check_same_length(caller, **dict(zip(names, (y_true, y_pred), strict=True)))
    check_same_kind(y_true, y_pred, caller, names=names)
    return y_true, y_pred


def check_same_kind(y_true, y_pred, caller, *, names=("y_true", "y_pred")):
    """Raise when one array holds text and the other numbers."""
    kinds = ["text" if y.dtype.kind == "U" else "numbers" for y in (y_true, y_pred)]
    if kinds[0] != kinds[1]:
        # Text never equals a number, so the score would be a silent zero.
        raise ValueError(
            f"{caller} needs labels of one kind; {names[0]} holds {kinds[0]} and "
            f"{names[1]} holds {kinds[1]}."
        )


def true_columns(y_true, labels, caller, **named):
    """Return the column of the true label of each row of the named probabilities."""
    (p,) = named.values()
    y_true = label_array(y_true, caller, "y_true")
    check_same_length(caller, y_true=y_true, **named)
    return label_columns(y_true, labels, p.shape[1], caller)


def label_columns(y_true, labels, n_columns, caller):
    """Return the column of each true label, or raise.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        Labels, as :func:`label_array` returns them.
    labels : array-like of shape (n_columns,) or None
        The label of each column; None: ``y_true`` holds the columns themselves.
    n_columns : int
        Number of columns.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    ndarray of shape (n_samples,), dtype intp
        Column numbers.

    Raises
    ------
    ValueError
        When a label has no column, or the columns no labels of their own.
    """
    if labels is None:
        if y_true.dtype.kind == "U" or not np.isin(y_true, np.arange(n_columns)).all():
            rule = f"column numbers 0 to {n_columns - 1}"
            cure = "Pass the label of each column as `labels=estimator.classes_`."
            raise invalid("y_true", caller, rule, y_true.tolist()[:3], cure)
        return y_true.astype(np.intp)
    labels = label_array(labels, caller, "labels")
    if len(labels) != n_columns or len(np.unique(labels)) != n_columns:
        rule = f"{n_columns} different labels, one per column"
        raise invalid("labels", caller, rule, labels.tolist())
    check_same_kind(y_true, labels, caller, names=("y_true", "labels"))
    unknown = np.setdiff1d(y_true, labels).tolist()
    if unknown:
        raise ValueError(
            f"{caller} needs each label of y_true among labels; {unknown[0]!r} is not."
        )
    order = np.argsort(labels)
    return order[np.searchsorted(labels[order], y_true)]
