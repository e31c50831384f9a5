"""Differentiable kernels between rows and fixed points."""

import numpy as np
from scipy.optimize import least_squares

from skrobust._differentiable.maps import Map, bounded, linear

KERNELS = ("linear", "rbf", "poly", "polynomial", "sigmoid")


def kernel_map(kind, points, gamma, degree, coef0):
    """Return the map from rows to their kernel with each point.

    Parameters
    ----------
    kind : {"linear", "rbf", "poly", "polynomial", "sigmoid"}
        Name of the kernel.
    points : ndarray of shape (n_points, n_features)
        Support vectors, training rows or landmarks.
    gamma, degree, coef0 : float or None
        Parameters of the kernel; unused ones are ignored. None: one over the number of
        features, 3 and 1.
    """
    gamma = 1 / points.shape[1] if gamma is None else gamma
    degree = 3 if degree is None else degree
    coef0 = 1 if coef0 is None else coef0
    squares = (points * points).sum(axis=1)

    def rbf(x):
        apart = (x * x).sum(axis=1)[:, None] + squares - 2 * (x @ points.T)
        k = np.exp(-gamma * np.maximum(apart, 0))

        def pullback(slope):
            w = slope * k
            return -2 * gamma * (w.sum(axis=1)[:, None] * x - w @ points)

        return k, pullback

    def poly(x):
        base = gamma * (x @ points.T) + coef0
        k = base**degree

        def pullback(slope):
            return (slope * (degree * gamma * base ** (degree - 1))) @ points

        return k, pullback

    def sigmoid(x):
        k = np.tanh(gamma * (x @ points.T) + coef0)
        return k, lambda slope: (slope * gamma * (1 - k * k)) @ points

    forms = {"rbf": rbf, "poly": poly, "polynomial": poly, "sigmoid": sigmoid}
    one = linear(points.T) if kind == "linear" else Map(forms[kind])
    return bounded(one, len(points))


def find_gamma(ask, values, points):
    """Return the gamma that a support vector machine with ``gamma="scale"`` used.

    It is a function of the variance of the training rows, which the model does not
    keep in public. Its answers tell it: gamma is where ``values(gamma, rows)`` meets
    them on rows around the support vectors.

    Parameters
    ----------
    ask : callable
        From rows to the answers of the model.
    values : callable
        (gamma, rows) to what the model would answer with that gamma.
    points : ndarray of shape (n_support, n_features)
        Support vectors.

    Returns
    -------
    float or None
        None where no gamma gives the answers of the model to 1e-8.
    """
    chosen = points[np.linspace(0, len(points) - 1, min(len(points), 12)).astype(int)]
    middle = points.mean(axis=0)
    rows = np.concatenate([chosen, (chosen + middle) / 2])
    asked = ask(rows)
    spread = points.var()
    guess = 1 / (points.shape[1] * spread) if spread > 0 else 1.0
    grid = np.log(guess) + np.linspace(-7, 7, 141)

    def miss(log_gamma):
        return (values(float(np.exp(np.ravel(log_gamma)[0])), rows) - asked).ravel()

    with np.errstate(over="ignore", invalid="ignore"):
        errors = [np.nan_to_num((miss(g) ** 2).sum(), nan=np.inf) for g in grid]
        for start in np.argsort(errors)[:5]:
            found = least_squares(
                miss, grid[start], xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=100
            )
            if np.abs(found.fun).max() <= 1e-8 * (1 + np.abs(asked).max()):
                return float(np.exp(found.x[0]))
    return None
