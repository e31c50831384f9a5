"""Ball and box of adversarial rows, and the units in which lengths are measured."""

from typing import Any, NamedTuple

from skrobust._norms import namespace


class FeatureUnits:
    """Units in which lengths are measured, one a feature; 0 freezes the feature.

    Works on arrays and on tensors. Without units everything is returned as it is.

    Parameters
    ----------
    unit : None, array or tensor
        Broadcasts against rows.
    """

    def __init__(self, unit):
        self.unit = self._divisor = None
        if unit is not None:
            xp = namespace(unit)
            self.unit = unit
            self._divisor = xp.where(unit > 0, unit, xp.ones_like(unit))

    def spread(self, step):
        """Return steps of the plain ball as steps of rows (frozen features: 0)."""
        return step if self.unit is None else step * self.unit

    def relative(self, delta):
        """Return differences of rows in units; those of frozen features are 0."""
        if self.unit is None:
            return delta
        xp, delta = namespace(delta), delta / self._divisor
        return xp.where(self.unit > 0, delta, xp.zeros_like(delta))

    def points(self, rows):
        """Return rows in units; frozen features keep their values."""
        return rows if self.unit is None else rows / self._divisor

    def rows(self, points):
        """Return the rows of points; the inverse of ``points``."""
        return points if self.unit is None else points * self._divisor


class Ball(NamedTuple):
    """Ball and box of the iterates of a call, where the view computes.

    ``allowed`` returns the nearest rows that may be returned for iterates and their
    places; these are judged and kept in place of the iterates, which go on from where
    they are. None: every row of ball and box may be returned.
    """

    eps: float
    norm: float
    low: Any
    high: Any
    units: FeatureUnits
    allowed: Any = None

    @classmethod
    def of(cls, view, domain):
        """Return ball and box of a domain."""
        low, high, units = domain.low, domain.high, domain.units
        if low is not None:
            low, high = view.tensor(low), view.tensor(high)
        if units.unit is not None:
            units = FeatureUnits(view.tensor(units.unit[None]))
        return cls(domain.eps, domain.norm, low, high, units)
