"""Fingerprints of data and models, and the environment of a measurement."""

import importlib.metadata
import platform
import sys
from functools import cache

import numpy as np
from scipy.sparse import issparse

from skrobust._containers import is_frame, shape_of, to_array
from skrobust._responses import is_net, unwrap
from skrobust.base.content_digest import content_digest
from skrobust.base.frame_columns import column_at
from skrobust.evaluation.core.checkpoint import fingerprint

ALGORITHM = "SHA-256"
# Names of data, as they stand in evidence and in records.
ROWS, LABELS, TRAINING_ROWS = "rows scored", "labels", "training rows"
# Packages that predict or hold rows, where they are loaded.
_PACKAGES = ("joblib", "pandas", "polars", "xgboost", "lightgbm", "catboost", "onnx")
_PACKAGES += ("onnxruntime", "tensorflow", "transformers", "torch", "skorch", "skops")


def data_facts_of(name, data):
    """Return the fingerprint of rows or labels with their shape and types."""
    if not is_frame(data) and not issparse(data):
        data = to_array(data)  # of lists and tensors
    if is_frame(data):
        kinds = [str(column_at(data, i).dtype) for i in range(len(data.columns))]
        types = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
        dtype = ", ".join(types)
    else:
        dtype = str(data.dtype)
    return {
        "name": name,
        "shape": [int(size) for size in shape_of(data)],
        "dtype": dtype,
        "fingerprint": content_digest(data),
    }


def facts_of_data(X, y, X_train=None):
    """Return the fingerprints of rows, labels and training rows; None has none."""
    named = {ROWS: X, LABELS: y, TRAINING_ROWS: X_train}
    return [data_facts_of(k, v) for k, v in named.items() if v is not None]


def model_facts(name, model):
    """Return the class of a model with its fingerprint, or why it has none."""
    kind = type(model)
    found = {"name": name, "class": f"{kind.__module__}.{kind.__qualname__}"}
    known = {"algorithm": ALGORITHM, "fingerprint": None, "reason": None}
    try:
        if is_net(unwrap(model)[1]):  # its pickle differs from time to time
            known["fingerprint"] = fingerprint(model)  # by classes and weights
        else:
            known["fingerprint"] = content_digest(model)
    except Exception as error:  # whatever the pickling of a user's model raises
        known["reason"] = f"it cannot be pickled: {type(error).__name__}"
    return found | known


def environment():
    """Return platform and versions that belong to a measurement, as text by name."""
    found = {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    return found | _versions(name for name in _PACKAGES if name in sys.modules)


def full_environment(also=()):
    """Return platform, versions of what skrobust rests on, and the linear algebra.

    Of the packages in ``also``, those that are not loaded have their version, too.
    """
    found = environment() | _versions(("numpy", "scipy", "scikit-learn", "joblib"))
    found |= _versions(name for name in _PACKAGES if name in also)
    return found | {"linear algebra": _linear_algebra()}


@cache
def _linear_algebra():
    """Return what multiplies matrices: the last bits of floats depend on it."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "unknown"
    np.zeros((2, 2)) @ np.zeros((2, 2))
    names = ("internal_api", "version", "architecture")
    kinds = [one for one in threadpool_info() if one.get("user_api") == "blas"]
    texts = [" ".join(str(one[n]) for n in names if one.get(n)) for one in kinds]
    return ", ".join(sorted(set(texts))) or "unknown"


def _versions(packages):
    return {package: _version(package) for package in packages}


@cache
def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown version"
