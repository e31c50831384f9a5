"""Best-first search over the boxes of an ensemble of trees.

A point is in one box of each group, so that the largest sum over points is at most the
sum of the largest values of the groups. Boxes that cannot be part of a sum above a
floor are dropped, groups are merged pair by pair into groups of their intersections,
and what is left is divided in two, the more promising part first.
"""

import heapq
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skrobust.attacks.trees.box_climb import climb
from skrobust.attacks.trees.box_groups import (
    bound_of,
    divided,
    ends_of,
    hull_of,
    pairs_to_merge,
    picks_of,
    promise_of,
    taken,
    tops_of,
    uses_of,
)

_WORK = 400_000  # pairs looked at in one part


class Found(NamedTuple):
    """Result of a search.

    Attributes
    ----------
    box : (low, high) or None
        Cells of the ``features`` of the best box that was found.
    value : float
        The sum on it; -inf where there is none.
    length : float
        The way to it; inf where there is none.
    bound : float
        No sum in reach is above it, or above the floor.
    near : float
        No box above the floor is nearer.
    n_opened : int
        Parts that were opened.
    is_done : bool
        Whether the answer is proven.
    """

    box: tuple | None
    value: float
    length: float
    bound: float
    near: float
    n_opened: int
    is_done: bool


def search(groups, *, floor, budget, aim, doubt=None, far=None, limit=np.inf):
    """Search the boxes of an ensemble.

    Parameters
    ----------
    groups : Groups
        Leaves in reach.
    floor : float
        Sums below are of no interest.
    budget : int
        Parts that may be opened.
    aim : {"any", "nearest", "highest"}
        Any box at or above the floor, the nearest, or the one of the largest sum.
    doubt : (float, callable) or None
        Boxes whose sum is at most this far from 0 count where the callable, given low
        and high of boxes, says so.
    far : callable or None
        From low and high of boxes to the ways to them.
    limit : float
        Boxes farther than this are out of reach.

    Returns
    -------
    Found
    """
    task = _Task(floor, aim, doubt, far, limit)
    n_opened = 0
    task.push(groups)
    while task.heap and not task.is_over and n_opened < budget:
        part = heapq.heappop(task.heap)[-1]
        n_opened += 1
        task.open(part, budget=_WORK)
    return task.result(n_opened)


class _Task:
    """What a search has found, and the parts that are left."""

    def __init__(self, floor, aim, doubt, far, limit):
        self.floor, self.aim, self.limit = floor, aim, limit
        self.doubt, self.far = doubt, far
        self.heap, self.is_over, self.count = [], False, 0
        self.box, self.value, self.length = None, -np.inf, np.inf

    def push(self, part):
        part = self.prune(part)
        if part is None:
            return
        bound = bound_of(part)
        way = 0.0
        if self.far is not None:
            way = float(self.far(*(end[None] for end in hull_of(part)))[0])
        key = (way, -bound) if self.aim == "nearest" else (-bound, way)
        self.count += 1
        heapq.heappush(self.heap, (key, self.count, bound, way, part))

    def open(self, part, budget):
        """Merge the groups of a part, try to solve it, else divide it."""
        part = self.prune(part)
        if part is not None and self.box is None:
            self.climb(part, self.dive(part))
            if self.is_over:
                return
        part = self.merge(part, budget)
        if part is None or self.is_over:
            return
        if len(part.first) <= 1:
            self.finish(part)
            return
        self.dive(part)
        if self.is_over:
            return
        for half in divided(part):
            self.push(half)

    def finish(self, part):
        """Solve a part of one group, whose boxes are points of the sum."""
        if not len(part.first):
            low, high = (end[None] for end in part.whole)
            self.keep(low, high, part.joined(part.constant[None]))
        else:
            value = part.joined(part.value + part.constant)
            self.keep(part.low, part.high, value)

    def keep(self, low, high, value):
        """Remember the best of some boxes that are points of the sum."""
        length = np.zeros(len(value)) if self.far is None else self.far(low, high)
        fine = (value >= self.floor) & (length <= self.limit)
        order = np.argsort(length if self.aim == "nearest" else -value, kind="stable")
        if self.box is not None:
            nearest = self.aim == "nearest"
            fine &= length < self.length if nearest else value > self.value
        order = order[fine[order]]
        for begin in range(0, len(order), 200):
            some = order[begin : begin + 200]
            if self.doubt is not None:
                unsure = np.abs(value[some]) <= self.doubt[0]
                if unsure.any():
                    asked = some[unsure]
                    holds = np.ones(len(some), dtype=bool)
                    holds[unsure] = self.doubt[1](low[asked], high[asked])
                    some = some[holds]
            if len(some):
                best = some[0]
                self.box = low[best], high[best]
                self.value, self.length = float(value[best]), float(length[best])
                self.is_over = self.aim == "any"
                if self.aim == "highest":
                    self.floor = self.value
                return

    def prune(self, part):
        """Drop boxes that are hopeless, until none is; None: no box is left."""
        while part is not None:
            n = len(part.value)
            part = self.drop(part)
            if part is None or len(part.value) == n:
                return part
        return None

    def least(self, total):
        """Return what a box must come to, rounding of sums of this size allowed for.

        A box of the highest sum must be better than the one that is known.
        """
        slack = 1e-12 * (1.0 + np.abs(total).max())
        known = self.aim == "highest" and self.box is not None
        return self.floor + slack if known else self.floor - slack

    def drop(self, part):
        least = self.least(tops_of(part)[1])
        if not len(part.first):
            return part if part.joined(part.constant) >= least else None
        kept = promise_of(part) >= least
        low, high = hull_of(part)
        kept &= ((part.low <= high) & (part.high >= low)).all(axis=1)
        lows, highs = np.maximum(part.low, low), np.minimum(part.high, high)
        if self.far is not None:
            way = self.far(lows, highs)
            near = way < self.length if self.aim == "nearest" else way <= self.limit
            kept &= near & (way <= self.limit)
        if kept.all():
            return replace(part, low=lows, high=highs)
        return taken(part, kept, low, high)

    def merge(self, part, budget):
        """Merge groups pair by pair as long as it stays small."""
        while part is not None and len(part.first) > 1 and budget > 0:
            pairs, cost = pairs_to_merge(part, budget)
            if not pairs:
                return part
            budget -= cost
            part = self.prune(self.merged(part, pairs))
        return part

    def merged(self, part, pairs):
        """Return a part in which pairs of groups are one; None: nothing is left."""
        ends = ends_of(part)
        top, total = tops_of(part)
        least, uses = self.least(total), uses_of(part)
        left = set(range(len(part.first))) - {g for pair in pairs for g in pair}
        out = []
        for g, h in pairs:
            a, b = slice(ends[g], ends[g + 1]), slice(ends[h], ends[h + 1])
            value = part.value[a][:, None] + part.value[b][None]
            promise = part.joined(value + (total - top[g] - top[h]))
            i, j = np.nonzero(promise >= least)
            both = np.flatnonzero(uses[g] & uses[h])
            meets = part.low[a][i[:, None], both] <= part.high[b][j[:, None], both]
            meets &= part.low[b][j[:, None], both] <= part.high[a][i[:, None], both]
            meets = meets.all(axis=1)
            i, j = i[meets], j[meets]
            low = np.maximum(part.low[a][i], part.low[b][j])
            high = np.minimum(part.high[a][i], part.high[b][j])
            value = value[i, j]
            if self.far is not None:
                near = self.far(low, high) <= self.limit
                low, high, value = low[near], high[near], value[near]
            if not len(value):
                return None
            out.append((low, high, value))
        for g in sorted(left):
            a = slice(ends[g], ends[g + 1])
            out.append((part.low[a], part.high[a], part.value[a]))
        low, high, value = (np.concatenate(column) for column in zip(*out, strict=True))
        first = np.cumsum([0, *(len(one[2]) for one in out[:-1])])
        return replace(part, low=low, high=high, value=value, first=first)

    def dive(self, part):
        """Take the best box of one group after the other that fits those before.

        Returns where it ends.
        """
        if not len(part.first):
            return part.whole
        ends, (top, total) = ends_of(part), tops_of(part)
        low, high = hull_of(part)
        for g in np.argsort(-picks_of(part)[1], kind="stable"):
            a = slice(ends[g], ends[g + 1])
            lows, highs = np.maximum(part.low[a], low), np.minimum(part.high[a], high)
            fits = (lows <= highs).all(axis=1)
            if self.far is not None and fits.any():
                fits &= self.far(lows, highs) <= self.limit
            if not fits.any():
                return low, high
            value = part.joined(part.value[a] + (total - top[g]))
            best = int(np.where(fits, value, -np.inf).argmax())
            low, high = lows[best], highs[best]
            total = total - top[g] + part.value[a][best]
        self.keep(low[None], high[None], part.joined(total[None]))
        return low, high

    def climb(self, part, start):
        """Climb from a box, one feature at a time; for single sums without ways."""
        single = part.value.shape[1] == 1 and len(part.first)
        if self.is_over or self.far is not None or not single:
            return
        box, value = climb(part, start[0])
        self.keep(*(end[None] for end in box), np.array([value]))

    def result(self, n_opened):
        is_done = self.is_over or not self.heap
        bound = max([self.value, *(entry[2] for entry in self.heap)])
        near = min([self.length, *(entry[3] for entry in self.heap)])
        if not is_done and self.aim == "nearest" and near >= self.length:
            is_done = True
        if not is_done and self.aim == "highest" and bound <= self.value:
            is_done = True
        return Found(self.box, self.value, self.length, bound, near, n_opened, is_done)
