"""Sums of trees in one form, whatever library grew them."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import softmax


class Codes(NamedTuple):
    """Codes of categories that go left (True), or right (False); others do not."""

    codes: frozenset
    left: bool

    def go_left(self, code):
        """Say whether a code goes left."""
        return (code in self.codes) == self.left


class TreeTable(NamedTuple):
    """One tree: arrays of one entry a node, the root first.

    Attributes
    ----------
    feature : ndarray of int
        Feature that a node asks about; -1 at leaves.
    cut : ndarray of float64
        Left goes what is at most this, in the precision in which the tree compares.
    left, right : ndarray of int
        Places of the children.
    missing_left : ndarray of bool
        Whether missing values go left.
    value : ndarray of shape (n_nodes, n_scores)
        What a leaf adds to the scores; other rows play no part.
    codes_left : dict {int: Codes}
        What goes left, of nodes that ask about a category.
    """

    feature: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray
    codes_left: dict


@dataclass(frozen=True, eq=False)
class TreeEnsemble:
    """Sum of trees, all nodes in one row of arrays.

    Attributes
    ----------
    feature, cut, left, right, missing_left, value, codes_left
        As in :class:`TreeTable`, tree after tree.
    roots : ndarray of shape (n_trees,)
        Place of the root of each tree.
    start : ndarray of shape (n_scores,)
        Scores before any tree. The label is the first of the largest scores.
    classes : ndarray or None
        Labels; None for a regressor.
    n_features : int
        Features of a row.
    dtype : type
        Precision in which trees compare: float32 or float64.
    link : {"mean", "softmax", "softmax of double", None}
        From scores to probabilities; None: another one, or a regressor.
    slack : float
        How far sums in single precision may take the library's scores from these.
    missing_is_zero : ndarray of bool of shape (n_features,), or None
        Features whose missing values count as 0.
    whole_codes : bool
        Whether the fraction of a category's code is cut off.
    """

    feature: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray
    roots: np.ndarray
    start: np.ndarray
    classes: np.ndarray | None
    n_features: int
    dtype: type = np.float64
    link: str | None = None
    slack: float = 0.0
    missing_is_zero: np.ndarray | None = None
    whole_codes: bool = True
    codes_left: dict = field(default_factory=dict)

    @classmethod
    def of(cls, tables, start, **facts):
        """Return the sum of some tables."""
        sizes = [len(table.feature) for table in tables]
        roots = np.cumsum([0, *sizes[:-1]])
        codes = {
            int(root + node): codes
            for root, table in zip(roots, tables, strict=True)
            for node, codes in table.codes_left.items()
        }

        def joined(name, shift=False):
            parts = [getattr(table, name) for table in tables]
            if shift:
                parts = [p + r for p, r in zip(parts, roots, strict=True)]
            return np.concatenate(parts)

        return cls(
            joined("feature").astype(np.int64),
            joined("cut").astype(np.float64),
            joined("left", shift=True).astype(np.int64),
            joined("right", shift=True).astype(np.int64),
            joined("missing_left").astype(bool),
            joined("value").astype(np.float64),
            roots,
            np.asarray(start, dtype=np.float64),
            codes_left=codes,
            **facts,
        )

    @property
    def n_trees(self):
        """Number of trees."""
        return len(self.roots)

    @property
    def categorical(self):
        """Sorted features that some node reads as a category."""
        return np.unique(self.feature[list(self.codes_left)])

    def in_its_precision(self, rows):
        """Return rows as trees compare them, held as float64."""
        rows = np.asarray(rows).astype(self.dtype).astype(np.float64)
        if self.missing_is_zero is not None:
            rows[np.isnan(rows) & self.missing_is_zero] = 0.0
        if self.whole_codes and len(self.codes_left):
            rows[..., self.categorical] = np.trunc(rows[..., self.categorical])
        return rows

    def leaves(self, seen):
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        seen : ndarray of shape (n_samples, n_features)
            As :meth:`in_its_precision` gives them.

        Returns
        -------
        ndarray of shape (n_samples, n_trees), dtype int
        """
        at = np.broadcast_to(self.roots, (len(seen), self.n_trees))
        rows = np.arange(len(seen))[:, None]
        asks = np.zeros(len(self.feature), dtype=bool)
        asks[list(self.codes_left)] = True
        while True:
            feature = self.feature[at]
            inner = feature >= 0
            if not inner.any():
                return at
            values = seen[rows, np.maximum(feature, 0)]
            left = values <= self.cut[at]
            for i, t in np.argwhere(inner & asks[at]):
                codes = self.codes_left[at[i, t]]
                left[i, t] = codes.go_left(values[i, t])
            left = np.where(np.isnan(values), self.missing_left[at], left)
            at = np.where(inner, np.where(left, self.left[at], self.right[at]), at)

    def scores(self, seen):
        """Return the scores of rows, of shape (n_samples, n_scores).

        Trees are added one after the other, as libraries do: sums of pure leaves tie
        exactly.
        """
        out = np.zeros((len(seen), len(self.start)))
        for leaf in self.leaves(seen).T:
            out += self.value[leaf]
        return self.start + out

    def probabilities(self, scores):
        """Return the probabilities that belong to scores, or NaN: another link."""
        if self.link == "mean":
            return scores / self.n_trees
        if self.link is None:
            return np.full_like(scores, np.nan)
        return softmax((2 if self.link == "softmax of double" else 1) * scores, axis=1)
