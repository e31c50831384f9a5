"""Radii in units of the spread of each feature, such as ``"0.1 std"``."""

import copy
import re
import warnings

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame
from skrobust._parameters import Number
from skrobust._validation import invalid
from skrobust.base.attack_input import number_rows
from skrobust.base.constraints import Constraints
from skrobust.base.frame_columns import column_at, numbers_of

_RULE = "a number, or a number and its unit, such as '0.1 std', '0.1 iqr', '0.1 range'"
_FAR = 1000  # between spreads that one radius cannot serve
_TEXT = re.compile(r"\s*(\S+)\s+(std|iqr|range)\s*")
_MEASURES = {
    "std": lambda values: np.nanstd(values, axis=0),
    "iqr": lambda values: np.subtract(*np.nanpercentile(values, [75, 25], axis=0)),
    "range": lambda values: np.nanmax(values, axis=0) - np.nanmin(values, axis=0),
}


def parse_radius(text, name="eps", caller="an attack"):
    """Return the number and the unit of a radius that is text.

    Parameters
    ----------
    text : str
        Such as ``"0.1 std"`` (standard deviations), ``"0.1 iqr"`` (widths of the middle
        half) or ``"0.1 range"`` (greatest minus least value).
    name, caller : str
        For the error message.

    Returns
    -------
    number : float
        Not negative and finite.
    unit : {"std", "iqr", "range"}
        What it counts.
    """
    parts = _TEXT.fullmatch(text)
    try:
        number = float(parts[1])
    except (TypeError, ValueError):
        raise invalid(name, caller, _RULE, text) from None
    if not 0 <= number < np.inf:
        raise invalid(name, caller, _RULE, text)
    return number, parts[2]


class Radius(Number):
    """A radius: a number within its bounds, or one in units of the spread."""

    def __call__(self, value, name, caller):
        """Raise unless the value obeys the rule."""
        if isinstance(value, str):
            parse_radius(value, name, caller)
        else:
            super().__call__(value, name, caller)


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
    values : ndarray of shape (n_samples, ...)
        Rows; those of tables have one axis more.
    eps : float
        The radius.

    Returns
    -------
    str or None
        A message, where the largest standard deviation is more than 1,000 times the
        smallest that is not 0.
    """
    if values.ndim != 2 or len(values) < 2:
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
