"""Bounds of the numbers inside a net within a region: intervals, then lines backward.

Intervals go forward through the layers. Linear bounds go backward from the number that
is bounded: each activation is replaced by the line below or above it, by the sign of
its coefficient (Zhang et al., NeurIPS 2018; CROWN), down to a linear function of the
input, whose least value in the region is known. Bounds of activations that are open are
found in this way first, layer by layer.
"""

import numpy as np

from skrobust._norms import indices, mask_at, namespace
from skrobust.certificates.net_layers import Activation

_NUMBERS = 8_000_000  # coefficients that are held at once
_MOST_NUMBERS = 500_000_000  # of a layer and a row; beyond, its intervals stay


class NetBounds:
    """Bounds within a region of every layer of a graph.

    Parameters
    ----------
    layers : list of Layer
        In the order of computation; the place 0 is the input, with None.
    region : Region
        Where rows may move.
    lift : callable
        From arrays of numpy to the arrays or tensors of the layers.
    refine : bool, default=True
        Whether open activations get linear bounds of their input.
    """

    def __init__(self, layers, region, lift, *, refine=True):
        self.layers, self._region = layers, region
        low, high = map(lift, region.box)
        self._low, self._high, self._rows = low, high, lift(region.rows)
        self.bounds = [(low, high)]
        for layer in layers[1:]:
            if layer.is_bent and refine:
                self._refine(layer, layer.inputs[0])
            ends = [b for i in layer.inputs for b in self.bounds[i]]
            self.bounds.append(layer.interval(*ends))

    def _refine(self, layer, place):
        """Tighten the bounds of a layer where the activation after it is open."""
        if place == 0 or (self._region.norm == np.inf and self._is_tight(place)):
            return
        if isinstance(self.layers[place], Activation):  # as tight as its input already
            return
        low, high = self.bounds[place]
        xp = namespace(low)
        n, shape = len(low), low.shape[1:]
        open_ = layer.is_open(low, high).reshape(n, -1)
        most = int(open_.sum(1).max())
        largest = max(int(np.prod(b[0].shape[1:])) for b in self.bounds)
        if not most or most * max(largest, open_.shape[1]) > _MOST_NUMBERS:
            return
        low, high = low.reshape(n, -1), high.reshape(n, -1)
        width = low.shape[1]
        order = xp.argsort(xp.where(open_, xp.zeros_like(low), xp.ones_like(low)), -1)
        largest = max(largest, width)
        step = max(1, _NUMBERS // (n * largest))
        rows = indices(n, low)[:, None]
        low, high = low + 0, high + 0  # copies
        for start in range(0, most, step):
            chosen = order[:, start : min(start + step, most)]
            count = chosen.shape[1]
            a = mask_at(chosen.reshape(-1), width).reshape((n, count, width))
            a = (a * xp.ones_like(low[:, None])).reshape((n, count, *shape))
            found = self.least(a, place), -self.least(-a, place)
            low[rows, chosen] = xp.maximum(low[rows, chosen], found[0])
            high[rows, chosen] = xp.minimum(high[rows, chosen], found[1])
        # Rounding of two proofs may cross by a hair.
        low, high = xp.minimum(low, high), xp.maximum(low, high)
        self.bounds[place] = low.reshape((n, *shape)), high.reshape((n, *shape))

    def _is_tight(self, place):
        """Say whether intervals are exact in a cube: one layer of sums at most."""
        n_sums = 0
        while place:
            layer = self.layers[place]
            if layer.is_bent or len(layer.inputs) > 1:
                return False
            n_sums += getattr(layer, "sums", False)
            (place,) = layer.inputs
        return n_sums < 2

    def least(self, a, place, slopes=None):
        """Return lower bounds of linear functions of a layer within the region.

        Parameters
        ----------
        a : array or tensor of shape (n_samples, n_bounds, ...)
            Coefficients of the layer at ``place``.
        place : int
            Of the layer.
        slopes : dict of int to tensor, default=None
            The slope below, of open activations, by place.

        Returns
        -------
        array or tensor of shape (n_samples, n_bounds)
            Nothing in the region is below.
        """
        pending, constant = {place: a}, 0.0
        for i in range(place, 0, -1):
            a = pending.pop(i, None)
            if a is None:
                continue
            layer = self.layers[i]
            slope = None if slopes is None else slopes.get(i)
            parts, added = layer.backward(a, self.bounds, slope)
            constant = constant + added
            for j, part in zip(layer.inputs, parts, strict=True):
                pending[j] = pending[j] + part if j in pending else part
        return constant + self._at_input(pending[0])

    def _at_input(self, a):
        """Return the least values of linear functions of the rows."""
        xp, region = namespace(a), self._region
        a = a.reshape((a.shape[0], a.shape[1], -1))
        low, high = (b.reshape((len(b), 1, -1)) for b in (self._low, self._high))
        # Rounding of this sum, in double precision.
        size = (xp.abs(a) * xp.maximum(xp.abs(low), xp.abs(high))).sum(2)
        by_box = (a.clip(0) * low - (-a).clip(0) * high).sum(2) - 1e-13 * size
        if region.norm == np.inf:
            return by_box
        middle = (a * self._rows.reshape((len(low), 1, -1))).sum(2) - 1e-13 * size
        if region.norm == 2:
            dual = ((a * a).sum(2)) ** 0.5
        else:
            dual = xp.amax(xp.abs(a), 2)
        return xp.maximum(by_box, middle - region.eps * dual)

    def rounding(self, unit):
        """Return bounds of the rounding errors of the last layer, by its numbers.

        Parameters
        ----------
        unit : float
            Half the distance from 1 to the next number of the precision.
        """
        errors = []
        for layer, (low, high) in zip(self.layers, self.bounds, strict=True):
            xp = namespace(low)
            size = xp.maximum(xp.abs(low), xp.abs(high))
            if layer is None:
                errors.append(unit * size)
            else:
                parts = []
                for i in layer.inputs:
                    ends = self.bounds[i]
                    parts += [xp.maximum(*map(xp.abs, ends)), errors[i]]
                errors.append(layer.error(*parts, unit))
        return errors[-1]
