"""Coordinate ascent over a sum of groups of boxes, exact along each feature."""

import numpy as np

from skrobust.attacks.trees.box_groups import ends_of, hull_of

_ROUNDS = 12  # over all features


def climb(part, point):
    """Return the box of a point that no change of one feature makes better.

    A sum of boxes is constant between their ends along a feature, so that the best of
    all values of one feature is found by sorting. Boxes were dropped from groups; a
    point in none of a group is worse than one in its worst box.

    Parameters
    ----------
    part : Groups
        With a single sum.
    point : ndarray of int of shape (n_features,)
        Cells to start from.

    Returns
    -------
    box : (low, high)
        Cells around the best point that have its sum.
    sum : float
        The sum; -inf where some group has no box there.
    """
    value, sizes = part.value[:, 0], np.diff(ends_of(part))
    least = np.minimum.reduceat(value, part.first)
    most = np.maximum.reduceat(value, part.first)
    gain = value - np.repeat(2 * least - most, sizes)
    point = np.clip(point, *hull_of(part))
    outside = (part.low > point) | (part.high < point)
    n_outside = outside.sum(axis=1)
    for _ in range(_ROUNDS):
        moved = False
        for f in range(len(point)):
            near = np.flatnonzero(n_outside - outside[:, f] == 0)
            low, high = part.low[near, f], part.high[near, f]
            begins = np.sort(low)
            if begins[0] == begins[-1]:
                continue
            order, ends = (
                np.argsort(low, kind="stable"),
                np.argsort(high, kind="stable"),
            )
            rises = np.concatenate(([0.0], np.cumsum(gain[near][order])))
            falls = np.concatenate(([0.0], np.cumsum(gain[near][ends])))

            def total(cells, begins=begins, rises=rises, falls=falls, ends=high[ends]):
                begun = rises[np.searchsorted(begins, cells, side="right")]
                return begun - falls[np.searchsorted(ends, cells)]

            totals = total(begins)
            best = int(totals.argmax())
            now = float(total(point[f : f + 1])[0])
            if totals[best] > now + 1e-9 * abs(now):
                point[f], moved = begins[best], True
                n_outside -= outside[:, f]
                outside[:, f] = (part.low[:, f] > point[f]) | (
                    part.high[:, f] < point[f]
                )
                n_outside += outside[:, f]
        if not moved:
            break
    inside = n_outside == 0
    if np.add.reduceat(inside, part.first).min() < 1:
        return (point, point), -np.inf
    box = part.low[inside].max(axis=0), part.high[inside].min(axis=0)
    return box, float(value[inside].sum() + part.constant[0])
