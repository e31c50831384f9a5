"""Lines below and above the activations of nets, on intervals of their input.

Each function takes arrays or tensors ``low <= high`` and returns (slope below, offset
below, slope above, offset above): the activation lies between the two lines on the
whole interval.
"""

import numpy as np

from skrobust._norms import namespace

_STEPS = 30  # bisections to a tangent
_FLAT = 1e-9  # intervals below this length are taken as points


def leaky_relu(low, high, gamma=0.0, alpha=None):
    """Return the lines of max(x, gamma x), 0 <= gamma <= 1.

    ``alpha`` in [0, 1] moves the line below from slope gamma to slope 1, where the sign
    of the input is open; None takes the slope of the smaller area.
    """
    xp = namespace(low)
    one, base = xp.ones_like(low), xp.ones_like(low) * gamma
    width = xp.where(high - low > _FLAT, high - low, one)
    bottom = xp.where(low > 0, low, gamma * low)
    chord = (xp.where(high > 0, high, gamma * high) - bottom) / width
    open_ = (low < 0) & (high > 0)
    fixed = xp.where(low >= 0, one, base)
    above = xp.where(open_, chord, fixed)
    # On a very short interval the chord is a tangent, raised by what that may miss.
    short = open_ & (high - low <= _FLAT)
    above = xp.where(short, one, above)
    offset = xp.where(open_, bottom - above * low, xp.zeros_like(low))
    offset = xp.where(short, (1 - gamma) * _FLAT * one, offset)
    if alpha is None:
        below = xp.where(open_, xp.where(high > -low, one, base), fixed)
    else:
        below = xp.where(open_, gamma + (1 - gamma) * alpha, fixed)
    return below, xp.zeros_like(low), above, offset


def convex(low, high, function, slope_of):
    """Return the lines of a convex function: a tangent, and the chord."""
    xp = namespace(low)
    middle = (low + high) / 2
    below = slope_of(middle)
    ends = function(low), function(high)
    wide = high - low > _FLAT
    width = xp.where(wide, high - low, xp.ones_like(low))
    above = xp.where(wide, (ends[1] - ends[0]) / width, xp.zeros_like(low))
    top = xp.maximum(*ends)
    offset = xp.where(
        wide, xp.maximum(ends[0] - above * low, ends[1] - above * high), top
    )
    return below, function(middle) - below * middle, above, offset


def s_shaped(low, high, function, slope_of):
    """Return the lines of an odd function, convex below 0 and concave above.

    Above: the chord where the function is convex, or bends so late that the chord stays
    above; else the tangent through the lower end, or the tangent in the middle. Below
    is the same, turned around.
    """
    above, top = _s_above(low, high, function, slope_of)
    below, bottom = _s_above(-high, -low, function, slope_of)
    return below, -bottom, above, top


def _s_above(low, high, function, slope_of):
    xp = namespace(low)
    zero = xp.zeros_like(low)
    # Bisection for the tangent through the lower end; its upper end is on the safe
    # side: the line lies above at the lower end, and above all of the concave part.
    left, right = xp.maximum(zero, low), xp.maximum(zero, high)
    last = right
    for _ in range(_STEPS):
        d = (left + right) / 2
        too_steep = slope_of(d) * (d - low) > function(d) - function(low)
        left, right = xp.where(too_steep, d, left), xp.where(too_steep, right, d)
    # At the last point the chord is still no steeper than the function: take it.
    span = high - low
    wide = span > _FLAT
    chord = xp.where(
        wide, (function(high) - function(low)) / xp.where(wide, span, 1 + zero), zero
    )
    by_chord = (high <= 0) | (slope_of(last) * span >= function(high) - function(low))
    middle = xp.where(low >= 0, (low + high) / 2, right)
    slope = xp.where(by_chord & wide, chord, slope_of(middle))
    at = xp.where(by_chord & wide, low, middle)
    offset = function(at) - slope * at
    by_ends = xp.maximum(function(low) - slope * low, function(high) - slope * high)
    offset = xp.where(wide, xp.maximum(offset, by_ends), by_ends)
    flat_top = xp.maximum(function(low), function(high))
    return xp.where(wide, slope, zero), xp.where(wide, offset, flat_top)


def expit(x):
    """Return the logistic function of an array or a tensor, without overflow."""
    xp = namespace(x)
    z = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1 / (1 + z), z / (1 + z))


def half_expit(x):
    """Return the logistic function less a half, which is odd."""
    xp = namespace(x)
    return xp.tanh(x / 2) / 2


def half_expit_slope(x):
    """Return the slope of the logistic function."""
    s = expit(x)
    return s * (1 - s)


def tanh(x):
    """Return the hyperbolic tangent."""
    return namespace(x).tanh(x)


def tanh_slope(x):
    """Return the slope of the hyperbolic tangent."""
    t = namespace(x).tanh(x)
    return 1 - t * t


def softplus(x):
    """Return log(1 + exp(x))."""
    xp = namespace(x)
    zero = xp.zeros_like(x)
    return xp.maximum(x, zero) + xp.log1p(xp.exp(-xp.abs(x)))


def elu(x):
    """Return x above 0 and exp(x) - 1 below, which is convex."""
    xp = namespace(x)
    return xp.where(x > 0, x, xp.expm1(-xp.abs(x)))


def elu_slope(x):
    """Return the slope of :func:`elu`."""
    xp = namespace(x)
    return xp.where(x > 0, xp.ones_like(x), xp.exp(-xp.abs(x)))


def square(x):
    """Return the square."""
    return x * x


def square_slope(x):
    """Return the slope of the square."""
    return 2 * x


ROUNDING = 4 * np.finfo(np.float64).eps
