"""Failure predictor by average thresholded confidence (ATC)."""

import numpy as np

from skrobust.sampling.core.failure_predictor import BaseFailurePredictor


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
