"""Certified bounds of probabilities and labels of a model within a ball.

Each certificate gives the least and the greatest probability of each class that any
point of the ball can have, or bounds of them; wider bounds are still true.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, softmax

from skrobust._containers import like, to_array
from skrobust._norms import NORMS as _EXACT_NORMS
from skrobust._norms import length
from skrobust._responses import predict_probabilities, unwrap
from skrobust.attacks import ExactTree
from skrobust.certificates.find_proof import find_proof
from skrobust.certificates.proof import Proof
from skrobust.certificates.region import Region

_POINT = "exact: the ball is a point"
_MOST_CELLS = 20_000_000  # numbers that the boxes of an ensemble may take


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


def certify(estimator, X, values, p, columns, *, eps, norm, data_range, caller):
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

    Returns
    -------
    Certificate
        The trivial one where nothing is known of the model.
    """
    if eps == 0:
        return Certificate(p, p, _POINT, True)
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    if norm not in _EXACT_NORMS:
        proof = Proof(len(p), p.shape[1])
        return Certificate(*proof.probabilities(), proof.name, False)
    if values.ndim == 2 and (found := _trees(estimator, values, p, ball)):
        return found
    ask = _asking(estimator, X, caller)
    region = Region.of(values, **ball, dtype=_float_kind(X))
    parts = estimator, region, p.shape[1], ask, caller
    proof = find_proof(*parts, values.shape[1:])
    low, high = proof.probabilities(columns)
    name = proof.name
    if not name.startswith("trivial") and (low <= 0).all() and (high >= 1).all():
        name = Proof.name  # labels alone are certified
    is_exact = proof.is_exact_on_probabilities
    return Certificate(low, high, name, is_exact, proof.is_statistical)


def certify_labels(estimator, X, values, y, own, k, *, eps, norm, data_range, caller):
    """Return which rows keep their label in the whole ball, as far as is known.

    Parameters
    ----------
    estimator, X, values, eps, norm, data_range, caller : object
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
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    if norm not in _EXACT_NORMS:
        return np.zeros(len(y), dtype=bool), Proof.name, False
    if values.ndim == 2 and (found := _tree_labels(estimator, X, y, ball)):
        return found
    has_proba = hasattr(estimator, "predict_proba")
    ask = _asking(estimator, X, caller) if has_proba else None
    region = Region.of(values, **ball, dtype=_float_kind(X))
    parts = estimator, region, k, ask, caller
    proof = find_proof(*parts, values.shape[1:])
    robust = proof.wins(own)
    name = proof.name
    if proof.is_exact_on_labels and not name.startswith("exact"):
        name = f"exact on labels ({name})"
    return robust, name, proof.is_exact_on_labels


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


def _tree_labels(estimator, X, y, ball):
    if _n_cells(estimator) > _MOST_CELLS:
        return None
    attack = ExactTree(**ball)
    try:
        result = attack.run(estimator, X, y)
    except ValueError:  # no trees that are understood
        return None
    robust = attack.proven_ & ~result.success
    name = "exact for trees (best first)"
    return robust, name, bool(attack.proven_.all())


def _trees(estimator, values, p, ball):
    if _n_cells(estimator) > _MOST_CELLS:
        return None
    attack = ExactTree(**ball)
    try:
        boxes = attack._boxes(estimator, values)
    except ValueError:  # no trees that are understood
        return None
    n_trees = len(boxes.value)
    seen = boxes.seen(values)
    clean = np.array([boxes.scores(row) for row in seen])
    least, most = _ranges(attack, boxes, values, seen)
    if np.allclose(clean / n_trees, p, atol=1e-6):
        low, high = least / n_trees, most / n_trees
    else:
        # Boosting with the exponential loss halves its log odds.
        for factor in (1, 2):
            if np.allclose(softmax(factor * clean, axis=1), p, atol=1e-6):
                break
        else:
            return None  # another link between scores and probabilities
        low = _shares(factor * least, factor * most)
        high = _shares(factor * most, factor * least)
    if boxes.is_single:
        return Certificate(low, high, "exact for a single tree", True)
    name = "bound for ensembles: each tree at its worst"
    return Certificate(low, high, name, False)


def _shares(own, others):
    """Return the softmax of each score, where all others are those given."""
    gaps = others[:, :, None] - own[:, None, :]  # of score i, less score c
    gaps[:, range(own.shape[1]), range(own.shape[1])] = 0.0
    return np.exp(-logsumexp(gaps, axis=1))


def _n_cells(estimator):
    model = unwrap(estimator)[1]
    members = np.ravel(getattr(model, "estimators_", [model]))
    trees = [tree for m in members if (tree := getattr(m, "tree_", None)) is not None]
    if not trees:
        return 0
    return len(trees) * max(t.n_leaves for t in trees) * trees[0].n_features


def _ranges(attack, boxes, values, seen):
    """Return the least and greatest scores, each tree in its worst leaf in reach."""
    least, most = attack._data_bounds(boxes)
    low, high = np.maximum(boxes.low, least), np.minimum(boxes.high, most)
    real = (low <= high).all(axis=2)
    scale = np.abs(boxes.scale)
    out = []
    for x, row in zip(values, seen, strict=True):
        # Trees round what they see; a leaf within rounding of the ball is in reach.
        rounding = 1.2e-7 * (np.abs(row) / scale + attack.eps)
        reach = attack.eps + length(rounding[None], attack.norm)[0]
        far = attack._far(boxes, (x * boxes.scale + boxes.shift, row), low, high)
        fine = (real & (far <= reach))[..., None]
        least = np.where(fine, boxes.value, np.inf).min(axis=1).sum(0)
        most = np.where(fine, boxes.value, -np.inf).max(axis=1).sum(0)
        out.append([boxes.start + least, boxes.start + most])
    return np.array(out).swapaxes(0, 1)
