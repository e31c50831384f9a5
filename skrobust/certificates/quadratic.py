"""Extremes of separable quadratic functions within a region."""

import numpy as np

_STEPS = 40  # of the search for the multiplier of the ball


def least_quadratic(region, a, b):
    r"""Return lower bounds of :math:`\sum_f a_f \delta_f^2 + b_f \delta_f`.

    In a cube each feature is at its own best, so that the bound is reached. In a ball
    of norm 1 or 2 the constraint enters with a multiplier; each multiplier that is not
    negative proves a bound, and the best is found by golden section, as the bound is
    concave in it.

    Parameters
    ----------
    region : Region
        Where the moves :math:`\delta` may end.
    a, b : ndarray, broadcast to (n_samples, n_features)
        Of the function of the move.

    Returns
    -------
    ndarray of shape (n_samples,)
        No move within the region gives less.
    """
    low, high = region.box
    low, high = low - region.rows, high - region.rows
    a, b = (np.broadcast_to(part, low.shape) for part in (a, b))
    bound = _coordinates(a, b, low, high).sum(axis=1)
    if region.norm == np.inf:
        return bound

    def proof(multiplier):
        m = multiplier[:, None]
        if region.norm == 2:
            inner = _coordinates(a + m, b, low, high)
            return inner.sum(axis=1) - multiplier * region.eps**2
        up = _coordinates(a, b + m, np.maximum(low, 0), np.maximum(high, 0))
        down = _coordinates(a, b - m, np.minimum(low, 0), np.minimum(high, 0))
        return np.minimum(up, down).sum(axis=1) - multiplier * region.eps

    # Beyond this multiplier no move pays.
    size = np.abs(b).max(axis=1, initial=0.0)
    size = size + 2 * np.abs(a).max(axis=1, initial=0.0) * region.eps
    left = np.zeros(len(low))
    right = size / max(region.eps, 1e-300) if region.norm == 2 else size + 1e-300
    ratio = (np.sqrt(5) - 1) / 2
    for _ in range(_STEPS):
        width = right - left
        one, two = right - ratio * width, left + ratio * width
        values = proof(one), proof(two)
        bound = np.maximum(bound, np.maximum(*values))
        rising = values[0] < values[1]
        left, right = np.where(rising, one, left), np.where(rising, right, two)
    return bound


def _coordinates(a, b, low, high):
    """Return the least value of each a d^2 + b d for d between low and high."""
    ends = np.minimum(a * low * low + b * low, a * high * high + b * high)
    curved = a > 0
    with np.errstate(over="ignore"):
        vertex = np.where(curved, -b / np.where(curved, 2 * a, 1.0), 0.0)
    vertex = np.clip(vertex, low, high)
    return np.where(curved, np.minimum(ends, a * vertex * vertex + b * vertex), ends)
