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
from skrobust._responses import predict_probabilities
from skrobust.attacks import ExactLinear
from skrobust.attacks.core.closed_forms import farthest, room_of
from skrobust.attacks.core.row_questions import ask_each_row, range_of_probability
from skrobust.attacks.core.tree_reader import read_trees
from skrobust.attacks.core.tree_rows import TreeRows

_EXACT_NORMS = (np.inf, 2, 1)
_PARTS = 50  # of the ball that may be opened to bound a sum of trees


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


def certify(estimator, X, values, p, *, eps, norm, data_range, caller, columns=None):
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
    columns : ndarray of int of shape (n_samples,), default=None
        The class of each sample that is asked about; bounds of others may be trivial.
        None: all classes.

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
        found = found or _trees(estimator, X, values, p, columns, ball, caller)
        if found:
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


def _trees(estimator, X, values, p, columns, ball, caller):
    try:
        model = read_trees(estimator, caller)
    except ValueError:  # no trees that are understood
        return None
    kind = getattr(X, "dtype", None)
    values = values.astype(kind) if kind == np.float32 else values
    place = {"norm": ball["norm"], "data_range": ball["data_range"]}
    rows = TreeRows(model, values, constraints=None, caller=caller, **place)
    if not np.allclose(model.trees.probabilities(rows.scores), p, atol=1e-5):
        return None  # another link between scores and probabilities
    low, high, is_exact = np.zeros_like(p), np.ones_like(p), True
    asked = range(p.shape[1]) if columns is None else np.unique(columns)
    for column in asked:
        here = (
            np.arange(len(p)) if columns is None else np.flatnonzero(columns == column)
        )
        question = range_of_probability, int(column), ball["eps"], _PARTS, True
        found = ask_each_row(rows.taken(here), *question)
        low[here, column] = [one.low for one in found]
        high[here, column] = [one.high for one in found]
        is_exact &= all(one.is_exact for one in found)
    if is_exact:
        return Certificate(low, high, "exact for trees", True)
    name = "bound for trees: what the search could not rule out"
    return Certificate(low, high, name, False)
