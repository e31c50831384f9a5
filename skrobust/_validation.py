"""The checks of single values that several families share, each with its sentence."""

import functools
import math
import numbers
import os
from pathlib import Path

import numpy as np

from skrobust._containers import shown_value


def invalid(name, caller, rule, value, cure=""):
    """Build the error for a bad parameter: name, caller, rule, value and cure."""
    shown = shown_value(value)
    text = f"The {name!r} parameter of {caller} must be {rule}. Got {shown} instead."
    return ValueError(f"{text} {cure}".rstrip())


def metric(function):
    """Mark a metric of arrays: passed as ``scoring=``, it says what to pass instead."""

    @functools.wraps(function)
    def checked(*args, **kwargs):
        if args and hasattr(args[0], "get_params"):
            raise TypeError(
                f"{function.__name__} is a metric of arrays, not a scorer of "
                "(estimator, X, y). Make one with sklearn.metrics.make_scorer, or with "
                "the make_..._scorer functions of skrobust.metrics."
            )
        return function(*args, **kwargs)

    return checked


def check_number(
    value, name, caller, *, low=None, high=None, low_open=False, high_open=False
):
    """Return a finite real number inside its bounds as a float, or raise."""
    rule = "a finite number"
    if low is not None and high is not None:
        left, right = "(" if low_open else "[", ")" if high_open else "]"
        rule = f"a number in {left}{low:g}, {high:g}{right}"
    elif low == 0:
        rule = f"a {'positive' if low_open else 'non-negative'} float"
    elif low is not None:
        rule = f"a number of at least {low:g}"
    number = as_float(value)
    if (
        not math.isfinite(number)
        or (low is not None and (number < low or (low_open and number == low)))
        or (high is not None and (number > high or (high_open and number == high)))
    ):
        raise invalid(name, caller, rule, value)
    return number


def as_float(value):
    """Return a real number as a float; NaN for what is none, or is too large."""
    # numpy counts durations among the integers.
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.timedelta64)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


MOST = 2**31 - 1  # no loop ends, and no array fits, beyond


def check_count(value, name, caller, *, low=1, most=MOST):
    """Return an integer of at least ``low`` and at most ``most``, or raise."""
    if not is_integer(value) or value < low:
        raise invalid(name, caller, f"an integer of at least {low}", value)
    if value > most:
        raise invalid(name, caller, f"an integer of at most {most}", value)
    return int(value)


def is_integer(value):
    """Return whether a value is an integer, of Python or numpy; True is none."""
    # numpy counts durations among the integers.
    return isinstance(value, numbers.Integral) and not isinstance(
        value, (bool, np.timedelta64)
    )


def check_confidence(confidence, caller):
    """Return a confidence strictly between 0 and 1 as a float, or raise."""
    ends = {"low": 0, "high": 1, "low_open": True, "high_open": True}
    return check_number(confidence, "confidence", caller, **ends)


def check_flag(value, name, caller):
    """Return a boolean, of Python or numpy, or raise."""
    if not isinstance(value, (bool, np.bool_)):
        raise invalid(name, caller, "True or False", value)
    return bool(value)


def as_flag(value):
    """Return a boolean of numpy as one of Python, and anything else as it is."""
    return bool(value) if isinstance(value, np.bool_) else value


def check_choice(value, name, caller, choices):
    """Return the one of the named choices that a value equals, or raise.

    A name from an array of names (numpy.str_) is a name; True is no 1.
    """
    held = isinstance(value, np.generic) and value.dtype.kind in "biufU"  # no NaT
    plain = value.item() if held else value
    kind = str if isinstance(plain, str) else type(plain)
    for choice in choices:
        if plain is choice or (type(choice) is kind and plain == choice):
            return choice
    listed = ", ".join(repr(choice) for choice in choices)
    raise invalid(name, caller, f"one of {listed}", value)


def check_path(path, name, caller):
    """Return a path, or raise for what no file can be named."""
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise invalid(name, caller, "a path", path)
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        raise invalid(name, caller, "a path of text in Unicode", path) from None
    if b"\0" in encoded:
        raise invalid(name, caller, "a path, which holds no NUL", path)
    if max(map(len, encoded.split(b"/"))) > 255 or len(encoded) > 4095:
        rule = "a path of at most 4095 bytes, with names of at most 255 bytes"
        raise invalid(name, caller, rule, path)
    return Path(path)
