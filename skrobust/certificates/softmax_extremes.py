"""Extremes of a softmax probability of linear scores within a region, by proof.

With z the scores less that of the class, the probability is exp(-LSE(z)), where LSE is
the logarithm of the sum of exponentials. It is the greatest value of a linear function
over the simplex of shares q,

    LSE(z) = max_q  q . z + H(q),    H the entropy.

Its least value over a region is a concave problem in q, in which every q is a proof.
Its greatest value is the greatest of H(q) + h(q), where h(q), the most that q . z
reaches in the region, is convex and known in closed form. The simplex is cut into
smaller ones; on each, h lies below the plane through its corners and H below its
tangent, so that corners alone give an upper bound.
"""

import numpy as np
from scipy.special import logsumexp, softmax, xlogy

_ENOUGH = 1e-4  # gap of a probability at which the search ends
_INNER = 10  # steps to the tangent of the entropy


def least_lse(region, weights, scores, n_steps=200):
    """Return lower bounds of the least LSE over the region.

    Parameters
    ----------
    region : Region
        Where x may be.
    weights : ndarray of shape (n_samples, k, n_features)
        Of the scores z, for each row.
    scores : ndarray of shape (n_samples, k)
        The scores of the rows themselves.
    n_steps : int, default=200
        Steps of the search.

    Returns
    -------
    bound, reached : ndarray of shape (n_samples,)
        Nothing in the region is below ``bound``, and a point has ``reached``.
    """
    n, _, d = weights.shape
    delta = np.zeros((n, d))
    bound, reached = np.full(n, -np.inf), logsumexp(scores, axis=1)
    centred = weights - weights.mean(axis=1, keepdims=True)
    curve = 0.5 * np.einsum("nkd,nkd->n", centred, centred) + 1e-300
    live = np.arange(n)
    for _ in range(n_steps):
        w, part = weights[live], region.take(live)
        z = scores[live] + np.einsum("nkd,nd->nk", w, delta[live])
        q = softmax(z, axis=1)
        value = logsumexp(z, axis=1)
        slope = np.einsum("nk,nkd->nd", q, w)
        target = part.move(-slope)
        proof = (q * scores[live] - xlogy(q, q)).sum(axis=1)
        proof += (slope * target).sum(axis=1)
        bound[live] = np.maximum(bound[live], proof)
        reached[live] = np.minimum(reached[live], value)
        open_ = np.exp(-bound[live]) - np.exp(-reached[live]) > _ENOUGH
        if not open_.any():
            break
        way = target - delta[live]
        gain = -(slope * way).sum(axis=1)
        length = np.maximum((way * way).sum(axis=1), 1e-300)
        step = np.clip(gain / (curve[live] * length), 0, 1)
        # The exact slope along the way is cheap, as scores move linearly.
        along = np.einsum("nkd,nd->nk", w, way)
        step = _line_search(z, along, step)
        delta[live] += step[:, None] * way
        live = live[open_]
    return bound, reached


def _line_search(z, along, step):
    """Return the t in [0, 1] of the least LSE(z + t along), by bisection."""
    low, high = np.zeros(len(z)), np.ones(len(z))
    for _ in range(30):
        q = softmax(z + step[:, None] * along, axis=1)
        rises = (q * along).sum(axis=1) > 0
        high, low = np.where(rises, step, high), np.where(rises, low, step)
        step = (low + high) / 2
    return step


def most_lse(region, weights, scores, n_cuts=200):
    """Return upper bounds of the greatest LSE over the region, by branch and bound.

    Parameters
    ----------
    region, weights, scores : object
        As in :func:`least_lse`.
    n_cuts : int, default=200
        Cuts of the simplex of shares, for each row.

    Returns
    -------
    bound, reached : ndarray of shape (n_samples,)
        Nothing in the region is above ``bound``, and a point has ``reached``.
    """
    n, k, _ = weights.shape
    corners = np.zeros((n, n_cuts + 1, k, k))  # of each simplex: its corners
    heights = np.zeros((n, n_cuts + 1, k))
    tops = np.full((n, n_cuts + 1), -np.inf)
    inner = np.full((n, n_cuts + 1, k), 1 / k)  # shares of the corners at the top
    corners[:, 0] = np.eye(k)
    reached = logsumexp(scores, axis=1)
    for j in range(k):
        moves = region.move(weights[:, j])
        heights[:, 0, j] = scores[:, j] + (moves * weights[:, j]).sum(axis=1)
        z = scores + np.einsum("nkd,nd->nk", weights, moves)
        reached = np.maximum(reached, logsumexp(z, axis=1))
    rows = np.arange(n)
    tops[:, 0], inner[:, 0] = _top(corners[:, 0], heights[:, 0])
    for cut in range(n_cuts):
        best = tops[rows].argmax(axis=1)
        bound = tops[rows, best]
        rows, best = (
            part[np.exp(-reached[rows]) - np.exp(-bound) > _ENOUGH]
            for part in (rows, best)
        )
        if not len(rows):
            break
        v, h, mu = corners[rows, best], heights[rows, best], inner[rows, best]
        first, second = _edge(v, mu)
        at = np.arange(len(rows))
        middle = (v[at, first] + v[at, second]) / 2
        part, w = region.take(rows), weights[rows]
        slope = np.einsum("nk,nkd->nd", middle, w)
        moves = part.move(slope)
        height = (middle * scores[rows]).sum(axis=1) + (moves * slope).sum(axis=1)
        z = scores[rows] + np.einsum("nkd,nd->nk", w, moves)
        reached[rows] = np.maximum(reached[rows], logsumexp(z, axis=1))
        for place, corner in ((best, first), (np.full(len(rows), cut + 1), second)):
            new_v, new_h = v.copy(), h.copy()
            new_v[at, corner], new_h[at, corner] = middle, height
            top, share = _top(new_v, new_h)
            corners[rows, place], heights[rows, place] = new_v, new_h
            tops[rows, place], inner[rows, place] = top, share
    return np.maximum(tops.max(axis=1), reached), reached


def _edge(v, mu):
    """Return the edge of each simplex that is cut: long, and with its top between."""
    far = np.linalg.norm(v[:, :, None] - v[:, None, :], axis=-1)
    weight = (mu[:, :, None] * mu[:, None, :] + 1e-3 / mu.shape[1] ** 2) * far
    place = weight.reshape(len(v), -1).argmax(axis=1)
    return np.divmod(place, v.shape[1])


def _top(v, h):
    """Return an upper bound of H + h on each simplex, and where it is met.

    The shares of the corners that maximise the entropy plus the plane are found by
    multiplicative steps; the tangent of the entropy there bounds the whole.
    """
    k = v.shape[1]
    # Mixing corners contracts relative entropy by their total variation at least, so
    # that steps may grow as simplices shrink.
    apart = np.abs(v[:, :, None] - v[:, None, :]).sum(axis=-1).max(axis=(1, 2)) / 2
    step = 1 / np.maximum(apart, 1e-9)[:, None]
    mu = np.full(h.shape, 1 / k)
    bound = np.full(len(v), np.inf)
    for _ in range(_INNER):
        q = np.einsum("nk,nkj->nj", mu, v)
        tangent = -np.log(np.maximum(q, 1e-300))
        at_corners = h + np.einsum("nkj,nj->nk", v, tangent)
        bound = np.minimum(bound, at_corners.max(axis=1))
        mu = softmax(np.log(np.maximum(mu, 1e-30)) + step * at_corners, axis=1)
    return bound, mu
