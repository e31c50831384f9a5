"""Truth about linear scores within small balls, by enumeration of their corners."""

import numpy as np


def corners(x, eps, norm, low=-np.inf, high=np.inf):
    """Return the corners of the cube or the cross polytope, cut by a box."""
    d = len(x)
    if norm == np.inf:
        signs = np.array(np.meshgrid(*[[-1, 1]] * d)).reshape(d, -1).T
    else:
        signs = np.concatenate([np.eye(d), -np.eye(d)])
    return np.clip(x + eps * signs, low, high)


def sphere(x, eps, rng, n=2000, low=-np.inf, high=np.inf):
    """Return random points of the surface of a ball, cut by a box."""
    steps = rng.normal(size=(n, len(x)))
    steps *= eps / np.linalg.norm(steps, axis=1, keepdims=True)
    return np.clip(x + steps, low, high)


def points(x, eps, norm, rng, n=500, low=-np.inf, high=np.inf):
    """Return corners, random points and the row itself, all within ball and box."""
    if norm == 2:
        found = sphere(x, eps, rng, n, low, high)
    else:
        found = corners(x, eps, norm, low, high)
    inner = x + (found - x) * rng.random((len(found), 1))
    return np.concatenate([x[None], found, inner])
