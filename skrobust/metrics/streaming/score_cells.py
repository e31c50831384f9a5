"""Area under the ROC curve over batches, from intervals of scores."""

import numpy as np

MAX_CELLS = 16_384


class ScoreCells:
    """Weights of two classes in intervals of scores.

    While there are at most ``max_cells`` different scores, each is an interval of its
    own and the area is exact. Then the last bits of the scores are dropped, as few as
    are needed, so that neighbours share an interval. Which bits these are depends on
    the scores alone, so that neither batches nor merges change the intervals.

    Parameters
    ----------
    max_cells : int, default=16_384
        Most intervals that are kept.
    """

    def __init__(self, max_cells=MAX_CELLS):
        self.max_cells, self.level, self.n_rows = max_cells, 0, 0
        # First and last score of each interval, as ordered integers, and weights.
        self.first = self.last = np.zeros(0, dtype=np.uint64)
        self.weights = np.zeros((0, 2))

    def update(self, codes, scores, weight):
        """Add rows of class 0 or 1; rows of weight 0 count as absent."""
        weight = np.ones(len(codes)) if weight is None else weight
        kept = weight > 0
        if not kept.all():
            codes, scores, weight = codes[kept], scores[kept], weight[kept]
        keys = _ordered(scores)
        own = np.zeros((len(codes), 2))
        own[np.arange(len(codes)), codes] = weight
        self.n_rows += len(codes)
        self._join(keys, keys, own)

    def merge(self, other, swapped=False):
        """Add the intervals of another object, whose classes may be swapped."""
        self.level = max(self.level, other.level)
        self.n_rows += other.n_rows
        weights = other.weights[:, ::-1] if swapped else other.weights
        self._join(other.first, other.last, weights)

    def _join(self, first, last, weights):
        first = np.concatenate([self.first, first])
        order = np.argsort(first, kind="stable")
        self.first = first[order]
        self.last = np.concatenate([self.last, last])[order]
        self.weights = np.concatenate([self.weights, weights])[order]
        self._reduce()
        while len(self.first) > self.max_cells:
            self.level += 1
            self._reduce()

    def _reduce(self):
        """Join the intervals whose scores agree but for the bits that are dropped."""
        cells = self.first >> np.uint64(self.level)
        starts = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
        if not len(cells) or len(starts) == len(cells):
            return
        self.first = self.first[starts]
        self.last = np.maximum.reduceat(self.last, starts)
        self.weights = np.add.reduceat(self.weights, starts, axis=0)

    def _below(self, of):
        """Return the weight of a class below each interval, half of that inside."""
        weights = self.weights[:, of]
        return np.cumsum(weights) - weights / 2

    def area(self, positive):
        """Return the area where this class has the greater scores, or nan."""
        totals = self.weights.sum(axis=0)
        if not totals.all():
            return float("nan")
        pairs = self.weights[:, positive] @ self._below(1 - positive)
        return float(pairs / totals.prod())

    def area_bound(self):
        """Return the largest distance of the area from that of all scores."""
        totals = self.weights.sum(axis=0)
        mixed = self.weights[self.first != self.last]
        if not totals.all() or not len(mixed):
            return 0.0
        return float(mixed.prod(axis=1).sum() / 2 / totals.prod())

    def area_error(self, positive):
        """Return the standard error of the area of rows without weights (DeLong)."""
        variance = 0.0
        for own in (positive, 1 - positive):
            n, m = self.weights[:, own].sum(), self.weights[:, 1 - own].sum()
            share = self._below(1 - own) / m
            middle = self.weights[:, own] @ share / n
            squares = self.weights[:, own] @ (share - middle) ** 2
            variance += squares / max(1.0, n - 1) / n
        return float(np.sqrt(variance))


def _ordered(scores):
    """Return scores as integers of the same order."""
    bits = (np.asarray(scores, dtype=np.float64) + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    return np.where(bits & sign, ~bits, bits | sign)
