"""Closed-form best moves of a linear function within a box.

All moves go with the sign of the weights; ``room`` says how far each feature may go
that way. What a move gains is piecewise linear (or quadratic) in one number, so sorting
the corners of that function gives the answer exactly, without a search.
"""

import numpy as np


def room_of(weights, x, box):
    """Return how far each feature may move with the sign of its weight.

    Parameters
    ----------
    weights : ndarray of shape (n_features,) or (n, n_features)
        Of the linear function, or of one function per row.
    x : ndarray of shape (n, n_features)
        Rows.
    box : None or (low, high)
        Bounds of the rows.

    Returns
    -------
    ndarray of shape (n, n_features) or None
        Zero where the weight is zero; None where there is no box.
    """
    if box is None:
        return None
    room = np.where(weights > 0, box[1] - x, x - box[0])
    return np.where(weights == 0, 0.0, np.maximum(room, 0))


def shortest(weights, rise, room, norm):
    """Return the shortest moves that lift ``x @ weights`` by ``rise``.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        Of the linear function.
    rise : ndarray of shape (n,)
        How much it must rise; not negative.
    room : ndarray of shape (n, n_features) or None
        From :func:`room_of`.
    norm : {inf, 2, 1}
        Norm that is minimised.

    Returns
    -------
    moves : ndarray of shape (n, n_features)
        To be added to the rows.
    possible : ndarray of shape (n,), dtype bool
        Whether the box lets the function rise that much.
    """
    size, sign = np.abs(weights), np.sign(weights)
    n = len(rise)
    possible = np.full(n, bool(size.any())) | (rise <= 0)
    if not size.any():
        return np.zeros((n, len(size))), possible
    if room is None:
        unit = _direction(size, norm)
        return (rise / (unit @ size))[:, None] * unit * sign, possible
    gain = size * room
    # A corner of the box that only rounding keeps from the rise is reached.
    possible = gain.sum(axis=1) >= rise
    if norm == 1:
        order = np.argsort(-size, kind="stable")
        before = np.cumsum(gain[:, order], axis=1) - gain[:, order]
        spent = np.clip(rise[:, None] - before, 0, gain[:, order])
        move = np.zeros_like(room)
        move[:, order] = spent / np.where(size[order] > 0, size[order], 1)
        return np.minimum(move, room) * sign, possible
    pace = np.ones_like(size) if norm == np.inf else size
    time = _time(room, pace, gain, size * pace, rise, 1)
    return np.minimum(pace * time[:, None], room) * sign, possible


def farthest(weights, eps, room, norm):
    """Return the moves of length up to eps that lift ``x @ weights`` most.

    Parameters
    ----------
    weights : ndarray of shape (n_features,) or (n, n_features)
        Of the linear function, or of one function per row.
    eps : float
        Length of the moves.
    room : ndarray of shape (n, n_features) or None
        From :func:`room_of`.
    norm : {inf, 2, 1}
        Norm of the length.

    Returns
    -------
    ndarray of shape (n, n_features) or (1, n_features)
        To be added to the rows.
    """
    size, sign = np.abs(weights), np.sign(weights)
    if room is None:
        return np.atleast_2d(eps * _direction(size, norm) * sign)
    if norm == np.inf:
        return np.minimum(eps, room) * sign
    if norm == 1:
        order = np.argsort(-np.broadcast_to(size, room.shape), axis=1, kind="stable")
        sorted_room = np.take_along_axis(room, order, axis=1)
        before = np.cumsum(sorted_room, axis=1) - sorted_room
        move = np.zeros_like(room)
        spent = np.clip(eps - before, 0, sorted_room)
        np.put_along_axis(move, order, spent, axis=1)
        return move * sign
    wanted = np.full(len(room), float(eps) ** 2)
    time = _time(room, size, room * room, size * size, wanted, 2)
    return np.minimum(size * time[:, None], room) * sign


def _direction(size, norm):
    """Return the unit move along which the function rises most, without a box."""
    if norm == np.inf:
        return (size > 0).astype(np.float64)
    if norm == 1:
        return np.eye(size.shape[-1])[size.argmax(axis=-1)]
    whole = np.linalg.norm(size, axis=-1, keepdims=True)
    return size / np.where(whole > 0, whole, 1.0)


def _time(room, pace, full, rate, wanted, power):
    r"""Return t at which a sum over features reaches what is wanted.

    Feature i adds ``rate_i * t**power`` until it has moved ``room_i`` at its pace, and
    ``full_i`` from then on. Beyond every end where the sum never gets there.
    """
    moving = pace > 0
    with np.errstate(over="ignore"):
        ends = np.where(moving, room / np.where(moving, pace, 1), 0.0)
    ends = np.minimum(ends, 1e150)
    order = np.argsort(ends, axis=1)
    ends = np.take_along_axis(ends, order, axis=1)
    full = np.take_along_axis(np.where(moving, full, 0.0), order, axis=1)
    rate = np.take_along_axis(np.broadcast_to(rate, room.shape), order, axis=1)
    done = np.cumsum(full, axis=1)
    # Summed from the far end, so that no rate is left over by rounding.
    left = np.cumsum(rate[:, ::-1], axis=1)[:, ::-1]
    still = np.concatenate([left[:, 1:], np.zeros((len(room), 1))], axis=1)
    reached = done + still * ends**power
    place = (reached < wanted[:, None]).sum(axis=1)
    never = place >= room.shape[1]
    place = np.minimum(place, room.shape[1] - 1)
    rows = np.arange(len(room))
    rest = wanted - (done - full)[rows, place]
    speed = left[rows, place]
    time = (np.maximum(rest, 0) / np.where(speed > 0, speed, 1)) ** (1 / power)
    return np.where(never, 2 * ends[:, -1], np.where(speed > 0, time, 0.0))
