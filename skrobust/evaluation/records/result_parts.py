"""Results taken apart: numbers as plain data, arrays by name, digests of conditions."""

import dataclasses
import math
from collections.abc import Mapping

import numpy as np

from skrobust._sealed import bytes_digest

# Objects that took part, which stand among the settings.
_ASIDE = {"columns", "perturbations"}


def parts_of(results):
    """Return the numbers and the arrays of results.

    Parameters
    ----------
    results : Results
        Also of results.

    Returns
    -------
    numbers : dict
        Plain data; NaN and infinity are text of Python's, as ``{"float": "nan"}``.
    arrays : dict of str to ndarray
        Columns and arrays of numbers, booleans and text, by their names; those of inner
        results have the name of these and a dot before it.
    """
    arrays = {}
    numbers = _plain(results, "", arrays)
    return numbers, arrays


def _plain(value, where, arrays):
    if isinstance(value, Mapping):
        found, head = {}, f"{where}." if where else ""
        for name, one in value.items():
            inside = f"{head}{name}"
            if name in _ASIDE:
                continue
            one = _as_text(one)
            if isinstance(one, np.ndarray) and one.ndim and one.dtype.kind in "biufcUS":
                arrays[inside] = one
            else:
                found[str(name)] = _plain(one, inside, arrays)
        return found
    if isinstance(value, np.ndarray):
        return _plain(value.tolist(), where, arrays)
    if isinstance(value, np.generic):
        value = value.item()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value), where, arrays)
    if isinstance(value, (list, tuple)):
        return [_plain(one, where, arrays) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return {"object": type(value).__name__}


def _as_text(values):
    """Return an array of text as text, where it is one of objects."""
    is_object = isinstance(values, np.ndarray) and values.dtype.kind == "O"
    is_text = is_object and all(isinstance(one, str) for one in values.ravel())
    return values.astype(str) if is_text and values.size else values


def condition_digests(columns, arrays):
    """Return a digest of what was found under each condition.

    Parameters
    ----------
    columns : sequence of str
        Names of arrays with one entry for each condition.
    arrays : dict of str to ndarray
        From :func:`parts_of`; those of two axes whose second is the conditions count
        with their column.

    Returns
    -------
    list of str
        SHA-256 of each.
    """
    columns = [name for name in columns if name in arrays]
    n = len(arrays[columns[0]]) if columns else 0
    by_sample = [k for k in ("correct", "flipped") if k in arrays]
    digests = []
    for i in range(n):
        parts = [(name, arrays[name][i]) for name in columns]
        parts += [(name, arrays[name][:, i]) for name in by_sample]
        digests.append(digest_of_parts(parts))
    return digests


def digest_of_parts(parts):
    """Return the SHA-256 of named arrays or single values of arrays."""
    texts = []
    for name, values in parts:
        values = np.ascontiguousarray(values)
        head = f"{name} {values.dtype.str} {values.shape}\n"
        texts.append(head + bytes_digest(values.tobytes()))
    return bytes_digest("\n".join(texts).encode())
