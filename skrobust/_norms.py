"""Lengths, projections and steepest directions in the norms of attacks.

Each function takes numpy arrays or torch tensors whose first axis runs over samples,
and works where they lie; torch is never imported, only met.
"""

import sys

import numpy as np

NORMS = (np.inf, 2)


def namespace(x):
    """Return the module (numpy, or torch if it is already loaded) that x belongs to."""
    return np if isinstance(x, np.ndarray) else sys.modules["torch"]


def per_sample(v, x):
    """Reshape one number per sample so that it broadcasts against x."""
    return v.reshape((-1,) + (1,) * (x.ndim - 1))


def length(delta, norm):
    """Return the length of each sample: maximum, root of the sum of squares, or sum.

    Parameters
    ----------
    delta : array or tensor of shape (n_samples, ...)
        Differences.
    norm : {inf, 2, 1}
        Which length.

    Returns
    -------
    array or tensor of shape (n_samples,)
        Non-negative lengths.
    """
    xp = namespace(delta)
    flat = delta.reshape((len(delta), -1))
    if norm == np.inf:
        return xp.amax(xp.abs(flat), 1)
    if norm == 1:
        return xp.abs(flat).sum(1)
    return xp.sqrt((flat * flat).sum(1))


def project(delta, eps, norm):
    """Return each sample put back into the ball of radius eps, along its direction.

    For the norms inf (entry by entry) and 2 that is the nearest point of the ball.
    """
    xp = namespace(delta)
    if norm == np.inf:
        return xp.clip(delta, -eps, eps)
    size = length(delta, norm)
    shrink = eps / xp.clip(size, eps, None)
    return delta * per_sample(shrink, delta)


def steepest(gradient, norm):
    """Return the unit direction along which a linear function rises most.

    Samples whose gradient is zero get a zero direction. Tiny gradients are scaled by
    their largest entry first, so that their squares do not vanish.
    """
    xp = namespace(gradient)
    if norm == np.inf:
        return xp.sign(gradient)
    peak = length(gradient, np.inf)
    peak = xp.where(peak > 0, peak, xp.ones_like(peak))
    scaled = gradient / per_sample(peak, gradient)
    size = length(scaled, norm)
    size = xp.where(size > 0, size, xp.ones_like(size))
    return scaled / per_sample(size, scaled)
