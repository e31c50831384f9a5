"""Label-free failure predictors, calibrated on a labelled reference set."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import logit
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted, validate_data

from skrobust._containers import is_frame, to_array
from skrobust._parameters import Choice, check_parameters
from skrobust._responses import predict_labels, predict_probabilities
from skrobust._validation import check_probabilities, check_same_length, check_scores
from skrobust.metrics.labels import label_pair
from skrobust.sampling.core.prefitted import PrefittedMixin

_EDGE = 1e-6  # log-odds are taken of suspicions this far from 0 and 1


class BaseFailurePredictor(PrefittedMixin, BaseEstimator, ABC):
    """Base class of label-free failure predictors.

    A subclass stores ``estimator`` and ``suspicion`` in ``__init__`` and writes
    ``_learn`` and ``_predict``. The model is used as it is, never refitted.
    """

    _parameter_rules = {"suspicion": Choice("confidence", "entropy")}

    @classmethod
    def _get_test_params(cls):
        """Return parameters of small instances for the checks of all predictors."""
        return [{}]

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
            values = to_array(X)
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


class ConfidencePredictor(BaseFailurePredictor):
    r"""Failure predictor by confidence, calibrated on a labelled reference set.

    The probability of a failure as a function of the suspicion s, for example
    :math:`s = 1 - \max_c p_c`, is learned on the reference; its mean over a pool is the
    confidence-based performance estimate (CBPE).

    This is a *predictor*, not an estimate of the accuracy: it is correct where failures
    relate to confidence as in the reference, which a shift changes, and nothing in the
    pool can tell. Use it as the predictor m of a difference estimator, which labels
    correct, or to choose what to label.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is, for its predictions and probabilities.
    suspicion : {"confidence", "entropy"}, default="confidence"
        Suspicion made of probabilities: 1 - max, or the entropy in nats.
    calibration : {"isotonic", "logistic"}, default="isotonic"
        "isotonic" is a rising step curve, which may be 0 or 1; "logistic" a logistic
        regression (C = 1) on the log-odds of a suspicion in [0, 1].

    Attributes
    ----------
    reference_failure_rate_ : float
        Share of failures in the reference.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input for an estimator.

    References
    ----------
    B. Zadrozny, C. Elkan, "Transforming classifier scores into accurate multiclass
    probability estimates", KDD 2002, for the isotonic calibration. The mean of
    calibrated confidence as a performance estimate is known from NannyML.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import ConfidencePredictor
    >>> suspicion = np.repeat([0.1, 0.4], 50)
    >>> failed = np.r_[np.arange(50) < 5, np.arange(50) < 25]
    >>> predictor = ConfidencePredictor().fit(suspicion, failed)
    >>> predictor.predict_failure([0.1, 0.4]).tolist()
    [0.1, 0.5]
    >>> round(predictor.predicted_failure_rate([0.1, 0.1, 0.1, 0.4]), 3)
    0.2
    """

    _parameter_rules = {"calibration": Choice("isotonic", "logistic")}

    @classmethod
    def _get_test_params(cls):
        return [{}, {"calibration": "logistic"}]

    def __init__(
        self, estimator=None, *, suspicion="confidence", calibration="isotonic"
    ):
        self.estimator = estimator
        self.suspicion = suspicion
        self.calibration = calibration

    def _learn(self, suspicion, failed):
        if self.calibration == "isotonic":
            curve = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
            self._curve = curve.fit(suspicion, failed)
        else:
            odds = self._log_odds(suspicion)
            self._curve = LogisticRegression(C=1.0).fit(odds, failed)

    def _predict(self, suspicion):
        if isinstance(self._curve, IsotonicRegression):
            return self._curve.predict(suspicion).astype(np.float64)
        return self._curve.predict_proba(self._log_odds(suspicion))[:, 1]

    def _log_odds(self, suspicion):
        if suspicion.min() < 0 or suspicion.max() > 1:
            raise ValueError(
                f"{type(self).__name__} with calibration='logistic' needs suspicion in "
                f"[0, 1]; got {suspicion.min():g} to {suspicion.max():g}. Scale it, or "
                "use 'isotonic'."
            )
        return logit(np.clip(suspicion, _EDGE, 1 - _EDGE))[:, None]


class ThresholdPredictor(BaseFailurePredictor):
    r"""Failure predictor by average thresholded confidence (ATC).

    The threshold t on the suspicion s is the one whose share of reference inputs with
    s > t is that of the failures in the reference (with ties, the closest share; of two
    as close, the smaller one). An input is predicted to fail if s > t.

    This is a *predictor*, not an estimate of the accuracy: it is correct where the
    shift keeps that share equal, and nothing in the pool can tell. Use it as the
    predictor m of a difference estimator, which labels correct, or to choose what to
    label.

    Parameters
    ----------
    estimator : fitted classifier, default=None
        Used as it is, for its predictions and probabilities.
    suspicion : {"entropy", "confidence"}, default="entropy"
        Suspicion made of probabilities: the entropy in nats, or 1 - max. The paper has
        both, as negative entropy and maximum confidence.

    Attributes
    ----------
    threshold_ : float
        t; -inf where every input is predicted to fail.
    reference_failure_rate_ : float
        Share of failures in the reference.
    n_features_in_ : int
        Number of features, where ``fit`` got 2-D input for an estimator.

    References
    ----------
    S. Garg, S. Balakrishnan, Z. Lipton, B. Neyshabur, H. Sedghi, "Leveraging Unlabeled
    Data to Predict Out-of-Distribution Performance", ICLR 2022, arXiv 2201.04234.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling import ThresholdPredictor
    >>> suspicion = np.arange(10) / 10
    >>> failed = np.arange(10) % 5 == 0                  # two of ten, anywhere
    >>> predictor = ThresholdPredictor().fit(suspicion, failed)
    >>> predictor.threshold_
    0.7
    >>> predictor.predicted_failure_rate([0.1, 0.2, 0.75, 0.9])
    0.5
    """

    def __init__(self, estimator=None, *, suspicion="entropy"):
        self.estimator = estimator
        self.suspicion = suspicion

    def _learn(self, suspicion, failed):
        values, counts = np.unique(suspicion, return_counts=True)
        # How many lie above -inf, above the least value, ..., above the largest.
        above = len(suspicion) - np.cumsum(np.r_[0, counts])
        gap = np.abs(above - failed.sum())
        best = np.flatnonzero(gap == gap.min())[-1]  # the smaller share
        self.threshold_ = float(np.r_[-np.inf, values][best])

    def _predict(self, suspicion):
        return (suspicion > self.threshold_).astype(np.float64)
