"""Exact attack on decision trees, and on small ensembles of them."""

from functools import partial

import numpy as np
from sklearn.base import is_regressor

from skrobust._parameters import Count
from skrobust._validation import invalid
from skrobust.attacks.core.goal import Goal
from skrobust.attacks.core.tree_boxes import tree_boxes
from skrobust.attacks.core.tree_search import farthest_box, nearest_box
from skrobust.base import BaseAttack


class ExactTree(BaseAttack):
    r"""Exact attack on decision trees, and on small ensembles of them.

    A tree is constant on boxes. The nearest point with another label therefore lies in
    a box, and the nearest point of a box is found feature by feature; the least over
    the leaves is exact. For a sum of trees the boxes are those on which every tree is
    constant. They are searched from the nearest on (branch and bound): the first box
    whose nearest point has another label is the answer, and is proven. Where
    ``node_budget`` boxes do not suffice the best point met so far is used, and
    :attr:`proven_` says so.

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
        the label, where it is within ``eps``; other rows come back unchanged. For
        regressors ``"prediction_shift"`` (None) or ``"prediction_error"``, and of
        single trees also ``"probability_shift"``: the box within ``eps`` that takes the
        answer farthest.
    node_budget : int, default=2000
        Boxes that may be opened for a row of an ensemble.
    random_state : int, RandomState, Generator or None, default=None
        Nothing is drawn; the parameter is there so that all are seeded alike.

    Attributes
    ----------
    proven_ : ndarray of shape (n_samples,), dtype bool
        After ``perturb`` or ``minimal_norms``: whether the answer for a row is exact.
    lower_bounds_ : ndarray of shape (n_samples,), dtype float64
        After ``minimal_norms`` or an attack on the label: no shorter move changes it.

    Notes
    -----
    Understood are DecisionTree, ExtraTree, RandomForest, ExtraTrees, GradientBoosting
    and HistGradientBoosting (classifiers, and regressors of one target) and
    AdaBoostClassifier over DecisionTree, bare or behind scalers, without categorical
    features. Most trees see rows in single precision; boxes are built in it, so that a
    point on the border is on the side that the tree says. Lengths are exact up to that
    rounding.

    References
    ----------
    .. [1] A. Kantchelian, J. D. Tygar and A. Joseph, "Evasion and Hardening of Tree
       Ensemble Classifiers", ICML 2016 (the problem; the search is our own).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skrobust.attacks import ExactTree
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    >>> attack = ExactTree(eps=0.3)
    >>> norms = attack.minimal_norms(model, X, y)
    >>> robust = model.score(attack.perturb(model, X, y), y)
    >>> bool(robust == (norms > 0.3).mean())
    True
    """

    _added_before = "random_state"
    _parameter_rules = {"node_budget": Count()}

    def __init__(self, eps=0.1, *, node_budget=2000, **shared):
        super().__init__(eps, **shared)
        self.node_budget = node_budget

    def minimal_norms(self, estimator, X, y=None):
        """Return the length of the shortest move that changes each label.

        Parameters
        ----------
        estimator : fitted tree or ensemble of trees
            A classifier, bare or behind scalers.
        X : array-like or data frame of shape (n_samples, n_features)
            Raw input of the whole pipeline.
        y : array-like of shape (n_samples,), default=None
            True labels; None stands for the estimator's own predictions.

        Returns
        -------
        ndarray of shape (n_samples,), dtype float64
            In ``norm``; ``eps`` plays no part. 0 for rows that are wrong already, inf
            where no move changes the label. Exact where ``proven_``; elsewhere an upper
            bound.
        """
        values, y = self._check_input(X, y)
        boxes = self._boxes(estimator, values)
        values = values.astype(np.float64)
        if boxes.classes is None:
            raise ValueError(
                f"{type(self).__name__}.minimal_norms needs labels, and thus a "
                "classifier."
            )
        return self._nearest(
            boxes, values, self._label_index(boxes, values, y), np.inf
        )[1]

    def _attack(self, estimator, X, y, key):
        values = X.astype(np.float64)
        boxes = self._boxes(estimator, X)
        if is_regressor(estimator):
            goal = Goal.of_regressor(self, y)
            anchor = y if goal.objective == "prediction_error" else None
            if not boxes.is_single:
                return self._farthest_sum(boxes, values, anchor)
            return self._farthest(boxes, values, 0, anchor)
        if Goal.of(self).stops:
            label = self._label_index(boxes, values, y)
            out, norms = self._nearest(boxes, values, label, self.eps)
            rows = np.where((norms <= self.eps)[:, None], out, values)
            return rows, {"warnings": self._messages()}
        if self.objective == "loss" or not boxes.is_single:
            rule = (
                "None or 'misclassification', or 'probability_shift' of a single tree"
            )
            raise invalid("objective", type(self).__name__, rule, self.objective)
        predicted = self._label_index(boxes, values, None)
        return self._farthest(boxes, values, predicted, None)

    def _messages(self):
        n_open = int((~self.proven_).sum())
        if not n_open:
            return []
        return [
            f"{type(self).__name__} opened node_budget={self.node_budget} boxes "
            f"without an answer for {n_open} of {len(self.proven_)} rows; the result "
            "is an upper bound of the robustness."
        ]

    def _boxes(self, estimator, values):
        caller = type(self).__name__
        boxes = tree_boxes(estimator, caller, values.dtype)
        width = boxes.low.shape[2]
        if values.ndim != 2 or values.shape[1] != width:
            raise ValueError(
                f"{caller} got rows of shape {values.shape[1:]}; the model takes "
                f"{width} features."
            )
        return boxes

    def _label_index(self, boxes, values, y):
        if y is None:
            seen = boxes.seen(values)
            return np.array([boxes.scores(row).argmax() for row in seen])
        found = np.full(len(y), -1)
        for index, label in enumerate(boxes.classes):
            found[y == label] = index
        if (found < 0).all():
            raise ValueError(
                f"{type(self).__name__} found none of the model's classes in y: they "
                f"are {list(boxes.classes[:5])}, y begins with {list(y[:5])}."
            )
        return found

    def _data_bounds(self, boxes):
        """Return the data range as trees see it."""
        if self.data_range is None:
            return -np.inf, np.inf
        low, high = (np.asarray(b, dtype=np.float64) for b in self.data_range)
        ends = [boxes.seen(np.broadcast_to(b, boxes.scale.shape)) for b in (low, high)]
        return np.minimum(*ends), np.maximum(*ends)

    def _far(self, boxes, row, low, high):
        """Return the raw length of the way from a row to boxes, along the last axis.

        A feature that is seen inside, in single precision, need not move.
        """
        exact, seen = row
        target = np.clip(seen, low, high)
        gaps = np.where(target == seen, 0.0, np.abs(target - exact))
        raw = gaps / np.abs(boxes.scale)
        if self.norm == np.inf:
            return raw.max(axis=-1)
        if self.norm == 1:
            return raw.sum(axis=-1)
        return np.sqrt((raw * raw).sum(axis=-1))

    def _moved(self, boxes, x, seen, low, high):
        """Return the raw row nearest to x in a box; features inside keep every bit."""
        target = np.clip(seen, low, high)
        raw = (target - boxes.shift) / boxes.scale
        raw = np.where(target == seen, x, raw)
        if self.data_range is not None:
            raw = np.clip(raw, *self.data_range)
        return boxes.into(raw, low, high)

    def _nearest(self, boxes, values, label, limit):
        """Return rows moved to the nearest other label, and how far that was."""
        out, norms = values.copy(), np.full(len(values), np.inf)
        self.proven_ = np.ones(len(values), dtype=bool)
        self.lower_bounds_ = np.full(len(values), np.inf)
        data_bounds = self._data_bounds(boxes)
        for i, (x, seen) in enumerate(zip(values, boxes.seen(values), strict=True)):
            if boxes.scores(seen).argmax() != label[i]:
                norms[i] = self.lower_bounds_[i] = 0.0
                continue
            row = (x * boxes.scale + boxes.shift, seen)
            if boxes.is_single:
                found = self._leaf(boxes, row, int(label[i]), data_bounds)
            else:
                found = nearest_box(
                    boxes,
                    seen,
                    int(label[i]),
                    data_bounds,
                    partial(self._far, boxes, row),
                    limit=limit,
                    budget=self.node_budget,
                )
            box, norms[i], bound, self.proven_[i] = found
            self.lower_bounds_[i] = bound if norms[i] <= limit else min(bound, limit)
            if box is not None:
                out[i] = self._moved(boxes, x, seen, *box)
        return out, norms

    def _leaf(self, boxes, row, label, data_bounds):
        """Return the nearest leaf of a single tree with another label."""
        other = boxes.value[0].argmax(axis=1) != label
        low = np.maximum(boxes.low[0], data_bounds[0])
        high = np.minimum(boxes.high[0], data_bounds[1])
        fine = other & (low <= high).all(axis=1)
        if not fine.any():
            return None, np.inf, np.inf, True
        low, high = low[fine], high[fine]
        far = self._far(boxes, row, low, high)
        best = int(far.argmin())
        return (low[best], high[best]), far[best], far[best], True

    def _farthest(self, boxes, values, label, anchor):
        """Return rows moved to the leaf within eps whose answer lies farthest."""
        label = np.broadcast_to(label, len(values))
        data_bounds = self._data_bounds(boxes)
        low = np.maximum(boxes.low[0], data_bounds[0])
        high = np.minimum(boxes.high[0], data_bounds[1])
        fine = (low <= high).all(axis=1)
        self.proven_ = np.ones(len(values), dtype=bool)
        out = values.copy()
        for i, (x, seen) in enumerate(zip(values, boxes.seen(values), strict=True)):
            answers = boxes.value[0][:, label[i]]
            clean = boxes.scores(seen)[label[i]]
            row = (x * boxes.scale + boxes.shift, seen)
            reached = fine & (self._far(boxes, row, low, high) <= self.eps)
            middle = clean if anchor is None else anchor[i]
            shift = np.where(reached, np.abs(answers - middle), -1.0)
            best = int(shift.argmax())
            if shift[best] > abs(clean - middle):
                out[i] = self._moved(boxes, x, seen, low[best], high[best])
        return out

    def _farthest_sum(self, boxes, values, anchor):
        """Return rows moved to where the sum of trees lies farthest, within eps."""
        data_bounds, out = self._data_bounds(boxes), values.copy()
        self.proven_ = np.ones(len(values), dtype=bool)
        for i, (x, seen) in enumerate(zip(values, boxes.seen(values), strict=True)):
            clean = boxes.scores(seen)[0]
            middle = clean if anchor is None else anchor[i]
            far = partial(self._far, boxes, (x * boxes.scale + boxes.shift, seen))
            most = abs(clean - middle)
            for sign in (1, -1):
                box, value, proven = farthest_box(
                    boxes,
                    seen,
                    data_bounds,
                    far,
                    sign=sign,
                    eps=self.eps,
                    budget=self.node_budget,
                )
                self.proven_[i] &= proven
                if abs(value - middle) > most:
                    most, out[i] = (
                        abs(value - middle),
                        self._moved(boxes, x, seen, *box),
                    )
        return out, {"warnings": self._messages()}
