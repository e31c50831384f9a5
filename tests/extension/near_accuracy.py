"""Near accuracy: share of predictions at most one class away."""

import numpy as np

from skrobust.metrics.registry import MetricSpec, register


def is_near(y_true, y_pred):
    """Say of each sample whether its prediction is at most one class away."""
    return np.abs(np.subtract(y_true, y_pred)) <= 1


def near_accuracy_score(y_true, y_pred, *, sample_weight=None):
    """Compute the share of predictions that are at most one class away.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels, which are numbers in the order of the classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    float
        In [0, 1].
    """
    return float(np.average(is_near(y_true, y_pred), weights=sample_weight))


register(MetricSpec("near_accuracy", near_accuracy_score, per_sample=is_near))
