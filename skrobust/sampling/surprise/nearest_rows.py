"""Exact nearest-neighbour search by matrix products.

Products find candidates, float64 differences decide. For rows q and a around a centre
the squared distance is |q|^2 - 2 s with s = q.a - |a|^2 / 2, so the nearest row has the
largest s, one matrix product away. Its rounding error has a bound; every row within
that bound of the best is looked at again, as a sum of squared differences in float64.
What comes out is therefore a function of the two rows alone, whatever the blocks.
"""

from itertools import pairwise

import numpy as np

from skrobust._parallel import count

_CHUNK = 4096  # rows searched at a time, at most
_NUMBERS = 1 << 21  # and numbers in them, for wide rows
_BLOCK = 512  # queries at a time
_PAIRS = 1 << 21  # numbers in one piece of float64 differences
_UNIT = np.finfo(np.float64).eps / 2
_LARGE = 1e30  # squares above which single precision is not used
_CROWD = 8  # candidates per query from which a product in float64 is cheaper


class NearestRows:
    """Index of rows for exact nearest-neighbour search.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features), float32 or float64
        Finite numbers. Of equally near rows the first is found.
    """

    def __init__(self, rows):
        self.rows = rows
        self._centre = rows.mean(axis=0, dtype=np.float64)
        size = max(
            np.abs(rows.max(axis=0) - self._centre).max(),
            np.abs(rows.min(axis=0) - self._centre).max(),
        )
        # A power of two changes no digit and keeps squares within their range.
        self._scale = 2.0 ** -np.frexp(size)[1] if size > 0 else 1.0

    def search(self, queries, first=0, stop=None, *, banned=None):
        """Return the nearest row of each query.

        Parameters
        ----------
        queries : ndarray of shape (n_queries, n_features)
            Finite numbers.
        first, stop : int
            Only rows first to stop - 1 are searched.
        banned : ndarray of shape (n_queries, 2), default=None
            For each query a range [from, to) of rows that do not count. Equal ranges
            should stand together.

        Returns
        -------
        distance : ndarray of shape (n_queries,), float64
            To the nearest row.
        place : ndarray of shape (n_queries,), intp
            Its position among all rows.
        """
        stop = len(self.rows) if stop is None else stop
        best = np.full(len(queries), np.inf)
        place = np.full(len(queries), -1, dtype=np.intp)
        step = min(_CHUNK, max(256, _NUMBERS // self.rows.shape[1]))
        for start in range(first, stop, step):
            end = min(start + step, stop)
            chunk = _Chunk(self, start, end)
            for at in range(0, len(queries), _BLOCK):
                part = slice(at, at + _BLOCK)
                ranges = None if banned is None else banned[part]
                with np.errstate(over="ignore", invalid="ignore"):
                    chunk.improve(queries[part], ranges, best[part], place[part])
                count(len(best[part]) * (end - start) / (stop - first))
        if (place < 0).any():
            raise ValueError(
                "Activations so large that the squares of their differences overflow "
                "have no distance; divide them by a constant."
            )
        return self.distances(best), place

    def centred(self, rows):
        """Return rows around the centre in float64, scaled."""
        return (rows - self._centre) * self._scale

    def distances(self, squared):
        """Return distances in the unit of the rows."""
        return np.sqrt(squared) / self._scale

    def improve(self, queries, which, places, best, place):
        """Compare queries ``which`` with rows ``places``, pair by pair.

        ``best``, the scaled squared distances, and ``place`` are updated in place. Of
        equally near rows the first one stays.
        """
        squared = self._squared_distances(queries, which, places)
        order = np.lexsort((places, squared, which))
        lead = order[np.r_[True, np.diff(which[order]) > 0]] if len(which) else order
        to, squared, places = which[lead], squared[lead], places[lead]
        nearer = squared < best[to]
        nearer |= (squared == best[to]) & (places < place[to])
        best[to[nearer]], place[to[nearer]] = squared[nearer], places[nearer]

    def _squared_distances(self, queries, which, places):
        """Return the squared distance of each pair, scaled, in float64."""
        out = np.empty(len(which))
        step = max(1, _PAIRS // queries.shape[1])
        for at in range(0, len(which), step):
            part = slice(at, at + step)
            gap = queries[which[part]].astype(np.float64)
            gap -= self.rows[places[part]]
            gap *= self._scale
            out[part] = np.einsum("ij,ij->i", gap, gap)
        return out


class _Chunk:
    """Consecutive rows of a NearestRows, prepared for products."""

    def __init__(self, nearest, start, end):
        self._nearest, self._start, self._end = nearest, start, end
        self._exact = nearest.centred(nearest.rows[start:end])
        self._half = np.einsum("ij,ij->i", self._exact, self._exact) / 2
        self._radius = np.sqrt(2 * self._half.max())
        self._sides = {}

    def _side(self, dtype):
        # s comes out of one product when -|a|^2 / 2 meets a column of ones.
        if dtype not in self._sides:
            side = np.column_stack([self._exact, -self._half])
            self._sides[dtype] = side.astype(dtype)
        return self._sides[dtype]

    def improve(self, queries, banned, best, place):
        """Update best squared distances and places, in place."""
        exact = self._nearest.centred(queries)
        square = np.einsum("ij,ij->i", exact, exact)
        bans = _runs(banned, self._start, self._end)
        fits = square.max() < _LARGE
        if fits:
            rows, columns = self._candidates(exact, square, bans, best, np.float32)
        if not fits or len(rows) > _CROWD * len(queries):
            rows, columns = self._candidates(exact, square, bans, best, np.float64)
        self._nearest.improve(queries, rows, columns + self._start, best, place)

    def _candidates(self, exact, square, bans, best, dtype):
        """Return every pair that may be nearer than the best so far, and few others."""
        ones = np.ones(len(exact))
        s = np.column_stack([exact, ones]).astype(dtype) @ self._side(dtype).T
        for rows, columns in bans:
            s[rows, columns] = -np.inf
        top = s.max(axis=1).astype(np.float64)
        unit = np.finfo(dtype).eps / 2
        reach = np.sqrt(square) * self._radius + self._radius**2 / 2
        # Of the product, and of the sums of squares that decide after it.
        error = (exact.shape[1] + 8) * (unit * reach + _UNIT * square)
        floor = np.maximum(top - 2 * error, (square - best) / 2 - error)
        look = np.flatnonzero(top >= floor)
        look = look[np.isfinite(top[look])]
        # Rounding the floor to single precision must not raise it.
        floor = np.nextafter(floor[look].astype(dtype), dtype(-np.inf))
        close = s[look] if len(look) < len(s) else s
        rows, columns = np.nonzero(close >= floor[:, None])
        return look[rows], columns


def _runs(banned, start, end):
    """Turn ranges per query into few slices of a block of products."""
    if banned is None or not len(banned):
        return []
    edges = np.flatnonzero(np.r_[True, (banned[1:] != banned[:-1]).any(axis=1), True])
    runs = []
    for low, high in pairwise(edges.tolist()):
        left, right = np.clip(banned[low], start, end) - start
        if left < right:
            runs.append((slice(low, high), slice(left, right)))
    return runs
