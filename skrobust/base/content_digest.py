"""Digest of the content of data and models: the same after saving and loading."""

import contextlib
import copyreg
import hashlib
import importlib
import pickle
import sys
from types import EllipsisType, FunctionType, NoneType, NotImplementedType

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame, to_array
from skrobust.base.frame_columns import column_at

_PLAIN = (bool, int, float, complex, type(None), np.generic)
_BYTES = (bytes, bytearray)
_COUNTS = slice(7, 11)  # of the state of a search tree
_WITHOUT_A_NAME = (EllipsisType, NoneType, NotImplementedType)  # pickle knows them


def content_digest(value):
    """Return the SHA-256 of data or of a model as hexadecimal text.

    Arrays count by their data type, shape and values, data frames also by the names and
    the order of columns, models by their class and their state as they would be
    pickled. Unlike the pickle itself, the digest does not depend on which parts are one
    object in memory, so that it is the same after saving and loading. The code of
    classes and functions is known by name only. 0.0 and -0.0 differ.

    Parameters
    ----------
    value : object
        It is not changed.

    Returns
    -------
    str
        64 digits.

    Raises
    ------
    TypeError, pickle.PicklingError
        For what cannot be pickled, as functions that are no name of their module.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.arange(6.0).reshape(3, 2)
    >>> content_digest(a) == content_digest(a.copy())
    True
    >>> content_digest(a) == content_digest(a[::-1])
    False
    """
    return digest_and_kinds(value)[0]


def digest_and_kinds(value):
    """Return the digest of a value, and the classes and functions that it is made of.

    Parameters
    ----------
    value : object
        As in :func:`content_digest`.

    Returns
    -------
    digest : str
        64 digits.
    kinds : list of classes and functions
        Each once, in the order in which they were met.
    """
    walk = _Walk(hashlib.sha256())
    walk.add(value)
    return walk.digest.hexdigest(), list(walk.kinds)


class _Walk:
    """Walk over the parts of a value, each with its type and its length."""

    def __init__(self, digest):
        self.kinds = {}
        self.digest, self.open = digest, []  # ids of the values that hold this one

    def text(self, text):
        self.bytes(text.encode("utf-8", "backslashreplace"))

    def bytes(self, content):
        # With its length, so that two parts never run together.
        self.digest.update(b"%d:" % len(content))
        self.digest.update(content)

    def add(self, value):
        if isinstance(value, str):
            self.text(f"str {str(value)!r}")
        elif isinstance(value, _PLAIN):
            self.text(f"{type(value).__name__} {value!r}")
        elif isinstance(value, _BYTES):
            self.text("bytes")
            self.bytes(bytes(value))
        elif isinstance(value, (type, FunctionType)):
            self.kinds[value] = None
            self._name(value, value.__qualname__)
        elif id(value) in self.open:
            self.text(f"above {len(self.open) - self.open.index(id(value))}")
        else:
            self.open.append(id(value))
            self._parts(value)
            self.open.pop()

    def _parts(self, value):
        if isinstance(value, np.ma.MaskedArray):
            self.text("masked")
            self._array(value.data)
            self._array(np.ma.getmaskarray(value))
        elif isinstance(value, np.ndarray):
            self._array(value)
        elif is_frame(value):
            self._frame(value)
        elif issparse(value):
            self._sparse(value)
        elif type(value) in (list, tuple, dict, set, frozenset):
            self._container(value)
        else:
            self._object(value)

    def _array(self, values):
        self.text(f"array {values.dtype.str} {values.shape}")
        if values.dtype.names:  # by field: bytes between fields mean nothing
            for name in values.dtype.names:
                self.text(name)
                self._array(values[name])
        elif values.dtype.hasobject:
            self._objects(values.ravel().tolist())
        else:
            flat = np.ascontiguousarray(values).reshape(-1)
            self.bytes(flat.view(np.uint8) if flat.size else b"")

    def _objects(self, values):
        if set(map(type, values)) == {str}:  # the usual case, at once
            self.text("all text")
            self._array(np.array([len(value) for value in values], dtype=np.int64))
            self.text("".join(values))
        else:
            for value in values:
                self.add(value)

    def _name(self, value, name):
        """Add a name, or raise where it does not lead to the value."""
        module = getattr(value, "__module__", None) or type(value).__module__
        found = sys.modules.get(module)
        if found is None:
            with contextlib.suppress(ImportError, ValueError):
                found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not value and not any(value is one for one in _WITHOUT_A_NAME):
            raise pickle.PicklingError(f"{value!r} is not found as {module}.{name}")
        self.text(f"name {module}.{name}")

    def _frame(self, frame):
        for place, name in enumerate(frame.columns):
            column = column_at(frame, place)
            self.text(f"column {name!r} {column.dtype}")
            self.add(to_array(column))

    def _sparse(self, values):
        rows = values.tocsr().copy()
        rows.sum_duplicates()
        self.text(f"sparse {rows.shape}")
        for part in (rows.indptr.astype(np.int64), rows.indices.astype(np.int64)):
            self._array(part)
        self._array(rows.data)

    def _container(self, values):
        self.text(f"{type(values).__name__} {len(values)}")
        if isinstance(values, (set, frozenset)):
            values = sorted(content_digest(value) for value in values)
        for value in values.items() if isinstance(values, dict) else values:
            self.add(value)

    def _object(self, value):
        reducer = copyreg.dispatch_table.get(type(value))
        reduced = reducer(value) if reducer else value.__reduce_ex__(4)
        if isinstance(reduced, str):  # the name of a single object
            self._name(value, reduced)
            return
        make, arguments, *more = reduced
        if more and hasattr(value, "get_n_calls") and isinstance(more[0], tuple):
            # A search tree of scikit-learn counts what it is asked.
            more[0] = more[0][: _COUNTS.start] + more[0][_COUNTS.stop :]
        self.text(f"object {len(more)}")
        self.add(make)
        self.add(arguments)
        for place, part in enumerate(more):
            is_items = place in (1, 2) and part is not None  # of lists and dicts
            self.add(list(part) if is_items else part)
