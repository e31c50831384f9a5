"""Between the points that a search moves and the rows that a model may see."""

import numpy as np


class Ground:
    """Rows of the constraints for points of a search, in the units of the features.

    Where features take separate values alone, a search moves between them, but the
    model is shown the nearest row that is allowed: what fools is then a row that can be
    returned, and the gradient is that of a row that can exist (taken straight through
    the rounding).

    Parameters
    ----------
    view : view
        The model; rows live where it computes.
    domain : Domain
        What rows may be.
    values : ndarray of shape (n, ...)
        Clean rows on the host.
    """

    def __init__(self, view, domain, values):
        self.view, self.domain, self.values = view, domain, values
        self._unit = self._safe = None
        if domain.unit is not None:
            self._unit = view.tensor(domain.unit[None])
            self._safe = view.tensor(np.where(domain.unit > 0, domain.unit, 1.0)[None])

    def in_units(self, raw):
        """Return rows as points; frozen features keep their values."""
        return raw if self._safe is None else raw / self._safe

    def raw(self, z):
        """Return points as rows, wherever they lie."""
        return z if self._safe is None else z * self._safe

    def slope(self, gradient):
        """Return gradients by rows as gradients by points; frozen features have 0."""
        return gradient if self._unit is None else gradient * self._unit

    def allowed(self, raw, rows=None):
        """Return the nearest rows that are allowed; the same where nothing is round."""
        if not self.domain.is_discrete:
            return raw
        clean = self.values if rows is None else self.values[self.view.host(rows)]
        return self.view.tensor(self.domain.put_back(self.view.host(raw), clean))
