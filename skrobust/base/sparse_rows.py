"""Sparse rows under attack: dense for the search, sparse for the model."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

_MOST = 2**28  # values that a search may hold as dense rows (2 GB)


class SparseRows(TransformerMixin, BaseEstimator):
    """Pipeline step that turns dense rows into sparse ones of a format.

    Parameters
    ----------
    format : str
        Such as "csr".
    as_array : bool
        Whether they are sparse arrays, not matrices.
    """

    def __init__(self, format, as_array):
        self.format = format
        self.as_array = as_array

    def fit(self, X, y=None):
        """Return the step."""
        return self

    def transform(self, X):
        """Return sparse rows."""
        kind = sparse.csr_array if self.as_array else sparse.csr_matrix
        return kind(np.asarray(X)).asformat(self.format)

    def differentiable_transform(self, x):
        """Return the rows as they are: the format changes no values."""
        return x

    def __sklearn_is_fitted__(self):
        return True


def dense_case(estimator, X, caller):
    """Return a model of dense rows, these rows, and the way back.

    Parameters
    ----------
    estimator : fitted estimator
        Takes sparse rows like X.
    X : sparse matrix or array
        Rows under attack.
    caller : str
        Name of the public class, for error messages.
    """
    if np.prod(X.shape, dtype=np.float64) > _MOST:
        raise ValueError(
            f"{caller} searches dense rows, and X of shape {X.shape} is too large for "
            "that. Attack fewer rows at a time."
        )
    step = SparseRows(X.format, "array" in type(X).__name__)
    values = X.toarray()
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    return Pipeline([("sparse", step), ("model", estimator)]), values, step.transform
