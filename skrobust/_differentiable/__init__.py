"""Differentiable views of estimators, as functions of the raw input.

A view offers what a gradient attack needs and no more: logits of a batch with the
pullback of their gradient, and the way from labels to columns. Views of nets compute in
torch on the device of the net, those of other models in numpy.
"""

from skrobust._differentiable.linear import LinearView, is_linear
from skrobust._differentiable.maps import chain, sklearn_name
from skrobust._differentiable.net import NetView
from skrobust._differentiable.pipeline import PipelineView
from skrobust._differentiable.reduced_precision import PRECISIONS
from skrobust._differentiable.step_maps import step_maps
from skrobust._differentiable.steps import affine_parts, clip_range
from skrobust._responses import is_net, unwrap

__all__ = [
    "PRECISIONS",
    "differentiable_view",
    "regressor_view",
    "scaler_parts",
    "sklearn_name",
]


def scaler_parts(step):
    """Return (scale, shift) of a scaler that does not clip, or None."""
    return None if clip_range(step) else affine_parts(step)


def differentiable_view(estimator, caller):
    """Return the view of a classifier, or say which part of it is not understood.

    Parameters
    ----------
    estimator : fitted classifier
        A skorch net, a linear classifier, or any model that is translated; bare or
        inside Pipeline, a fitted search or FrozenEstimator.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    view : NetView, LinearView or PipelineView
        A context manager that leaves the estimator as it was.
    """
    steps, model = unwrap(estimator)
    if is_net(model):
        return NetView(model, steps, caller)
    if is_linear(model):
        maps = chain(step_maps(steps, caller))
        if maps.affine:
            first = steps[0][1] if steps else model
            width = getattr(first, "n_features_in_", None)
            return LinearView(model, maps, width, caller)
    view = PipelineView(estimator, caller)
    if view.is_regressor:
        raise ValueError(
            f"{caller} attacks labels here, and {type(model).__name__} is a regressor."
        )
    return view


def regressor_view(estimator, caller):
    """Return the view of a regressor, or say which part of it is not understood.

    Parameters
    ----------
    estimator : fitted regressor
        With one target.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    view : PipelineView
        Whose ``forward`` gives predictions of shape (n, 1) with their pullback.
    """
    _, model = unwrap(estimator)
    if is_net(model):
        raise ValueError(
            f"{caller} attacks regressors of scikit-learn; {type(model).__name__} is a "
            "net, whose predictions are not translated."
        )
    return PipelineView(estimator, caller)
