"""Branch and bound over the boxes of an ensemble of trees."""

import heapq

import numpy as np


def nearest_box(boxes, seen, label, data_bounds, far, *, limit, budget):
    """Return the nearest box of an ensemble with another label.

    Boxes are opened from the nearest on. A box whose nearest point has another label is
    the answer, since all others are at least as far; a box in which no choice of leaves
    reaches another label is dropped, and so is one farther than what a greedy walk
    found before.

    Parameters
    ----------
    boxes : Boxes
        Of the ensemble.
    seen : ndarray of shape (n_features,)
        The row as trees see it.
    label : int
        The label that is left.
    data_bounds : (low, high)
        The data range as trees see it.
    far : callable
        (low, high) to the length of the way into boxes, along the last axis.
    limit : float
        Farther boxes are of no interest.
    budget : int
        Boxes that may be opened.

    Returns
    -------
    box : (low, high) or None
        The best that was found.
    length : float
        The way into it.
    lower_bound : float
        No way is shorter, up to ``limit``.
    proven : bool
        Whether no way that is shorter is left.
    """
    low, high = (np.broadcast_to(end, len(seen)).astype(float) for end in data_bounds)
    best, best_far = None, np.inf
    for other in range(len(boxes.start)):
        if other == label:
            continue
        walked = _walk(boxes, seen, label, other, data_bounds, far)
        if walked is not None and (size := float(far(*walked))) < best_far:
            best, best_far = walked, size
    heap, count = [(0.0, 0, low, high)], 0
    for _ in range(budget):
        if not heap or heap[0][0] > limit or heap[0][0] >= best_far:
            return best, best_far, best_far, True
        size, _, low, high = heapq.heappop(heap)
        if boxes.scores(np.clip(seen, low, high)).argmax() != label:
            return (low, high), size, size, True
        under, over, meets = _meeting(boxes, low, high)
        tree = _most_open(boxes, meets, label)
        if tree is None:
            continue
        for leaf in np.flatnonzero(meets[tree]):
            a, b = under[tree, leaf], over[tree, leaf]
            size = float(far(a, b))
            if size >= best_far or size > limit:
                continue
            if boxes.scores(np.clip(seen, a, b)).argmax() != label:
                best, best_far = (a, b), size
            count += 1
            heapq.heappush(heap, (size, count, a, b))
    bound = min(heap[0][0], best_far) if heap else best_far
    return best, best_far, bound, bound >= min(best_far, limit)


def farthest_box(boxes, seen, data_bounds, far, *, sign, eps, budget):
    """Return the box within reach on which a sum of trees is largest or smallest.

    Boxes are opened from the most promising on: what the best reachable leaf of every
    tree would give together. A box whose own value is that much is the answer.

    Parameters
    ----------
    boxes : Boxes
        Of an ensemble of regression.
    seen, data_bounds, far
        As for :func:`nearest_box`.
    sign : {1, -1}
        1 looks for the largest sum, -1 for the smallest.
    eps : float
        Boxes farther than this are out of reach.
    budget : int
        Boxes that may be opened.

    Returns
    -------
    box : (low, high)
        The best that was found.
    value : float
        The sum on it.
    proven : bool
        Whether none is better.
    """
    low, high = (np.broadcast_to(end, len(seen)).astype(float) for end in data_bounds)
    lead = sign * boxes.value[:, :, 0]
    start = sign * boxes.start[0]
    best, best_value = (low, high), -np.inf
    heap, count = [(-np.inf, 0, low, high)], 0
    for _ in range(budget):
        if not heap or -heap[0][0] <= best_value + 1e-12 * abs(best_value):
            return best, sign * best_value, True
        _, _, low, high = heapq.heappop(heap)
        value = sign * boxes.scores(np.clip(seen, low, high))[0]
        if value > best_value:
            best, best_value = (low, high), value
        under, over, meets = _meeting(boxes, low, high)
        meets &= far(under, over) <= eps
        spread = np.where(meets, lead, -np.inf).max(axis=1)
        spread = spread - np.where(meets, lead, np.inf).min(axis=1)
        tree = int(spread.argmax())
        if spread[tree] <= 0:
            continue
        for leaf in np.flatnonzero(meets[tree]):
            a, b = under[tree, leaf], over[tree, leaf]
            inside = _meeting(boxes, a, b)
            near = inside[2] & (far(inside[0], inside[1]) <= eps)
            bound = start + np.where(near, lead, -np.inf).max(axis=1).sum()
            if bound > best_value:
                count += 1
                heapq.heappush(heap, (-bound, count, a, b))
    proven = not heap or -heap[0][0] <= best_value + 1e-12 * abs(best_value)
    return best, sign * best_value, proven


def _walk(boxes, seen, label, other, data_bounds, far):
    """Return a box with another label, found greedily, or None.

    Each step puts one more tree into the leaf that wins most for its way.
    """
    low, high = (np.broadcast_to(end, len(seen)).astype(float) for end in data_bounds)
    lead = boxes.value[:, :, other] - boxes.value[:, :, label]
    for _ in range(len(lead)):
        point = np.clip(seen, low, high)
        if boxes.scores(point).argmax() != label:
            return low, high
        under, over, meets = _meeting(boxes, low, high)
        here = ((boxes.low <= point) & (point <= boxes.high)).all(axis=2)
        now = np.where(here, lead, 0).sum(axis=1)
        gain = np.where(meets, lead - now[:, None], 0)
        if gain.max() <= 1e-12:
            return None
        way = np.where(meets, far(under, over), np.inf) - far(low, high)
        tree, leaf = np.unravel_index((gain / (way + 1e-9)).argmax(), gain.shape)
        low, high = under[tree, leaf], over[tree, leaf]
    return (
        (low, high)
        if boxes.scores(np.clip(seen, low, high)).argmax() != label
        else None
    )


def _meeting(boxes, low, high):
    """Return the parts of all leaves in a box, and which leaves have one."""
    under, over = np.maximum(boxes.low, low), np.minimum(boxes.high, high)
    return under, over, (under <= over).all(axis=2)


def _most_open(boxes, meets, label):
    """Return the tree whose leaves in a box differ most.

    None where none differ, or where no choice of leaves gives another label.
    """
    lead = boxes.value - boxes.value[:, :, label, None]
    top = np.where(meets[:, :, None], lead, -np.inf).max(axis=1)
    reach = np.delete(top.sum(axis=0) + boxes.start - boxes.start[label], label)
    if not (reach >= -1e-9).any():
        return None
    bottom = np.where(meets[:, :, None], lead, np.inf).min(axis=1)
    spread = (top - bottom).max(axis=1) + 1e-12
    spread[meets.sum(axis=1) < 2] = 0
    tree = int(spread.argmax())
    return tree if spread[tree] > 0 else None
