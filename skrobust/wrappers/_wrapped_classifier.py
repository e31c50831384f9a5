"""Trained model of another library as a fitted classifier."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from skrobust._responses import respond
from skrobust.wrappers.response_kinds import as_probabilities
from skrobust.wrappers.wrapped_model import CALLER, WrappedModel


def _has_probabilities(self):
    inside = getattr(self, "wrapped_estimator_", None)
    if inside is not None:
        return hasattr(inside, "predict_proba")
    return self.response in ("probabilities", "logits")


def _has_decisions(self):
    return hasattr(getattr(self, "wrapped_estimator_", None), "decision_function")


class WrappedClassifier(ClassifierMixin, WrappedModel):
    """Trained model of another library as a fitted classifier.

    :func:`skrobust.wrap <skrobust.wrappers.wrap>` makes it, and has the parameters.

    Parameters
    ----------
    model : object
        What is wrapped.
    classes : list or dict
        Labels in the order of the model's outputs; a dictionary maps the names that
        the model uses to labels.
    response : {"labels", "probabilities", "logits"}
        What the model answers.
    n_outputs : int, default=None
        Numbers that a torch module answers a row.
    input_shape, layout, dtype, data_range, batch_size, device, output : object
        As for :func:`skrobust.wrap <skrobust.wrappers.wrap>`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels, in the order of the columns of ``predict_proba``.
    capabilities_ : object
        What the model is and can do; a table in notebooks.
    wrapped_estimator_ : estimator
        The estimator with gradients inside, of torch modules and estimators alone.

    Examples
    --------
    >>> import numpy as np
    >>> import skrobust
    >>> def spam(rows):
    ...     return np.where(rows[:, 0] > 0.5, "spam", "ham")
    >>> model = skrobust.wrap(spam, classes=["ham", "spam"], response="labels")
    >>> model.predict(np.array([[0.2], [0.9]])).tolist()
    ['ham', 'spam']
    >>> model.capabilities_.gradients
    False
    """

    @property
    def classes_(self):
        """Sorted labels."""
        return np.sort(self._labels())

    def _labels(self):
        """Return the labels in the order of the outputs."""
        is_map = isinstance(self.classes, dict)
        return np.asarray(list(self.classes.values() if is_map else self.classes))

    def predict(self, X):
        """Return the predicted labels.

        Parameters
        ----------
        X : array-like, data frame or list of str of shape (n_samples, ...)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels of ``classes_``: the model's own, or those of the largest
            probabilities where it answers with these.
        """
        if hasattr(self, "wrapped_estimator_"):
            return np.asarray(respond(self.wrapped_estimator_, "predict", X))
        if self.response != "labels":
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        return self._own_labels(self._answers(X))

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Return class probabilities.

        Parameters
        ----------
        X : array-like, data frame or list of str of shape (n_samples, ...)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        if hasattr(self, "wrapped_estimator_"):
            return respond(self.wrapped_estimator_, "predict_proba", X)
        order, k = np.argsort(self._labels(), kind="stable"), len(self.classes)
        p = as_probabilities(self._answers(X), self.response, k, CALLER)
        return np.ascontiguousarray(p[:, order])

    @available_if(_has_decisions)
    def decision_function(self, X):
        """Return the decision values of the estimator inside.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            As the estimator gives them.
        """
        return respond(self.wrapped_estimator_, "decision_function", X)

    def _own_labels(self, answers):
        """Return labels, checked against the classes."""
        if answers.ndim != 1:
            raise ValueError(
                f"{CALLER} needs one label a row, and the model answers with shape "
                f"{answers.shape}. Pass response='probabilities' for columns of "
                "classes."
            )
        is_map = isinstance(self.classes, dict)
        names = np.asarray(list(self.classes) if is_map else self._labels())
        match = answers[:, None] == names[None, :]
        if not isinstance(match, np.ndarray) or not match.any(axis=1).all():
            lost = answers[0]
            if isinstance(match, np.ndarray):
                lost = answers[~match.any(axis=1)][0]
            raise ValueError(
                f"{CALLER} got the label {lost.item()!r} from the model, which is not "
                f"among its classes {names.tolist()[:5]}. Pass all of them as "
                "classes=, or a dictionary from the model's names to labels."
            )
        return self._labels()[match.argmax(axis=1)]
