"""Boxes and values of the leaves of scikit-learn trees."""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._differentiable import scaler_parts, sklearn_name
from skrobust._responses import unwrap

SINGLE = {
    "DecisionTreeClassifier",
    "ExtraTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeRegressor",
}
FORESTS = {
    "RandomForestClassifier",
    "ExtraTreesClassifier",
    "RandomForestRegressor",
    "ExtraTreesRegressor",
}
BOOSTED = {"GradientBoostingClassifier", "GradientBoostingRegressor"}
HISTOGRAMS = {"HistGradientBoostingClassifier", "HistGradientBoostingRegressor"}


class Table(NamedTuple):
    """Arrays of a histogram-boosting tree, named as in other trees."""

    threshold: np.ndarray
    feature: np.ndarray
    children_left: np.ndarray
    children_right: np.ndarray
    value: np.ndarray
    n_features: int


@dataclass(frozen=True)
class Boxes:
    """The leaves of all trees of a model, as boxes in the units that trees see.

    Attributes
    ----------
    low, high : ndarray of shape (n_trees, n_leaves, n_features)
        Closed bounds, float32 values held as float64; trees with fewer leaves are
        filled up with empty boxes.
    value : ndarray of shape (n_trees, n_leaves, n_scores)
        What each leaf adds to the scores.
    start : ndarray of shape (n_scores,)
        What the scores are without any tree.
    classes : ndarray or None
        Labels; None for a regressor.
    scale, shift : ndarray of shape (n_features,)
        Trees see ``x * scale + shift`` of the raw input.
    is_single : bool
        Whether there is one tree alone.
    dtype : type
        The precision in which trees compare: float32, or float64 of histogram boosting.
    steps : tuple of transformers
        The scalers themselves.
    given : dtype
        The precision of the raw rows.
    """

    low: np.ndarray
    high: np.ndarray
    value: np.ndarray
    start: np.ndarray
    classes: np.ndarray | None
    scale: np.ndarray
    shift: np.ndarray
    is_single: bool
    dtype: type = np.float32
    steps: tuple = ()
    given: np.dtype = np.float64

    def seen(self, x):
        """Return raw rows as trees see them: scaled, and in their precision."""
        return (x * self.scale + self.shift).astype(self.dtype).astype(np.float64)

    def seen_after_rounding(self, x):
        """Return one raw row as the scalers themselves round it for the trees."""
        row = x[None]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            for step in self.steps:
                row = np.asarray(step.transform(row))
        return row[0].astype(self.dtype).astype(np.float64)

    def into(self, x, low, high):
        """Return a raw row, in the precision of the raw rows, within a box.

        Rounding, that of the scalers too, may leave it on the wrong side of a border:
        such features go a few steps of that precision further.
        """
        x = x.astype(self.given)
        offset = np.abs(self.shift / self.scale)
        for n_steps in (1, 2, 4, 8, 16):
            seen = self.seen_after_rounding(x)
            short = np.sign(self.scale) * np.sign(np.clip(seen, low, high) - seen)
            if not short.any():
                break
            large = np.maximum(np.abs(x), offset).astype(self.given)
            x = (x + short * n_steps * np.spacing(large)).astype(self.given)
        return x.astype(np.float64)

    def scores(self, seen):
        """Return the scores of one row as trees see it."""
        inside = ((self.low <= seen) & (seen <= self.high)).all(axis=2)
        return self.start + self.value[inside].sum(axis=0)


def tree_boxes(estimator, caller, given=np.float64):
    """Return the boxes of a tree or an ensemble of trees, or say why there are none."""
    steps, model = unwrap(estimator)
    name = sklearn_name(model)
    if name is not None:
        check_is_fitted(model)
    categories = getattr(model, "is_categorical_", None)
    if name in HISTOGRAMS and categories is not None and np.any(categories):
        raise ValueError(
            f"{caller} moves numbers, and this {type(model).__name__} has categorical "
            "features. Encode them before it (categorical_features=None), or use "
            "HopSkipJump or Square."
        )
    loss = getattr(model, "loss", None)
    if name == "HistGradientBoostingRegressor" and loss in ("poisson", "gamma"):
        raise ValueError(
            f"{caller} adds up trees, and a {type(model).__name__} with loss={loss!r} "
            "has a link between their sum and its answer. Use a perturbation."
        )
    trees = _trees(model, name)
    if trees is None:
        raise ValueError(
            f"{caller} knows DecisionTree, ExtraTree, RandomForest, ExtraTrees, "
            "GradientBoosting, HistGradientBoosting and AdaBoost over DecisionTree of "
            f"scikit-learn, with one target; this is {type(model).__name__}. Use "
            "HopSkipJump or Square."
        )
    width = trees[0].n_features
    scale, shift = np.ones(width), np.zeros(width)
    for step_name, step in steps:
        parts = scaler_parts(step)
        if parts is None:
            raise ValueError(
                f"{caller} is exact behind scalers alone; the step {step_name!r} is "
                f"{type(step).__name__}. Use HopSkipJump or Square."
            )
        scale, shift = scale * parts[0], shift * parts[0] + parts[1]
    dtype = np.float64 if name in HISTOGRAMS else np.float32
    tables = [_leaves(tree, dtype) for tree in trees]
    value = _values(model, name, trees, tables)
    start = _start(model, name, tables, value)
    n = max(len(low) for low, _, _ in tables)
    return Boxes(
        np.stack([_filled(low, n, np.inf) for low, _, _ in tables]),
        np.stack([_filled(high, n, -np.inf) for _, high, _ in tables]),
        np.stack([_filled(v, n, 0.0) for v in value]),
        start,
        getattr(model, "classes_", None),
        scale,
        shift,
        name in SINGLE,
        dtype,
        tuple(step for _, step in steps),
        given,
    )


def _trees(model, name):
    if name in SINGLE and hasattr(model, "tree_") and model.n_outputs_ == 1:
        return [model.tree_]
    if name in FORESTS and hasattr(model, "estimators_") and model.n_outputs_ == 1:
        return [member.tree_ for member in model.estimators_]
    if name in BOOSTED and hasattr(model, "estimators_"):
        plain = model.init is None or isinstance(model.init, str)
        return [m.tree_ for m in model.estimators_.ravel()] if plain else None
    if name == "AdaBoostClassifier" and hasattr(model, "estimators_"):
        plain = all(sklearn_name(m) in SINGLE for m in model.estimators_)
        return [m.tree_ for m in model.estimators_] if plain else None
    if name in HISTOGRAMS:
        width = model.n_features_in_
        return [_table(one.nodes, width) for many in model._predictors for one in many]
    return None


def _table(nodes, width):
    ends = nodes["is_leaf"].astype(bool)
    left, right = (nodes[side].astype(np.int64) for side in ("left", "right"))
    return Table(
        nodes["num_threshold"],
        nodes["feature_idx"].astype(np.int64),
        np.where(ends, -1, left),
        np.where(ends, -1, right),
        nodes["value"][:, None, None],
        width,
    )


def _leaves(tree, dtype):
    """Return bounds of the leaves of a tree, and their numbers.

    Trees compare features, most of them in single precision, with a threshold in double
    precision: left goes what is at most the largest such number that is not above it.
    """
    cuts = tree.threshold.astype(dtype)
    above = cuts.astype(np.float64) > tree.threshold
    cuts[above] = np.nextafter(cuts[above], dtype(-np.inf))
    nexts = np.nextafter(cuts, dtype(np.inf)).astype(np.float64)
    cuts = cuts.astype(np.float64)
    lows, highs, leaves = [], [], []
    free = np.full(tree.n_features, np.inf)
    stack = [(0, -free, free)]
    while stack:
        node, low, high = stack.pop()
        left, right = tree.children_left[node], tree.children_right[node]
        if left == right:
            lows.append(low)
            highs.append(high)
            leaves.append(node)
            continue
        feature = tree.feature[node]
        below, beyond = high.copy(), low.copy()
        below[feature] = min(high[feature], cuts[node])
        stack.append((left, low, below))
        if cuts[node] < np.inf:  # beyond are missing values alone
            beyond[feature] = max(low[feature], nexts[node])
            stack.append((right, beyond, high))
    return np.array(lows), np.array(highs), np.array(leaves)


def _values(model, name, trees, tables):
    """Return what each leaf adds to the scores, one array of leaves a tree."""
    raw = [
        t.value[leaves, 0, :] for t, (_, _, leaves) in zip(trees, tables, strict=True)
    ]
    if name == "AdaBoostClassifier":
        return [
            _votes(v, weight)
            for v, weight in zip(raw, model.estimator_weights_, strict=False)
        ]
    if name in SINGLE | FORESTS:
        if name.endswith("Regressor"):
            return [v / len(raw) for v in raw]
        # Not divided by the number of trees: sums of pure leaves tie exactly.
        return [v / v.sum(axis=1, keepdims=True) for v in raw]
    rate = 1.0 if name in HISTOGRAMS else model.learning_rate
    if name.endswith("Regressor"):
        return [rate * v for v in raw]
    k = _n_sums(model, name)
    out = []
    for place, v in enumerate(raw):
        column = 1 if k == 1 else place % k
        table = np.zeros((len(v), max(2, k)))
        table[:, column] = rate * v[:, 0]
        out.append(table)
    return out


def _votes(v, weight):
    """Return what the leaves of a boosted classifier add: weights for their class."""
    k = v.shape[1]
    table = np.full(v.shape, -weight / (k - 1))
    table[np.arange(len(v)), v.argmax(axis=1)] = weight
    return table


def _n_sums(model, name):
    if name in HISTOGRAMS:
        return model.n_trees_per_iteration_
    return model.estimators_.shape[1]


def _start(model, name, tables, value):
    """Return the scores before any tree; of boosting, from its answer to one row."""
    n_scores = value[0].shape[1]
    if name not in BOOSTED | HISTOGRAMS:
        return np.zeros(n_scores)
    row = np.zeros((1, tables[0][0].shape[1]))
    own = np.zeros(n_scores)
    for (low, high, _), v in zip(tables, value, strict=True):
        own += v[((low <= 0) & (high >= 0)).all(axis=1)][0]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        answer = getattr(model, "decision_function", model.predict)(row).ravel()
    binary = n_scores == 2 and len(answer) == 1
    start = (np.r_[0.0, answer] if binary else answer) - own
    if binary and abs(start[1]) <= 1e-12 * max(1.0, abs(answer[0])):
        # Rounding, which would decide ties. Where the sum of trees is 0, gradient
        # boosting alone says the second class.
        start[1] = np.finfo(float).tiny if name in BOOSTED else 0.0
    return start


def _filled(table, n, fill):
    short = np.full((n - len(table), *table.shape[1:]), fill)
    return np.concatenate([table, short])
