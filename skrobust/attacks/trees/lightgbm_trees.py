"""Reader of the trees of LightGBM, from its dump."""

import numpy as np

from skrobust.attacks.trees.sklearn_trees import in_column
from skrobust.attacks.trees.tree_ensemble import Codes, TreeEnsemble, TreeTable

_IDENTITY = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")


def read_lightgbm(model, caller):
    """Return the trees of an ``LGBMClassifier``, an ``LGBMRegressor`` or their kin.

    Parameters
    ----------
    model : fitted estimator of lightgbm
        With constant leaves.
    caller : str
        For error messages.

    Returns
    -------
    TreeEnsemble
    """
    dump = model.booster_.dump_model()
    kind = type(model).__name__
    objective = dump.get("objective", "").split()
    objective, details = (objective or [""])[0], objective[1:]
    is_classifier = hasattr(model, "classes_")
    if not is_classifier and (objective not in _IDENTITY or "sqrt" in details):
        raise ValueError(
            f"{caller} adds up trees, and an {kind} with objective={objective!r} has "
            "a link between their sum and its answer. Use a perturbation."
        )
    k = dump["num_tree_per_iteration"]
    trees = [one["tree_structure"] for one in dump["tree_info"]]
    share = k / len(trees) if dump["average_output"] else 1.0
    zeros = np.zeros(dump["max_feature_idx"] + 1, dtype=bool)
    tables = []
    for place, tree in enumerate(trees):
        table, leaf = _table(tree, zeros, caller)
        leaf = leaf * share
        value = in_column(leaf, place, k) if is_classifier else leaf[:, None]
        tables.append(table._replace(value=value))
    unit_slope = all(d == "sigmoid:1" for d in details if d.startswith("sigmoid"))
    linked = objective == "multiclass" or (objective == "binary" and unit_slope)
    return TreeEnsemble.of(
        tables,
        np.zeros(tables[0].value.shape[1]),
        classes=np.asarray(model.classes_) if is_classifier else None,
        n_features=len(zeros),
        dtype=np.float64,
        link="softmax" if linked else None,
        missing_is_zero=zeros,
    )


def _table(tree, zeros, caller):
    """Return the table of a nested tree, and the values of its leaves.

    ``zeros`` is told of the features whose missing values count as 0.
    """
    nodes, codes, stack = [], {}, [(tree, None, None)]
    while stack:
        node, parent, side = stack.pop()
        place = len(nodes)
        if parent is not None:
            nodes[parent][side] = place
        if "leaf_value" in node:
            if "leaf_const" in node:
                raise ValueError(
                    f"{caller} needs leaves that are constant, and this model has "
                    "linear_tree=True. Use HopSkipJump or Square."
                )
            nodes.append([-1, 0.0, 0, 0, False, node["leaf_value"]])
            continue
        feature, is_code = node["split_feature"], node["decision_type"] == "=="
        if node["missing_type"] == "Zero":
            raise ValueError(
                f"{caller} tells zeros from missing values, and this model has "
                "zero_as_missing=True. Use HopSkipJump or Square."
            )
        if is_code:
            listed = str(node["threshold"]).split("||")
            codes[place] = Codes(frozenset(map(float, listed)), True)
        elif node["missing_type"] == "None":
            zeros[feature] = True
        cut = np.inf if is_code else float(node["threshold"])
        missing_left = not is_code and node["default_left"]
        nodes.append([feature, cut, 0, 0, missing_left, 0.0])
        stack.append((node["right_child"], place, 3))
        stack.append((node["left_child"], place, 2))
    columns = [np.array(column) for column in zip(*nodes, strict=True)]
    return TreeTable(*columns, codes), columns[-1].astype(np.float64)
