"""Record of a measurement: fingerprints of data and models, and the environment."""

import hashlib
import importlib.metadata
import platform
import sys

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame, shape_of, to_array
from skrobust.evaluation.checkpoint import fingerprint

ALGORITHM = "SHA-256"
COVERS = (
    "values, shape, data types and column names; the order of rows and columns counts"
)
MODEL_ALGORITHM = "MD5 by joblib, of the pickle or of the weights of a net"
# Packages that predict or hold rows, where they are loaded.
_PACKAGES = ("joblib", "pandas", "polars", "xgboost", "lightgbm", "catboost", "onnx")
_PACKAGES += ("onnxruntime", "tensorflow", "transformers", "torch", "skorch", "skops")


def data_fingerprint(data):
    """Return the SHA-256 of rows or labels as hexadecimal text.

    Parameters
    ----------
    data : array-like, sparse matrix or data frame
        It is not changed. The same values of another data type, in another order of
        rows or columns, or under other column names have another fingerprint.

    Returns
    -------
    str
        64 digits.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.arange(6.0).reshape(3, 2)
    >>> data_fingerprint(a) == data_fingerprint(a.copy())
    True
    >>> data_fingerprint(a) == data_fingerprint(a[::-1])
    False
    """
    digest = hashlib.sha256()
    if is_frame(data):
        for place, name in enumerate(data.columns):
            column = _column(data, place)
            _add_text(digest, f"column {name!r} {column.dtype}")
            _add_array(digest, column.to_numpy())
    elif issparse(data):
        data = data.tocsr().copy()
        data.sum_duplicates()
        _add_text(digest, f"sparse {data.shape}")
        for part in (data.indptr, data.indices):
            _add_array(digest, part.astype(np.int64))
        _add_array(digest, data.data)
    else:
        _add_array(digest, to_array(data))
    return digest.hexdigest()


def _column(frame, place):
    """Return a column by its place: names may occur twice in pandas."""
    if hasattr(frame, "iloc"):
        return frame.iloc[:, place]
    return frame[frame.columns[place]]


def _add_text(digest, text):
    content = text.encode("utf-8", "backslashreplace")
    digest.update(b"%d:" % len(content) + content)  # so that parts never run together


def _add_array(digest, values):
    _add_text(digest, f"{values.dtype.str} {values.shape}")
    if not values.dtype.hasobject:
        digest.update(np.ascontiguousarray(values).tobytes())
        return
    for value in values.ravel():
        if isinstance(value, np.ndarray):
            _add_array(digest, value)
        elif isinstance(value, str):
            _add_text(digest, f"str {str(value)!r}")
        else:
            _add_text(digest, f"{type(value).__name__} {value!r}")


def data_facts_of(name, data):
    """Return the fingerprint of rows or labels with their shape and types."""
    if is_frame(data):
        kinds = [str(_column(data, i).dtype) for i in range(len(data.columns))]
        types = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
        dtype = ", ".join(types)
    else:
        dtype = str(data.dtype if hasattr(data, "dtype") else np.asarray(data).dtype)
    return {
        "name": name,
        "shape": [int(size) for size in shape_of(data)],
        "dtype": dtype,
        "fingerprint": data_fingerprint(data),
    }


def model_facts(name, model):
    """Return the class of a model with its fingerprint, or why it has none."""
    kind = type(model)
    found = {"name": name, "class": f"{kind.__module__}.{kind.__qualname__}"}
    try:
        return found | {"fingerprint": fingerprint(model), "reason": None}
    except Exception as error:  # whatever pickling somebody's model raises
        reason = f"it cannot be pickled: {type(error).__name__}"
        return found | {"fingerprint": None, "reason": reason}


def record_of(models, X, y, X_train):
    """Return the fingerprints of what is measured, taken before it is measured.

    Parameters
    ----------
    models : dict of str to estimator
        The models as they were given.
    X, y, X_train : array-like
        Rows, labels, and training rows or None.

    Returns
    -------
    dict
        ``data`` and ``models`` (lists of dict) and ``environment``.
    """
    named = {"rows scored": X, "labels": y, "training rows": X_train}
    return {
        "data": [data_facts_of(k, v) for k, v in named.items() if v is not None],
        "models": [model_facts(name, model) for name, model in models.items()],
        "environment": environment(),
    }


def environment():
    """Return platform and versions that belong to a measurement, as text by name."""
    found = {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    for package in _PACKAGES:
        if package in sys.modules:
            try:
                found[package] = importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                found[package] = "unknown version"
    return found
