"""Collected data as strict JSON: no NaN, no infinity, nothing left out in silence."""

import json
import math
import os

import numpy as np


def _is_large(name, value):
    # One value a row and condition; the scores say what is needed.
    return name == "correct" and isinstance(value, np.ndarray)


def to_plain(value):
    """Return a value as dicts, lists, text, finite numbers, booleans and None.

    Parameters
    ----------
    value : object
        NaN and infinity become None; what has no counterpart becomes its repr.

    Returns
    -------
    object
        The plain value.

    Examples
    --------
    >>> import numpy as np
    >>> to_plain({"a": np.array([1.0, np.nan]), "b": (np.int64(2), float("inf"))})
    {'a': [1.0, None], 'b': [2, None]}
    """
    if isinstance(value, dict):
        return {str(k): to_plain(v) for k, v in value.items() if not _is_large(k, v)}
    if isinstance(value, (list, tuple)):
        return [to_plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return os.fspath(value) if isinstance(value, os.PathLike) else repr(value)


def to_json(collected):
    """Return collected data as the text of a JSON file."""
    settings = dict(collected["settings"])
    if settings.get("norm") == np.inf:
        settings["norm"] = "inf"  # a setting, not an undefined number
    plain = to_plain({"format": "skrobust report 1", **collected, "settings": settings})
    return json.dumps(plain, indent=1, allow_nan=False) + "\n"
