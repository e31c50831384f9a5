"""Questions about one row of an ensemble of trees, answered by search."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from skrobust.attacks.trees.tree_search import search

_STEPS = 7  # radii that are doubled before all is in reach
_TIE = 1e-9  # sums of this size are compared as the library adds them
_FEW = 500  # leaves that are searched at once


class Nearest(NamedTuple):
    """Nearest box of a row with another label.

    Attributes
    ----------
    box : (features, low, high) or None
        Cells of the best box that was found.
    length : float
        The way to it; inf where there is none.
    lower : float
        No way is shorter, up to the limit.
    is_done : bool
        Whether no shorter way is left, up to the limit.
    """

    box: tuple | None
    length: float
    lower: float
    is_done: bool


class Extreme(NamedTuple):
    """Highest of what sums of scores come to within reach of a row.

    Attributes
    ----------
    box : (features, low, high) or None
        Cells of the best box that was found.
    value : float
        What they come to on it.
    bound : float
        Nowhere do they come to more.
    """

    box: tuple | None
    value: float
    bound: float

    @property
    def is_met(self):
        """Whether the box reaches the bound."""
        return self.bound <= self.value + 1e-9 * max(1.0, abs(self.value))


@dataclass
class Budget:
    """Parts that may still be opened."""

    left: int

    def run(self, groups, share=1.0, **how):
        """Search with a share of what is left."""
        budget = max(1, int(self.left * share))
        found = search(groups, budget=budget, **how)
        self.left -= found.n_opened
        return found


@dataclass(frozen=True, eq=False)
class Row:
    """One row of :class:`TreeRows`, and the ways to its cells."""

    rows: object
    i: int
    ways: np.ndarray

    @classmethod
    def of(cls, rows, i):
        """Return the row at a place."""
        return cls(rows, i, rows.ways(i))

    @property
    def n_scores(self):
        """Number of scores."""
        return len(self.rows.model.trees.start)

    @property
    def label(self):
        """Place of the label of the clean row."""
        return int(self.rows.scores[self.i].argmax())

    def change(
        self, label, eps, budget, *, share=1.0, aim="any", limit=None, sound=False
    ):
        """Look for a box with another label.

        Parameters
        ----------
        label : int
            The label to leave.
        eps : float
            Radius of what is in reach.
        budget : Budget
            Parts that may be opened.
        share : float
            Of what is left of the budget.
        aim : {"any", "nearest"}
            Which box.
        limit : float
            Farther boxes are of no interest; None: eps.
        sound : bool
            Whether to reach a little farther, as far as rounding may.

        Returns
        -------
        Nearest
            ``is_done``: there is none, or one was found that is what was aimed at.
        """
        rows, trees = self.rows, self.rows.model.trees
        reach = rows.reach(self.i, self.ways, eps, sound=sound)
        limit = eps if limit is None else limit
        box, is_done, near = None, True, np.inf
        slack = max(trees.slack, _TIE)
        for other in self._promising(label):
            weights = np.zeros((1, self.n_scores))
            weights[0, other], weights[0, label] = 1, -1
            groups = rows.groups_of(reach, weights)
            far = None
            if rows.norm != np.inf or aim == "nearest":
                far = rows.far(self.ways, groups.features, self.i)
            found = budget.run(
                groups,
                share,
                floor=-slack,
                aim=aim,
                doubt=(slack, self._asker(groups.features, label)),
                far=far,
                limit=limit * (1 + 1e-6) if sound else limit,
            )
            is_done &= found.is_done
            if found.box is None:
                near = min(near, found.near)
                continue
            box = groups.features, *found.box
            if far is None:
                far = rows.far(self.ways, groups.features, self.i)
                found = found._replace(
                    length=float(far(*(e[None] for e in found.box))[0])
                )
            near = min(near, found.near)
            limit = found.length
            if aim == "any":
                return Nearest(box, limit, 0.0, True)
        return Nearest(box, limit if box is not None else np.inf, near, is_done)

    def _promising(self, label):
        """Return the other labels, those with the higher scores first."""
        order = np.argsort(-self.rows.scores[self.i], kind="stable")
        return [k for k in order if k != label]

    def _asker(self, features, label):
        def is_other(lows, highs):
            points = self.rows.points(self.i, features, lows, highs)
            return self.rows.model.trees.scores(points).argmax(axis=1) != label

        return is_other

    def nearest_change(self, label, limit, n_parts):
        """Return the nearest box with another label, up to a limit.

        Radii are doubled until one holds a change, then halved. In L-infinity there are
        finitely many, those of cells; in other norms the nearest is looked for first.
        """
        budget, lower, box, upper, open_at = Budget(n_parts), 0.0, None, np.inf, None
        if len(self.rows.boxes.leaf) <= _FEW:
            found = self.change(label, limit, budget, share=0.5, aim="nearest")
            if found.is_done:
                lower = limit if found.box is None else found.length
                return found._replace(lower=lower)
        for radius in self._radii(limit):
            found = self.change(label, radius, budget, share=0.25)
            if found.box is not None:
                box, upper = found.box, found.length
                break
            if not found.is_done:
                open_at = radius
            elif open_at is None:
                lower = radius
        if box is None:
            return Nearest(None, np.inf, lower, open_at is None)
        if self.rows.norm != np.inf:
            found = self.change(label, upper, budget, share=0.5, aim="nearest")
            if found.box is not None:
                box, upper = found.box, found.length
            if found.is_done:
                return Nearest(box, upper, upper, True)
            lower = max(lower, min(found.lower, upper))
        return self._closed_in(label, budget, box, lower, upper)

    def _closed_in(self, label, budget, box, lower, upper):
        """Halve what lies between a radius without a change and one with a change."""
        below = upper
        while budget.left > 0:
            radius = self._between(lower, below)
            if radius is None:
                break
            found = self.change(label, radius, budget, share=0.5)
            if found.box is not None:
                box, upper = found.box, found.length
                below = upper
            elif found.is_done:
                lower = radius
            else:
                below = radius
        if below == upper and self._between(lower, upper) is None:
            lower = upper
        return Nearest(box, upper, lower, lower == upper)

    def _between(self, lower, upper):
        """Return a radius between two, at which more cells are in reach; or None."""
        if self.rows.norm != np.inf:
            return (lower + upper) / 2 if lower < upper * (1 - 1e-6) else None
        steps = np.unique(self.ways[(self.ways > lower) & (self.ways < upper)])
        return float(steps[len(steps) // 2]) if len(steps) else None

    def _radii(self, limit):
        if np.isfinite(limit):
            return [limit]
        most = self.ways[np.isfinite(self.ways)].max(initial=0.0)
        return [*(most / 2**k for k in range(_STEPS, -1, -1)), np.inf]

    def highest(self, weights, eps, n_parts, *, sound=False, join="all"):
        """Return the box within eps where weighted sums of scores come highest.

        Parameters
        ----------
        weights : ndarray of shape (n_sums, n_scores)
            Weights of the scores.
        eps : float
            Radius of what is in reach.
        n_parts : int
            Parts that may be opened.
        sound : bool
            Whether to reach a little farther, as far as rounding may.
        join : {"all", "any"}
            What the sums come to; see :class:`Groups`.

        Returns
        -------
        Extreme
        """
        rows = self.rows
        reach = rows.reach(self.i, self.ways, eps, sound=sound)
        groups = rows.groups_of(reach, weights, join)
        far = None
        if rows.norm != np.inf:
            far = rows.far(self.ways, groups.features, self.i)
        found = search(
            groups,
            budget=n_parts,
            floor=-np.inf,
            aim="highest",
            far=far,
            limit=eps * (1 + 1e-6) if sound else eps,
        )
        box = None if found.box is None else (groups.features, *found.box)
        return Extreme(box, found.value, found.bound)

    def probability_range(self, column, eps, n_parts, *, sound=False):
        """Return bounds of the probability of a class within eps, and boxes near them.

        Parameters
        ----------
        column : int
            The class.
        eps : float
            Radius of what is in reach.
        n_parts : int
            Parts that may be opened for each bound.
        sound : bool
            Whether to reach a little farther, as far as rounding may.

        Returns
        -------
        Range
        """
        trees, k = self.rows.model.trees, self.n_scores
        own = np.eye(k)[[column]]
        weights = own
        if trees.link != "mean":
            # The log odds of a class are what its leads over all others come to.
            weights = own - np.delete(np.eye(k), column, axis=0)
            weights = weights * (2.0 if trees.link == "softmax of double" else 1.0)
        up = self.highest(weights, eps, n_parts, sound=sound)
        down = self.highest(-weights, eps, n_parts, sound=sound, join="any")
        ends = np.array([-down.bound - trees.slack, up.bound + trees.slack])
        low, high = 0.0, 1.0
        if trees.link == "mean":
            low, high = ends / trees.n_trees
        elif trees.link is not None:
            low, high = expit(ends)
        return Range(low, high, [up.box, down.box], up.is_met and down.is_met)


class Range(NamedTuple):
    """Bounds of a probability within reach of a row.

    Attributes
    ----------
    low, high : float
        No point in reach has a probability outside.
    boxes : list of (features, low, high)
        Cells of boxes that come near them.
    is_exact : bool
        Whether the boxes reach both bounds (of the sums, where the link is unknown).
    """

    low: float
    high: float
    boxes: list
    is_exact: bool
