"""Losses, gradients and steps for the live rows of one batch under attack."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skrobust._norms import (
    inwards,
    l1_step_in_box,
    length,
    namespace,
    per_sample,
    project,
    project_in_box,
    steepest,
)
from skrobust.attacks.core.losses import loss_and_slope


class Run(NamedTuple):
    """Run of an attack: the loss, its class, and whether it rises or falls."""

    name: Any
    label: Any = None  # index of the class, one a row
    sign: int = 1
    loss: str = "soft_margin"  # a key of LOSSES
    target: Any = None  # index of the class to move to, for "targeted_dlr"


class LossOracle:
    """Gradients, the ball and the box for the live rows of a batch.

    Parameters
    ----------
    batch : Batch
        Shared by the restarts and directions of one batch.
    run : Run
        The loss that is driven.
    ball : Ball
        Where iterates may lie.
    start : array or tensor of shape (n, ...), default=None
        Rows of the ball to start from instead of the clean ones.

    Attributes
    ----------
    x : array or tensor of shape (n_live, ...)
        The clean rows that are still live.
    start : array or tensor of shape (n_live, ...)
        Their starting points: those given, or ``x``.
    has_start : bool
        Whether starting points were given.
    rows : integer array or tensor of shape (n_live,)
        Their places in the batch.
    rounds : bool
        Whether iterates are judged and kept rounded to allowed values.
    value : array or tensor of shape (n_live,)
        The loss at the last gradient, rising with success.
    """

    def __init__(self, batch, run, ball, start=None):
        xp = namespace(batch.x)
        self.batch, self.sign = batch, run.sign
        self._loss = None
        if run.loss != "soft_margin":
            self._loss = partial(loss_and_slope, run.loss)
        self.eps, self.norm, self._ball = ball.eps, ball.norm, ball
        self.rounds, self.has_start = ball.allowed is not None, start is not None
        self.value = self._judged = None
        self._n_forward = self._n_backward = self._n_calls = 0
        self._floor = self._ceiling = None  # of the ball in the maximum norm and box
        # Where looking is cheap, the fooled leave at once: no best ones to keep.
        self._keeps_last = batch.goal.stops and batch.view.leaves_at_once
        live = xp.ones_like(batch.known)
        if batch.goal.stops:
            live = batch.known & ~(batch.score > 0)
        self.rows = xp.where(live)[0]
        self.x, self.start = batch.x, batch.x if start is None else start
        self._label, self._target = run.label, run.target
        if len(self.rows) < len(batch.x):
            self._take(self.rows)

    def _take(self, places, *parts):
        """Keep only some of the live rows, and of what belongs to them."""
        same, self.x = self.start is self.x, self.x[places]
        self.start = self.x if same else self.start[places]
        self._label = self._label[places]
        if self._target is not None:
            self._target = self._target[places]
        if self._floor is not None:
            self._floor = self._floor[places]
            self._ceiling = self._ceiling[places]
        return [part[places] for part in parts]

    def __len__(self):
        return len(self.rows)

    def gradient(self, z, *state):
        """Judge the iterates z and return what goes on.

        The values of the loss, rising with success, are in ``value`` afterwards.

        Parameters
        ----------
        z : array or tensor
            Iterates of the live rows.
        *state : arrays or tensors
            Whatever else the attack keeps per live row.

        Returns
        -------
        z, gradient, *state
            Of the rows that are still live: those that are done have left.
        """
        if not len(z):  # all have left
            return z, z, *state
        batch, xp, seen = self.batch, namespace(z), z
        if z is self.x:
            logits, pullback, n_passes = batch.forward_clean(self.rows)
        else:
            batch.clean_pass = None  # two graphs would take twice the memory
            if self._ball.allowed is not None:
                seen = self._ball.allowed(z, self.rows)
                z = seen if self._ball.allowed.moves_iterate else z
            (logits, pullback), n_passes = batch.view.forward(seen), 1
        plain = logits if xp is np else logits.detach()
        value, slope, underflowed, score = batch.judge(
            seen, plain, self._label, self._loss, self._target
        )
        if not self._keeps_last:
            batch.update(seen, score, self.rows)
        gradient = pullback(slope if self.sign == 1 else -slope)
        gradient = xp.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)
        if not self._n_calls:
            has_slope = (gradient != 0).reshape((len(z), -1)).any(1)
            batch.n_zero_gradients += int((~has_slope).sum())
            if underflowed is not None:
                batch.n_underflowed += int(underflowed.sum())
        self._n_forward += n_passes
        self._n_backward += 1
        self._n_calls += 1
        self.value = value if self.sign == 1 else -value
        # On a GPU looking waits for the device: there it happens at calls 1, 2, 4, ...,
        # and rows are not moved together for a few.
        at_once, n = batch.view.leaves_at_once, self._n_calls
        if batch.goal.stops and (at_once or n & (n - 1) == 0):
            judged = score if self._keeps_last else batch.score[self.rows]
            stay = judged <= 0
            if int(stay.sum()) < (len(z) if at_once else 0.75 * len(z)):
                gone, stay = xp.where(~stay)[0], xp.where(stay)[0]
                rows = self.rows[gone]
                if self._keeps_last:
                    batch.update(seen[gone], judged[gone], rows, better=True)
                batch.passes.append((rows, self._n_forward, self._n_backward))
                parts = (self.rows, score, self.value, z, seen, gradient, *state)
                self.rows, score, self.value, z, seen, gradient, *state = self._take(
                    stay, *parts
                )
        self._judged, self._shown, self._score = z, seen, score
        return z, gradient, *state

    def finish(self, z, *, trust=False, own=False):
        """Judge the last iterates and write the best ones down.

        With ``trust`` the last iterates are taken as they are where samples may leave,
        which saves a pass: whether they fool is for the caller to ask. With ``own`` the
        iterates may be kept without a copy.
        """
        batch, trust = self.batch, trust and self.batch.goal.stops
        if len(z) and z is not self.x:
            if trust:
                score = batch.score[self.rows]
            elif z is self._judged:
                z, score = self._shown, self._score
            else:
                self._n_forward += 1
                if self._ball.allowed is not None:
                    z = self._ball.allowed(z, self.rows)
                logits = batch.view.logits(z)
                score = batch.judge(z, logits, self._label, self._loss, self._target)[3]
            if self._keeps_last or trust:
                batch.update(z if own else z + 0, score, self.rows, better=True)
                self._keeps_last = False  # from here on the better of two is kept
            else:
                batch.update(z, score, self.rows)
        batch.passes.append((self.rows, self._n_forward, self._n_backward))
        self._n_forward = self._n_backward = 0

    def steepest(self, gradient):
        """Return the unit step along which the loss rises most in the norm."""
        unit = self._ball.units.unit
        if unit is None:
            return steepest(gradient, self.norm)
        return unit * steepest(unit * gradient, self.norm)

    def step(self, z, gradient, size):
        """Return the iterates after a step of a length (or one a row), steepest first.

        In the norm 1 that is one coordinate; at a bound of the box the rest of the step
        goes to the next steepest one.
        """
        low, high, units = self._ball.low, self._ball.high, self._ball.units
        if not len(z):
            return z
        if self.norm != 1 or low is None:
            size = per_sample(size, z) if np.ndim(size) else size
            if units.unit is None:
                return z + size * steepest(gradient, self.norm)
            return z + size * self.steepest(gradient)
        low, high = units.relative(low - z), units.relative(high - z)
        step = l1_step_in_box(units.spread(gradient), size, low, high)
        return z + units.spread(step)

    def project(self, z):
        """Return the iterates put back into the ball and the box."""
        low, high, units = self._ball.low, self._ball.high, self._ball.units
        xp, x = namespace(z), self.x
        if not len(z):
            return z
        if self.norm == np.inf:
            if self._floor is None:
                unit = units.unit
                reach = self.eps if unit is None else self.eps * unit
                floor, ceiling = x - reach, x + reach
                if unit is None:
                    inwards(floor, x, self.eps)
                    inwards(ceiling, x, self.eps)
                if low is not None:
                    floor, ceiling = xp.maximum(floor, low), xp.minimum(ceiling, high)
                self._floor, self._ceiling = floor, ceiling
            return xp.clip(z, self._floor, self._ceiling)
        step = units.relative(z - x)
        if self.norm == 1 and low is not None:
            low, high = units.relative(low - x), units.relative(high - x)
            return x + units.spread(project_in_box(step, self.eps, 1, low, high))
        z = x + units.spread(project(step, self.eps, self.norm))
        return z if low is None else xp.clip(z, low, high)

    def random_start(self, rng):
        """Return random points of the ball: uniform in the cube, sphere or diamond.

        ``rng`` draws for all rows of the batch, so that what one row gets does not
        depend on which others are still live.
        """
        shape = tuple(self.batch.x.shape)
        if self.norm == np.inf:
            step = 2 * rng.random(shape) - 1
        else:
            step = np.asarray(rng.normal(size=shape), float)
            if self.norm == 1:  # exponential lengths with random signs
                step = -np.sign(step) * np.log(np.asarray(rng.random(shape), float))
            size = np.abs(step).reshape(len(step), -1).sum(axis=1)
            if self.norm == 2:
                size = length(step, 2)
            radius = rng.random((len(step),)) ** (1 / np.prod(shape[1:]))
            step = step * per_sample(radius / size, step)
        step = self.batch.view.tensor(step)[self.rows]
        if self._ball.units.unit is not None:
            step = step * self._ball.units.unit
        return self.project(self.x + self.eps * step)
