"""Differentiable kernels of Gaussian processes between rows and fixed points."""

import numpy as np

from skrobust._differentiable.maps import Map, sklearn_name

_SMALL = 1e-12


def process_kernel(kernel, points):
    """Return the map from rows to their kernel with points, or None.

    Parameters
    ----------
    kernel : kernel of sklearn.gaussian_process
        Constant, white, RBF, Matern (1/2, 3/2, 5/2, inf), rational quadratic, dot
        product, and sums, products and powers of these.
    points : ndarray of shape (n_points, n_features)
        Training rows.
    """
    name = sklearn_name(kernel)
    if name in ("Sum", "Product"):
        parts = [process_kernel(k, points) for k in (kernel.k1, kernel.k2)]
        return None if None in parts else _joined(*parts, name == "Product")
    if name == "Exponentiation":
        inner = process_kernel(kernel.kernel, points)
        return None if inner is None else _power(inner, kernel.exponent)
    if name in ("ConstantKernel", "WhiteKernel"):
        value = kernel.constant_value if name == "ConstantKernel" else 0.0
        return _constant(value, len(points))
    if name == "DotProduct":
        offset = kernel.sigma_0**2
        return Map(lambda x: (x @ points.T + offset, lambda s: s @ points))
    profile = _profile(kernel, name)
    return None if profile is None else _radial(points, kernel.length_scale, profile)


def is_stationary(kernel):
    """Say whether the variance of a process is the same at every row."""
    return bool(kernel.__class__.is_stationary(kernel))


def _constant(value, n_points):
    def apply(x):
        return np.full((len(x), n_points), value), lambda slope: np.zeros_like(x)

    return Map(apply)


def _joined(first, second, is_product):
    def apply(x):
        (a, pull_a), (b, pull_b) = first.apply(x), second.apply(x)
        if is_product:
            return a * b, lambda slope: pull_a(slope * b) + pull_b(slope * a)
        return a + b, lambda slope: pull_a(slope) + pull_b(slope)

    return Map(apply)


def _power(inner, exponent):
    def apply(x):
        k, pull = inner.apply(x)
        return k**exponent, lambda slope: pull(slope * exponent * k ** (exponent - 1))

    return Map(apply)


def _radial(points, length_scale, profile):
    """Return the map of a function of the squared distance in length scales."""
    scale = np.asarray(length_scale, dtype=np.float64)

    def apply(x):
        a, b = x / scale, points / scale
        square = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * (a @ b.T)
        k, by_square = profile(np.maximum(square, 0.0))

        def pullback(slope):
            w = slope * by_square
            return 2 * (w.sum(axis=1)[:, None] * a - w @ b) / scale

        return k, pullback

    return Map(apply)


def _profile(kernel, name):
    """Return a kernel and its slope as a function of the squared distance, or None."""
    if name == "RBF" or (name == "Matern" and kernel.nu == np.inf):
        return lambda s: (np.exp(-0.5 * s), -0.5 * np.exp(-0.5 * s))
    if name == "RationalQuadratic":
        alpha = kernel.alpha

        def rational(s):
            base = 1 + s / (2 * alpha)
            return base**-alpha, -0.5 * base ** (-alpha - 1)

        return rational
    return _MATERN.get(kernel.nu) if name == "Matern" else None


def _matern_1(s):
    r = np.sqrt(s)
    k = np.exp(-r)
    return k, -k / (2 * np.maximum(r, _SMALL))


def _matern_3(s):
    r = np.sqrt(3 * s)
    return (1 + r) * np.exp(-r), -1.5 * np.exp(-r)


def _matern_5(s):
    r = np.sqrt(5 * s)
    k = (1 + r + r * r / 3) * np.exp(-r)
    return k, -(5 / 6) * (1 + r) * np.exp(-r)


_MATERN = {0.5: _matern_1, 1.5: _matern_3, 2.5: _matern_5}
