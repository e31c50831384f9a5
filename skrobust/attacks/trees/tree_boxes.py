"""Leaves of an ensemble of trees as boxes of cells.

The cuts of all trees divide each feature into cells. A leaf is an interval of cells of
each feature on its way; of a category it is a set of codes.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skrobust.attacks.trees.box_groups import Groups


class Reach(NamedTuple):
    """Cells that one row may move to.

    Attributes
    ----------
    own, low, high : ndarray of int of shape (n_features,)
        Cell of the row, first cell and last cell.
    missing : ndarray of bool of shape (n_features,)
        Features whose value is missing, and stays so.
    row : ndarray of shape (n_features,)
        The row as trees see it, whose codes stay.
    levels : dict {int: ndarray of int}
        Sorted cells in reach, of features with separate values.
    codes : dict {int: ndarray of float}
        Codes of categories that move; cell ``i`` is the i-th.
    """

    own: np.ndarray
    low: np.ndarray
    high: np.ndarray
    missing: np.ndarray
    row: np.ndarray
    levels: dict
    codes: dict


class LeafBoxes:
    """Leaves of an ensemble as boxes of cells.

    Parameters
    ----------
    trees : TreeEnsemble
        The ensemble.
    more_cuts : dict {int: float}
        A cut more for some features.
    """

    def __init__(self, trees, more_cuts=None):
        self.trees = trees
        d, numeric = trees.n_features, trees.feature >= 0
        numeric[list(trees.codes_left)] = False
        feature, cut = trees.feature[numeric], trees.cut[numeric]
        self.cuts = [np.zeros(0)] * d
        for f in np.unique(feature):
            self.cuts[f] = np.unique(cut[feature == f])
        for f, one in (more_cuts or {}).items():
            self.cuts[f] = np.union1d(self.cuts[f], [one])
        self._cell_of_cut = np.zeros(len(trees.feature), dtype=np.int64)
        for f in np.unique(feature):
            here = numeric & (trees.feature == f)
            self._cell_of_cut[here] = np.searchsorted(self.cuts[f], trees.cut[here])
        self.last = np.array([len(cuts) for cuts in self.cuts])  # cells
        self._read()

    def _read(self):
        """Walk down all trees and write down each leaf with its way."""
        leaf, tree, entries, coded = [], [], [], []
        for number, root in enumerate(self.trees.roots):
            stack = [(root, {}, {})]
            while stack:
                node, way, codes = stack.pop()
                feature = self.trees.feature[node]
                if feature >= 0:
                    stack += self._children(node, feature, way, codes)
                    continue
                entries += [(len(leaf), f, *ends) for f, ends in way.items()]
                coded += [(len(leaf), f, *which) for f, which in codes.items()]
                leaf.append(node)
                tree.append(number)
        self.leaf, self.tree = np.array(leaf), np.array(tree)
        entries = np.array(entries, dtype=np.int64).reshape(-1, 5)
        self._entries = [np.ascontiguousarray(column) for column in entries.T]
        self._coded = {
            f: (
                np.array([leaf for leaf, g, *_ in coded if g == f]),
                [tuple(which) for _, g, *which in coded if g == f],
            )
            for f in {g for _, g, *_ in coded}
        }
        self._known = {}

    def _children(self, node, feature, way, codes):
        trees = self.trees
        left, right = trees.left[node], trees.right[node]
        missing = trees.missing_left[node]
        if node in trees.codes_left:
            asked = trees.codes_left[node]
            before, holds = codes.get(feature, ((), True))
            for child, is_left in ((left, True), (right, False)):
                which = (*before, (asked, is_left)), holds and missing == is_left
                yield child, way, {**codes, feature: which}
            return
        low, high, holds = way.get(feature, (0, self.last[feature], True))
        cell = self._cell_of_cut[node]
        ends = low, min(high, cell), holds and missing
        yield left, {**way, feature: ends}, codes
        ends = max(low, cell + 1), high, holds and not missing
        yield right, {**way, feature: ends}, codes

    def cells(self, seen):
        """Return the cell of each value of rows as trees see them."""
        out = np.zeros(seen.shape, dtype=np.int64)
        for f in np.flatnonzero(self.last):
            out[:, f] = np.searchsorted(self.cuts[f], seen[:, f])
        return out

    def edges(self, feature):
        """Return the least and the greatest number of each cell of a feature."""
        cuts = self.cuts[feature].astype(self.trees.dtype)
        nexts = np.nextafter(cuts, self.trees.dtype(np.inf)).astype(np.float64)
        return np.r_[-np.inf, nexts], np.r_[self.cuts[feature], np.inf]

    def groups(self, reach, weights, switches=(), join="all"):
        """Return the leaves in reach of a row, with the values of sums of scores.

        Parameters
        ----------
        reach : Reach
            Where the row may go.
        weights : ndarray of shape (n_sums, n_scores)
            Weights of the scores in each sum.
        switches : sequence of (features, low, high)
            More groups, of value 0: boxes of some features, one of which holds.
        join : {"all", "any"}
            What the sums come to; see :class:`Groups`.

        Returns
        -------
        Groups
        """
        owner, feature, low, high, holds = self._entries
        low = np.maximum(low, reach.low[feature])
        high = np.minimum(high, reach.high[feature])
        for f, cells in reach.levels.items():
            here = np.flatnonzero(feature == f)
            up = np.searchsorted(cells, low[here])
            down = np.searchsorted(cells, high[here], side="right") - 1
            low[here] = cells[np.minimum(up, len(cells) - 1)]
            high[here] = np.where(up <= down, cells[down], -1)
        missing = reach.missing[feature]
        alive = np.ones(len(self.leaf), dtype=bool)
        alive[owner[~np.where(missing, holds > 0, low <= high)]] = False
        runs = self._runs(reach, alive)
        divides = (low > reach.low[feature]) | (high < reach.high[feature])
        kept = np.flatnonzero(alive[owner] & divides & ~missing)
        named = [feature[kept], list(runs), *(one[0] for one in switches)]
        features = np.unique(np.concatenate(named).astype(np.int64))
        kind = np.int16 if reach.high.max(initial=0) < 2**15 - 2 else np.int32
        leaves = np.flatnonzero(alive)
        lows = np.tile(reach.low[features].astype(kind), (len(leaves), 1))
        highs = np.tile(reach.high[features].astype(kind), (len(leaves), 1))
        place = np.searchsorted(leaves, owner[kept])
        column = np.searchsorted(features, feature[kept])
        lows[place, column], highs[place, column] = low[kept], high[kept]
        for f, ends_of in runs.items():
            counts = np.array([len(ends_of.get(leaf, (0,))) for leaf in leaves])
            rows = np.repeat(np.arange(len(leaves)), counts)
            lows, highs, column = lows[rows], highs[rows], np.searchsorted(features, f)
            whole = [(reach.low[f], reach.high[f])]
            ends = [pair for leaf in leaves for pair in ends_of.get(leaf, whole)]
            lows[:, column], highs[:, column] = np.array(ends).T
            leaves = leaves[rows]
        value, tree = self.trees.value[self.leaf[leaves]] @ weights.T, self.tree[leaves]
        parts = _grouped(lows, highs, value, tree, weights @ self.trees.start)
        whole = reach.low[features].astype(kind), reach.high[features].astype(kind)
        return _with_switches(Groups(*parts, features, whole, join), switches)

    def _runs(self, reach, alive):
        """Drop leaves whose codes are out of reach.

        Returns by category that moves, and by leaf, the runs of cells of its codes.
        """
        runs = {}
        for f, (owners, whichs) in self._coded.items():
            if reach.missing[f]:
                alive[owners[~np.array([holds for _, holds in whichs])]] = False
            elif f in reach.codes:
                codes = reach.codes[f]
                runs[f] = {}
                for owner, which in zip(owners, whichs, strict=True):
                    cells = range(reach.low[f], reach.high[f] + 1)
                    fine = [_allows(which, codes[cell]) for cell in cells]
                    edges = np.flatnonzero(np.diff([False, *fine, False]))
                    edges = edges.reshape(-1, 2) + [reach.low[f], reach.low[f] - 1]
                    runs[f][owner] = edges.tolist()
                    alive[owner] &= any(fine)
            else:
                alive[owners[~self._fits(f, reach.row[f])]] = False
        return runs

    def _fits(self, f, code):
        """Return which entries of a category allow a code; remembered."""
        key = int(f), float(code)
        if key not in self._known:
            self._known[key] = np.array([_allows(w, code) for w in self._coded[f][1]])
        return self._known[key]


def _allows(which, code):
    return all(asked.go_left(code) == is_left for asked, is_left in which[0])


def _grouped(low, high, value, tree, constant):
    """Return groups; those whose boxes all have one value are part of the constant."""
    first = np.flatnonzero(np.diff(tree, prepend=-1))
    least = np.minimum.reduceat(value, first, axis=0)
    same = (np.maximum.reduceat(value, first, axis=0) == least).all(axis=1)
    sizes = np.diff(first, append=len(value))
    kept = np.repeat(~same, sizes)
    first = np.cumsum(sizes[~same]) - sizes[~same]
    constant = constant + least[same].sum(axis=0)
    return low[kept], high[kept], value[kept], first, constant


def _with_switches(groups, switches):
    low, high, value, first = groups.low, groups.high, groups.value, groups.first
    for features, lows, highs in switches:
        columns = np.searchsorted(groups.features, features)
        first = np.r_[first, len(value)]
        ends = [np.tile(end, (len(lows), 1)) for end in groups.whole]
        ends[0][:, columns], ends[1][:, columns] = lows, highs
        low, high = np.r_[low, ends[0]], np.r_[high, ends[1]]
        value = np.r_[value, np.zeros((len(lows), value.shape[1]))]
    return replace(groups, low=low, high=high, value=value, first=first)
