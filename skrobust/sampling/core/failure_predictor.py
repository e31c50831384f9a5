"""Base class of label-free failure predictors."""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from skrobust._array_checks import check_probabilities, check_same_length, check_scores
from skrobust._containers import is_frame, to_array
from skrobust._parameters import Choice, check_parameters
from skrobust._responses import predict_labels, predict_probabilities
from skrobust.metrics.labels import label_pair
from skrobust.sampling.core.prefitted import PrefittedMixin


class BaseFailurePredictor(PrefittedMixin, BaseEstimator, ABC):
    """Base class of label-free failure predictors.

    A subclass stores ``estimator`` and ``suspicion`` in ``__init__`` and writes
    ``_learn`` and ``_predict``. The model is used as it is, never refitted.
    """

    _parameter_rules = {"suspicion": Choice("confidence", "entropy")}

    def fit(self, X, y):
        """Calibrate on a labelled reference set that the model was not trained on.

        Parameters
        ----------
        X : array-like
            With an ``estimator`` its inputs, of shape (n_samples, ...). Without one,
            suspicion of shape (n_samples,), higher = more likely mispredicted, or class
            probabilities of shape (n_samples, n_classes).
        y : array-like of shape (n_samples,)
            With an ``estimator`` true labels; without one, whether each input was
            mispredicted (booleans, or 0 and 1).

        Returns
        -------
        self : object
            The fitted predictor.

        Raises
        ------
        ValueError
            For values that are not finite, unequal lengths, and a reference without a
            failure or without a pass.
        """
        check_parameters(self)
        caller = type(self).__name__
        if y is None:
            raise ValueError(
                f"This {caller} estimator requires y to be passed, but the target y is "
                "None."
            )
        suspicion = self._suspicion(X, reset=True)
        if self.estimator is None:
            failed = check_scores(y, caller, name="y")
            if not np.isin(failed, (0, 1)).all():
                raise ValueError(
                    f"{caller} without an estimator needs y as booleans, or 0 and 1: "
                    "whether each input was mispredicted."
                )
            failed = failed == 1
        else:
            y, y_pred = label_pair(y, predict_labels(self.estimator, X), caller)
            failed = y != y_pred
        check_same_length(caller, X=suspicion, y=failed)
        if failed.all() or not failed.any():
            kind = "pass" if failed.all() else "failure"
            raise ValueError(
                f"{caller} needs failures and passes in the reference; its "
                f"{len(failed)} samples hold no {kind} (n_samples = {len(failed)}). "
                "Take rows that the model was not trained on."
            )
        self.reference_failure_rate_ = float(failed.mean())
        self._learn(suspicion, failed)
        return self

    def predict_failure(self, X):
        """Return the predicted failure of each input.

        Parameters
        ----------
        X : array-like
            As in ``fit``.

        Returns
        -------
        failure : ndarray of shape (n_samples,), float64
            In [0, 1].
        """
        check_is_fitted(self)
        check_parameters(self)
        return self._predict(self._suspicion(X, reset=False))

    def predicted_failure_rate(self, X):
        """Return the mean of ``predict_failure``: a prediction, not an estimate.

        Parameters
        ----------
        X : array-like
            As in ``fit``.

        Returns
        -------
        float
            Without labels of these inputs nothing bounds its error.
        """
        return float(self.predict_failure(X).mean())

    @abstractmethod
    def _learn(self, suspicion, failed):
        """Fit to the reference."""

    @abstractmethod
    def _predict(self, suspicion):
        """Return the predicted failure of each input."""

    def _suspicion(self, X, *, reset):
        caller = type(self).__name__
        if self.estimator is None:
            values = to_array(X, "X", caller)
            if values.ndim < 2:
                return check_scores(values, caller, name="suspicion")
            p = check_probabilities(values, caller, name="X")
        else:
            if np.ndim(X) == 2 or is_frame(X):
                validate_data(self, X, skip_check_array=True, reset=reset)
            p = predict_probabilities(self.estimator, X, caller)
        p = np.clip(p.astype(np.float64), 0, 1)
        if self.suspicion == "confidence":
            return 1 - p.max(axis=1)
        terms = np.where(p > 0, p, 1.0)
        return -(terms * np.log(terms)).sum(axis=1)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "reference_failure_rate_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
