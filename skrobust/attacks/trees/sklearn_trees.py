"""Reader of the trees of scikit-learn."""

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._differentiable import sklearn_name
from skrobust.attacks.trees.tree_ensemble import Codes, TreeEnsemble, TreeTable

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


def read_sklearn(model, caller):
    """Return the trees of a model of scikit-learn; None where it has none.

    Parameters
    ----------
    model : fitted estimator
        Of scikit-learn, or of a subclass that predicts alike.
    caller : str
        For error messages.

    Returns
    -------
    TreeEnsemble or None
    """
    name = sklearn_name(model)
    if name is None:
        return None
    check_is_fitted(model)
    if any(
        np.asarray(values).dtype.kind not in "biuf" for values in _columns(model)[1]
    ):
        raise ValueError(
            f"{caller} moves numbers, and this {type(model).__name__} has categories "
            "that are none. Encode them before it, or use HopSkipJump or Square."
        )
    loss = getattr(model, "loss", None)
    if name == "HistGradientBoostingRegressor" and loss in ("poisson", "gamma"):
        raise ValueError(
            f"{caller} adds up trees, and a {type(model).__name__} with loss={loss!r} "
            "has a link between their sum and its answer. Use a perturbation."
        )
    trees = _trees(model, name)
    if trees is None:
        return None
    dtype = np.float64 if name in HISTOGRAMS else np.float32
    values = _values(model, name, [tree["value"] for tree in trees])
    tables = [
        _table(tree, value, dtype) for tree, value in zip(trees, values, strict=True)
    ]
    facts = {
        "classes": getattr(model, "classes_", None),
        "n_features": model.n_features_in_,
        "dtype": dtype,
        "link": _link(model, name),
        "whole_codes": False,
    }
    n_scores = values[0].shape[1]
    ensemble = TreeEnsemble.of(tables, np.zeros(n_scores), **facts)
    if name not in BOOSTED | HISTOGRAMS:
        return ensemble
    return TreeEnsemble.of(tables, _start(model, name, ensemble), **facts)


def _trees(model, name):
    """Return one dictionary of arrays a tree, or None."""
    members = None
    if name in SINGLE and hasattr(model, "tree_") and model.n_outputs_ == 1:
        members = [model]
    elif name in FORESTS and hasattr(model, "estimators_") and model.n_outputs_ == 1:
        members = model.estimators_
    elif name in BOOSTED and hasattr(model, "estimators_"):
        plain = model.init is None or isinstance(model.init, str)
        members = model.estimators_.ravel() if plain else None
    elif name == "AdaBoostClassifier" and hasattr(model, "estimators_"):
        plain = all(sklearn_name(m) in SINGLE for m in model.estimators_)
        members = model.estimators_ if plain else None
    elif name in HISTOGRAMS:
        columns, known = _columns(model)
        return [
            _histogram_nodes(one, columns, known)
            for many in model._predictors
            for one in many
        ]
    return None if members is None else [_nodes(one.tree_) for one in members]


def _nodes(tree):
    ends = tree.children_left == tree.children_right
    return {
        "feature": np.where(ends, -1, tree.feature),
        "threshold": tree.threshold,
        "left": tree.children_left,
        "right": tree.children_right,
        "missing_left": tree.missing_go_to_left.astype(bool),
        "value": tree.value[:, 0, :],
    }


def _columns(model):
    """Return the order in which histogram boosting takes columns, and its categories.

    Categories come first, numbered in the order of their values.
    """
    marked = getattr(model, "is_categorical_", None)
    if marked is None or not np.any(marked):
        return np.arange(getattr(model, "n_features_in_", 0)), []
    known = model._preprocessor.named_transformers_["encoder"].categories_
    return np.r_[np.flatnonzero(marked), np.flatnonzero(~marked)], known


def _histogram_nodes(predictor, columns, known):
    nodes = predictor.nodes
    ends = nodes["is_leaf"].astype(bool)
    missing_left = nodes["missing_go_to_left"].astype(bool)
    codes = {}
    for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~ends):
        words = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        values = [v for v in known[nodes["feature_idx"][node]] if v == v]  # not NaN
        left = [
            bool(words[k // 32] >> np.uint32(k % 32) & 1) for k in range(len(values))
        ]
        # A category that fit did not see goes where missing values go.
        listed = not missing_left[node]
        chosen = (
            v for v, is_left in zip(values, left, strict=True) if is_left == listed
        )
        codes[int(node)] = Codes(frozenset(chosen), listed)
    return {
        "feature": np.where(ends, -1, columns[nodes["feature_idx"]]),
        "threshold": nodes["num_threshold"],
        "left": nodes["left"].astype(np.int64),
        "right": nodes["right"].astype(np.int64),
        "missing_left": missing_left,
        "value": nodes["value"][:, None],
        "codes": codes,
    }


def _table(tree, value, dtype):
    return TreeTable(
        tree["feature"],
        not_above(tree["threshold"], dtype),
        tree["left"],
        tree["right"],
        tree["missing_left"],
        value,
        tree.get("codes", {}),
    )


def not_above(threshold, dtype):
    """Return the largest numbers of a precision that are not above thresholds.

    Trees of scikit-learn compare features in single precision with thresholds in double
    precision.
    """
    cut = np.asarray(threshold).astype(dtype)
    above = cut.astype(np.float64) > threshold
    cut[above] = np.nextafter(cut[above], dtype(-np.inf))
    return cut.astype(np.float64)


def _values(model, name, raw):
    """Return what each leaf adds to the scores, one array of nodes a tree."""
    if name == "AdaBoostClassifier":
        weights = model.estimator_weights_
        return [_votes(v, weight) for v, weight in zip(raw, weights, strict=False)]
    if name in SINGLE | FORESTS:
        if name.endswith("Regressor"):
            return [v / len(raw) for v in raw]
        # Not divided by the number of trees: sums of pure leaves tie exactly.
        return [v / v.sum(axis=1, keepdims=True) for v in raw]
    rate = 1.0 if name in HISTOGRAMS else model.learning_rate
    if name.endswith("Regressor"):
        return [rate * v for v in raw]
    k = (
        model.n_trees_per_iteration_
        if name in HISTOGRAMS
        else model.estimators_.shape[1]
    )
    return [in_column(rate * v[:, 0], place, k) for place, v in enumerate(raw)]


def in_column(values, place, n_sums):
    """Return values of a tree of boosting as scores of classes.

    Trees take turns among the sums; a single sum is the score of the second class, that
    of the first is 0.
    """
    column = 1 if n_sums == 1 else place % n_sums
    table = np.zeros((len(values), max(2, n_sums)))
    table[:, column] = values
    return table


def _votes(v, weight):
    """Return what the leaves of a boosted classifier add: weights for their class."""
    k = v.shape[1]
    table = np.full(v.shape, -weight / (k - 1))
    table[np.arange(len(v)), v.argmax(axis=1)] = weight
    return table


def _link(model, name):
    if name.endswith("Regressor"):
        return None
    if name in SINGLE | FORESTS:
        return "mean"
    if name in BOOSTED | HISTOGRAMS:
        # The exponential loss halves the log odds.
        doubled = getattr(model, "loss", None) == "exponential"
        return "softmax of double" if doubled else "softmax"
    return None


def _start(model, name, ensemble):
    """Return the scores of boosting before any tree, from its answer to one row."""
    row = np.zeros((1, ensemble.n_features))
    own = ensemble.scores(row)[0]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        answer = getattr(model, "decision_function", model.predict)(row).ravel()
    binary = len(own) == 2 and len(answer) == 1
    start = (np.r_[0.0, answer] if binary else answer) - own
    if binary and abs(start[1]) <= 1e-12 * max(1.0, abs(answer[0])):
        # Rounding, which would decide ties. Where the sum of trees is 0, gradient
        # boosting alone says the second class.
        start[1] = np.finfo(float).tiny if name in BOOSTED else 0.0
    return start
