"""Estimators seen as differentiable functions of the raw input of the whole pipeline.

A view offers what a gradient attack needs and no more: logits of a batch with the
pullback of their gradient, and the way from labels to columns. Views of nets compute in
torch on the device of the net, views of linear models in numpy.
"""

from sklearn.exceptions import NotFittedError

from skrobust._responses import is_net, unwrap
from skrobust._views._linear import LinearView, is_linear
from skrobust._views._net import NetView

__all__ = ["differentiable_view"]


def differentiable_view(estimator, owner):
    """Return the view of an estimator, or say which part of it is not understood.

    Parameters
    ----------
    estimator : fitted classifier
        A skorch net or a linear classifier, bare or inside Pipeline, a fitted search or
        FrozenEstimator.
    owner : str
        Who asks; the sentence begins with this name.

    Returns
    -------
    view : NetView or LinearView
        A context manager that leaves the estimator as it was.
    """
    steps, model = unwrap(estimator)
    if is_net(model):
        return NetView(model, steps, owner)
    if is_linear(model):
        return LinearView(model, steps, owner, estimator)
    if hasattr(model, "refit") and hasattr(model, "estimator"):
        raise NotFittedError(
            f"{owner} needs a fitted search with refit; this "
            f"{type(model).__name__} has no best_estimator_."
        )
    raise ValueError(
        f"{owner} needs gradients and cannot differentiate {type(model).__name__}; it "
        "understands fitted skorch nets and linear classifiers. Other models take "
        "black-box attacks, such as Square, and perturbations."
    )
