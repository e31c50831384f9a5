"""Random label flips by a matrix of transition probabilities."""

import numpy as np
from scipy.sparse import issparse

from skrobust._keyed_noise.generator import NoiseKey
from skrobust._keyed_noise.row_hash import content_keys
from skrobust._keyed_noise.splitmix import row_keys
from skrobust._validation import invalid

_SPARSE_ROWS = 1000


def flip_matrix(kind, rate, n_classes):
    """Return the probability of each recorded class for each true class.

    Parameters
    ----------
    kind : {"symmetric", "pair"}
        Whether a flipped label is any other class, or the next one.
    rate : float in [0, 1]
        Probability of a flip.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        One row for each true class.
    """
    if n_classes == 1:
        return np.ones((1, 1))
    stay = np.eye(n_classes)
    if kind == "pair":
        return (1 - rate) * stay + rate * np.roll(stay, 1, axis=1)
    flips = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(flips, 1 - rate)
    return flips


def check_flip_matrix(matrix, n_classes, caller):
    """Return a matrix of transition probabilities as an array, or raise."""
    rule = f"of shape ({n_classes}, {n_classes}), one row a class"
    try:
        flips = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise invalid("matrix", caller, rule, matrix) from None
    if flips.shape != (n_classes, n_classes):
        raise invalid("matrix", caller, rule, flips.shape)
    if not (flips >= 0).all() or np.abs(flips.sum(axis=1) - 1).max() > 1e-6:
        rule = "made of probabilities whose rows sum to 1"
        raise invalid("matrix", caller, rule, flips.tolist())
    return flips


def flip_labels(codes, flips, X, seed):
    """Return the labels with some flipped; the draws belong to rows and labels.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,), int
        True classes.
    flips : ndarray of shape (n_classes, n_classes)
        Probabilities of recorded classes, one row for each true class.
    X : container of n_samples rows
        Rows that key the draws.
    seed : int
        Seed of the draws.

    Returns
    -------
    ndarray of shape (n_samples,), int
        Recorded classes.
    """
    stay = np.diag(flips)
    if (stay == 1).all():
        return codes
    # Of equal rows with equal labels it does not matter which one flips.
    keys = _keys(X) + row_keys(codes[:, None])
    key = NoiseKey.from_keys(keys, seed).derive("labels")
    u = key.generator().random((len(codes), 2))
    others = flips * (1 - np.eye(len(flips)))
    total = others.sum(axis=1, keepdims=True)
    shares = np.cumsum(others / np.where(total > 0, total, 1), axis=1)
    target = (u[:, 1, None] >= shares[codes]).sum(axis=1)
    # Rounding may leave the last sum below 1: then the last possible class.
    last = len(flips) - 1 - (others[:, ::-1] > 0).argmax(axis=1)
    target = np.minimum(target, last[codes])
    return np.where(u[:, 0] < 1 - stay[codes], target, codes)


def _keys(X):
    if not issparse(X):
        return content_keys(X)
    X = X.tocsr()
    parts = range(0, X.shape[0], _SPARSE_ROWS)
    return np.concatenate([row_keys(X[i : i + _SPARSE_ROWS].toarray()) for i in parts])
