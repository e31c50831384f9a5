"""Reader of the trees of XGBoost, from its JSON model."""

import json

import numpy as np

from skrobust.attacks.trees.sklearn_trees import in_column
from skrobust.attacks.trees.tree_ensemble import Codes, TreeEnsemble, TreeTable

_SOFTMAX = ("binary:logistic", "multi:softprob", "multi:softmax")
_IDENTITY = ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror")


def read_xgboost(model, caller):
    """Return the trees of an ``XGBClassifier``, an ``XGBRegressor`` or their kin.

    Parameters
    ----------
    model : fitted estimator of xgboost
        With the booster gbtree or dart.
    caller : str
        For error messages.

    Returns
    -------
    TreeEnsemble
        Rows and sums are in single precision, as XGBoost has them.
    """
    booster = model.get_booster()
    stop = getattr(booster, "best_iteration", None) if _stopped_early(model) else None
    if stop is not None:
        booster = booster[: stop + 1]
    text = bytes(booster.save_raw(raw_format="json"))
    learner = json.loads(text, parse_float=np.float32)["learner"]
    gradient = learner["gradient_booster"]
    weights = None
    if gradient["name"] == "dart":  # until XGBoost 3.2
        weights, gradient = gradient["weight_drop"], gradient["gbtree"]
    elif "weight_drop" in gradient.get("model", {}):
        weights = gradient["model"]["weight_drop"]
    if "trees" not in gradient["model"]:
        raise ValueError(
            f"{caller} reads trees, and this {type(model).__name__} has "
            f"booster={gradient['name']!r}. Use HopSkipJump or Square."
        )
    trees = gradient["model"]["trees"]
    if any(int(t["tree_param"].get("size_leaf_vector", 1)) > 1 for t in trees):
        raise ValueError(
            f"{caller} reads trees of one output each, and this "
            f"{type(model).__name__} has multi_strategy='multi_output_tree'. Use "
            "HopSkipJump or Square."
        )
    n_sums = max(1, int(learner["learner_model_param"]["num_class"]))
    if int(learner["learner_model_param"].get("num_target", 1)) > 1:
        raise ValueError(f"{caller} takes one target, and this model has several.")
    is_classifier = hasattr(model, "classes_")
    objective = learner["objective"]["name"]
    if not is_classifier and objective not in _IDENTITY:
        raise ValueError(
            f"{caller} adds up trees, and an {type(model).__name__} with "
            f"objective={objective!r} has a link between their sum and its answer. Use "
            "a perturbation."
        )
    tables = []
    for place, (tree, group) in enumerate(
        zip(trees, gradient["model"]["tree_info"], strict=True)
    ):
        weight = np.float32(1 if weights is None else weights[place])
        tables.append(_table(tree, group, n_sums, weight, is_classifier))
    n_scores = max(2, n_sums) if is_classifier else 1
    facts = {
        "classes": np.asarray(model.classes_) if is_classifier else None,
        "n_features": int(learner["learner_model_param"]["num_feature"]),
        "dtype": np.float32,
        "link": "softmax" if objective in _SOFTMAX else None,
    }
    ensemble = TreeEnsemble.of(tables, np.zeros(n_scores), **facts)
    rows = _rows_at_cuts(ensemble)
    answers = booster.inplace_predict(
        rows, predict_type="margin", validate_features=False
    )
    answers = np.reshape(answers, (len(rows), -1)).astype(np.float64)
    if is_classifier and answers.shape[1] == 1:
        answers = np.column_stack([np.zeros(len(rows)), answers])
    facts["slack"] = _slack(ensemble, answers[0])
    offsets = answers - ensemble.scores(rows)
    if np.ptp(offsets, axis=0).max() > 2 * facts["slack"] + 1e-6:
        raise ValueError(
            f"{caller} cannot read the trees of this {type(model).__name__}: their sum "
            "is not its answer, as with a later version of XGBoost that stores them in "
            "another way. Use HopSkipJump or Square."
        )
    return TreeEnsemble.of(tables, offsets[0], **facts)


def _rows_at_cuts(ensemble, n_rows=16):
    """Return a row of zeros and rows of which each feature lies at one of its cuts."""
    rows, rng = np.zeros((n_rows, ensemble.n_features)), np.random.default_rng(0)
    for j in range(ensemble.n_features):
        cuts = ensemble.cut[ensemble.feature == j]
        cuts = cuts[np.isfinite(cuts)]
        if len(cuts) and j not in ensemble.categorical:
            rows[1:, j] = rng.choice(cuts, n_rows - 1)
    return rows


def _stopped_early(model):
    try:
        return model.best_iteration is not None
    except AttributeError:  # no early stopping
        return False


def _table(tree, group, n_sums, weight, is_classifier):
    left = np.array(tree["left_children"])
    right = np.array(tree["right_children"])
    ends = left < 0
    conditions = np.array(tree["split_conditions"], dtype=np.float32)
    # Left goes what is below the condition: at most the number before it.
    cut = np.nextafter(conditions, np.float32(-np.inf)).astype(np.float64)
    leaf = np.where(ends, weight * conditions, 0.0)
    value = in_column(leaf, group, n_sums) if is_classifier else leaf[:, None]
    return TreeTable(
        np.where(ends, -1, np.array(tree["split_indices"])),
        cut,
        np.where(ends, 0, left),
        np.where(ends, 0, right),
        np.array(tree["default_left"]).astype(bool),
        value,
        _codes_left(tree),
    )


def _codes_left(tree):
    """Return by node which codes go right; all others go left."""
    places = (tree[f"categories_{name}"] for name in ("nodes", "segments", "sizes"))
    return {
        node: Codes(frozenset(tree["categories"][begin : begin + size]), False)
        for node, begin, size in zip(*places, strict=True)
    }


def _slack(ensemble, start):
    """Return how far rounding of sums in single precision may go, twice."""
    ends = np.append(ensemble.roots[1:], len(ensemble.value))
    most = [
        np.abs(ensemble.value[a:b]).max(initial=0.0)
        for a, b in zip(ensemble.roots, ends, strict=True)
    ]
    return float(2**-23 * (np.abs(start).max() + np.cumsum(most)).sum())
