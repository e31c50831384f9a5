"""Rows that a model refuses by an error, such as categories that it never saw."""

import warnings

import numpy as np

from skrobust._keyed_noise.row_hash import column_values
from skrobust._keyed_noise.rows import take_rows
from skrobust._responses import predict_labels
from skrobust._stacklevel import level_outside
from skrobust.base.changed_rows import changed_rows
from skrobust.base.table_change import table_columns

_REFUSALS = (ValueError, TypeError, KeyError)
_SHOWN = 3  # names in a warning


def answers(estimator, X, moved, clean, is_table):
    """Return labels, which rows were refused, and with which words.

    Rows that got the same new cells in the same columns are refused together.

    Parameters
    ----------
    estimator : fitted estimator
        The model, which answered the clean rows.
    X, moved : array-like or data frame of shape (n_samples, ...)
        Clean and perturbed rows.
    clean : ndarray of shape (n_samples,)
        Labels of the clean rows.
    is_table : bool
        Whether rows may be refused one by one; else an error is one.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Those of the clean rows where a row was refused.
    refused : ndarray of bool of shape (n_samples,)
        Where the model raises.
    words : str
        The first line of its error; empty without one.
    """
    refused = np.zeros(len(clean), dtype=bool)
    try:
        return predict_labels(estimator, moved), refused, ""
    except _REFUSALS as error:
        if not is_table:
            raise
        places = np.flatnonzero(changed_rows(X, moved))
        if not len(places):
            raise
        words = first_line(error)
    labels = list(clean)  # of unchanged rows they stay
    waiting = [_alike(X, moved, places)]
    while waiting:
        groups = waiting.pop()
        places = np.concatenate(groups)
        try:
            found = predict_labels(estimator, take_rows(moved, places))
        except _REFUSALS:
            if len(groups) == 1:
                refused[places] = True
            else:  # those that are refused are found by halves
                half = len(groups) // 2
                waiting += [groups[:half], groups[half:]]
            continue
        for place, label in zip(places, found, strict=True):
            labels[place] = label
    return np.array(labels), refused, words


def _alike(X, moved, places):
    """Return groups of rows that got the same new cells in the same columns."""
    cells = {place: [] for place in places}
    columns = zip(table_columns(X), table_columns(moved), strict=True)
    for j, pair in enumerate(columns):
        old, new = (column_values(column) for column in pair)
        for place in places:
            if str(old[place]) != str(new[place]):
                cells[place].append((j, str(new[place])))
    groups = {}
    for place in places:
        groups.setdefault(tuple(cells[place]), []).append(place)
    return list(groups.values())


def first_line(error):
    """Return the first line of the message of an error, without its full stop."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def refused_score(name, error, caller):
    """Return the error of a score for which the model refuses rows."""
    return ValueError(
        f"{caller}: the model raises an error under the condition {name!r}: "
        f"{first_line(error)}. Let it take unknown categories and missing values, or "
        "leave such conditions out, as by tabular(categories=False)."
    )


def add_refused(table, refused, words, caller):
    """Add the column ``refused`` where rows were, and warn.

    Parameters
    ----------
    table : dict
        Columns of the conditions; changed.
    refused : array-like of shape (n_conditions,)
        Shares of refused rows.
    words : list of str
        Words of the model, empty for none.
    caller : str
        Name of the public function, for the warning.
    """
    refused = np.array(refused, dtype=np.float64)
    places = np.flatnonzero(refused > 0)
    if not len(places):
        return
    table["refused"] = refused
    shown = ", ".join(repr(str(table["name"][i])) for i in places[:_SHOWN])
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    text = (
        f"{caller}: the model raises an error on rows of {len(places)} conditions, "
        f"which count as wrong: {shown}{more}. The first error: "
        f"{next(w for w in words if w)}. The column 'refused' has the shares of rows."
    )
    warnings.warn(text, UserWarning, stacklevel=level_outside())
