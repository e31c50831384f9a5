"""Model that gets rows in the container of the user."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skrobust._containers import is_frame, like
from skrobust._responses import predict_labels


@dataclass(frozen=True, eq=False)
class ModelInContainer:
    """A model and the rows of one call, as they came in.

    Parameters
    ----------
    model : fitted estimator
        The model under attack.
    X : array-like, data frame or tensor of shape (n_samples, ...)
        Its columns and types are those that the model expects.
    """

    model: Any
    X: Any

    def container(self, values):
        """Return any number of rows in a container like that of the call."""
        if not is_frame(self.X):
            return like(values, self.X)
        # The first row again and again: its columns and types are what counts.
        places, X = np.zeros(len(values), dtype=int), self.X
        return like(values, X.iloc[places] if hasattr(X, "iloc") else X[places])

    def labels(self, values):
        """Return the predicted labels of rows."""
        return predict_labels(self.model, self.container(values))
