"""Facts about the models, the data and the software of a report."""

import numbers
import platform
import sys

import numpy as np
import scipy
import sklearn
from sklearn.base import is_classifier, is_regressor

import skrobust
from skrobust._containers import is_frame, shape_of, to_array
from skrobust._responses import is_net, unwrap
from skrobust.perturbations.images.image_perturbation import (
    find_channel_axis,
    split_image_shape,
)


def kind_of(name, model):
    """Return "classifier" or "regressor"; raise for anything else.

    Parameters
    ----------
    name : str
        Name of the model in the report.
    model : object
        Object that should be a fitted estimator.

    Returns
    -------
    str
        The kind.
    """
    try:
        if is_regressor(model):
            return "regressor"
        if is_classifier(model) or is_net(unwrap(model)[1]):
            return "classifier"
    except (AttributeError, TypeError):
        pass  # not an estimator of scikit-learn
    raise ValueError(
        f"A report needs fitted classifiers or regressors; {name!r} is a "
        f"{type(model).__name__}. Wrap a model of another library: "
        "skrobust.wrap(model, classes=[...])."
    )


def image_sides(X, image_shape, channel_axis, caller):
    """Return (height, width) of the images in ``X``, or None for a table.

    Parameters
    ----------
    X : array-like of shape (n_samples, ...)
        Images, or flat rows.
    image_shape : tuple of int or None
        Shape of one image, for flat rows.
    channel_axis : {1, -1} or None
        Axis of the channels.
    caller : str
        Name of the function or command that the user called.

    Returns
    -------
    tuple or None
        The sides in pixels.
    """
    shape = tuple(shape_of(X)[1:])
    if len(shape) == 1:
        if image_shape is None:
            return None
        shape = split_image_shape(image_shape, shape[0], caller)
    if len(shape) == 2:
        return shape
    axis = find_channel_axis(shape, channel_axis, caller)
    return shape[1:] if axis == 0 else shape[:2]


def column_names(X):
    """Return the column names of a data frame as text, or None."""
    return [str(name) for name in X.columns] if is_frame(X) else None


def class_counts(y):
    """Return each label with its number of rows."""
    labels, counts = np.unique(y, return_counts=True)
    pairs = zip(labels, counts, strict=True)
    return [{"label": str(label), "n_rows": int(n)} for label, n in pairs]


def shared_rows(X, X_train):
    """Count the rows of ``X`` that are also rows of ``X_train``."""
    if is_frame(X) and is_frame(X_train) and set(X.columns) == set(X_train.columns):
        X_train = X_train[list(X.columns)]
    known = set(_row_keys(X_train))
    return sum(key in known for key in _row_keys(X))


def _row_keys(X):
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(to_array(X))
    rows = rows.reshape(len(rows), -1)  # text: one column
    if rows.dtype.kind in "fiub":
        rows = np.ascontiguousarray(rows, dtype=np.float64) + 0.0
        return [row.tobytes() for row in rows]
    return [tuple(map(_cell_key, row)) for row in rows]


def _cell_key(value):
    # 1 and 1.0 are one number, whatever the type of the column.
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)):
        return repr(float(value))
    return str(value)


def versions():
    """Return the versions of the packages used; torch only where it is loaded."""
    found = {
        "skrobust": skrobust.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    for name in ("torch", "skorch"):
        if name in sys.modules:
            found[name] = str(sys.modules[name].__version__)
    return found
