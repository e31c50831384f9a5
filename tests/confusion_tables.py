"""Labels of small confusion matrices with known scores."""

import numpy as np


def labels_of(matrix):
    """True and predicted labels whose confusion matrix is ``matrix``."""
    matrix = np.asarray(matrix)
    true, predicted = np.indices(matrix.shape).reshape(2, -1)
    return np.repeat(true, matrix.ravel()), np.repeat(predicted, matrix.ravel())


BALANCED = labels_of([[45, 5], [10, 40]])
SKEWED = labels_of([[88, 2], [4, 6]])
THREE = labels_of([[45, 3, 2], [4, 24, 2], [1, 3, 16]])
VALUES = [3, 5, 2, 7], [2.5, 5, 2, 8]
POINTS = np.array([[0.0], [1.0], [10.0], [11.0]])
