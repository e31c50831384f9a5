"""Feasible sets of adversarial rows: ball, box and constraints, in feature units."""

import os
from concurrent.futures import ThreadPoolExecutor
from copy import copy

import numpy as np

from skrobust._keyed_noise.splitmix import chunks
from skrobust._norms import length, per_sample, project
from skrobust.base.ball import FeatureUnits
from skrobust.base.constraint_reader import Reader
from skrobust.base.linear_relation import read_relations
from skrobust.base.relations import SWEEPS, Relations

_SMALL = 1 << 16  # values that fit the cache at once
_LARGE = 1 << 22  # values from which on several threads pay


def _row_chunks(rows, n=None):
    """Slice n rows so that what is worked on at a time stays in the cache."""
    width = int(np.prod(rows.shape[1:]))
    return chunks(len(rows) if n is None else n, width)


class Domain:
    """Feasible set of the adversarial rows of one call.

    Parameters
    ----------
    values : ndarray of shape (n_samples, ...), float
        Clean rows.
    constraints : Constraints or None
        Beyond ball and box; features by position.
    eps, norm, data_range : float, {inf, 2, 1}, None or (low, high)
        Ball and box.
    caller : str
        Name of the public function or class, for error messages.
    """

    def __init__(self, values, constraints, *, eps, norm, data_range, caller):
        self.values, self.eps, self.norm = values, eps, norm
        self._caller = caller
        self.low = self.high = unit = None
        if data_range is not None:
            self.low, self.high = (np.asarray(b, dtype=np.float64) for b in data_range)
        self._levels, self._integer, self._groups = {}, np.array([], dtype=int), []
        self._relations = None
        if constraints is not None:
            reader = Reader(values, caller)
            frozen = reader.places(constraints.frozen, "frozen")
            unit = reader.unit(constraints.scale, frozen, constraints.costs)
            self._integer = reader.integers(constraints.integer)
            self._levels = reader.levels(constraints.valid_values)
            self._groups = reader.groups(constraints.one_hot)
        self.units = FeatureUnits(unit)
        if constraints is not None and constraints.relations is not None:
            names = {f"x{i}": i for i in range(values[:1].size)}
            found = read_relations(constraints.relations, names)
            self._relations = Relations(found, values, unit, caller) if found else None
        # Whether some features take separate values alone, or depend on others.
        self.has_levels = bool(len(self._integer) or self._levels or self._groups)
        self.is_discrete = self.has_levels or self._relations is not None

    def without_ball(self):
        """Return the same domain with no bound on the length."""
        free = copy(self)
        free.eps = np.inf
        return free

    def length(self, delta):
        """Return the length of each difference, in units of the features."""
        if not len(delta):
            return np.zeros(0)
        delta = np.asarray(delta, dtype=np.float64)
        if self.units.unit is not None:
            delta = self.units.relative(delta)
        return length(delta, self.norm)

    def distance(self, rows, clean):
        """Return how far rows are from their clean rows, in units of the features."""
        out = np.zeros(len(rows))
        for part in _row_chunks(rows):
            delta = np.subtract(rows[part], clean[part], dtype=np.float64)
            out[part] = self.length(delta)
        return out

    def put_back(self, candidates, values):
        """Return rows of the domain near the candidates, in the dtype of ``values``.

        What lies in the domain already comes back bit for bit.

        Parameters
        ----------
        candidates : ndarray of shape (n, ...)
            Any rows; a value that is not finite counts as the clean one.
        values : ndarray of shape (n, ...), float
            The clean row of each candidate.

        Returns
        -------
        ndarray of shape (n, ...)
            Never further from its clean row than eps.
        """
        if candidates.shape != values.shape:
            raise ValueError(
                f"{self._caller}._attack must keep the shape {values.shape}; it "
                f"returned {candidates.shape}."
            )
        # Rows in doubt are put back, too.
        inside = np.zeros(len(values), dtype=bool)
        if not self.is_discrete and candidates.dtype == values.dtype:
            if 0 < values.size <= _SMALL:
                inside = self._is_inside(candidates, values)
            else:
                self._find_inside(candidates, values, inside)
        away = np.flatnonzero(~inside)
        if len(away) == 0:
            shares = np.may_share_memory(candidates, values)
            return candidates.copy() if shares else candidates
        out = candidates.astype(values.dtype)
        for part in _row_chunks(out, len(away)):
            rows = part if len(away) == len(out) else away[part]  # a slice copies less
            out[rows] = self._put_back(candidates[rows], values[rows])
        return out

    def _find_inside(self, candidates, values, inside):
        """Write down which rows can stay as they are."""

        def find(part):
            inside[part] = self._is_inside(candidates[part], values[part])

        parts = list(_row_chunks(values))
        if values.size < _LARGE:
            list(map(find, parts))
        else:  # beside a fast net the host's pass over large images is felt
            with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
                list(pool.map(find, parts))

    def _is_inside(self, rows, clean):
        flat, unit = rows.reshape(len(rows), -1), self.units.unit
        with np.errstate(over="ignore", invalid="ignore"):
            delta = np.subtract(rows, clean, dtype=np.float64)
            size = length(
                delta if unit is None else self.units.relative(delta), self.norm
            )
        fits = (size <= self.eps) & np.isfinite(size)
        if self.norm == 0:  # which counts what is not finite as one
            fits &= np.isfinite(delta).reshape(flat.shape).all(axis=1)
        if self.low is not None:  # as the clean rows round the bounds
            low, high = self.low.astype(clean.dtype), self.high.astype(clean.dtype)
            if low.ndim == 0 and high.ndim == 0:
                fits &= (flat.min(axis=1) >= low) & (flat.max(axis=1) <= high)
            else:
                inside = (rows >= low) & (rows <= high)
                fits &= inside.reshape(flat.shape).all(axis=1)
        if unit is not None:
            still = (rows == clean) | (unit > 0)
            fits &= still.reshape(flat.shape).all(axis=1)
        return fits

    def _put_back(self, candidates, values):
        exact = values.astype(np.float64)
        finite = np.isfinite(candidates)
        candidates = candidates.astype(np.float64)
        if not finite.all():
            candidates = np.where(finite, candidates, exact)
        out = self._into_ball(candidates, exact)
        if self.low is not None:
            out = np.clip(out, self.low, self.high)
        if self._relations is not None:
            out = self._swept(out, exact)
            out = self._relations.shortened(out, exact)
        if self.is_discrete:
            out = self._onto_levels(out, exact)
        if self._relations is not None:
            ways = self._fits, self._onto_levels, self._shortened
            out = self._relations.settle(out, exact, *ways)
        return self._round_inwards(out, exact, values)

    def _swept(self, rows, exact):
        """Project rows onto relations, ball and box by turns, each until it rests."""
        out, left = rows.copy(), np.arange(len(rows))
        for _ in range(SWEEPS):
            before = out[left]
            after = self._into_ball(self._relations.projected(before), exact[left])
            after = after if self.low is None else np.clip(after, self.low, self.high)
            out[left] = after
            moved = np.abs(after - before).reshape(len(left), -1).max(axis=1)
            size = np.abs(after).reshape(len(left), -1).max(axis=1)
            left = left[moved > 1e-13 * size]
            if not len(left):
                break
        return out

    def _into_ball(self, candidates, exact):
        delta, unit = candidates - exact, self.units.unit
        if unit is not None:
            candidates = np.where(unit > 0, candidates, exact)
        beyond = np.flatnonzero(~(self.length(delta) <= self.eps))
        if len(beyond):
            inside = project(self.units.relative(delta[beyond]), self.eps, self.norm)
            candidates = np.array(candidates, dtype=np.float64)
            candidates[beyond] = exact[beyond] + self.units.spread(inside)
        return candidates

    def _shortened(self, rows, exact):
        """Move continuous features back towards x as far as ball and box ask for.

        All by the same share, so that linear relations still hold.
        """
        step = rows - exact
        size = self.length(step)
        share = np.minimum(1.0, self.eps / np.where(size > 0, size, 1.0))
        if self.low is not None:
            room = np.where(step > 0, self.high - exact, exact - self.low)
            room = np.maximum(room, 0.0)
            over = np.abs(step) > room
            ratio = np.where(over, room / np.where(over, np.abs(step), 1.0), 1.0)
            share = np.minimum(share, ratio.reshape(len(rows), -1).min(axis=1))
        short = exact + per_sample(np.where(share < 1, share, 1.0), rows) * step
        changed = ~self._separate(rows) & per_sample(share < 1, rows)
        return np.where(changed, short, rows)

    def _fits(self, rows, exact):
        """Say which rows lie in the ball and the box."""
        fits = self.length(rows - exact) <= self.eps
        if self.low is not None:
            in_box = (rows >= self.low) & (rows <= self.high)
            fits &= (in_box | (rows == exact)).reshape(len(rows), -1).all(axis=1)
        return fits

    def _onto_levels(self, rows, exact):
        """Move to the nearest levels, or, where that leaves the domain, towards x."""
        nearest = self._rounded(rows, exact, towards=False)
        fits = self._fits(nearest, exact)
        if fits.all():
            return nearest
        inwards = self._rounded(rows, exact, towards=True)
        return np.where(per_sample(fits, rows), nearest, inwards)

    def _rounded(self, rows, exact, *, towards):
        flat, clean = rows.reshape(len(rows), -1).copy(), exact.reshape(len(rows), -1)
        places = self._integer
        if towards:
            step = flat[:, places] - clean[:, places]
            flat[:, places] = clean[:, places] + np.trunc(step)
        else:
            flat[:, places] = np.round(flat[:, places])
        for place, levels in self._levels.items():
            gap = np.abs(levels - flat[:, [place]])
            if towards:
                low = np.minimum(flat[:, [place]], clean[:, [place]])
                high = np.maximum(flat[:, [place]], clean[:, [place]])
                gap = np.where((levels >= low) & (levels <= high), gap, np.inf)
            flat[:, place] = levels[gap.argmin(axis=1)]
        for group in self._groups:
            hot = flat[:, group].argmax(axis=1)
            switched = np.arange(len(group)) == hot[:, None]
            flat[:, group] = clean[:, group] if towards else switched
        return flat.reshape(rows.shape)

    def _round_inwards(self, out, exact, values):
        """Return rows in the dtype of ``values``; rounding must not leave the ball."""
        out = out.astype(values.dtype)
        beyond = np.flatnonzero(~(self.length(out - exact) <= self.eps))
        for n_steps in (1, 2, 4, 8):
            if n_steps > 1:  # the others have not moved since
                size = self.length(out[beyond] - exact[beyond])
                beyond = beyond[~(size <= self.eps)]
            if not len(beyond):
                return out
            there, clean = out[beyond], values[beyond]
            # A step must be seen in the difference, so it is one of the larger number.
            step = n_steps * np.spacing(np.maximum(np.abs(there), np.abs(clean)))
            moved = there - np.minimum(np.maximum(there - clean, -step), step)
            if self.is_discrete:
                moved = np.where(self._separate(values), there, moved)
            out[beyond] = moved
        # Numbers beyond those of the precision, or levels that it does not hold.
        out[beyond] = values[beyond]
        return out

    def _separate(self, values):
        """Return the mask of features that must not be nudged."""
        mask = np.zeros(int(np.prod(values.shape[1:])), dtype=bool)
        mask[self._integer] = True
        mask[list(self._levels)] = True
        for group in self._groups:
            mask[group] = True
        return mask.reshape(values.shape[1:])
