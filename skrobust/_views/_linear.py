"""Linear classifiers, with the scalers before them folded into their weights."""

import warnings

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from skrobust._views._steps import affine_parts, clip_range, refuse


def is_linear(model):
    """Say whether a classifier decides by ``X @ coef_.T + intercept_``."""
    if not hasattr(model, "decision_function") or not is_classifier(model):
        return False
    if hasattr(model, "kernel") and model.kernel != "linear":
        return False
    named = ("coef_", "intercept_", "classes_")
    if hasattr(model, "kernel"):  # linear SVC; one against one beyond two classes
        return all(hasattr(model, name) for name in named) and len(model.classes_) == 2
    if not hasattr(model, "classes_"):  # an unfitted one says so by check_is_fitted
        return type(model).__module__.startswith("sklearn.linear_model")
    return all(hasattr(model, name) for name in named)


class LinearView:
    """A linear classifier as logits and gradients in numpy float64.

    Parameters
    ----------
    model : fitted linear classifier
        With ``coef_``, ``intercept_`` and ``classes_``.
    steps : list of (str, transformer)
        Scalers before it.
    owner : str
        Who asks.
    estimator : fitted classifier
        The whole of it, for its probabilities.
    """

    def __init__(self, model, steps, owner, estimator):
        check_is_fitted(model)
        self._estimator = estimator
        coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        weights = np.array(coef, dtype=np.float64).reshape(-1, np.shape(coef)[-1])
        intercept = model.intercept_
        if hasattr(intercept, "toarray"):
            intercept = intercept.toarray().ravel()
        offset = np.zeros(len(weights)) + np.asarray(intercept, dtype=np.float64)
        for name, step in reversed(steps):
            parts = affine_parts(step)
            if parts is None or clip_range(step):
                refuse(name, step, owner, " (without clip)")
            scale, shift = parts
            offset = offset + weights @ shift
            weights = weights * scale
        if len(weights) == 1:  # two classes: logits (0, decision)
            weights = np.vstack([np.zeros_like(weights), weights])
            offset = np.concatenate([[0.0], offset])
        self._weights, self._offset, self._owner = weights, offset, owner
        self._classes = model.classes_

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def columns(self, y):
        """Return the column of each label; -1 for labels that the model never saw."""
        columns = np.full(len(y), -1)
        for column, label in enumerate(self._classes):
            columns[y == label] = column
        if (columns < 0).all():
            raise ValueError(
                f"{self._owner} found none of the model's classes in y: they are "
                f"{list(self._classes[:5])}, y begins with {list(y[:5])}."
            )
        return columns

    def tensor(self, values):
        """Bring host values to where the view computes."""
        return np.asarray(values, dtype=np.float64)

    def host(self, x):
        """Bring values back to the host."""
        return x

    def integers(self, values):
        """Bring host integers to where the view computes."""
        return values

    def logits(self, x):
        """Return logits of shape (n, n_classes)."""
        return self.forward(x)[0]

    def forward(self, x):
        """Return logits of shape (n, n_classes) and the pullback of their gradient."""
        if x.ndim != 2 or x.shape[1] != self._weights.shape[1]:
            raise ValueError(
                f"{self._owner} got rows of shape {x.shape[1:]}; the model takes "
                f"{self._weights.shape[1]} features."
            )
        return x @ self._weights.T + self._offset, lambda slope: slope @ self._weights

    def verdicts(self, logits):
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
        if not hasattr(self._estimator, "predict_proba"):
            return logits, None
        with warnings.catch_warnings():
            # The view works on plain rows, whatever names the model saw in fit.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            p = np.asarray(self._estimator.predict_proba(x), dtype=np.float64)
        if np.allclose(p, softmax(logits, axis=1), atol=1e-6):
            return logits, None
        sigmoid = expit(logits)
        whole = sigmoid.sum(axis=1, keepdims=True)
        if logits.shape[1] > 2 and np.allclose(p * whole, sigmoid, atol=1e-6):
            return log_expit(logits), expit(-logits)
        return np.log(np.clip(p, 1e-300, 1)), None

    def settles_cheaply(self, n_calls):
        """Say whether looking for settled samples is cheap: here it always is."""
        return True
