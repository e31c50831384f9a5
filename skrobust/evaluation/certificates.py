"""Certified bounds of the probabilities of a model within a ball.

Each certificate gives the least and the greatest probability of each class that any
point of the ball can have, or bounds of them; wider bounds are still true.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.special import logsumexp, softmax

from skrobust._containers import like
from skrobust._differentiable import differentiable_view
from skrobust._norms import length
from skrobust._responses import predict_probabilities, unwrap
from skrobust.attacks import ExactLinear, ExactTree
from skrobust.attacks.core.closed_forms import farthest, room_of

_EXACT_NORMS = (np.inf, 2, 1)
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
    """

    low: np.ndarray
    high: np.ndarray
    name: str
    is_exact: bool

    def shift(self, p, columns):
        """Return the largest possible move of each sample.

        ``columns`` are the classes watched, or None for the largest over all.
        """
        moves = np.maximum(np.maximum(self.high - p, p - self.low), 0)
        return moves.max(axis=1) if columns is None else moves[range(len(p)), columns]


def certify(estimator, X, values, p, *, eps, norm, data_range, caller):
    """Return the best certificate there is for a model.

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
    eps, norm, data_range : float, {inf, 2, 1, 0}, None or (low, high)
        The ball and the box.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    Certificate
        The trivial one where the model is neither linear nor made of trees.
    """
    if eps == 0:
        return Certificate(p, p, "exact: the ball is a point", True)
    if norm in _EXACT_NORMS and values.ndim == 2:
        ball = {"eps": eps, "norm": norm, "data_range": data_range}
        found = _linear(estimator, X, values, p, ball, caller)
        if found := found or _trees(estimator, values, p, ball):
            return found
    name = "trivial: a probability moves at most to 0 or to 1"
    return Certificate(np.zeros_like(p), np.ones_like(p), name, False)


def _linear(estimator, X, values, p, ball, caller):
    attack = ExactLinear(**ball)
    try:
        view = differentiable_view(estimator, caller)
        weights, offset = attack._parts(view, values)
    except ValueError:  # not linear
        return None
    if len(offset) != p.shape[1]:
        return None
    if len(offset) == 2:
        return _two_classes(attack, estimator, X, values, p, weights, caller)
    scores = values @ weights.T + offset
    if not np.allclose(softmax(scores, axis=1), p, atol=1e-6):
        return None  # one against the rest, or calibrated
    k = len(offset)
    most = np.zeros((len(values), k, k))  # of score i less score j, within the ball
    for i, j in permutations(range(k), 2):
        normal = weights[i] - weights[j]
        room = room_of(normal, values, attack._box())
        rise = farthest(normal, ball["eps"], room, ball["norm"]) @ normal
        most[:, i, j] = scores[:, i] - scores[:, j] + rise
    low = np.exp(-logsumexp(most, axis=1))
    high = np.exp(-logsumexp(-most, axis=2))
    name = "bound for linear models: each difference of scores at its worst"
    return Certificate(low, high, name, False)


def _two_classes(attack, estimator, X, values, p, weights, caller):
    """Return the probabilities at both ends of the score, which is monotone."""
    normal = weights[1] - weights[0]
    ends = attack._ends(values, normal)
    up, down = (predict_probabilities(estimator, like(z, X), caller) for z in ends)
    # A classifier of another make may link scores and probabilities as it likes.
    scores = np.concatenate([z @ normal for z in (values, *ends)])
    order = np.argsort(scores, kind="stable")
    steps = np.diff(np.concatenate([p, up, down])[order, 1])
    if not ((steps >= -1e-6).all() or (steps <= 1e-6).all()):
        return None
    name = "exact for linear models of two classes"
    return Certificate(np.minimum(up, down), np.maximum(up, down), name, True)


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
