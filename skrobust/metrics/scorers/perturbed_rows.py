"""Perturbed rows in the container of X, sparse matrices included."""

from scipy.sparse import issparse


def dense_rows(X):
    """Return a sparse matrix as an array, and anything else as it is."""
    return X.toarray() if issparse(X) else X


def perturbed_rows(perturbation, estimator, X, y):
    """Return the rows that a perturbation or an attack makes of X.

    A sparse X is perturbed as an array and given back in its format, which is that of
    the rows on which the model was fitted.
    """
    if not issparse(X):
        return perturbation.perturb(estimator, X, y)
    moved = perturbation.perturb(estimator, X.toarray(), y)
    return type(X)(moved)
