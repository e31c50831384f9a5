"""Walk of HopSkipJump in the maximum norm: over corners of shrinking cubes."""

import numpy as np

from skrobust.attacks.core.boundary_walk import BoundaryWalk

_SHRINK = 0.98  # a flip must keep the model fooled in a cube smaller by this factor
_FLIPS = 4  # blocks tried in one call of the model
_CORNERS = 2  # of these are corners of the ball where it is finite
_CALLS, _SECTIONS = 2, 3  # of looking for the boundary between two cubes


class CornerWalk(BoundaryWalk):
    """Walk over corners of cubes around each clean row.

    A fooling point of the maximum norm is a corner of its cube, except for features
    that need not move so far. Blocks of features, halved again and again, change to the
    other side; where the model stays fooled in a smaller cube, the cube shrinks to the
    boundary. The direction that :class:`BoundaryWalk` reads off labels is not of use
    here: its signs turn most features the wrong way as long as few labels were seen.
    """

    def __init__(self, attack, search, rows):
        super().__init__(attack, search, rows)
        self._n_blocks = np.full(len(self.x), min(_FLIPS, self._d))
        self._block = np.zeros(len(self.x), dtype=int)
        self._n_calls = 0

    def jump(self, rows, step):
        """Try as many flips as a step of the other norms has directions."""
        n = int(self._attack.n_directions * np.sqrt(step))
        for _ in range(max(1, n // _FLIPS)):
            size = self.score[rows]
            rows = rows[(size > self._near_enough) & (self._search.left(rows) > 0)]
            if not len(rows):
                return
            self._flip(rows)

    def _flip(self, rows):
        """Turn blocks of features of each row, one at a time, to the other side."""
        self._n_calls += 1
        place = np.arange(self._d) / self._d
        blocks = self._block[rows, None] + np.arange(_FLIPS)
        n = self._n_blocks[rows, None]
        blocks = blocks % n
        turned = (place * n).astype(int)[:, None] == blocks[..., None]
        shape = (len(rows), _FLIPS, *self.x.shape[1:])
        draws = self._search.rng(-10 - self._n_calls, rows).random(shape)
        gap = self._gap(rows)[:, None]
        bound = self._bound(_SHRINK * self.score[rows, None])
        # What lies inside of the cube goes to either side of it.
        side = np.where(np.abs(gap) >= bound, -np.sign(gap), np.sign(draws - 0.5))
        flipped = np.where(turned.reshape(shape), side * bound, gap.clip(-bound, bound))
        if self._near_enough:  # and corners of the ball itself, half of them anew
            near = self._near_enough * np.sign(flipped[:, :_CORNERS])
            anew = np.where(draws[:, _CORNERS : 2 * _CORNERS] < 0.25, -near, near)
            flipped[:, :_CORNERS] = anew
        found, _ = self._ask(rows, flipped)
        self._shrink(rows[found])
        self._block[rows] += _FLIPS
        through = rows[self._block[rows] >= self._n_blocks[rows]]
        self._block[through] = 0
        n = self._n_blocks[through]
        finer = np.minimum(2 * n, self._d)
        self._n_blocks[through] = np.where(n == self._d, min(_FLIPS, self._d), finer)

    def _shrink(self, rows):
        """Look for the boundary between half of the cube of each row and all of it."""
        low = np.maximum(0.5 * self.score[rows], 0.999 * self._near_enough)
        inner = np.arange(1, _SECTIONS + 1) / (_SECTIONS + 1)
        for _ in range(_CALLS):
            size = self.score[rows]
            go = (size > self._near_enough) & (size - low > 0.01 * size)
            go &= self._search.left(rows) > 0
            rows, low = rows[go], low[go]
            if not len(rows):
                return
            sizes = low[:, None] + inner * (self.score[rows] - low)[:, None]
            bound = self._bound(sizes)
            found, first = self._ask(rows, self._gap(rows)[:, None].clip(-bound, bound))
            below = np.column_stack([low, sizes])[np.arange(len(rows)), first]
            low = np.where(found, below, sizes[:, -1])

    def _gap(self, rows):
        x = self.x[rows].astype(np.float64)
        return self._search.domain.units.relative(self.iterate[rows] - x)

    def _bound(self, sizes):
        return sizes.reshape(sizes.shape + (1,) * (self.x.ndim - 1))

    def _ask(self, rows, gaps):
        """Keep the first of some points that fools; say where, and which it was."""
        points = self.x[rows][:, None] + self._search.domain.units.spread(gaps)
        points, fooled = self._search.fooled(rows, points)
        found, first = fooled.any(axis=1), fooled.argmax(axis=1)
        self._move(rows[found], points[np.arange(len(rows)), first][found])
        return found, first
