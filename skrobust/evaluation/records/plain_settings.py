"""Settings of an evaluation as plain data, and back, without pickles.

JSON holds text, whole numbers, finite floats, booleans, None and lists as they are.
Everything else is an object with one tag: ``{"tuple": [...]}``, ``{"dict": [[key,
value], ...]}``, ``{"float": "inf"}``, ``{"scalar": [dtype, value]}``, ``{"array":
place}``, ``{"objects": [shape, values]}``, ``{"slice": [...]}``, ``{"isolation":
[timeout, memory]}``, ``{"class": name, "params": {...}, "fitted": {...}}``, and
``{"unknown": name}`` for what cannot be written.
"""

import inspect
import math
import re
from functools import cache

import numpy as np

from skrobust import attacks, perturbations
from skrobust._sealed import Damaged
from skrobust.evaluation.core._isolation import Isolation
from skrobust.evaluation.records.source_digest import kind_name

_FITTED = re.compile(r"[a-z][A-Za-z0-9_]*_")
_TEXT = (str, bool, int, type(None))
# Parameters that name files, which a replay must not open on the word of a record.
_FILES = {"pictures"}
_MOST_AXES = 8
_LEARNED = " (learned before; X_ref= learns it in the evaluation)"


class PlainWriter:
    """Writer of settings.

    Attributes
    ----------
    arrays : list of ndarray
        Those that the written settings point to by their places.
    missing : list of str
        What could not be written, each with its place in the settings.
    own : list of str
        Full names of classes that are not those of skrobust.
    unseeded : list of str
        Objects of which ``random_state`` is None.
    """

    def __init__(self):
        self.arrays, self.missing, self.own, self.unseeded = [], [], [], []

    def write(self, value, where):
        """Return a value as plain data; ``where`` names it for messages."""
        if isinstance(value, np.generic):
            if isinstance(value.item(), np.generic):
                return self._unknown(value, where)  # wider than floats of Python
            if value.dtype.kind in "bOV":
                return self.write(value.item(), where)
            if value.dtype.kind in "mM":
                return self._array(np.array([value]), where)
            return {"scalar": [value.dtype.str, self.write(value.item(), where)]}
        if type(value) in _TEXT:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is list:
            return self._all(value, where)
        if type(value) is tuple:
            return {"tuple": self._all(value, where)}
        if type(value) is dict:
            return {"dict": [self._all(pair, where) for pair in value.items()]}
        if type(value) is slice:
            ends = value.start, value.stop, value.step
            return {"slice": self._all(ends, where)}
        if type(value) is Isolation:
            return {"isolation": self._all((value.timeout, value.memory), where)}
        if type(value) is np.ndarray:
            return self._array(value, where)
        if hasattr(value, "get_params") and not isinstance(value, type):
            return self._object(value, where)
        return self._unknown(value, where)

    def _all(self, values, where):
        return [self.write(one, f"{where}[{i}]") for i, one in enumerate(values)]

    def _array(self, values, where):
        if values.dtype.kind in "biufcUSmM" and values.ndim:
            self.arrays.append(values)
            return {"array": len(self.arrays) - 1}
        if values.dtype.hasobject or not values.ndim:
            items = self._all(values.ravel().tolist(), where)
            return {"objects": [list(values.shape), items]}
        return self._unknown(values, where)

    def _object(self, value, where):
        kind, name = type(value), kind_name(type(value))
        public = {known: one for one, known in public_kinds().items()}.get(kind)
        if public is None:
            top = name.partition(".")[0]
            if top in ("skrobust", "sklearn"):  # an estimator, not a condition
                return self._unknown(value, where)
            self.own.append(name)
        try:
            params = value.get_params(deep=False)
        except Exception:  # whatever a user's class raises
            return self._unknown(value, where)
        is_random = params.get("random_state", 0) is None
        if is_random and getattr(value, "_noise", "row") != "fixed":
            self.unseeded.append(where)
        found = {"class": public or name, "params": {}, "fitted": {}}
        for key, one in params.items():
            inside = f"{where}.{key}"
            is_file = key in _FILES and isinstance(one, str)
            write = self._unknown if is_file else self.write
            found["params"][key] = write(one, inside)
        for key, one in vars(value).items():
            if key not in params and not key.startswith("_"):
                write = self.write if _FITTED.fullmatch(key) else self._unknown
                found["fitted"][key] = write(one, f"{where}.{key}{_LEARNED}")
        return found

    def _unknown(self, value, where):
        name = (
            kind_name(value)
            if callable(value) and hasattr(value, "__qualname__")
            else kind_name(type(value))
        )
        self.missing.append(f"{where}: {name}")
        return {"unknown": name}


class PlainReader:
    """Reader of settings: only public perturbations and attacks, and given classes.

    Parameters
    ----------
    arrays : list of ndarray
        Those that the settings point to.
    classes : sequence of type
        Classes of the user, which the settings may name.
    """

    def __init__(self, arrays, classes=()):
        self.arrays, self.own = arrays, {}
        for kind in classes:
            self.own[kind.__qualname__] = self.own[kind_name(kind)] = kind

    def read(self, plain):
        """Return the value of plain data, or raise ``Damaged``."""
        if type(plain) in (*_TEXT, float):
            return plain
        if type(plain) is list:
            return [self.read(one) for one in plain]
        try:
            tag, *_ = plain
            return getattr(self, f"_read_{tag}")(**plain)
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            if isinstance(error, Damaged):
                raise
            text = " ".join(str(error).split())[:200]
            raise Damaged(f"A setting of the record cannot be read: {text}") from None

    def _read_float(self, float):
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[float]

    def _read_scalar(self, scalar):
        dtype, value = np.dtype(scalar[0]), self.read(scalar[1])
        if dtype.kind not in "iufcUS":
            raise ValueError("a scalar of no number and no text")
        return dtype.type(value)

    def _read_tuple(self, tuple):
        return (*self.read(tuple),)

    def _read_dict(self, dict):
        return {self.read(key): self.read(value) for key, value in dict}

    def _read_slice(self, slice):
        start, stop, step = self.read(slice)
        return np.s_[start:stop:step]

    def _read_isolation(self, isolation):
        return Isolation(*self.read(isolation))

    def _read_array(self, array):
        return np.array(self.arrays[array])

    def _read_objects(self, objects):
        shape, items = objects
        values = self.read(items)
        if len(shape) > _MOST_AXES or math.prod(shape) != len(values):
            raise ValueError("an array whose shape is not that of its values")
        found = np.empty(len(values), dtype=object)
        found[:] = values
        return found.reshape(shape)

    def _read_unknown(self, unknown):
        raise Damaged(f"The record names {unknown!r}, which it cannot hold.")

    def _read_class(self, params, fitted, **name):
        name = name["class"]
        kind = public_kinds().get(name) or self.own.get(name)
        kind = kind or self.own.get(name.rpartition(".")[2])
        if kind is None:
            raise Damaged(f"The record names the class {name!r}; pass it in classes=.")
        if _FILES & params.keys() and any(
            isinstance(params[key], str) for key in _FILES & params.keys()
        ):
            raise Damaged("A setting of the record names a file, which is not opened.")
        found = kind(**{key: self.read(one) for key, one in params.items()})
        for key, one in fitted.items():
            if not _FITTED.fullmatch(key):
                raise Damaged(f"The record sets {key!r}, which is no fitted attribute.")
            setattr(found, key, self.read(one))
        return found


@cache
def public_kinds():
    """Return the public perturbations, attacks and constraints, by their full names."""
    found = {}
    for family in (perturbations, attacks):
        for name in family.__all__:
            kind = getattr(family, name)
            acts = inspect.isclass(kind) and hasattr(kind, "get_params")
            if acts and (hasattr(kind, "perturb") or name == "Constraints"):
                found[f"{family.__name__}.{name}"] = kind
    return found
