"""Base class of image perturbations whose published code differs from its paper."""

from skrobust._parameters import Flag
from skrobust.perturbations.images.image_perturbation import ImagePerturbation


class PublishedPerturbation(ImagePerturbation):
    """Base class of perturbations that can do exactly what published code does."""

    _parameter_rules = {"published": Flag()}

    def __init__(self, severity=None, *, published=False, **shared):
        super().__init__(severity, **shared)
        self.published = published
