"""Temperature scaling of probabilities."""

import numpy as np
from scipy.optimize import minimize_scalar


def tempered(p, temperature):
    """Return probabilities whose logarithms are divided by a temperature."""
    with np.errstate(divide="ignore"):
        z = np.log(p) / temperature
    z -= z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def fit_temperature(y_prob, y_index):
    """Return the temperature of maximum likelihood given the labels.

    Parameters
    ----------
    y_prob : ndarray of shape (n_samples, n_classes)
        Class probabilities.
    y_index : ndarray of shape (n_samples,)
        Columns of the true classes.

    Returns
    -------
    float
        Between 1/20 and 20; above 1 the model was overconfident.
    """
    rows = np.arange(len(y_index))
    safe = np.clip(y_prob, 1e-12, 1)

    def loss(log_t):
        p = tempered(safe, np.exp(log_t))[rows, y_index]
        return -np.log(np.clip(p, 1e-12, 1)).mean()

    edge = np.log(20)
    found = minimize_scalar(loss, bounds=(-edge, edge), method="bounded")
    return float(np.exp(found.x))
