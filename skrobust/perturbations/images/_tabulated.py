"""Image perturbations whose strengths stand in tables, by name."""

from types import SimpleNamespace
from typing import NamedTuple

from skrobust._validation import check_number
from skrobust.perturbations.images._base import ImagePerturbation
from skrobust.perturbations.strength import strength, strength_by_side


class Levels(NamedTuple):
    """One parameter at severities 0 to 5, and the numbers that it may be.

    ``large`` is for a side of 224 pixels, ``small`` for one of 32; None for ``large``
    says that one table serves all sides.
    """

    zero: float
    small: tuple
    large: tuple | None = None
    low: float | None = 0.0
    high: float | None = None
    low_open: bool = False

    def at(self, severity, side):
        """Return the strength at a severity, for images of this side."""
        if self.large is None:
            return strength(severity, self.small, zero=self.zero)
        return strength_by_side(severity, side, self.small, self.large, zero=self.zero)


class TabulatedPerturbation(ImagePerturbation):
    """Base class: ``_levels`` names the physical parameters and tabulates them.

    A physical parameter that is left out, while another is given, has its value at
    severity 1.
    """

    _levels = {}

    def _check_parameters(self):
        super()._check_parameters()
        for name, levels in self._levels.items():
            value = getattr(self, name)
            if value is not None:
                check_number(
                    value,
                    name,
                    type(self).__name__,
                    low=levels.low,
                    high=levels.high,
                    low_open=levels.low_open,
                )

    def _strengths(self, images):
        """Return the parameters in force for these images, by name."""
        severity, side = self._severity(), self._image_side(images)
        in_force = {}
        for name, levels in self._levels.items():
            given = getattr(self, name)
            if given is None:
                given = levels.at(1.0 if severity is None else severity, side)
            in_force[name] = float(given)
        return SimpleNamespace(**in_force)
