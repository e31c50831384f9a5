"""Straight-through rounding of iterates onto the feasible set."""


class StraightThrough:
    """Straight-through rounding: the nearest rows that the constraints allow.

    Where features take separate values alone, a search moves between them, but the
    model is shown the nearest row that is allowed: what fools is then a row that can be
    returned. The gradient is taken at that row and moves the point behind it.

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
        self._view, self._domain, self._values = view, domain, values
        # Without separate levels the iterate itself goes on from the allowed row.
        self.moves_iterate = not domain.has_levels

    def __call__(self, raw, rows=None):
        """Return the allowed rows nearest to those of some places (None: all)."""
        clean = self._values if rows is None else self._values[self._view.host(rows)]
        return self._view.tensor(self._domain.put_back(self._view.host(raw), clean))
