"""Radii in units of the spread of each feature, such as ``"0.1 std"``."""

import copy
import warnings

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame
from skrobust._parameters import parse_radius
from skrobust._validation import invalid
from skrobust.base.attack_input import number_rows
from skrobust.base.constraints import Constraints
from skrobust.base.frame_columns import column_at, numbers_of

_FAR = 1000  # between spreads that one radius cannot serve
_MEASURES = {
    "std": lambda values: np.nanstd(values, axis=0),
    "iqr": lambda values: np.subtract(*np.nanpercentile(values, [75, 25], axis=0)),
    "range": lambda values: np.nanmax(values, axis=0) - np.nanmin(values, axis=0),
}


def check_rows_apart(thing, caller):
    """Raise where what happens to a row depends on the other rows of a call."""
    eps = getattr(thing, "eps", None)
    if isinstance(eps, str):
        raise ValueError(
            f"{caller} needs eps of {type(thing).__name__} as a number where rows come "
            f"in batches: {eps!r} is in units of the spread of all rows. Give the "
            "number, and constraints=Constraints(scale=X_train.std(axis=0))."
        )


def spread_of(X, unit, caller):
    """Return the spread of each feature of rows.

    Parameters
    ----------
    X : array-like, sparse matrix, tensor or data frame of shape (n_samples, ...)
        Rows; missing values are left out.
    unit : {"std", "iqr", "range"}
        Measure of the spread.
    caller : str
        Name of the class or function, for error messages.

    Returns
    -------
    ndarray of the shape of one row, or dict
        Of a frame by the name of the column, for columns of numbers. A feature that
        does not vary has 0.
    """
    if is_frame(X):
        columns = {name: column_at(X, i) for i, name in enumerate(X.columns)}
        found = {name: numbers_of(column) for name, column in columns.items()}
        found = {k: _measure(v, unit) for k, v in found.items() if v is not None}
        varies = any(value > 0 for value in found.values())
        found = {name: float(value) for name, value in found.items()}
    else:
        rows = X.toarray() if issparse(X) else X
        found = _measure(number_rows(rows, caller), unit)
        varies = bool((found > 0).any())
    if not varies:
        raise ValueError(
            f"{caller} has eps in units of the spread of the rows, and no feature of "
            "these rows varies. Give the spread of other rows: a number as eps, and "
            "constraints=Constraints(scale=X_train.std(axis=0))."
        )
    return found


def _measure(values, unit):
    values = np.asarray(values, dtype=np.float64)
    with warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without values
        return np.nan_to_num(_MEASURES[unit](values), nan=0.0, posinf=0.0)


def assumed_units(values, eps):
    """Return what a raw radius means where the spreads of columns are far apart.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        Rows.
    eps : float
        The radius.

    Returns
    -------
    str or None
        A message, where the largest standard deviation is more than 1,000 times the
        smallest that is not 0.
    """
    if len(values) < 2:
        return None
    spread = _measure(values, "std")
    low, high = spread[spread > 0].min(initial=np.inf), spread.max(initial=0.0)
    if high <= _FAR * low:
        return None
    return (
        f"eps={eps:g} is in raw units, and the standard deviations of the columns run "
        f"from {low:.2g} to {high:.2g}: it is much for one and nothing for another. "
        f"Use eps='{eps:g} std' for a share of the deviation of each."
    )


def with_number(attack, X):
    """Return an attack whose radius is a number, in units that its constraints hold.

    The spread is that of all rows of X, so that it does not depend on how rows are cut
    into batches or shared among workers.

    Parameters
    ----------
    attack : object
        Returned as it is, unless its ``eps`` is text.
    X : container
        All rows under attack, or those of training.

    Returns
    -------
    attack
        A copy, with ``constraints`` whose ``scale`` is the spread.
    """
    eps = getattr(attack, "eps", None)
    if not isinstance(eps, str) or not hasattr(attack, "get_params"):
        return attack
    caller = type(attack).__name__
    number, unit = parse_radius(eps, "eps", caller)
    rules = getattr(attack, "constraints", None)
    rules = Constraints() if rules is None else copy.copy(rules)
    if not isinstance(rules, Constraints):
        raise invalid("constraints", caller, "None or Constraints", rules)
    if rules.scale is not None:
        rule = f"a number where its constraints have a scale; {unit!r} is another one"
        raise invalid("eps", caller, rule, eps)
    rules.scale = spread_of(X, unit, caller)
    attack = copy.copy(attack)
    attack.eps, attack.constraints = number, rules
    return attack
