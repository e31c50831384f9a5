"""Rows among the cells of an ensemble of trees: what is in reach, and how far."""

import warnings
from copy import copy

import numpy as np

from skrobust._norms import length
from skrobust.attacks.trees.tree_boxes import LeafBoxes, Reach
from skrobust.base.constraint_reader import Reader


class TreeRows:
    """Rows among the cells of an ensemble of trees.

    Parameters
    ----------
    model : TreeModel
        The trees behind their scalers.
    values : ndarray of shape (n_samples, n_features), float
        Clean raw rows; missing values stay missing.
    norm : {inf, 2, 1}
        Norm of lengths.
    data_range : None or (low, high)
        Bounds of the raw input.
    constraints : Constraints or None
        Frozen, integer and categorical features, and units. Categories of the trees
        without ``valid_values`` stay as they are.
    caller : str
        For error messages.
    """

    def __init__(self, model, values, *, norm, data_range, constraints, caller):
        width = model.trees.n_features
        if values.ndim != 2 or values.shape[1] != width:
            raise ValueError(
                f"{caller} got rows of shape {values.shape[1:]}; the model takes "
                f"{width} features."
            )
        self.model, self.norm, self.given = model, norm, values.dtype
        self.values = values.astype(np.float64)
        self.missing = np.isnan(self.values)
        self.seen = model.seen(values)
        self.exact = self.values * model.scale + model.shift
        self.data_range = None
        if data_range is not None:
            ends = (np.asarray(end, dtype=np.float64) for end in data_range)
            self.data_range = [np.broadcast_to(end, (width,)) for end in ends]
        self.unit = np.ones(width)
        reader = None if constraints is None else Reader(values, caller)
        self.groups = [] if reader is None else reader.groups(constraints.one_hot)
        self.boxes = LeafBoxes(model.trees, self._switch_cuts())
        self.codes, self.levels = {}, {}
        self._read_constraints(constraints, reader)
        self._measure_cells()
        self.scores = model.trees.scores(self.seen)

    def _switch_cuts(self):
        """Return a cut between 0 and 1 of each feature of a one-hot group."""
        features = np.concatenate([*self.groups, np.zeros(0, dtype=int)])
        ends = np.zeros((2, self.values.shape[1]), dtype=self.given)
        ends[1] = 1
        middle = self.model.trees.in_its_precision(self.model.seen(ends).mean(axis=0))
        return {int(f): middle[f] for f in features}

    def _read_constraints(self, constraints, reader):
        categorical = self.model.trees.categorical
        if constraints is not None:
            frozen = reader.places(constraints.frozen, "frozen")
            unit = reader.unit(constraints.scale, frozen)
            self.unit = self.unit if unit is None else unit
            listed = reader.levels(constraints.valid_values)
            listed.update({f: np.array([0.0, 1.0]) for g in self.groups for f in g})
            for f in reader.integers(constraints.integer):
                listed.setdefault(int(f), self._near_cuts(f))
            for f, levels in listed.items():
                if f in categorical:
                    self.codes[f] = levels
                    self.boxes.last[f] = len(levels) - 1
                else:
                    self.levels[f] = levels, self._cells_of(f, levels)
        self.unit[[f for f in categorical if f not in self.codes]] = 0.0

    def _near_cuts(self, f):
        """Return the whole numbers next to the cuts of a feature."""
        cuts = self.boxes.cuts[f][np.isfinite(self.boxes.cuts[f])]
        raw = np.floor((cuts - self.model.shift[f]) / self.model.scale[f])
        return np.unique(raw[:, None] + np.arange(-1, 3))

    def _cells_of(self, f, levels):
        rows = np.zeros((len(levels), len(self.unit)), dtype=self.given)
        rows[:, f] = levels
        return np.searchsorted(self.boxes.cuts[f], self.model.seen(rows)[:, f])

    def _measure_cells(self):
        """Lay out the cells of all features side by side."""
        last = self.boxes.last
        self.offset = np.r_[0, np.cumsum(last + 1)[:-1]]
        self._feature = np.repeat(np.arange(len(last)), last + 1)
        edges = [self.boxes.edges(f) for f in range(len(last))]
        for f, codes in self.codes.items():
            edges[f] = codes, codes
        self._low = np.concatenate([low for low, _ in edges])
        self._high = np.concatenate([high for _, high in edges])
        self._near = self._low, self._high
        if self.model.trees.dtype is np.float32 and self.given != np.float32:
            numbers = np.isin(self._feature, list(self.codes), invert=True)
            self._near = tuple(
                np.where(numbers, _rounded_into(ends, side), ends)
                for ends, side in ((self._low, -1), (self._high, 1))
            )
        # Behind a cut at infinity are missing values alone.
        fine = (self._low < np.inf) & (self._high > -np.inf)
        if self.data_range is not None:
            ends = [
                self.model.seen(e[None].astype(self.given))[0] for e in self.data_range
            ]
            low, high = np.minimum(*ends), np.maximum(*ends)
            fine &= self._high >= low[self._feature]
            fine &= self._low <= high[self._feature]
        self._fine = fine
        self.own = self.boxes.cells(np.where(np.isnan(self.seen), 0.0, self.seen))
        for f, codes in self.codes.items():
            self.own[:, f] = np.searchsorted(codes, self.values[:, f])

    def taken(self, places):
        """Return some of the rows."""
        some = copy(self)
        for name in ("values", "missing", "seen", "exact", "own", "scores"):
            setattr(some, name, getattr(self, name)[places])
        return some

    def ways(self, i):
        """Return how far each cell is from a row, in units; inf: out of reach."""
        f = self._feature
        exact = self.exact[i][f]
        gap = np.maximum(self._near[0] - exact, exact - self._near[1])
        scale = np.abs(self.model.scale)
        for c in self.codes:
            scale = np.where(np.arange(len(scale)) == c, 1.0, scale)
        unit = self.unit * scale
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            way = np.where(self._fine & (unit[f] > 0), gap / unit[f], np.inf)
        way = np.maximum(way, 0.0)
        for c, (levels, cells) in self.levels.items():
            here = slice(self.offset[c], self.offset[c] + self.boxes.last[c] + 1)
            found = np.full(self.boxes.last[c] + 1, np.inf)
            far = np.abs(levels - self.values[i, c])
            far = far / self.unit[c] if self.unit[c] > 0 else np.full(len(far), np.inf)
            np.minimum.at(
                found, cells, np.where(self._in_range(c, levels), far, np.inf)
            )
            way[here] = np.where(np.isfinite(way[here]), found, np.inf)
        way[self.offset + self.own[i]] = 0.0
        return way

    def _in_range(self, f, levels):
        if self.data_range is None:
            return np.ones(len(levels), dtype=bool)
        low, high = self.data_range
        return (levels >= low[f]) & (levels <= high[f])

    def reach(self, i, ways, eps, *, sound=False):
        """Return the cells within eps of a row.

        With ``sound`` those that rounding may bring within reach are in it, too.
        """
        if sound:
            # Differences are rounded, and so is what scalers return.
            kind = self.given if self.model.steps else np.float64
            size = np.abs(np.where(self.missing[i], 0.0, self.values[i])) + eps
            size = size + np.abs(self.model.shift / self.model.scale)
            slack = 4 * np.finfo(kind).eps * size
            eps = eps + (slack / np.where(self.unit > 0, self.unit, 1.0))[self._feature]
        inside = (ways <= eps) & np.isfinite(ways)
        places = np.flatnonzero(inside)
        features = self._feature[places]
        begins = np.searchsorted(features, np.arange(len(self.unit)))
        ends = np.searchsorted(features, np.arange(len(self.unit)), side="right") - 1
        low, high = places[begins] - self.offset, places[ends] - self.offset
        missing = self.missing[i]
        low, high = np.where(missing, 0, low), np.where(missing, self.boxes.last, high)
        levels = {}
        for f in self.levels:
            cells = np.flatnonzero(inside[self.offset[f] :][: self.boxes.last[f] + 1])
            levels[f] = cells
        return Reach(self.own[i], low, high, missing, self.seen[i], levels, self.codes)

    def switches(self, reach):
        """Return the boxes of one-hot groups, one of which holds."""
        out = []
        for group in self.groups:
            cells = np.array([self.levels[f][1] for f in group])  # of 0 and of 1
            hot = np.eye(len(group), dtype=int)
            boxes = cells[np.arange(len(group)), hot]
            fine = (boxes >= reach.low[group]) & (boxes <= reach.high[group])
            boxes = boxes[fine.all(axis=1)]
            out.append((group, boxes, boxes))
        return out

    def groups_of(self, reach, weights, join="all"):
        """Return the boxes in reach with the values of sums of scores."""
        return self.boxes.groups(reach, weights, self.switches(reach), join)

    def far(self, ways, features, i):
        """Return the function from boxes of cells to the ways to them."""
        base, own = self.offset[features], self.own[i][features].astype(np.int32)

        def far(low, high):
            cell = np.minimum(np.maximum(own, low), high)
            gap = ways[base + cell]
            if self.norm == np.inf:
                return gap.max(axis=-1, initial=0.0)
            if self.norm == 1:
                return gap.sum(axis=-1)
            return np.sqrt((gap * gap).sum(axis=-1))

        return far

    def points(self, i, features, low, high):
        """Return what trees see at the nearest points of boxes of cells."""
        out = np.tile(self.seen[i], (len(low), 1))
        base = self.offset[features]
        inside = (low <= self.own[i][features]) & (self.own[i][features] <= high)
        near = np.clip(out[:, features], self._low[base + low], self._high[base + high])
        stays = inside | self.missing[i][features]
        out[:, features] = np.where(stays, out[:, features], near)
        return out

    def length(self, delta):
        """Return the lengths of differences of raw rows, in units."""
        fine = np.isfinite(delta) & (self.unit > 0)
        return length(
            np.where(fine, delta / np.maximum(self.unit, 1e-300), 0), self.norm
        )

    def row(self, i, box):
        """Return the raw row nearest to row i in a box; others keep every bit.

        ``box`` is (features, low, high) in cells, or None: the row itself.
        """
        x = self.values[i].copy()
        if box is None:
            return x
        features, low, high = box
        ends = np.full_like(x, -np.inf), np.full_like(x, np.inf)
        fixed = np.zeros(len(x), dtype=bool)
        for f, a, b in zip(features, low, high, strict=True):
            if self.missing[i, f] or a <= self.own[i, f] <= b:
                continue
            at = self.offset[f]
            if f in self.levels or f in self.codes:
                x[f], fixed[f] = self._nearest_level(i, f, a, b), True
                continue
            ends[0][f], ends[1][f] = self._low[at + a], self._high[at + b]
            near = self._near[0][at + a], self._near[1][at + b]
            target = np.clip(self.exact[i, f], *near)
            x[f] = (target - self.model.shift[f]) / self.model.scale[f]
        if self.data_range is not None:
            x = np.where(self.missing[i] | fixed, x, np.clip(x, *self.data_range))
        return self._into(x, *ends)

    def _nearest_level(self, i, f, a, b):
        if f in self.codes:
            return self.codes[f][np.clip(self.own[i, f], a, b)]
        levels, cells = self.levels[f]
        fine = (cells >= a) & (cells <= b) & self._in_range(f, levels)
        far = np.where(fine, np.abs(levels - self.values[i, f]), np.inf)
        return levels[far.argmin()]

    def _into(self, x, low, high):
        """Return a raw row, in the precision of the raw rows, within bounds.

        Rounding, that of the scalers too, may leave it on the wrong side of a border:
        such features go a few steps of that precision further.
        """
        scale, shift = self.model.scale, self.model.shift
        x = x.astype(self.given)
        offset = np.abs(shift / scale)
        for n_steps in (1, 2, 4, 8, 16):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                seen = self.model.seen(x[None])[0]
            short = np.nan_to_num(np.sign(np.clip(seen, low, high) - seen))
            if not short.any():
                break
            large = np.maximum(np.abs(np.nan_to_num(x)), offset).astype(self.given)
            x = (x + np.sign(scale) * short * n_steps * np.spacing(large)).astype(
                self.given
            )
        return x.astype(np.float64)


def _rounded_into(edges, side):
    """Return the farthest numbers that single precision rounds to edges of cells.

    Rows in double precision are in a cell as soon as rounding takes them there.
    """
    single = edges.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        beyond = np.nextafter(single, np.float32(side * np.inf)).astype(np.float64)
        middle = (edges + beyond) / 2
        near = np.nextafter(middle, -side * np.inf)
    return np.where(np.isfinite(near), near, edges)
