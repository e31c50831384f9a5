"""Base class of measures of surprise that estimate covariances."""

import warnings
from abc import abstractmethod

import numpy as np

from skrobust._parallel import count
from skrobust._parameters import Number
from skrobust.sampling.surprise.base import BaseSurprise
from skrobust.sampling.surprise.whitening import CURES


class CovarianceSurprise(BaseSurprise):
    """Base class of measures of surprise that estimate covariances.

    A subclass writes ``_learn`` and ``_scores_in_class``.
    """

    _parameter_rules = {
        "var_threshold": Number(low=0),
        "jitter": Number(low=0, low_open=True, optional=True),
    }

    def __init__(self, estimator=None, *, var_threshold=1e-5, jitter=None, **shared):
        super().__init__(estimator, **shared)
        self.var_threshold = var_threshold
        self.jitter = jitter

    @abstractmethod
    def _scores_in_class(self, code, activations):
        """Return the score of each row as one of the class of this number."""

    def _scores(self, activations, codes):
        scores = np.empty(len(activations))
        for code in np.unique(codes):
            rows = np.flatnonzero(codes == code)
            scores[rows] = self._scores_in_class(code, activations[rows])
            count(len(rows))
        return scores

    def _fitting_class(self, activations):
        codes = range(len(self.classes_))
        scores = [self._scores_in_class(code, activations) for code in codes]
        return np.argmin(scores, axis=0)

    def _settings(self, activations):
        """Return the arguments that every ``Whitener`` gets."""
        ridge = 0.0
        if self.jitter is not None:
            mean_variance = activations.var(axis=0, dtype=np.float64).mean()
            ridge = float(self.jitter * mean_variance)
        caller = type(self).__name__
        return {"caller": caller, "var_threshold": self.var_threshold, "ridge": ridge}

    def _warn_of_rounding(self, shapes):
        """Warn of the classes whose covariance is singular but for rounding."""
        pairs = zip(self.classes_.tolist(), shapes, strict=True)
        found = [label for label, shape in pairs if shape.rests_on_rounding]
        if found:
            warnings.warn(
                f"{type(self).__name__} finds a covariance that is singular but for "
                f"rounding errors in classes {found}, so that the scores rest on "
                f"these. {CURES}",
                UserWarning,
                stacklevel=4,  # the caller of fit
            )
