"""Certified bounds of probabilities and labels of a model within a ball.

Each certificate gives the least and the greatest probability of each class that any
point of the ball can have, or bounds of them; wider bounds are still true.
"""

from dataclasses import dataclass

import numpy as np

from skrobust._containers import like, to_array
from skrobust._norms import NORMS as _EXACT_NORMS
from skrobust._responses import predict_probabilities
from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.proof import Proof
from skrobust.certificates.region import Region

_POINT = "exact: the ball is a point"


@dataclass(frozen=True)
class Certificate:
    """Bounds of probabilities within a ball.

    Attributes
    ----------
    low, high : ndarray of shape (n_samples, n_classes)
        No point of the ball has a probability outside.
    name : str
        Where they come from.
    is_exact : bool
        Whether both ends are reached.
    is_statistical : bool
        Whether it may be wrong, with a small probability that is known.
    """

    low: np.ndarray
    high: np.ndarray
    name: str
    is_exact: bool
    is_statistical: bool = False

    def shift(self, p, columns):
        """Return the largest possible move of each sample.

        ``columns`` are the classes watched, or None for the largest over all.
        """
        moves = np.maximum(np.maximum(self.high - p, p - self.low), 0)
        return moves.max(axis=1) if columns is None else moves[range(len(p)), columns]


def certify(
    estimator, X, values, p, columns, *, eps, norm, data_range, caller, scale=None
):
    """Return the best certificate there is for the probabilities of a model.

    Parameters
    ----------
    estimator : fitted classifier
        With ``predict_proba``.
    X : container
        Rows in the container that the estimator takes.
    values : ndarray of shape (n_samples, ...), float64
        Values of X.
    p : ndarray of shape (n_samples, n_classes)
        Probabilities of X.
    columns : ndarray of shape (n_samples,), int, or None
        The class that counts, for each row; None: all of them.
    eps, norm, data_range : float, {inf, 2, 1, 0}, None or (low, high)
        The ball and the box.
    caller : str
        Name of the public function or class, for error messages.
    scale : None or ndarray of the shape of a row, default=None
        Units in which ``eps`` is meant, one a feature.

    Returns
    -------
    Certificate
        The trivial one where nothing is known of the model.
    """
    if eps == 0:
        return Certificate(p, p, _POINT, True)
    eps, is_whole = _radius(eps, norm, scale)
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    if norm not in _EXACT_NORMS:
        proof = Proof(len(p), p.shape[1])
        return Certificate(*proof.probabilities(), proof.name, False)
    ask = _asking(estimator, X, caller)
    region = Region.of(values, **ball, dtype=_float_kind(X))
    parts = estimator, region, p.shape[1], ask, caller
    proof = find_proof(*parts, values.shape[1:])
    low, high = proof.probabilities(columns)
    name = proof.name
    if not name.startswith("trivial") and (low <= 0).all() and (high >= 1).all():
        name = Proof.name  # labels alone are certified
    is_exact = proof.is_exact_on_probabilities and is_whole
    return Certificate(low, high, name, is_exact, proof.is_statistical)


def certify_labels(
    estimator, X, values, y, own, k, *, eps, norm, data_range, caller, scale=None
):
    """Return which rows keep their label in the whole ball, as far as is known.

    Parameters
    ----------
    estimator, X, values, eps, norm, data_range, caller, scale : object
        As in :func:`certify`; ``predict_proba`` is not needed.
    y : ndarray of shape (n_samples,)
        The labels.
    own : ndarray of shape (n_samples,), int
        The class of each label; -1 where the model does not know it.
    k : int
        Number of classes.

    Returns
    -------
    robust : ndarray of shape (n_samples,), dtype bool
        Whether each row is proved to keep its label.
    name : str
        Where the proof comes from.
    is_exact : bool
        Whether the other rows are known to lose it.
    """
    if eps == 0:
        return np.ones(len(y), dtype=bool), _POINT, True
    eps, is_whole = _radius(eps, norm, scale)
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    if norm not in _EXACT_NORMS:
        return np.zeros(len(y), dtype=bool), Proof.name, False
    has_proba = hasattr(estimator, "predict_proba")
    ask = _asking(estimator, X, caller) if has_proba else None
    region = Region.of(values, **ball, dtype=_float_kind(X))
    parts = estimator, region, k, ask, caller
    proof = find_proof(*parts, values.shape[1:])
    robust = proof.wins(own)
    name, is_exact = proof.name, proof.is_exact_on_labels and is_whole
    if is_exact and not name.startswith("exact"):
        name = f"exact on labels ({name})"
    return robust, name, is_exact


def _radius(eps, norm, scale):
    """Return the radius of a ball in units of features, and whether it is that ball.

    A cube has a radius for each feature; another ball lies in that of the largest unit.
    """
    if scale is None:
        return eps, True
    if norm == np.inf:
        return eps * np.ravel(scale), True
    return eps * float(np.max(scale)), bool(np.min(scale) == np.max(scale))


def _asking(estimator, X, caller):
    """Return a function from flat rows to probabilities, in the container of X."""
    values, kind = to_array(X), _float_kind(X)

    def ask(rows):
        moved = rows.reshape((len(rows), *values.shape[1:])).astype(kind)
        moved = like(moved, X)
        return predict_probabilities(estimator, moved, caller).astype(np.float64)

    return ask


def _float_kind(X):
    """Return the dtype of floats in which a model sees the rows."""
    kind = getattr(to_array(X), "dtype", np.dtype(float))
    return kind if kind.kind == "f" else np.dtype(float)
