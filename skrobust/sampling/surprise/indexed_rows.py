"""Nearest-neighbour search through indices that may be approximate, one for each class.

An index proposes rows, float64 differences decide among them, as in the exact search: a
row that is found has its exact distance, and an index can only miss a nearer one. Small
classes are searched exactly. So are a few held rows of the others, which no index
contains: they are new to it, as test rows are, and show how often it misses.
"""

import numbers

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone

from skrobust._validation import invalid
from skrobust.sampling.surprise.nearest_rows import NearestRows

INDEX_RULE = (
    "None or a transformer such as sklearn.neighbors.KNeighborsTransformer, whose "
    "transform returns a sparse graph from queries to the nearest rows"
)
_SMALL = 5_000  # rows of a class up to which products are as fast as an index
_N_HELD = 200
_BLOCK = 4096  # queries at a time
_LARGE = 1e15  # numbers from which squares leave single precision


class IndexedRows:
    """Rows in classes, each large class with an index of its own.

    ``search`` is that of NearestRows, from the edge of a class to that of another.
    Of the rows in indices, whole classes may be banned.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features), float32 or float64
        Finite numbers, class by class.
    edges : ndarray of shape (n_classes + 1,)
        Where the classes begin and end.
    index : transformer
        Cloned for each large class.
    rng : Generator
        Draws the held rows and, if ``seeded``, every ``random_state`` of the clones.
    seeded : bool
        Whether to set them.
    """

    def __init__(self, rows, edges, index, rng, *, seeded):
        self.rows = rows
        self.exact = NearestRows(rows)
        n_neighbors = getattr(index, "n_neighbors", 0)
        if not isinstance(n_neighbors, numbers.Integral):
            n_neighbors = 0
        # An index still has more rows than neighbours where all held rows are its own.
        large = np.diff(edges) > max(_SMALL, n_neighbors + _N_HELD + 1)
        indexed = np.repeat(large, np.diff(edges))
        pool = np.flatnonzero(indexed)
        self.held = np.sort(rng.choice(pool, min(_N_HELD, len(pool)), replace=False))
        indexed[self.held] = False
        self._few = np.flatnonzero(~indexed)
        self._nearest_few = NearestRows(rows[self._few]) if len(self._few) else None
        self._indices = []
        for low, high in zip(edges[:-1][large], edges[1:][large], strict=True):
            places = low + np.flatnonzero(indexed[low:high])
            own = clone(index)
            if seeded:
                _set_seeds(own, rng)
            own.fit(self._shown(rows[places]))
            self._indices.append((low, high, places, own))

    def search(self, queries, first=0, stop=None, *, banned=None):
        """Return distance and place of the nearest row that is found for each query."""
        stop = len(self.rows) if stop is None else stop
        if banned is None:
            banned = np.zeros((len(queries), 2), dtype=np.intp)
        best = np.full(len(queries), np.inf)
        place = np.full(len(queries), -1, dtype=np.intp)
        self._search_few(queries, first, stop, banned, best, place)
        for low, high, places, index in self._indices:
            if high <= first or stop <= low:
                continue
            allowed = np.flatnonzero((low < banned[:, 0]) | (banned[:, 1] < high))
            for at in range(0, len(allowed), _BLOCK):
                part = allowed[at : at + _BLOCK]
                which, found = self._proposed(index, queries[part], len(places))
                which, found = part[which], places[found]
                self.exact.improve(queries, which, found, best, place)
                lost = np.setdiff1d(part, which)
                if len(lost):  # the index found nothing, or could not be asked
                    _, found = self.exact.search(
                        queries[lost], low, high, banned=banned[lost]
                    )
                    self.exact.improve(queries, lost, found, best, place)
        return self.exact.distances(best), place

    def _search_few(self, queries, first, stop, banned, best, place):
        """Search the rows that no index contains."""
        first, stop = np.searchsorted(self._few, [first, stop])
        banned = np.searchsorted(self._few, banned)
        n_banned = np.diff(np.clip(banned, first, stop), axis=1).ravel()
        which = np.flatnonzero(n_banned < stop - first)
        if len(which):
            _, found = self._nearest_few.search(
                queries[which], first, stop, banned=banned[which]
            )
            self.exact.improve(queries, which, self._few[found], best, place)

    def _shown(self, rows):
        """Return rows as an index gets them: centred, scaled, in the type of all."""
        out = np.empty(rows.shape, dtype=self.rows.dtype)
        with np.errstate(over="ignore"):
            for at in range(0, len(rows), _BLOCK):
                out[at : at + _BLOCK] = self.exact.centred(rows[at : at + _BLOCK])
        return out

    def _proposed(self, index, queries, n_rows):
        """Return pairs of positions: queries, and rows of the index near them."""
        shown = self._shown(queries)
        fits = np.flatnonzero(np.abs(shown).max(axis=1) < _LARGE)
        if not len(fits):
            return fits, fits
        graph = index.transform(shown[fits])
        if not issparse(graph) or graph.shape != (len(fits), n_rows):
            got = f"{type(graph).__name__} of shape {np.shape(graph)}"
            cure = f"Its transform returned {got}, not {(len(fits), n_rows)}."
            raise invalid("index", "DistanceSurprise", INDEX_RULE, index, cure)
        graph = csr_array(graph)
        which = np.repeat(fits, np.diff(graph.indptr))
        # Some indices write -1 where they find too few.
        real = graph.indices >= 0
        return which[real], graph.indices[real]


def _set_seeds(index, rng):
    """Seed an estimator and those in it."""
    names = sorted(
        name
        for name in index.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    )
    index.set_params(**{name: int(rng.integers(2**31)) for name in names})
