"""Proofs about Gaussian naive Bayes, whose scores are sums over features."""

import numpy as np

from skrobust._differentiable import sklearn_name
from skrobust._responses import unwrap
from skrobust.certificates.proof import DifferenceProof
from skrobust.certificates.quadratic import least_quadratic
from skrobust.certificates.region import diagonal_steps


class BayesProof(DifferenceProof):
    """Proof about GaussianNB, bare or behind scalers.

    The difference of the log posteriors of two classes is a sum of quadratic functions,
    one a feature. In a cube its least value is exact, and with it labels of any number
    of classes and probabilities of two.

    Parameters
    ----------
    region : Region
        Where rows may move.
    model : GaussianNB
        Fitted.
    scale, shift : ndarray of shape (n_features,)
        Of the scalers before it.
    """

    def __init__(self, region, model, scale, shift):
        super().__init__(len(region), len(model.classes_))
        self._region, self._scale = region, scale
        self._spread = np.asarray(model.var_, dtype=np.float64)
        self._apart = (region.rows * scale + shift)[:, None] - model.theta_
        fixed = -0.5 * np.log(2 * np.pi * self._spread).sum(axis=1)
        far = (self._apart**2 / self._spread).sum(axis=2)
        self._scores = np.log(model.class_prior_) + fixed - 0.5 * far
        self._slack = region.slack * (1 + np.abs(self._scores).max(axis=1))
        self.is_exact_on_labels = region.norm == np.inf
        self.is_exact_on_probabilities = self.is_exact_on_labels and self.n_classes == 2
        self.name = "sums over features of naive Bayes"
        if self.is_exact_on_probabilities:
            self.name = "exact for naive Bayes of two classes"

    def differences(self, own):
        """Return bounds of the score of a class less that of each other."""
        rows = np.arange(self.n_samples)
        low = np.zeros((self.n_samples, self.n_classes))
        high = low.copy()
        for j in range(self.n_classes):
            slope = self._apart[:, j] / self._spread[j]
            slope = (slope - self._apart[rows, own] / self._spread[own]) * self._scale
            curve = 0.5 * (1 / self._spread[j] - 1 / self._spread[own]) * self._scale**2
            gap = self._scores[rows, own] - self._scores[:, j]
            low[:, j] = gap + least_quadratic(self._region, curve, slope) - self._slack
            high[:, j] = gap - least_quadratic(self._region, -curve, -slope)
            high[:, j] += self._slack
        low[rows, own] = high[rows, own] = 0.0
        return low, high


def bayes_proof(estimator, region, ask, caller, shape=None):
    """Return the proof for GaussianNB, or None for another model.

    Parameters
    ----------
    estimator, region, ask, caller, shape : object
        As in :func:`skrobust.certificates.find_proof.find_proof`.
    """
    steps, model = unwrap(estimator)
    if sklearn_name(model) != "GaussianNB":
        return None
    parts = diagonal_steps(steps, region.rows.shape[1])
    return None if parts is None else BayesProof(region, model, *parts)
