"""Changed rows of a perturbation or an attack, and their distortion."""

import numbers
from collections import Counter

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame, on_device, to_array
from skrobust._keyed_noise.splitmix import chunks
from skrobust._text_units import split_words
from skrobust.base.sequence_steps import steps_of

_RMS = "root mean square"
_BLOCK = 1 << 18  # values whose changes are held at once
_DEVICE = 1 << 8  # times as many values as on the host on a device


def is_clean(condition):
    """Say whether a perturbation or an attack is meant to change nothing.

    That is one whose severity, ``eps`` or physical strength is 0, or a sequence of none
    but such steps.
    """
    steps = steps_of(condition)
    if steps is not None:
        return all(is_clean(step) for step in steps)
    names = ("severity", "eps", *getattr(condition, "_strengths", ()))
    values = [getattr(condition, name, None) for name in names]
    return any(isinstance(v, numbers.Real) and v == 0 for v in values)


def changed_rows(X, moved):
    """Return which rows differ from the clean ones at all.

    Parameters
    ----------
    X, moved : array, data frame, tensor, list of text or list of series
        Clean and perturbed rows of the same number.

    Returns
    -------
    ndarray of bool of shape (n_samples,)
        NaN, or a missing value, in both places is no change.
    """
    X, moved = _alike(X, moved)
    if issparse(X):
        return np.asarray((moved != X).sum(axis=1)).ravel() > 0
    if _on_one_device(X, moved):
        return _by_tensor(_tensor_differs, X, moved)
    pair = _number_pair(X, moved)
    if pair is not None:
        return _differs(*pair).any(axis=1)
    rows = zip(_rows(X), _rows(moved), strict=True)
    return np.array([_n_changed(a, b) > 0 for a, b in rows], dtype=bool)


def row_distortion(X, moved):
    """Return how far each row moved, and what that counts.

    Parameters
    ----------
    X, moved : array, data frame, tensor, list of text or list of series
        Clean and perturbed rows of the same number.

    Returns
    -------
    distortion : ndarray of float of shape (n_samples,)
        At least 0; nan for series whose length changed.
    unit : {"root mean square", "words", "cells"}
        The root mean square of the changes of the values in a row, in the units of X,
        for numbers; the number of words that are gone, for texts (of characters, in
        scripts without spaces); the number of changed cells, for mixed columns.
    """
    X, moved = _alike(X, moved)
    if issparse(X):
        squares = np.asarray((moved - X).power(2).mean(axis=1)).ravel()
        return np.sqrt(squares), _RMS
    if _on_one_device(X, moved):
        return _by_tensor(_tensor_rms, X, moved), _RMS
    pair = _number_pair(X, moved)
    if pair is not None:
        return _root_mean_squares(*pair), _RMS
    rows = list(zip(_rows(X), _rows(moved), strict=True))
    cells = [cell for pair in rows for row in pair for cell in row]
    alike = all(len(a) == len(b) for a, b in rows)
    if cells and alike and all(map(_is_number, cells)):  # held as objects
        pair = [np.array(part, dtype=np.float64) for part in zip(*rows, strict=True)]
        return _root_mean_squares(*pair), _RMS
    unit, size = "cells", _n_changed
    if cells and all(isinstance(cell, str) for cell in cells):
        unit, size = "words", _n_gone
    if cells and all(isinstance(cell, np.ndarray) for cell in cells):
        unit, size = _RMS, _series_change
    return np.array([size(a, b) for a, b in rows], dtype=np.float64), unit


def _alike(X, moved):
    """Return both as they are; where one of them alone is sparse, as arrays."""
    if issparse(X) != issparse(moved):
        return [one.toarray() if issparse(one) else one for one in (X, moved)]
    return X, moved


def _on_one_device(X, moved):
    """Return whether rows are compared where they are, and only the answer leaves."""
    both = on_device(X) and on_device(moved) and X.shape == moved.shape
    # Devices of Apple have no double precision.
    return both and X.device == moved.device and X.device.type != "mps"


def _by_tensor(compare, X, moved):
    """Return a number for each row of two tensors, some rows at a time."""
    width = X[:1].numel()
    parts = [
        compare(X[part].reshape(-1, width), moved[part].reshape(-1, width))
        for part in chunks(len(X), width, times=_DEVICE)
    ]
    return np.concatenate([part.cpu().numpy() for part in parts])


def _tensor_differs(a, b):
    differs = a != b
    if a.is_floating_point() and b.is_floating_point():
        differs &= ~(a.isnan() & b.isnan())
    return differs.any(1)


def _tensor_rms(a, b):
    if not (a.is_floating_point() or b.is_floating_point()):  # whole, and never NaN
        return (b.long() - a.long()).square().double().mean(1).sqrt()
    change = b.double() - a.double()
    known = ~change.isnan()
    total = change.nan_to_num(0.0).square().sum(1)
    return (total / known.sum(1).clamp(min=1)).sqrt()


def _number_pair(*both):
    """Return two matrices of numbers of one shape, or None."""
    found = []
    for X in both:
        if isinstance(X, (list, tuple)) and any(isinstance(x, str) for x in X):
            return None
        try:
            values = to_array(X)
        except (ValueError, TypeError):  # series of several lengths; sparse
            return None
        if values.dtype.kind not in "fiub" or values.ndim == 0:
            return None
        found.append(values.reshape(len(values), -1))
    return found if found[0].shape == found[1].shape else None


def _is_number(cell):
    return isinstance(cell, numbers.Real) and not isinstance(cell, (bool, np.bool_))


def _differs(a, b):
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return (a != b) & ~(np.isnan(a) & np.isnan(b))
    return a != b


def _rows(X):
    """Return the rows as lists of cells: numbers, texts, or arrays of a series."""
    if is_frame(X) or hasattr(X, "shape"):
        values = to_array(X)
        values = values.reshape(len(values), -1)
        return [[_cell(x) for x in row] for row in values]
    return [[_cell(row)] for row in X]


def _cell(x):
    is_series = isinstance(x, (list, tuple)) or hasattr(x, "to_numpy")
    return np.asarray(x) if is_series else x


def _n_changed(a, b):
    """Return the number of cells that differ; cells that are gone or new count."""
    differ = sum(not same_cells(x, z) for x, z in zip(a, b, strict=False))
    return differ + abs(len(a) - len(b))


def same_cells(x, z):
    """Return whether two cells hold the same, missing values and series too."""
    x, z = (np.asarray(v) if hasattr(v, "to_numpy") else v for v in (x, z))
    if isinstance(x, np.ndarray) or isinstance(z, np.ndarray):
        x, z = np.asarray(x), np.asarray(z)
        if x.shape != z.shape:
            return False
        return not _differs(x, z).any()
    if x is z:
        return True
    try:
        return bool(x == z) or bool(x != x and z != z)
    except (TypeError, ValueError, OverflowError):  # missing of pandas; huge integers
        return False


def _n_gone(texts, new):
    """Return how many words of the texts of a row are no longer there.

    In scripts without spaces each character counts as a word.
    """
    pairs = zip(texts, new, strict=False)
    return sum((_words(x) - _words(z)).total() for x, z in pairs)


def _words(text):
    return Counter(split_words(text)[0])


def _series_change(a, b):
    """Return the root mean square change of a series, nan for another length."""
    if a[0].shape != b[0].shape:
        return np.nan
    return _root_mean_squares(a[0].reshape(1, -1), b[0].reshape(1, -1))[0]


def _root_mean_squares(a, b):
    """Return the root mean square change of each row; missing values do not count."""
    found = np.zeros(len(a))
    step = max(1, _BLOCK // max(1, a.shape[1]))
    for i in range(0, len(a), step):
        change = np.subtract(b[i : i + step], a[i : i + step], dtype=np.float64)
        known = ~np.isnan(change)
        total = np.square(change, out=change).sum(axis=1, where=known)
        found[i : i + step] = total / np.maximum(known.sum(axis=1), 1)
    return np.sqrt(found)
