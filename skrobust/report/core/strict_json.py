"""Results as strict JSON: no NaN and no infinity."""

import dataclasses
import json
import math
import os

import numpy as np

from skrobust.metrics import Interval


def to_plain(value):
    """Return a value as dicts, lists, text, finite numbers, booleans and None.

    Parameters
    ----------
    value : object
        NaN and infinity become None; an object without a counterpart becomes its repr.

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
    if isinstance(value, (list, tuple, Interval)):
        return [to_plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_plain(dataclasses.asdict(value))
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return os.fspath(value) if isinstance(value, os.PathLike) else repr(value)


def strict_json(value):
    """Return a value as the text of a JSON file."""
    return json.dumps(to_plain(value), indent=1, allow_nan=False) + "\n"


def _is_large(name, value):
    # One value per row and condition, which scores summarise; and objects.
    large = name in ("correct", "flipped", "perturbations")
    return large and (value is None or isinstance(value, np.ndarray))
