"""Exact attack on linear models, in closed form."""

import numpy as np

from skrobust._differentiable import differentiable_view
from skrobust._norms import length
from skrobust._validation import invalid
from skrobust.attacks.core.closed_forms import farthest, room_of, shortest
from skrobust.attacks.core.goal import Goal
from skrobust.base import BaseAttack


class ExactLinear(BaseAttack):
    r"""Exact attack on linear models, in closed form.

    A linear model calls x class k where :math:`w_k^T x + b_k` is largest. The nearest
    point that it calls something else lies on the border with one other class, so that
    the shortest of the moves

    .. math:: \min \|\delta\| \quad \text{so that} \quad
        (w_k - w_c)^T \delta \ge (w_c - w_k)^T x + b_c - b_k,
        \quad x + \delta \in \text{data\_range}

    over the other classes k is the exact minimum. Each is found by sorting: its gain is
    piecewise linear in one number. Robust accuracy under this attack is therefore the
    true one, and no other attack can be stronger.

    Parameters
    ----------
    eps : float, default=0.1
        Radius of the ball, in the units of the raw input of the whole pipeline.
    norm : {inf, 2, 1}, default=inf
        Norm of the ball.
    data_range : None or (low, high), default=None
        Bounds of the raw input, scalars or one per feature.
    objective : str or None, default=None
        ``"misclassification"`` (None for a classifier): the shortest move that changes
        the label, where it is within ``eps``; other rows come back unchanged.
        ``"probability_shift"`` or ``"loss"`` (two classes): the move within ``eps``
        that changes the probability of the predicted class most, or that of the true
        class downwards. ``"prediction_shift"`` (None for a regressor) and
        ``"prediction_error"``: that which takes the prediction farthest from the clean
        prediction, or from y.
    constraints : Constraints or None, default=None
        Units (``scale``, ``costs``) and ``frozen`` features, in which the answer stays
        exact; others are refused.
    random_state : int, RandomState, Generator or None, default=None
        Nothing is drawn; the parameter is there so that all are seeded alike.

    Notes
    -----
    Understood are linear classifiers and regressors behind steps that are affine: the
    scalers, PCA, TruncatedSVD, feature selection, column transformers of these. To
    cross the border in floating point, moves go farther than the minimum by some 1e-9
    of the scores (1e-6 for rows in single precision).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skrobust.attacks import ExactLinear
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=999).fit(X, y)
    >>> attack = ExactLinear(eps=0.3)
    >>> norms = attack.minimal_norms(model, X, y)
    >>> robust = model.score(attack.perturb(model, X, y), y)
    >>> bool(robust == (norms > 0.3).mean())
    True
    """

    _added_before = "random_state"

    def __init__(self, eps=0.1, *, constraints=None, **shared):
        super().__init__(eps, **shared)
        self.constraints = constraints

    def minimal_norms(self, estimator, X, y=None):
        """Return the length of the shortest move that changes each label.

        Parameters
        ----------
        estimator : fitted linear classifier
            Bare, or behind affine steps.
        X : array-like or data frame of shape (n_samples, n_features)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        ndarray of shape (n_samples,), dtype float64
            In ``norm``; ``eps`` plays no part. 0 for rows that are wrong already, inf
            where no move within ``data_range`` changes the label.
        """
        attack = self._by_position(X)
        values, y = attack._check_input(X, y)
        values = values.astype(np.float64)
        view = differentiable_view(estimator, type(self).__name__)
        weights, offset = self._parts(view, values)
        label = self._label_index(view, y, values @ weights.T + offset)
        units = attack._units(values)
        return self._shortest(values, label, weights, offset, 0.0, units)[1]

    def _attack(self, estimator, X, y, key):
        values = X.astype(np.float64)
        view = differentiable_view(estimator, type(self).__name__, regressors=True)
        if view.is_regressor:
            return self._move_prediction(view, values, y)
        goal = Goal.of(self)
        weights, offset = self._parts(view, values)
        scores = values @ weights.T + offset
        label = self._label_index(view, y, scores)
        if goal.stops:
            return self._cross(X, values, label, weights, offset)
        if len(offset) != 2:
            raise ValueError(
                f"{type(self).__name__} is exact for probabilities of two classes "
                f"alone, with objective={self.objective!r}; this model has "
                f"{len(offset)} classes. Use PGD."
            )
        ends = self._ends(values, weights[1] - weights[0])
        if self.objective == "loss":
            return np.where((label == 1)[:, None], ends[1], ends[0])
        clean, up, down = (self._probability(view, z) for z in (values, *ends))
        rises = np.abs(up - clean) >= np.abs(down - clean)
        return np.where(rises[:, None], *ends)

    def _parts(self, view, values):
        """Return weights and offset whose largest score is the label."""
        if not getattr(view, "is_affine", False):
            raise ValueError(
                f"{type(self).__name__} is exact for linear models behind affine steps "
                "(scalers, PCA, feature selection); this one is not linear in the raw "
                "input. Use PGD."
            )
        view.logits(values[:1])  # says if the width is wrong
        origin = np.zeros((1, values.shape[1]))
        offset = view.decision_scores(view.logits(origin))[0]
        n = len(offset)
        _, pull = view.forward(np.zeros((n, values.shape[1])))
        return pull(np.eye(n)), offset

    def _label_index(self, view, y, scores):
        return scores.argmax(axis=1) if y is None else view.label_index(y)

    def _units(self, values):
        """Return the units of the features; refuse what has no closed form."""
        domain = self._domain(values)
        if domain.is_discrete:
            rule = "None, or Constraints of units and frozen features alone"
            raise invalid("constraints", "ExactLinear", rule, self.constraints)
        return domain.units

    def _box(self):
        if self.data_range is None:
            return None
        return tuple(np.asarray(b, dtype=np.float64) for b in self.data_range)

    def _shortest(self, values, label, weights, offset, extra, units):
        """Return the shortest moves over the border, their lengths, and wrong rows.

        ``extra`` is how far over it, as a part of the scores.
        """
        scores = values @ weights.T + offset
        best = np.full(len(values), np.inf)
        moves = np.zeros_like(values)
        wrong = self._clearly_wrong(values, label, weights, scores)
        best[wrong] = 0
        for own in np.unique(label[~wrong]):
            rows = np.flatnonzero((label == own) & ~wrong)
            for other in range(len(offset)):
                if other == own:
                    continue
                normal = weights[other] - weights[own]
                size = np.abs(scores[rows][:, [own, other]]).sum(axis=1) + 1e-300
                size += np.abs(normal) @ np.abs(values[rows]).T
                if not np.isfinite(size).all():
                    raise ValueError(
                        f"{type(self).__name__} needs X whose scores are finite; those "
                        f"of row {int(rows[np.isfinite(size).argmin()])} overflow. "
                        "Scale X down."
                    )
                rise = scores[rows, own] - scores[rows, other] + extra * size
                rise = np.maximum(rise, 0)
                room = room_of(normal, values[rows], self._box())
                if room is not None:
                    room = units.relative(room)
                normal = units.spread(normal)
                move, possible = shortest(normal, rise, room, self.norm)
                far = np.where(possible, length(move, self.norm), np.inf)
                better = far < best[rows]
                moves[rows[better]] = units.spread(move[better])
                best[rows] = np.minimum(best[rows], far)
        return moves, best, wrong

    def _clearly_wrong(self, values, label, weights, scores):
        """Return which rows are wrong by more than the last bits of their scores."""
        known = (label >= 0) & (label < scores.shape[1])
        own = np.take_along_axis(scores, np.where(known, label, 0)[:, None], axis=1)
        lead = scores.max(axis=1) - own[:, 0]
        size = np.abs(values) @ np.abs(weights).max(axis=0) + np.abs(scores).max(axis=1)
        return ~known | ((scores.argmax(axis=1) != label) & ~(lead <= 1e-13 * size))

    def _cross(self, X, values, label, weights, offset):
        """Return rows moved just over the nearest border, where that is within eps."""
        units = self._units(values)
        _, needed, wrong = self._shortest(values, label, weights, offset, 0.0, units)
        out = values.copy()
        # A row on the border itself needs 0, as wrong ones do, but must move.
        waiting = np.flatnonzero(~wrong & (needed <= self.eps))
        extra = 1e-9 if X.dtype == np.float64 else 1e-6
        while len(waiting) and extra < 1e-2:
            moves, far, _ = self._shortest(
                values[waiting], label[waiting], weights, offset, extra, units
            )
            # A border at eps itself is crossed as far as the ball allows.
            moves[~np.isfinite(far)] = 0
            moved = (values[waiting] + moves).astype(X.dtype)
            out[waiting] = moved
            scores = moved.astype(np.float64) @ weights.T + offset
            over = scores.argmax(axis=1) != label[waiting]
            waiting, extra = waiting[~over], extra * 10
        out[waiting] = values[waiting]
        return out

    def _ends(self, values, normal):
        """Return the rows moved as far as the ball lets a function rise, and fall."""
        box, units, ends = self._box(), self._units(values), []
        for way in (normal, -normal):
            room = room_of(way, values, box)
            room = None if room is None else units.relative(room)
            move = farthest(units.spread(way), self.eps, room, self.norm)
            ends.append(values + units.spread(move))
        return ends

    def _probability(self, view, z):
        scores, _ = view.scores(z, view.logits(z))
        gap = np.clip(scores[:, 0] - scores[:, 1], -700, 700)
        return 1 / (1 + np.exp(gap))

    def _move_prediction(self, view, values, y):
        goal = Goal.of_regressor(self, y)
        if not view.is_affine:
            raise ValueError(
                f"{type(self).__name__} is exact for linear models behind affine "
                "steps; this regressor is not linear in the raw input. Use PGD."
            )
        clean, pull = view.forward(values)
        normal = pull(np.ones_like(clean))[0]
        ends = self._ends(values, normal)
        anchor = clean[:, 0] if goal.objective == "prediction_shift" else y
        up, down = (np.abs(view.logits(z)[:, 0] - anchor) for z in ends)
        return np.where((up >= down)[:, None], *ends)
