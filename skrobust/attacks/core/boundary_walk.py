"""Boundary walk of HopSkipJump, for many rows in step."""

import numpy as np
from scipy.spatial.distance import cdist

from skrobust._norms import length, per_sample
from skrobust.attacks.core.goal import BestSoFar

_METRICS = {np.inf: "chebyshev", 2: "euclidean", 1: "cityblock"}
_N_STARTS = 5  # nearest rows of another class that are tried
_N_UNDOINGS = 2
_N_PARTS = 64  # features are undone one by one, or in so many parts
_AT_ONCE = 10  # points of the surface in one call
_SECTIONS = 7  # points of a line in one call: three halvings


class BoundaryWalk(BestSoFar):
    """Walk along the decision boundary from an adversarial point to each clean row.

    The iterate of a row is its fooling point, and the score how far that is: inf where
    there is none yet.

    Parameters
    ----------
    attack : HopSkipJump
        Its parameters.
    search : QuerySearch
        The block of rows.
    rows : integer ndarray
        Rows of the block that are to be attacked.
    """

    def __init__(self, attack, search, rows):
        self._attack, self._search = attack, search
        self.x = search.x
        search.domain = search.domain.without_ball()
        super().__init__(self.x, np.full(len(self.x), np.inf))
        self._near_enough = attack.eps if attack.eps < np.inf else 0.0
        self._all = rows
        d = int(np.prod(self.x.shape[1:]))
        self._fine = d**-1.5 if attack.norm == 2 else d**-2.0
        self._d = d

    def rows(self):
        """Return the rows with a fooling point, not yet near enough, and budget."""
        size = self.score[self._all]
        rows = self._all[np.isfinite(size) & (size > self._near_enough)]
        return rows[self._search.left(rows) > 0]

    def write_down(self):
        """Hand over the points inside the ball."""
        found = self._all[np.isfinite(self.score[self._all])]
        found = found[self.score[found] <= self._attack.eps]
        self._search.keep(found, self.iterate[found])

    def look_on_surface(self, n):
        """Ask about random points of the surface of the ball; one that fools stays.

        In the maximum norm they are corners, and in the norm 1 they move few features.
        Where the model is far from smooth, they find what no walk finds.
        """
        search, norm, k = self._search, self._attack.norm, min(n, _AT_ONCE)
        for number in range(-(-n // k)):
            rows = self._all[~np.isfinite(self.score[self._all])]
            rows = rows[search.left(rows) > 0]
            if not len(rows):
                return
            rng = search.rng(-1000 - number, rows)
            shape = (len(rows), k, *self.x.shape[1:])
            step = np.asarray(rng.normal(size=shape), dtype=np.float64)
            step = {np.inf: np.sign(step), 2: step, 1: step**3}[norm]
            flat = step.reshape(-1, *self.x.shape[1:])
            flat = flat * per_sample(self._attack.eps / length(flat, norm), flat)
            points = self.x[rows][:, None] + search.domain.units.spread(
                flat.reshape(shape)
            )
            self._keep_nearest(rows, points)

    def find_starts(self):
        """Take the nearest start that fools, else random points, the nearest ones."""
        if self._search.prepared is not None:
            self._from_pool(*self._search.prepared)
        for spread in range(2):
            rows = self._all[~np.isfinite(self.score[self._all])]
            rows = rows[self._search.left(rows) > 0]
            if len(rows):
                self._keep_nearest(rows, self._random_points(rows, spread))
        missing = int((~np.isfinite(self.score[self._all])).sum())
        if missing:
            self._search.messages.append(
                f"HopSkipJump found no fooling point to start from for {missing} rows; "
                "they come back unchanged. Give training rows as starts=."
            )

    def _from_pool(self, pool, labels):
        search, domain = self._search, self._search.domain
        flat = domain.units.relative(pool.astype(np.float64)).reshape(len(pool), -1)
        clean = domain.units.relative(self.x[self._all].astype(np.float64))
        gaps = cdist(clean.reshape(len(clean), -1), flat, _METRICS[self._attack.norm])
        gaps[~search.wants(labels, self._all[:, None])] = np.inf
        k = min(_N_STARTS, len(pool))
        nearest = np.argsort(gaps, axis=1, kind="stable")[:, :k]
        self._keep_nearest(self._all, pool[nearest])

    def _random_points(self, rows, spread):
        """Return 64 points of the box, or, without one, at growing lengths."""
        domain, n = self._search.domain, 64
        size = (len(rows), n, *self.x.shape[1:])
        rng = self._search.rng(-1 - spread, rows)
        if domain.low is not None:
            share = rng.random(size)
            if spread:  # corners of the box
                share = np.round(share)
            return domain.low + share * (domain.high - domain.low)
        ladder = 2.0 ** np.linspace(-4, 4, n) * 16.0**spread
        step = rng.normal(size=size) * ladder.reshape(n, *(1,) * (len(size) - 2))
        base = np.abs(self.x[rows]).astype(np.float64)
        base = np.maximum(per_sample(length(base, np.inf), base), 1.0)
        scaled = step if domain.units.unit is not None else step * base[:, None]
        return self.x[rows][:, None] + domain.units.spread(scaled)

    def _keep_nearest(self, rows, candidates):
        """Keep the fooling candidate nearest to the clean row, where it is nearer."""
        candidates, fooled = self._search.fooled(rows, candidates)
        clean = np.repeat(self.x[rows], candidates.shape[1], axis=0)
        gap = candidates.reshape(-1, *self.x.shape[1:]) - clean
        size = self._search.domain.length(gap).reshape(fooled.shape)
        size = np.where(fooled, size, np.inf)
        best = np.arange(len(rows)), size.argmin(axis=1)
        size = size[best]
        self.update(candidates[best], size, rows, better=size < self.score[rows])

    def to_boundary(self, rows):
        """Go to the boundary between each point and its clean row."""
        low, high = np.zeros(len(rows)), np.ones(len(rows))
        far, reach = self.iterate[rows].copy(), self.score[rows].copy()
        n_calls = int(np.ceil(np.log2(1 / self._fine) / np.log2(_SECTIONS + 1)))
        inner = np.arange(1, _SECTIONS + 1) / (_SECTIONS + 1)
        for _ in range(max(1, n_calls)):
            go = np.flatnonzero(self._search.left(rows) > 0)
            if not len(go):
                return
            share = low[go, None] + inner * (high - low)[go, None]
            line = self._on_the_way(rows[go], far[go], reach[go], share)
            line, fooled = self._search.fooled(rows[go], line)
            first = np.where(fooled.any(axis=1), fooled.argmax(axis=1), _SECTIONS)
            edges = np.column_stack([low[go], share, high[go]])
            place = np.arange(len(go))
            low[go], high[go] = edges[place, first], edges[place, first + 1]
            found = first < _SECTIONS
            self._move(rows[go][found], line[place[found], first[found]])

    def _move(self, rows, points):
        """Keep fooling points that are nearer than what there is."""
        size = self._distance(rows, points)
        self.update(points, size, rows, better=size < self.score[rows])

    def _distance(self, rows, points):
        return self._search.domain.length(points - self.x[rows].astype(np.float64))

    def _on_the_way(self, rows, far, reach, share):
        """Return points towards the clean rows: on the line, or in the linf ball."""
        x = self.x[rows].astype(np.float64)
        delta = (far - x)[:, None]
        share = share.reshape(share.shape + (1,) * (x.ndim - 1))
        if self._attack.norm != np.inf:
            return x[:, None] + share * delta
        bound = share * reach.reshape((-1, 1) + (1,) * (x.ndim - 1))
        bound = self._search.domain.units.spread(bound)
        return x[:, None] + np.clip(delta, -bound, bound)

    def jump(self, rows, step):
        """Make one step along the boundary, and come back to it."""
        direction = self._direction(rows, step)
        halves = 0.5 ** np.arange(6) / np.sqrt(step)
        ways = self.score[rows][:, None] * halves
        ways = ways.reshape(ways.shape + (1,) * (self.x.ndim - 1))
        point = self.iterate[rows].astype(np.float64)
        left = self._search.left(rows) > 0
        rows, ways, point = rows[left], ways[left], point[left]
        if not len(rows):
            return
        hops = point[:, None] + self._search.domain.units.spread(
            ways * direction[left][:, None]
        )
        hops, fooled = self._search.fooled(rows, hops)
        found = fooled.any(axis=1)
        landed = hops[np.arange(len(rows)), fooled.argmax(axis=1)]
        rows, landed = rows[found], landed[found]
        point, size = self.iterate[rows], self.score[rows]
        self.update(landed, self._distance(rows, landed), rows, better=True)
        self.to_boundary(rows)
        self.update(point, size, rows, better=self.score[rows] >= size)

    def _direction(self, rows, step):
        """Return the unit direction, in units of the features, away from the label."""
        domain, n = self._search.domain, int(self._attack.n_directions * np.sqrt(step))
        size = (len(rows), n, *self.x.shape[1:])
        rng = self._search.rng(step, rows)
        u = np.asarray(rng.normal(size=size), dtype=np.float64)
        u = u.reshape(-1, *self.x.shape[1:])
        u /= per_sample(length(u, 2), u)
        reach = self.score[rows] / np.sqrt(self._d)
        reach = reach.reshape((-1, 1) + (1,) * (self.x.ndim - 1))
        point = self.iterate[rows].astype(np.float64)[:, None]
        around = point + domain.units.spread(reach * u.reshape(size))
        asked = np.arange(n) < self._search.left(rows)[:, None]
        around, fooled = self._search.fooled(rows, around)
        u = domain.units.relative(around - point)
        vote = np.where(fooled, 1.0, -1.0)
        mean = vote.mean(axis=1, keepdims=True, where=asked)
        vote = np.where(np.abs(mean) < 1, vote - mean, vote) * asked
        v = (vote.reshape(vote.shape + (1,) * (self.x.ndim - 1)) * u).mean(axis=1)
        long = length(v, 2)
        return v / per_sample(np.where(long > 0, long, 1.0), v)

    def undo_features(self, rows):
        """Put features back to their clean values where the model stays fooled."""
        for _ in range(_N_UNDOINGS):
            rows = rows[self._search.left(rows) > 0]
            moved = self.iterate[rows] != self.x[rows]
            rows, moved = rows[moved.any(axis=1)], moved[moved.any(axis=1)]
            if not len(rows):
                return
            gap = self._search.domain.units.relative(self.iterate[rows] - self.x[rows])
            n_parts = min(self._d, _N_PARTS)
            rank = np.argsort(np.argsort(np.abs(gap), axis=1, kind="stable"), axis=1)
            part = rank * n_parts // self._d
            undone = part[:, None, :] == np.arange(n_parts)[:, None]
            _, fooled = self._try_undoing(rows, undone)
            # Then together, from the largest down; parts that are needed stay.
            chosen = undone & fooled[..., None]
            together = np.logical_or.accumulate(chosen[:, ::-1], axis=1)
            points, fooled = self._try_undoing(rows, together)
            last = fooled.shape[1] - 1 - fooled[:, ::-1].argmax(axis=1)
            found = fooled.any(axis=1)
            self._move(rows[found], points[found, last[found]])
            self.to_boundary(rows)

    def _try_undoing(self, rows, undone):
        clean, point = self.x[rows][:, None], self.iterate[rows][:, None]
        return self._search.fooled(rows, np.where(undone, clean, point))
