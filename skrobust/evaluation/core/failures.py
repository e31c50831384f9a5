"""Conditions and runs that fail: their reasons, and what is left without them."""

import numbers
import pickle
import warnings

import numpy as np
from sklearn.exceptions import NotFittedError

from skrobust._one_line import one_line
from skrobust._parallel import LostTask
from skrobust._stacklevel import level_outside
from skrobust._validation import invalid

_LONGEST = 200  # characters of a reason
_SHOWN = 3  # names in a warning


class MisusedCondition(ValueError):
    """A condition that cannot run as it was given, which no score stands for."""


def caught(error_score, caller):
    """Return which errors are results, as arguments of ``Checkpoint.run_all``.

    Parameters
    ----------
    error_score : "raise" or number
        As in scikit-learn.
    caller : str
        Name of the public function, for the message.

    Returns
    -------
    dict
        Empty where errors are raised.
    """
    if isinstance(error_score, str) and error_score == "raise":
        return {}
    is_number = isinstance(error_score, numbers.Real)
    if not is_number or isinstance(error_score, (bool, np.bool_)):
        raise invalid("error_score", caller, "'raise' or a number", error_score)
    return {"catch": (Exception,), "words": portable}


def portable(error):
    """Return an error that can be sent to another process: itself, or its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(reason_of(error))
    return error


def reason_of(error):
    """Return the kind of an error and its words, in one line that is not long."""
    if isinstance(error, LostTask):  # it says all in its words
        return one_line(error)
    text, kind = one_line(error), type(error).__name__
    text = (text if text.startswith(kind) else f"{kind}: {text}").rstrip(".")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def check_any_left(errors, n, caller):
    """Raise the first of the errors where all failed, or where it is misuse.

    Parameters
    ----------
    errors : dict of int to Exception
        By the place of the condition.
    n : int
        Number of conditions, without those that are meant to change nothing.
    caller : str
        Name of the public function.
    """
    for error in errors.values():
        if isinstance(error, (MisusedCondition, NotFittedError)):
            raise error
    if errors and len(errors) >= n:
        first = next(iter(errors.values()))
        first.add_note(f"{caller}: all {len(errors)} failed; this is the first reason.")
        raise first


def tell_failed(failed, error_score, caller):
    """Warn of runs of an attack that failed.

    Parameters
    ----------
    failed : dict of str to Exception
        By what the run was for.
    error_score : float
        What its number counts as.
    caller : str
        Name of the public function.
    """
    if not failed:
        return
    name, error = next(iter(failed.items()))
    text = (
        f"{caller}: the run of the attack for {name} failed, and its number is "
        f"{float(error_score):g}. The reason: {reason_of(error)}. The dict 'failed' "
        "has all reasons; error_score='raise' stops at the first."
    )
    warnings.warn(text, UserWarning, stacklevel=level_outside())


def spread(values, places, n):
    """Return values of some of n conditions among all, nan where there is none.

    Parameters
    ----------
    values : array-like of shape (n_places, ...)
        Numbers; truth values become numbers if some are missing.
    places : sequence of int
        The conditions that they are of.
    n : int
        Number of all conditions.

    Returns
    -------
    ndarray of shape (n, ...)
        All in their places.
    """
    values = np.asarray(values)
    if len(places) == n:
        return values
    if values.dtype.kind in "US":
        out = np.zeros((n, *values.shape[1:]), dtype=values.dtype)
    else:
        out = np.full((n, *values.shape[1:]), np.nan)
    out[list(places)] = values
    return out


def add_failed(table, errors, error_score, caller):
    """Add the column ``failed`` where conditions did, with the reasons, and warn.

    Parameters
    ----------
    table : dict
        Columns of the conditions; changed.
    errors : dict of int to Exception
        By the place of the condition.
    error_score : float
        What they count as.
    caller : str
        Name of the public function.
    """
    if not errors:
        return
    reasons = [""] * len(table["name"])
    for place, error in errors.items():
        reasons[place] = reason_of(error)
    table["failed"] = np.array(reasons)
    shown = ", ".join(repr(str(table["name"][i])) for i in list(errors)[:_SHOWN])
    more = f" and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
    text = (
        f"{caller}: {len(errors)} of {len(reasons)} conditions failed and have the "
        f"score {float(error_score):g}: {shown}{more}. The first reason: "
        f"{reason_of(next(iter(errors.values())))}. The column 'failed' has all of "
        "them; numbers over all conditions that need the failed ones are nan. "
        "error_score='raise' stops at the first."
    )
    warnings.warn(text, UserWarning, stacklevel=level_outside())
