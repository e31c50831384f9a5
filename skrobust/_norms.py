"""Norms of attacks: lengths, projections and steepest directions.

Each function takes numpy arrays or torch tensors whose first axis runs over samples,
and works where they lie; torch is never imported, only met. A radius is one number or
one per sample. The norm 0 counts the features that differ; it is no norm, and only
methods that define it take it.
"""

import sys

import numpy as np

from skrobust._keyed_noise.splitmix import chunks

NORMS = (np.inf, 2, 1)


def namespace(x):
    """Return the module (numpy, or torch if it is already loaded) that x belongs to."""
    return np if isinstance(x, np.ndarray) else sys.modules["torch"]


def per_sample(v, x):
    """Reshape one number per sample so that it broadcasts against x."""
    return v.reshape((-1,) + (1,) * (x.ndim - 1))


def indices(n, x):
    """Return the integers from 0 to n - 1 where x lies."""
    xp = namespace(x)
    return np.arange(n) if xp is np else xp.arange(n, device=x.device)


def mask_at(place, n):
    """Return a mask of n columns that is True at one place of each sample."""
    xp = namespace(place)
    columns = np.arange(n) if xp is np else xp.arange(n, device=place.device)
    return columns[None, :] == place[:, None]


def length(delta, norm):
    """Return the length of each sample.

    Parameters
    ----------
    delta : array or tensor of shape (n_samples, ...)
        Differences.
    norm : {inf, 2, 1, 0}
        Maximum, root of the sum of squares, sum of absolute values, or number of
        entries other than zero.

    Returns
    -------
    array or tensor of shape (n_samples,)
        Non-negative lengths.
    """
    xp = namespace(delta)
    flat = delta.reshape((len(delta), -1))
    if norm == np.inf:
        return xp.amax(xp.abs(flat), 1)
    if norm == 1:
        return xp.abs(flat).sum(1)
    if norm == 0:
        return xp.where(flat != 0, xp.ones_like(flat), xp.zeros_like(flat)).sum(1)
    return xp.sqrt((flat * flat).sum(1))


def inwards(z, x, eps):
    """Move entries of z that rounding left further than eps from x one step back.

    After that none is further away in double precision, except where numbers are too
    coarse for one step, or the device has no doubles. The array z is changed.
    """
    xp = namespace(x)
    is_host = xp is np or x.device.type == "cpu"
    if eps == np.inf or (xp is not np and x.device.type == "mps"):
        return z
    width = int(np.prod(tuple(x.shape[1:])))
    for part in chunks(len(x), width, 1 if is_host else 256):
        there, clean = z[part], x[part]
        wide = there.astype(float) if xp is np else there.double()
        beyond = xp.abs(wide - clean) > eps
        step = xp.nextafter(there, clean) - there
        there += step * beyond  # exact, and several times faster than a choice
    return z


def dual_length(gradient, norm):
    """Return how much a linear function rises at most within the unit ball."""
    return length(gradient, {np.inf: 1, 2: 2, 1: np.inf, 0: np.inf}[norm])


def project(delta, eps, norm):
    """Return the point of the ball of radius eps nearest to each sample."""
    xp = namespace(delta)
    if np.ndim(eps):
        eps = per_sample(eps, delta)
    elif eps == np.inf:
        return delta
    if norm == np.inf:
        return xp.clip(delta, -eps, eps)
    if norm in (0, 1):
        return _project_sorted(delta, eps, norm)
    size = per_sample(length(delta, norm), delta)
    beyond = size > eps
    return delta * xp.where(beyond, eps / xp.where(beyond, size, 1.0), 1.0)


def project_in_box(delta, eps, norm, low, high):
    """Return the point nearest to each sample in the ball and the box low to high.

    Exact for the norms inf and 1; for 2 the point of the ball is cut to the box, which
    stays in the ball. ``low <= 0 <= high`` bound the differences themselves.
    """
    xp = namespace(delta)
    if norm != 1:
        return xp.clip(project(delta, eps, norm), low, high)
    return _project_sorted(delta, eps, 1, _room(delta, low, high))


def _room(direction, low, high):
    """Return how far each entry may go in a direction until the box stops it."""
    xp = namespace(direction)
    still = xp.zeros_like(direction)
    return xp.where(direction > 0, high + still, -low + still)


def _project_sorted(delta, eps, norm, room=None):
    """Project onto the ball of norm 1 (and a box), or keep the eps largest (norm 0).

    Norm 1: entries shrink by one threshold, and are cut at the room that the box
    leaves; the sum of what is left is piecewise linear in the threshold, so that
    sorting its corners gives the threshold exactly (Duchi et al., 2008, without box).
    """
    xp = namespace(delta)
    flat = delta.reshape((len(delta), -1))
    size = xp.abs(flat)
    eps = eps.reshape((-1, 1)) if np.ndim(eps) else eps
    if norm == 0:
        order = xp.argsort(xp.argsort(-size, 1), 1)
        return xp.where(order < eps, flat, xp.zeros_like(flat)).reshape(delta.shape)
    corners, kinks, inside = size, xp.ones_like(size), size
    if room is not None:
        room = room.reshape(size.shape)
        inside = xp.minimum(size, room)
        corners = xp.concatenate([size, size - room], 1)
        kinks = xp.concatenate([kinks, -kinks], 1)
    order = xp.argsort(-corners, 1)
    corners, kinks = _pick(corners, order), _pick(kinks, order)
    slope = kinks.cumsum(1)
    total = (kinks * corners).cumsum(1)
    # The sum at each corner as threshold; it rises as the threshold falls.
    reached = total - slope * corners
    place = xp.clip((reached < eps).sum(1) - 1, 0, None)[:, None]
    n = xp.clip(_pick(slope, place), 1, None)
    threshold = xp.clip((_pick(total, place) - eps) / n, 0, None)
    left = xp.clip(size - threshold, 0, None)
    if room is not None:
        left = xp.minimum(left, room)
    fits = inside.sum(1)[:, None] <= eps
    kept = xp.where(fits, inside, left)
    # Of entries far beyond eps, the threshold has too few digits for a sum of eps.
    total = kept.sum(1)[:, None]
    beyond = total > eps
    kept = kept * xp.where(beyond, eps / xp.where(beyond, total, 1.0), 1.0)
    return (xp.sign(flat) * kept).reshape(delta.shape)


def _pick(x, order):
    """Return the entries of each row in an order of its own."""
    if isinstance(x, np.ndarray):
        return np.take_along_axis(x, order, 1)
    return namespace(x).take_along_dim(x, order, 1)


def steepest(gradient, norm):
    """Return the unit direction along which a linear function rises most.

    For the norm 1 it is one coordinate, the first of the largest. Samples whose
    gradient is zero get a zero direction. Tiny gradients are scaled by their largest
    entry first, so that their squares do not vanish.
    """
    xp = namespace(gradient)
    if norm == np.inf:
        return xp.sign(gradient)
    if norm == 1:
        flat = gradient.reshape((len(gradient), -1))
        first = mask_at(xp.abs(flat).argmax(1), flat.shape[1])
        one = xp.where(first, xp.sign(flat), xp.zeros_like(flat))
        return one.reshape(gradient.shape)
    peak = length(gradient, np.inf)
    peak = xp.where(peak > 0, peak, xp.ones_like(peak))
    scaled = gradient / per_sample(peak, gradient)
    size = length(scaled, norm)
    size = xp.where(size > 0, size, xp.ones_like(size))
    return scaled / per_sample(size, scaled)


def l1_step_in_box(gradient, eps, low, high):
    """Return the best step of length eps in the norm 1 within a box, in closed form.

    A linear function rises most when the budget goes to its steepest coordinate until
    the box stops it, then to the next, and so on. ``low <= 0 <= high`` bound the step.
    """
    xp = namespace(gradient)
    flat = gradient.reshape((len(gradient), -1))
    room = xp.where(gradient != 0, _room(gradient, low, high), 0.0)
    room = room.reshape(flat.shape)
    order = xp.argsort(-xp.abs(flat), 1)
    room = _pick(room, order)
    before = room.cumsum(1) - room
    eps = eps.reshape((-1, 1)) if np.ndim(eps) else eps
    taken = xp.minimum(xp.clip(eps - before, 0, None), room)
    taken = _pick(taken, xp.argsort(order, 1))
    return (xp.sign(flat) * taken).reshape(gradient.shape)


def reach_plane(normal, rise, norm, low=None, high=None):
    """Return the shortest step that lifts a linear function by ``rise``.

    Parameters
    ----------
    normal : array or tensor of shape (n_samples, ...)
        Gradients of the function.
    rise : array or tensor of shape (n_samples,)
        How much it must rise; not negative.
    norm : {inf, 2, 1, 0}
        Norm that is minimised.
    low, high : None, or arrays or tensors that broadcast
        Bounds of the step, ``low <= 0 <= high``.

    Returns
    -------
    step : array or tensor of shape (n_samples, ...)
        Exact, as the rise is piecewise linear in the length of the step (norms inf and
        2: Newton's method ends at the right piece) or spent greedily (1 and 0). Where
        the box does not let the function rise that much, the corner at which it is
        largest; zero where the gradient is zero.
    """
    xp = namespace(normal)
    flat = normal.reshape((len(normal), -1))
    weight = xp.abs(flat)
    rise = rise[:, None]
    if low is None:
        direction = steepest(normal, 1 if norm == 0 else norm).reshape(flat.shape)
        slope = (direction * flat).sum(1)[:, None]
        far = rise / xp.where(slope > 0, slope, xp.ones_like(slope))
        return (direction * far).reshape(normal.shape)
    room = xp.where(normal != 0, _room(normal, low, high), 0.0).reshape(flat.shape)
    if norm in (0, 1):
        key = -weight * room if norm == 0 else -weight
        order = xp.argsort(key, 1)
        gain = _pick(weight * room, order)
        missing = xp.clip(rise - (gain.cumsum(1) - gain), 0, None)
        gain = _pick(xp.minimum(missing, gain), xp.argsort(order, 1))
        taken = gain / xp.where(weight > 0, weight, xp.ones_like(weight))
        taken = xp.minimum(taken, room)
        return (xp.sign(flat) * taken).reshape(normal.shape)
    # Each coordinate moves as pace * time until its room is used up.
    pace = 1.0 if norm == np.inf else weight
    speed, full = weight * pace, weight * room
    time, n_moving = xp.zeros_like(rise), None
    moving = room > 0
    while n_moving != (n_moving := int(moving.sum())):
        # As if none of these stopped: no later than the rise is reached, since it slows
        # down. So what has stopped by then never moves again, and the last time, at
        # which nothing more stops, is exact.
        rate = xp.where(moving, speed, 0.0).sum(1)[:, None]
        missing = rise - xp.where(moving, 0.0, full).sum(1)[:, None]
        time = xp.maximum(time, missing / xp.where(rate > 0, rate, 1.0))
        moving = pace * time < room
    moved = xp.where(moving, pace * time, room)
    return (xp.sign(flat) * moved).reshape(normal.shape)
