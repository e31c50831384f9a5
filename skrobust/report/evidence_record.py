"""Record of a measurement: fingerprints of data and models, and the environment."""

import importlib.metadata
import platform
import sys

import numpy as np

from skrobust._containers import is_frame, shape_of
from skrobust._responses import is_net, unwrap
from skrobust.base.content_digest import content_digest
from skrobust.base.frame_columns import column_at
from skrobust.evaluation.checkpoint import fingerprint

ALGORITHM = "SHA-256"
COVERS = (
    "values, shape, data types and column names; the order of rows and columns counts"
)
MODEL_COVERS = (
    "class, parameters and fitted attributes as they are pickled; code is known by name"
)
# Packages that predict or hold rows, where they are loaded.
_PACKAGES = ("joblib", "pandas", "polars", "xgboost", "lightgbm", "catboost", "onnx")
_PACKAGES += ("onnxruntime", "tensorflow", "transformers", "torch", "skorch", "skops")


def data_facts_of(name, data):
    """Return the fingerprint of rows or labels with their shape and types."""
    if not hasattr(data, "shape"):
        data = np.asarray(data)
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
