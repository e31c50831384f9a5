"""Temperature scaling of probabilities, fitted on other rows than those it scales."""

import numpy as np
from scipy.optimize import minimize_scalar

LEAST = 1e-300  # classes of naive Bayes may have a probability of 0 to rounding


def tempered(p, temperature):
    """Return probabilities (n, n_classes) whose logarithms are divided."""
    z = np.log(np.clip(p.astype(float), LEAST, 1)) / temperature
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def fitted_temperature(p, y):
    """Return the temperature of the highest likelihood of labels 0, 1, ..."""

    def loss(log_t):
        of_class = tempered(p, np.exp(log_t))[np.arange(len(y)), y]
        return -np.log(np.clip(of_class, LEAST, 1)).mean()

    return float(np.exp(minimize_scalar(loss, bounds=(-4, 6), method="bounded").x))


def cross_tempered(p, q, y, units, seed=0):
    """Return clean and moved probabilities after temperature scaling, and both T.

    The units are split into two halves, and the temperature of each half is fitted on
    the clean rows of the other one.
    """
    kinds = np.unique(units)
    first = np.random.default_rng(seed).permutation(kinds)[: len(kinds) // 2]
    first, found = np.isin(units, first), []
    clean, moved = np.empty((2, *p.shape))
    for rows in (first, ~first):
        found.append(fitted_temperature(p[~rows], y[~rows]))
        clean[rows] = tempered(p[rows], found[-1])
        moved[rows] = tempered(q[rows], found[-1])
    return clean, moved, tuple(found)
