"""Base class of image perturbations that fill pixels with a value."""

import numpy as np

from skrobust._parameters import Number
from skrobust.perturbations.images.image_perturbation import ImagePerturbation


class FillingPerturbation(ImagePerturbation):
    """Base class of perturbations that fill pixels with a value, ``fill``."""

    _parameter_rules = {"fill": Number(low=0, high=1)}

    def __init__(self, severity=None, *, fill=0.0, **shared):
        super().__init__(severity, **shared)
        self.fill = fill


def drawn_signs(n, rng):
    """Return 1 or -1 for each of n images, drawn with equal chances."""
    return np.where(rng.random(size=n) < 0.5, -1.0, 1.0)
