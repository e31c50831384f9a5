"""Rows as code of others gets them: it may write into them, and X stays as it was."""

import sys
import weakref
from copy import copy
from functools import partial

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame

# Below this size a copy costs no more than to look at the model.
_SMALL = 1 << 20
# Libraries whose models respect arrays that must not be written to.
_KNOWN = {"sklearn", "skrobust", "xgboost", "lightgbm", "numpy", "scipy", "builtins"}
_WRITABLE = (np.ndarray, list, dict)  # as cells; beside series and tensors
_WRITERS = weakref.WeakSet()  # models that asked for rows which they may write to


def copied(X):
    """Return a copy of rows in their container.

    Parameters
    ----------
    X : container of rows
        Arrays, frames, series, sparse matrices, tensors, lists, and dicts of these;
        what reads from a file is returned as it is.

    Returns
    -------
    container
        Of the same type.
    """
    if isinstance(X, np.ndarray):
        out = np.array(X, subok=not isinstance(X, np.memmap))
        return _cells(out, copied) if X.dtype.hasobject else out
    if issparse(X):  # some kinds are dicts
        return X.copy()
    if isinstance(X, dict):
        return _named(X, copied)
    if isinstance(X, (list, tuple)):
        return _listed(X, copied)
    if hasattr(X, "detach"):  # a tensor
        return X.detach().clone()
    if hasattr(X, "iloc"):
        return _with_own_cells(X.copy(), copied)
    return X.clone() if is_frame(X) or _is_polars(X) else X


def read_only(X):
    """Return rows that share the memory of X as far as nobody can write to them."""
    if isinstance(X, np.ndarray):
        if X.dtype.hasobject:
            X = _cells(X.copy(), read_only)
        view = X.view()
        view.flags.writeable = False
        return view
    if isinstance(X, dict) and not issparse(X):
        return _named(X, read_only)
    if isinstance(X, (list, tuple)):
        return _listed(X, read_only)
    if hasattr(X, "iloc") and _copies_on_write():
        return _with_own_cells(X.copy(deep=False), read_only)
    return copied(X)


def ask_guarded(function, X, model=None, *, shares=False):
    """Return ``function(rows)`` of rows that stand for X and protect it.

    They are a view of X that must not be written to, where that protects it, and a copy
    where it does not, or where the function refuses the view.

    Parameters
    ----------
    function : callable
        Code of others, such as ``model.predict``.
    X : container of rows
        The rows; they are never changed.
    model : object, default=None
        Whose code it is.
    shares : bool, default=False
        Whether the code is known to copy rows before anything else.

    Returns
    -------
    object
        What the function returned.
    """
    if shares:
        return function(X)
    if _is_writer(model) or _passes_by(X, model):
        return function(copied(X))
    try:
        return function(read_only(X))
    except Exception as error:
        if not refuses_read_only(error):
            raise
    _remember(model)
    return function(copied(X))


def perturb_guarded(perturber, estimator, X, y=None):
    """Return ``perturber.perturb(estimator, X, y)``, which may write into its rows.

    Those of this package never do. Others get copies of rows and labels.
    """
    if not type(perturber).__module__.startswith("skrobust."):
        X, y = copied(X), copied(y)
    return perturber.perturb(estimator, X, y)


def refuses_read_only(error):
    """Say whether an error comes from an array that must not be written to."""
    text = str(error).lower()
    return "read-only" in text or "readonly" in text


def _passes_by(X, model):
    """Say whether code may write to memory that numpy protects, as torch does.

    ``torch.from_numpy`` takes arrays that are protected, warns once, and writes. Small
    arrays are copied anyway.
    """
    if not isinstance(X, np.ndarray):
        return False
    return X.nbytes < _SMALL or not _is_known(model)


def _is_known(model):
    """Say whether all parts of a model are of libraries that are known."""
    parts = [model]
    if hasattr(model, "get_params"):
        parts += model.get_params(deep=True).values()
    for part in parts:
        kind = part if isinstance(part, type) else type(part)
        name = getattr(part, "__module__", None) or kind.__module__
        if str(name).partition(".")[0] not in _KNOWN:
            return False
    return True


def _is_writer(model):
    try:
        return model in _WRITERS
    except TypeError:  # no weak reference, or no hash
        return False


def _remember(model):
    try:
        _WRITERS.add(model)
    except TypeError:
        return


def _copies_on_write():
    """Say whether a shallow copy of a frame of pandas is safe."""
    pandas = sys.modules["pandas"]
    if int(pandas.__version__.partition(".")[0]) >= 3:
        return True
    return pandas.options.mode.copy_on_write is True


def _is_polars(X):
    return type(X).__module__.partition(".")[0] == "polars"


def _hold_rows(values):
    """Say whether any of some cells can be written to; the first may be a None."""
    kinds = set(map(type, values))
    return any(issubclass(kind, _WRITABLE) or _is_series(kind) for kind in kinds)


def _is_series(kind):
    """Say whether a class is one of series, frames or tensors."""
    return hasattr(kind, "iloc") or hasattr(kind, "detach")


def _guarded(value, guard):
    return guard(value) if _hold_rows([value]) else value


def _listed(X, guard):
    return type(X)(_guarded(row, guard) for row in X) if _hold_rows(X) else type(X)(X)


def _named(X, guard):
    found = copy(X)
    for name, rows in X.items():
        found[name] = guard(rows)
    return found


def _cells(array, guard):
    """Guard the arrays in the cells of an array of objects, which is a copy."""
    flat = array.reshape(-1)
    if array.dtype.kind == "O" and _hold_rows(flat):
        for place, value in enumerate(flat):
            flat[place] = _guarded(value, guard)
        array[...] = flat.reshape(array.shape)
    return array


def _with_own_cells(frame, guard):
    """Guard the arrays in the cells of a frame or series, which is a copy."""
    guarded = partial(_guarded, guard=guard)
    if not is_frame(frame):
        is_held = frame.dtype == object and _hold_rows(frame)
        return frame.map(guarded) if is_held else frame
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        if column.dtype == object and _hold_rows(column):
            frame.isetitem(j, column.map(guarded))
    return frame
