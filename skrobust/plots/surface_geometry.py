"""Points and grid on the surface of the Accuracy-Stability Index."""

import numpy as np

from skrobust.metrics import accuracy_stability_index, coefficient_of_variation

_GRID = 60


def height(x, y):
    """Return the index over mean accuracy x and coefficient of variation y."""
    # At (0, 0) the index is 0/0 and set to -1, as the metric does.
    total = np.add(x, y)
    return np.where(total > 0, np.subtract(x, y) / np.where(total > 0, total, 1), -1.0)


def points_of(scores):
    """Return the points of the conditions, of shape (n, 3), and of their model."""
    mean, variation = scores.mean(), coefficient_of_variation(scores)
    deviation = np.abs(scores - mean) / mean
    conditions = np.column_stack([scores, deviation, height(scores, deviation)])
    return conditions, np.array([mean, variation, accuracy_stability_index(scores)])


def grid_around(points):
    """Return the x and y of a grid that holds all points, with a margin."""
    everything = np.vstack([np.vstack(pair) for pair in points])
    x = _limits(everything[:, 0], low=0, high=1, least=0.02)
    y = _limits(everything[:, 1], low=0, high=np.inf, least=0.02)[1]
    return np.meshgrid(np.linspace(*x, _GRID), np.linspace(0, y, _GRID))


def _limits(values, *, low, high, least):
    # The range of the data with a margin, no narrower than ``least``.
    start, stop = values.min(), values.max()
    margin = max(0.08 * (stop - start), (least - (stop - start)) / 2)
    return max(low, start - margin), min(high, stop + margin)
