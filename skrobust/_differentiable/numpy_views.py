"""Base class of differentiable views that compute in numpy."""

import numpy as np


class HostView:
    """A view in numpy float64; subclasses set ``_caller``, ``_classes``, ``_width``."""

    leaves_at_once = True  # looking for samples that are done is cheap
    is_regressor = False
    stand_in = ""  # what has no slopes, so that others are followed; see Map

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def several_draws(self, n_draws, seed):
        """Refuse more than one pass: only nets draw."""
        raise ValueError(
            f"{self._caller} averages over passes of nets that draw; this model "
            "does not. Leave n_draws at 1."
        )

    def label_index(self, y):
        """Return the index of each label; -1 for labels that the model never saw."""
        found = np.full(len(y), -1)
        for index, label in enumerate(self._classes):
            found[y == label] = index
        if (found < 0).all():
            raise ValueError(
                f"{self._caller} found none of the model's classes in y: they are "
                f"{list(self._classes[:5])}, y begins with {list(y[:5])}."
            )
        return found

    def tensor(self, values):
        """Bring host values to where the view computes."""
        return np.asarray(values, dtype=np.float64)

    def host(self, x):
        """Bring values back to the host."""
        return x

    def logits(self, x):
        """Return logits of shape (n, n_classes)."""
        return self.forward(x)[0]

    def _check_width(self, x):
        if self._width is not None and (x.ndim != 2 or x.shape[1] != self._width):
            raise ValueError(
                f"{self._caller} got rows of shape {x.shape[1:]}; the model takes "
                f"{self._width} features."
            )
