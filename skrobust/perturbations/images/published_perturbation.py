"""Base class of image perturbations whose published code differs from its paper."""

from types import SimpleNamespace

from skrobust._parameters import Flag
from skrobust.perturbations.images.image_perturbation import ImagePerturbation


class PublishedPerturbation(ImagePerturbation):
    """Base class of perturbations that can do exactly what published code does."""

    _parameter_rules = {"published": Flag()}

    def __init__(self, severity=None, *, published=False, **shared):
        super().__init__(severity, **shared)
        self.published = published

    def _levels(self, images):
        """Return (weight, strengths) of the tabulated severities around this one.

        What published code rounds to whole pixels jumps between them, so that results
        at the tabulated severities are mixed. Physical parameters are one level.
        """
        severity = self._severity()
        if severity is None:
            return [(1.0, self._all_strengths(images))]
        below, share = int(severity), severity - int(severity)
        size, levels = images.shape[1:3], []
        for level, weight in ((below, 1 - share), (below + 1, share)):
            if weight:
                at = {k: s.at(float(level), size) for k, s in self._strengths.items()}
                levels.append((weight, SimpleNamespace(**at)))
        return levels
