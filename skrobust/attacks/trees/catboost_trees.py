"""Reader of the trees of CatBoost, from its JSON model."""

import json
import os
import tempfile

import numpy as np

from skrobust.attacks.trees.sklearn_trees import in_column
from skrobust.attacks.trees.tree_ensemble import TreeEnsemble, TreeTable

_SOFTMAX = ("Logloss", "CrossEntropy", "MultiClass")
_LINKED = ("Poisson", "Tweedie", "LogCosh")


def read_catboost(model, caller):
    """Return the trees of a ``CatBoostClassifier`` or a ``CatBoostRegressor``.

    Parameters
    ----------
    model : fitted estimator of catboost
        Of numeric features; trees that are symmetric or not.
    caller : str
        For error messages.

    Returns
    -------
    TreeEnsemble
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        model.save_model(path, format="json")
        with open(path, encoding="utf-8") as file:
            dump = json.load(file)
    kind, info = type(model).__name__, dump["features_info"]
    others = [name for name in info if name != "float_features" and info[name]]
    if others:
        raise ValueError(
            f"{caller} moves numbers, and this {kind} has {others[0]}, which CatBoost "
            "takes as strings or integers alone. Encode them before it."
        )
    loss = model.get_all_params().get("loss_function", "")
    classes = getattr(model, "classes_", None)
    is_classifier = classes is not None and len(classes) > 1
    if not is_classifier and loss in _LINKED:
        raise ValueError(
            f"{caller} adds up trees, and a {kind} with loss_function={loss!r} has a "
            "link between their sum and its answer. Use a perturbation."
        )
    floats = {one["feature_index"]: one for one in info["float_features"]}
    width = 1 + max(one["flat_feature_index"] for one in floats.values())
    scale, bias = dump["scale_and_bias"]
    bias = np.atleast_1d(bias).astype(np.float64)
    n_sums = len(bias)
    if not is_classifier and n_sums > 1:
        raise ValueError(f"{caller} takes one target, and this model has several.")
    tables = []
    for tree in dump.get("oblivious_trees", ()):
        tables.append(_symmetric(tree, floats, n_sums))
    for tree in dump.get("trees", ()):
        tables.append(_nested(tree, floats, n_sums))
    tables = [t._replace(value=_scores(scale * t.value, is_classifier)) for t in tables]
    return TreeEnsemble.of(
        tables,
        _scores(bias[None], is_classifier)[0],
        classes=np.asarray(classes) if is_classifier else None,
        n_features=max(width, model.n_features_in_),
        dtype=np.float32,
        link="softmax" if loss in _SOFTMAX else None,
    )


def _scores(sums, is_classifier):
    """Return sums of trees as scores of classes; a single one is of the second."""
    if is_classifier and sums.shape[1] == 1:
        return in_column(sums[:, 0], 0, 1)
    return sums


def _split(split, floats):
    """Return feature, cut and way of missing values of a split."""
    feature = floats[split["float_feature_index"]]
    # Right goes what is above the border; missing values are below all, or above.
    left = feature["nan_value_treatment"] != "AsTrue"
    return feature["flat_feature_index"], np.float64(np.float32(split["border"])), left


def _symmetric(tree, floats, n_sums):
    """Return the table of a tree that asks the same at all nodes of a level.

    Level ``i`` from the bottom is bit ``i`` of the place of a leaf.
    """
    asked = [_split(one, floats) for one in tree["splits"] or ()][::-1]
    depth = len(asked)
    n_inner = 2**depth - 1
    nodes = np.arange(n_inner)
    level = np.floor(np.log2(nodes + 1)).astype(int)
    leaves = np.array(tree["leaf_values"], dtype=np.float64).reshape(-1, n_sums)
    ends = np.zeros(2**depth)

    def column(place, dtype, end):
        of_level = np.array([one[place] for one in asked], dtype=dtype)
        return np.concatenate([of_level[level], (ends + end).astype(dtype)])

    return TreeTable(
        column(0, np.int64, -1),
        column(1, np.float64, 0),
        np.concatenate([2 * nodes + 1, ends]).astype(np.int64),
        np.concatenate([2 * nodes + 2, ends]).astype(np.int64),
        column(2, bool, 0),
        np.concatenate([np.zeros((n_inner, n_sums)), leaves]),
        {},
    )


def _nested(tree, floats, n_sums):
    nodes, stack = [], [(tree, None, None)]
    while stack:
        node, parent, side = stack.pop()
        place = len(nodes)
        if parent is not None:
            nodes[parent][side] = place
        if "value" in node:
            value = np.atleast_1d(node["value"]).astype(np.float64)
            nodes.append([-1, 0.0, 0, 0, False, value])
            continue
        feature, cut, missing_left = _split(node["split"], floats)
        nodes.append([feature, cut, 0, 0, missing_left, np.zeros(n_sums)])
        stack.append((node["right"], place, 3))
        stack.append((node["left"], place, 2))
    return TreeTable(*(np.array(column) for column in zip(*nodes, strict=True)), {})
