"""The geometry of an attack: steps, the ball around each row, the box of the data."""

import numpy as np

from skrobust._norms import (
    cube,
    inwards,
    length,
    namespace,
    per_sample,
    project,
    project_in_box,
    reach_in,
    spend,
    steepest,
)


class Ball:
    """Steps in a norm and the way back into the budget, for the live rows of a batch.

    A subclass has ``eps``, ``norm``, ``box`` (two bounds or None), ``unit`` (units of
    the features in which ``eps`` is meant, 0 freezes; or None), ``record``, ``x`` and
    the live rows ``_live``.
    """

    @property
    def _bounds(self):
        if self.norm != np.inf:
            return self.box
        if "floor" not in self._live:  # the cube, cut with the box
            self._live["floor"], self._live["ceiling"] = self._cube()
        return self._live["floor"], self._live["ceiling"]

    def steepest(self, gradient):
        """Return the unit step along which the loss rises most in the norm."""
        if self.unit is None:
            return steepest(gradient, self.norm)
        return self.unit * steepest(self.unit * gradient, self.norm)

    def climb(self, z, gradient, size):
        """Return the iterates after a step of a length (or one a row), steepest first.

        In the norm 1 that is one coordinate; at a bound of the box the rest of the step
        goes to the next steepest one.
        """
        low, high = self.box
        if self.norm != 1 or low is None:
            size = per_sample(size, z) if np.ndim(size) else size
            return z + size * self.steepest(gradient)
        low, high = self._in_units(low - z), self._in_units(high - z)
        if self.unit is None:
            return z + spend(gradient, size, low, high)
        return z + self.unit * spend(self.unit * gradient, size, low, high)

    def leap(self, gradient):
        """Return the points a whole radius from the clean rows, steepest first."""
        if self.norm != np.inf or self.unit is not None:
            return self.project(self.climb(self.x, gradient, self.eps))
        reach = reach_in(self.eps, self.x.dtype)
        z = self.x + reach * self.steepest(gradient)
        low, high = self.box
        if low is not None:
            z = namespace(z).clip(z, low, high)
        return inwards(z, self.x, self.eps)

    def project(self, z):
        """Return the iterates put back into the ball and the box."""
        low, high = self._bounds
        if self.norm == 1 and low is not None:
            x = self.x
            step = project_in_box(
                self._in_units(z - x), self.eps, 1,
                self._in_units(low - x), self._in_units(high - x),
            )  # fmt: skip
            return x + (step if self.unit is None else self.unit * step)
        if self.norm != np.inf:
            z = self.x + self._project(z - self.x)
            if low is None:
                return z
        return namespace(z).clip(z, low, high)

    def random_start(self, rng):
        """Return random points of the ball: uniform in the cube, sphere or diamond.

        ``rng`` draws for all rows of the batch, so that what one row gets does not
        depend on which others are still live.
        """
        shape = tuple(self.record.x.shape)
        if self.norm == np.inf:
            step = rng.uniform(-1, 1, size=shape)
        else:
            step = np.asarray(rng.normal(size=shape), float)
            if self.norm == 1:  # exponential lengths with random signs
                step = -np.sign(step) * np.log(np.asarray(rng.random(shape), float))
            size = np.abs(step).reshape(len(step), -1).sum(axis=1)
            if self.norm == 2:
                size = length(step, 2)
            radius = rng.random((len(step),)) ** (1 / np.prod(shape[1:]))
            step = step * per_sample(radius / size, step)
        step = self.record.view.tensor(step)[self._live["rows"]]
        step = step if self.unit is None else step * self.unit
        return self.project(self.x + self.eps * step)

    def _project(self, delta):
        """Return the nearest points of the ball, in the units of the features."""
        step = project(self._in_units(delta), self.eps, self.norm)
        return step if self.unit is None else self.unit * step

    def _in_units(self, delta):
        """Return differences in the units of the features; frozen ones become 0."""
        if self.unit is None:
            return delta
        xp = namespace(delta)
        frozen = self.unit == 0
        delta = delta / xp.where(frozen, xp.ones_like(self.unit), self.unit)
        return xp.where(frozen, xp.zeros_like(delta), delta)

    def _cube(self):
        low, high = self.box
        if self.unit is None:
            floor, ceiling = cube(self.x, self.eps)
        else:
            reach = self.eps * self.unit
            floor, ceiling = self.x - reach, self.x + reach
        if low is None:
            return floor, ceiling
        xp = namespace(self.x)
        return xp.maximum(floor, low), xp.minimum(ceiling, high)
