"""Parameters of a model that name columns by position."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

# Names that boosting libraries and scikit-learn have for the directions of columns.
MONOTONE = ("monotonic_cst", "monotone_constraints")
_BY_POSITION = ("categorical_features", *MONOTONE, "interaction_cst", "cat_features")


def speaks_of_places(model):
    """Say whether a model has parameters that choose columns by position."""
    params = model.get_params() if hasattr(model, "get_params") else {}
    chosen = [
        columns
        for value in params.values()
        if isinstance(value, ColumnTransformer)
        for _, _, columns in value.transformers
    ]
    for name in _BY_POSITION:
        chosen += [v for key, v in params.items() if key.rpartition("__")[2] == name]
    return any(_has_places(columns) for columns in chosen)


def _has_places(columns):
    if columns is None or isinstance(columns, str) or callable(columns):
        return False
    if isinstance(columns, dict):
        return not all(isinstance(key, str) for key in columns)
    if isinstance(columns, slice):
        return not isinstance(columns.start or columns.stop, str)
    items = np.atleast_1d(np.asarray(columns, dtype=object)).tolist()
    return not all(isinstance(item, str) for item in items)


def place_of(model):
    """Return the prefix of the parameters of the last step."""
    prefix = ""
    while isinstance(model, Pipeline):
        name, model = model.steps[-1]
        prefix += f"{name}__"
    return prefix
