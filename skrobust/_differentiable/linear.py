"""Differentiable views of linear classifiers behind affine steps."""

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn.utils.validation import check_is_fitted

from skrobust._differentiable.maps import dense
from skrobust._differentiable.numpy_views import HostView
from skrobust._differentiable.steps import ask
from skrobust._responses import predicts_classes


def is_linear(model):
    """Say whether a classifier decides by ``X @ coef_.T + intercept_``."""
    if not hasattr(model, "decision_function") or not predicts_classes(model):
        return False
    if hasattr(model, "kernel") and model.kernel != "linear":
        return False
    if not hasattr(model, "kernel") and not hasattr(model, "classes_"):
        # An unfitted one says so by check_is_fitted.
        return type(model).__module__.startswith("sklearn.linear_model")
    if not all(hasattr(model, name) for name in ("coef_", "intercept_", "classes_")):
        return False
    # A linear SVC decides one against one beyond two classes.
    return not hasattr(model, "kernel") or len(model.classes_) == 2


class LinearView(HostView):
    """A linear classifier as logits and gradients in numpy float64.

    Parameters
    ----------
    model : fitted linear classifier
        With ``coef_``, ``intercept_`` and ``classes_``.
    steps : Map
        The affine steps before it.
    width : int or None
        Features of the raw input; None where there are no steps.
    caller : str
        Name of the public function or class, for error messages.
    """

    is_affine = True

    def __init__(self, model, steps, width, caller):
        check_is_fitted(model)
        coef = dense(model.coef_)
        weights = coef.reshape(-1, coef.shape[-1])
        offset = np.zeros(len(weights)) + dense(model.intercept_).ravel()
        self._model, self._steps = model, steps
        self._width = width or weights.shape[1]
        shift, pull = steps.apply(np.zeros((len(weights), self._width)))
        offset = offset + (weights * shift).sum(axis=1)
        weights = pull(weights)
        if len(weights) == 1:  # two classes: logits (0, decision)
            weights = np.vstack([np.zeros_like(weights), weights])
            offset = np.concatenate([[0.0], offset])
        self._weights, self._offset, self._caller = weights, offset, caller
        self._classes = model.classes_

    def forward(self, x):
        """Return logits of shape (n, n_classes) and the pullback of their gradient."""
        self._check_width(x)
        return x @ self._weights.T + self._offset, lambda slope: slope @ self._weights

    def decision_scores(self, logits):
        """Return scores whose largest is the label that the model predicts."""
        return logits

    def scores(self, x, logits):
        """Return what the probabilities are the softmax of, and its slope (None: 1).

        One against the rest divides sigmoids by their sum, which is the softmax of
        their logarithms. Two classes with any increasing map need no slope of their
        own: the direction of the gradient is the same. For other maps (such as that of
        the modified Huber loss) the direction is that of softmax, and the probabilities
        by which iterates are judged are still the model's.
        """
        if not hasattr(self._model, "predict_proba"):
            return logits, None
        p = dense(ask(self._model.predict_proba, self._steps.apply(x)[0]))
        if np.allclose(p, softmax(logits, axis=1), atol=1e-6):
            return logits, None
        sigmoid = expit(logits)
        whole = sigmoid.sum(axis=1, keepdims=True)
        if logits.shape[1] > 2 and np.allclose(p * whole, sigmoid, atol=1e-6):
            return log_expit(logits), expit(-logits)
        return np.log(np.clip(p, 1e-300, 1)), None
