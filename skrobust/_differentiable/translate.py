"""Translation of a fitted estimator into its head."""

from dataclasses import replace
from functools import partial

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skrobust._differentiable import (
    kernel_models,
    meta_models,
    models,
    process_models,
)
from skrobust._differentiable.label_heads import label_head
from skrobust._differentiable.maps import chain, sklearn_name
from skrobust._differentiable.step_maps import step_maps
from skrobust._differentiable.steps import BLACK_BOX
from skrobust._responses import innermost, predicts_numbers, unwrap
from skrobust.base.one_label import OneLabel

MODELS = {**models.MODELS, **kernel_models.MODELS, **process_models.MODELS}
WHY = {
    "CalibratedClassifierCV": " (isotonic calibration is flat nearly everywhere; "
    "sigmoid and temperature are understood)",
    "StackingClassifier": " (members that answer labels alone have no slopes; members "
    "with probabilities or one-vs-rest decisions are understood)",
    "GaussianProcessClassifier": " (kernels of distance are understood, and "
    "one_vs_rest beyond two classes)",
    "VotingClassifier": " (members with all classes are understood, for voting='soft' "
    "those with probabilities)",
}
# Parts of the names of models that ExactTree understands.
TREES = ("Tree", "Forest", "GradientBoosting", "XGB", "LGBM", "CatBoost")


def translate(estimator, caller):
    """Return the head of an estimator and its steps, or say what is in the way.

    Parameters
    ----------
    estimator : fitted estimator
        Bare, or in Pipeline, a fitted search, FrozenEstimator.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    Head
        From the raw input of the whole estimator.
    """
    steps, model, label = steps_and_model(estimator)
    head = bare_head(model, caller, label)
    whole = chain([*step_maps(steps, caller), head.map])
    return replace(head, map=whole, margins=None)


def steps_and_model(estimator):
    """Split an estimator into steps, its model, and the one label of it, or None."""
    steps, model = unwrap(estimator)
    label = None
    if isinstance(model, OneLabel):
        label = model.place
        steps, model = innermost(estimator)
    return steps, model, label


def bare_head(model, caller, label=None):
    """Return the head of a model, or of one label, without the steps before it."""
    name = sklearn_name(model) or ""
    head = None
    if label is not None:
        head = label_head(model, name, label, partial(translate, caller=caller))
    elif name in MODELS:
        check_is_fitted(model)
        if getattr(model, "n_targets_", 1) == 1:
            head = MODELS[name](model, name)
    elif name in meta_models.MODELS:
        check_is_fitted(model)
        head = meta_models.MODELS[name](model, partial(translate, caller=caller))
    if head is not None:
        return head
    if hasattr(model, "refit") and hasattr(model, "estimator"):
        raise NotFittedError(
            f"{caller} needs a fitted search with refit; this "
            f"{type(model).__name__} has no best_estimator_."
        )
    if type(model).__name__.startswith("MultiOutput"):
        cure = "OneLabel(model, 0) with that column of y"
        if predicts_numbers(model):
            cure = "one of its estimators_ with that column of y"
        raise ValueError(
            f"{caller} attacks one label or target a row, and "
            f"{type(model).__name__} has several. Attack {cure}."
        )
    cure = f"Use a black-box attack, {BLACK_BOX}, or a perturbation."
    if any(word in type(model).__name__ for word in TREES):
        cure = f"Use ExactTree, a black-box attack, {BLACK_BOX}, or a perturbation."
    if predicts_numbers(model):
        cure = "Use a black-box attack, RandomSearch, Square or ZOO, or a perturbation."
    raise ValueError(
        f"{caller} needs gradients and cannot differentiate {type(model).__name__}"
        f"{WHY.get(type(model).__name__, '')}. {cure}"
    )
