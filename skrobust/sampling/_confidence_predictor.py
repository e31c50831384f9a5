"""Failure predictor by calibrated confidence."""

import numpy as np
from scipy.special import logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from skrobust._parameters import Choice
from skrobust.sampling.core.failure_predictor import BaseFailurePredictor

_EDGE = 1e-6  # log-odds are taken of suspicions this far from 0 and 1


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
