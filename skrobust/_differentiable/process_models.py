"""Heads of Gaussian processes."""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import erf

from skrobust._differentiable.heads import Head
from skrobust._differentiable.maps import Map, beside, chain, dense, linear
from skrobust._differentiable.process_kernels import is_stationary, process_kernel
from skrobust._differentiable.steps import ask

# Five error functions whose sum is nearly the logistic function (Williams and Barber,
# "Bayesian classification with Gaussian processes", 1998).
_WIDTHS = np.array([0.41, 0.4, 0.37, 0.44, 0.39])
_HEIGHTS = np.array(
    [-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654]
)


def process_regression(model, name):
    """Return the head of GaussianProcessRegressor with one target."""
    points, alpha = dense(model.X_train_), dense(model.alpha_)
    kernel = process_kernel(model.kernel_, points)
    if kernel is None or (alpha.ndim == 2 and alpha.shape[1] > 1):
        return None
    raw = chain([kernel, linear(alpha.reshape(-1, 1))])
    # The scale and shift of normalised targets are inferred from two answers.
    values = raw.apply(points)[0][:, 0]
    low, high = values.argmin(), values.argmax()
    at_low, at_high = ask(model.predict, points[[low, high]]).ravel()
    rise = values[high] - values[low]
    scale = (at_high - at_low) / rise if rise > 0 else 1.0
    shift = at_low - scale * values[low]
    return Head(chain([raw, linear(np.array([[scale]]), shift)]))


def process_head(model, name):
    """Return the head of GaussianProcessClassifier: logits of its probabilities.

    Of more than two classes one-vs-rest alone: scores are the logarithms of the
    probabilities of the members.
    """
    inner = model.base_estimator_
    members = getattr(inner, "estimators_", [inner])
    if len(model.classes_) > 2 and model.multi_class != "one_vs_rest":
        return None
    maps = [_probability(member) for member in members]
    if any(one is None for one in maps):
        return None
    if len(maps) == 1:
        return Head(chain([maps[0], Map(_log_both)]), model.classes_, "softmax")
    return Head(chain([beside(maps), Map(_log)]), model.classes_, "softmax")


def _log(p):
    return np.log(p), lambda slope: slope / p


def _log_both(p):
    both = np.hstack([1 - p, p])

    def pullback(slope):
        return slope[:, 1:] / p - slope[:, :1] / (1 - p)

    return np.log(both), pullback


def _probability(member):
    """Return the map to the probability of the second class (Laplace), or None."""
    points = dense(member.X_train_)
    kernel = process_kernel(member.kernel_, points)
    if kernel is None or not is_stationary(member.kernel_):
        return None
    pull_up = dense(member.y_train_) - dense(member.pi_)
    # var = k(x, x) - |solve|^2, with k(x, x) the same at every row.
    whole = float(member.kernel_.diag(points[:1])[0])
    solve = solve_triangular(member.L_, np.diag(member.W_sr_), lower=True)

    def apply(x):
        k, pull = kernel.apply(x)
        mean, v = k @ pull_up, k @ solve.T
        var = whole - (v * v).sum(axis=1)
        value, by_mean, by_var = _integral(mean, var)

        def pullback(slope):
            s = slope[:, 0]
            by_k = np.outer(s * by_mean, pull_up)
            return pull(by_k - 2 * (s * by_var)[:, None] * (v @ solve))

        return value[:, None], pullback

    return Map(apply)


def _integral(mean, var):
    """Return the mean of the logistic function of a normal number, and its slopes."""
    width = np.sqrt(1 + 2 * var[:, None] * _WIDTHS**2)
    inner = _WIDTHS * mean[:, None] / width
    value = (_HEIGHTS * erf(inner)).sum(axis=1) / 2 + 0.5 * _HEIGHTS.sum()
    bell = _HEIGHTS * np.exp(-inner * inner) / np.sqrt(np.pi)
    by_mean = (bell * _WIDTHS / width).sum(axis=1)
    by_var = (-bell * inner * _WIDTHS**2 / width**2).sum(axis=1)
    return value, by_mean, by_var


MODELS = {
    "GaussianProcessClassifier": process_head,
    "GaussianProcessRegressor": process_regression,
}
