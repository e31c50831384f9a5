"""Reader of tree models: each library's trees in one form, behind scalers."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrobust._containers import to_array
from skrobust._differentiable import scaler_parts
from skrobust._responses import respond, unwrap
from skrobust.attacks.trees.catboost_trees import read_catboost
from skrobust.attacks.trees.lightgbm_trees import read_lightgbm
from skrobust.attacks.trees.sklearn_trees import read_sklearn
from skrobust.attacks.trees.tree_ensemble import TreeEnsemble
from skrobust.attacks.trees.xgboost_trees import read_xgboost

_READERS = {
    "xgboost": read_xgboost,
    "lightgbm": read_lightgbm,
    "catboost": read_catboost,
}


@dataclass(frozen=True, eq=False)
class TreeModel:
    """Trees behind scalers, as a function of the raw input.

    Attributes
    ----------
    trees : TreeEnsemble
        The sum of trees.
    scale, shift : ndarray of shape (n_features,)
        Trees see about ``x * scale + shift`` of the raw input.
    steps : tuple of transformers
        The scalers themselves.
    """

    trees: TreeEnsemble
    scale: np.ndarray
    shift: np.ndarray
    steps: tuple = ()

    def seen(self, rows):
        """Return raw rows as trees see them: scaled by the steps, in their precision.

        Each feature rises with the raw one (or falls, where ``scale`` is below 0), so
        that what a tree sees of a ball lies between what it sees of its ends.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            for step in self.steps:
                rows = to_array(respond(step, "transform", rows))
        return self.trees.in_its_precision(rows)


def read_trees(estimator, caller):
    """Return the trees of an estimator, or say why there are none.

    Parameters
    ----------
    estimator : fitted estimator
        Trees of scikit-learn, XGBoost, LightGBM or CatBoost, bare or behind scalers.
    caller : str
        For error messages.

    Returns
    -------
    TreeModel
    """
    steps, model = unwrap(estimator)
    library = type(model).__module__.partition(".")[0]
    if library in _READERS:
        check_is_fitted(model)
        trees = _READERS[library](model, caller)
    else:
        trees = read_sklearn(model, caller)
    if trees is None:
        raise ValueError(
            f"{caller} knows DecisionTree, ExtraTree, RandomForest, ExtraTrees, "
            "GradientBoosting, HistGradientBoosting and AdaBoost over DecisionTree of "
            "scikit-learn, with one target, and the estimators of XGBoost, LightGBM "
            f"and CatBoost; this is {type(model).__name__}. Use HopSkipJump or Square."
        )
    scale, shift = np.ones(trees.n_features), np.zeros(trees.n_features)
    for name, step in steps:
        parts = scaler_parts(step)
        if parts is None:
            raise ValueError(
                f"{caller} is exact behind scalers alone; the step {name!r} is "
                f"{type(step).__name__}. Use HopSkipJump or Square."
            )
        scale, shift = scale * parts[0], shift * parts[0] + parts[1]
    return TreeModel(trees, scale, shift, tuple(step for _, step in steps))
