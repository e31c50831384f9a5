"""Groups of boxes, of which a point is in one box each."""

from dataclasses import dataclass, replace

import numpy as np

_PAIRS = 40_000  # of boxes that two groups may have to be merged


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of boxes, of which a point is in one box each.

    Attributes
    ----------
    low, high : ndarray of int of shape (n_boxes, n_features)
        First and last cells; of the ``features`` alone.
    value : ndarray of shape (n_boxes, n_sums)
        What a box adds to the sums.
    first : ndarray of int
        Place of the first box of each group.
    constant : ndarray of shape (n_sums,)
        What is added everywhere.
    features : ndarray of int
        Those that divide the boxes.
    whole : (low, high)
        Cells in reach of these features.
    join : {"all", "any"}
        What the sums come to: the log odds of winning by all of them,
        ``-logsumexp(-sums)``, or of losing by any, ``logsumexp(sums)``. A single sum is
        itself.
    """

    low: np.ndarray
    high: np.ndarray
    value: np.ndarray
    first: np.ndarray
    constant: np.ndarray
    features: np.ndarray
    whole: tuple
    join: str = "all"

    def joined(self, sums):
        """Return what sums come to; it rises with each of them."""
        if sums.shape[-1] == 1:
            return sums[..., 0]
        sign = -1.0 if self.join == "all" else 1.0
        sums = sign * sums
        peak = sums.max(axis=-1)
        return sign * (peak + np.log(np.exp(sums - peak[..., None]).sum(axis=-1)))


def ends_of(part):
    """Return the place of the first box of each group, and the number of boxes."""
    return np.concatenate((part.first, (len(part.value),)))


def tops_of(part):
    """Return the largest values of each group, and what these come to in all."""
    if not len(part.first):
        return np.zeros((0, len(part.constant))), part.constant
    top = np.maximum.reduceat(part.value, part.first, axis=0)
    return top, top.sum(axis=0) + part.constant


def promise_of(part):
    """Return what no point of each box comes above, with all other groups at best."""
    top, total = tops_of(part)
    others = np.repeat(total - top, np.diff(ends_of(part)), axis=0)
    return part.joined(part.value + others)


def bound_of(part):
    """Return what no point comes above."""
    return float(part.joined(tops_of(part)[1]))


def hull_of(part):
    """Return a box that holds all points that are in one box of each group."""
    if not len(part.first):
        return part.whole
    low = np.minimum.reduceat(part.low, part.first, axis=0).max(axis=0)
    high = np.maximum.reduceat(part.high, part.first, axis=0).min(axis=0)
    return low, high


def taken(part, kept, low, high):
    """Return some boxes of a part, within a box; None where a group is empty."""
    counts = np.add.reduceat(kept, part.first)
    if (counts == 0).any():
        return None
    return replace(
        part,
        low=np.maximum(part.low[kept], low),
        high=np.minimum(part.high[kept], high),
        value=part.value[kept],
        first=np.cumsum(counts) - counts,
    )


def picks_of(part):
    """Return the place of the best box of each group, and what is lost without it."""
    promise = promise_of(part)
    sizes = np.diff(ends_of(part))
    is_top = promise >= np.repeat(np.maximum.reduceat(promise, part.first), sizes)
    places = np.flatnonzero(is_top)
    owner = np.repeat(np.arange(len(sizes)), sizes)[places]
    picks = places[np.searchsorted(owner, np.arange(len(sizes)))]
    rest = promise.copy()
    rest[picks] = -np.inf
    second = np.maximum.reduceat(rest, part.first)
    regret = np.where(np.isfinite(second), promise[picks] - second, 0.0)
    return picks, regret


def _divides(part):
    low, high = hull_of(part)
    return (part.low > low) | (part.high < high)


def uses_of(part):
    """Return by group and feature whether some box is narrower than the whole."""
    return np.logical_or.reduceat(_divides(part), part.first, axis=0)


def pairs_to_merge(part, budget):
    """Return pairs of groups to merge, small and with features in common first."""
    sizes = np.diff(ends_of(part))
    shared = np.add.reduceat(_divides(part), part.first, axis=0) / sizes[:, None]
    shared = shared @ shared.T
    free = np.ones(len(sizes), dtype=bool)
    pairs, cost = [], 0
    for g in np.argsort(sizes, kind="stable"):
        if not free[g]:
            continue
        free[g] = False
        fits = free & (sizes * sizes[g] <= _PAIRS)
        if not fits.any():
            continue
        score = np.where(fits, (shared[g] + 1e-3) / np.log2(sizes + 2), -1.0)
        h = int(score.argmax())
        free[h] = False
        pairs.append((int(g), h))
        cost += int(sizes[g] * sizes[h])
        if cost > budget:
            break
    return pairs, cost


def divided(part):
    """Return two parts, below and above a cut on which the best boxes disagree."""
    picks, weight = picks_of(part)
    low, high, weight = part.low[picks], part.high[picks], weight + 1e-12
    above = np.einsum("q,qpf->pf", weight, low[:, None] > high[None])
    below = np.einsum("q,qpf->pf", weight, high[:, None] <= high[None])
    gain = np.minimum(above, below)
    pick, column = np.unravel_index(gain.argmax(), gain.shape)
    cut = high[pick, column]
    if gain[pick, column] <= 0:  # the best boxes agree
        column, cut = _middle(part)
    halves = []
    for kept, end in (
        (part.low[:, column] <= cut, "high"),
        (part.high[:, column] > cut, "low"),
    ):
        box = hull_of(part)
        box[end == "high"][column] = cut if end == "high" else cut + 1
        half = taken(part, kept, *box)
        if half is not None:
            halves.append(half)
    return halves


def _middle(part):
    """Return a feature and a cut that divide boxes."""
    _, high = hull_of(part)
    inner = (part.high < high).sum(axis=0)
    column = int(inner.argmax())
    cuts = np.sort(part.high[:, column][part.high[:, column] < high[column]])
    return column, cuts[len(cuts) // 2]
