"""Layers of the graph of a net, with what bounds need of each.

Numbers are arrays of numpy or tensors of torch, in double precision, of shape
(n_samples, ...). Coefficients of linear bounds have one more axis: (n_samples,
n_bounds, ...). ``errors`` are bounds of what a net in lower precision may be off.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skrobust._norms import namespace
from skrobust.certificates import relaxations as r


def host(x):
    """Return an array, or a tensor wherever it lies, as an array."""
    return x if isinstance(x, np.ndarray) else x.detach().cpu().numpy()


def total(values):
    """Return the sums over all axes but the first two."""
    return values.reshape(values.shape[0], values.shape[1], -1).sum(2)


@dataclass
class Layer:
    """Base class of layers.

    Attributes
    ----------
    inputs : tuple of int
        Places in the graph.
    """

    inputs: tuple

    is_bent = False  # whether it needs bounds of its input to be bounded by lines


@dataclass
class Dense(Layer):
    """Dense layer: ``x @ weights + offset`` of flat rows."""

    weights: Any
    offset: Any

    sums = True

    def interval(self, low, high):
        """Return bounds of the output from those of the input."""
        middle, radius = (low + high) / 2, (high - low) / 2
        out = middle @ self.weights + self.offset
        reach = radius @ namespace(radius).abs(self.weights)
        return out - reach, out + reach

    def backward(self, a, bounds, slopes):
        """Return coefficients of the inputs, and what is added to the bound."""
        return [a @ self.weights.T], a @ self.offset

    def error(self, size, before, unit):
        """Return a bound of the rounding error of the output."""
        xp = namespace(size)
        weights = xp.abs(self.weights)
        n = weights.shape[0] + 2
        moved = before @ weights
        return moved + n * unit * ((size + before) @ weights + xp.abs(self.offset))


@dataclass
class TorchAffine(Layer):
    """Affine function of tensors.

    ``size_of`` is the same function with absolute weights and no offset; ``fan_in`` the
    number of products that are summed. ``transpose`` takes coefficients and the shape
    of an input; None: it comes from automatic differentiation. ``product`` is what the
    rounding of factors before they are multiplied may do to a product, as in TF32.
    """

    function: Any
    size_of: Any
    fan_in: int
    transpose: Any = None
    product: float = 0.0

    @property
    def sums(self):
        """Whether an output is a sum over several inputs."""
        return self.fan_in > 6

    def interval(self, low, high):
        """Return bounds of the output from those of the input."""
        self._shape = low.shape[1:]
        middle, reach = self.function((low + high) / 2), self.size_of((high - low) / 2)
        return middle - reach, middle + reach

    def backward(self, a, bounds, slopes):
        """Return coefficients of the inputs, and what is added to the bound."""
        torch = namespace(a)
        n, s = a.shape[:2]
        flat = a.reshape((n * s, *a.shape[2:]))
        if self.transpose is not None:
            back = self.transpose(flat, self._shape)
        else:
            with torch.enable_grad():
                x = a.new_zeros((n * s, *self._shape)).requires_grad_(True)
                y = self.function(x)
            keep = a.requires_grad
            (back,) = torch.autograd.grad(y, x, flat, create_graph=keep)
        with torch.no_grad():
            offset = self.function(a.new_zeros((1, *self._shape)))
        return [back.reshape((n, s, *self._shape))], total(a * offset[None])

    def error(self, size, before, unit):
        """Return a bound of the rounding error of the output."""
        zero = self.function(size[:1] * 0).abs()
        moved = self.size_of(before)
        relative = (self.fan_in + 2) * unit + self.product
        return moved + relative * (self.size_of(size + before) + zero)


@dataclass
class Reshape(Layer):
    """Change of shape alone."""

    shape: tuple

    def interval(self, low, high):
        """Return bounds of the output from those of the input."""
        self._shape = low.shape[1:]
        return tuple(b.reshape((len(b), *self.shape)) for b in (low, high))

    def backward(self, a, bounds, slopes):
        """Return coefficients of the inputs, and what is added to the bound."""
        return [a.reshape((*a.shape[:2], *self._shape))], 0.0

    def error(self, size, before, unit):
        """Return a bound of the rounding error of the output."""
        return before.reshape((len(before), *self.shape))


@dataclass
class Sum(Layer):
    """Sum of two inputs of the same shape."""

    def interval(self, low, high, other_low, other_high):
        """Return bounds of the output from those of the inputs."""
        return low + other_low, high + other_high

    def backward(self, a, bounds, slopes):
        """Return coefficients of the inputs, and what is added to the bound."""
        return [a, a], 0.0

    def error(self, size, before, other_size, other_before, unit):
        """Return a bound of the rounding error of the output."""
        whole = size + before + other_size + other_before
        return before + other_before + 2 * unit * whole


@dataclass
class Concat(Layer):
    """Inputs side by side, along one axis of a row (0 is the first)."""

    axis: int

    def interval(self, *ends):
        """Return bounds of the output from those of the inputs."""
        self._sizes = [part.shape[self.axis + 1] for part in ends[::2]]
        join = namespace(ends[0]).concatenate
        return join(ends[::2], self.axis + 1), join(ends[1::2], self.axis + 1)

    def backward(self, a, bounds, slopes):
        """Return coefficients of the inputs, and what is added to the bound."""
        parts, start = [], 0
        for size in self._sizes:
            place = (slice(None),) * (self.axis + 2) + (slice(start, start + size),)
            parts.append(a[place])
            start += size
        return parts, 0.0

    def error(self, *parts):
        """Return a bound of the rounding error of the output."""
        errors = parts[1:-1:2]
        return namespace(errors[0]).concatenate(errors, self.axis + 1)


KINDS = {
    "relu": (r.leaky_relu, {}),
    "sigmoid": (r.s_shaped, {"function": r.half_expit, "slope_of": r.half_expit_slope}),
    "tanh": (r.s_shaped, {"function": r.tanh, "slope_of": r.tanh_slope}),
    "softplus": (r.convex, {"function": r.softplus, "slope_of": r.expit}),
    "elu": (r.convex, {"function": r.elu, "slope_of": r.elu_slope}),
    "square": (r.convex, {"function": r.square, "slope_of": r.square_slope}),
}


@dataclass
class Activation(Layer):
    """Activation, number by number; ``gamma`` is the slope of LeakyReLU below 0."""

    kind: str
    gamma: float = 0.0

    is_bent = True

    def value(self, x):
        """Return the activation of numbers."""
        xp = namespace(x)
        if self.kind == "relu":
            return xp.where(x > 0, x, self.gamma * x)
        if self.kind == "sigmoid":
            return r.expit(x)
        return KINDS[self.kind][1]["function"](x)

    def interval(self, low, high):
        """Return bounds of the output from those of the input."""
        if self.kind == "square":
            xp = namespace(low)
            ends = low * low, high * high
            across = (low < 0) & (high > 0)
            least = xp.where(across, xp.zeros_like(low), xp.minimum(*ends))
            return least, xp.maximum(*ends)
        return self.value(low), self.value(high)

    def lines(self, low, high, alpha=None):
        """Return the lines below and above on intervals of the input."""
        line, settings = KINDS[self.kind]
        if self.kind == "relu":
            return line(low, high, self.gamma, alpha)
        below, bottom, above, top = line(low, high, **settings)
        if self.kind == "sigmoid":
            bottom, top = bottom + 0.5, top + 0.5
        slack = r.ROUNDING * (1 + namespace(low).abs(top))
        return below, bottom - slack, above, top + slack

    def is_open(self, low, high):
        """Return where better bounds of the input give better lines."""
        if self.kind == "relu":
            return (low < 0) & (high > 0)
        return high - low > 1e-6

    def backward(self, a, bounds, slopes):
        """Return coefficients of the inputs, and what is added to the bound."""
        low, high = (b[:, None] for b in bounds[self.inputs[0]])
        below, bottom, above, top = self.lines(low, high, slopes)
        plus, minus = a.clip(0), -((-a).clip(0))
        return [plus * below + minus * above], total(plus * bottom + minus * top)

    def error(self, size, before, unit):
        """Return a bound of the rounding error of the output."""
        if self.kind == "square":
            return (2 * size + before) * before + 2 * unit * (size + before) ** 2
        return before + 8 * unit * (1 + size + before)


@dataclass
class MaxPool(Layer):
    """Maximum over windows of the last axes.

    ``pool`` returns maxima and their flat places in each channel, as in torch.
    """

    pool: Any
    overlaps: bool

    is_bent = True

    def interval(self, low, high):
        """Return bounds of the output from those of the input."""
        return self.pool(low)[0], self.pool(high)[0]

    def is_open(self, low, high):
        """Return where better bounds of the input give better lines."""
        return high - low > 1e-6

    def backward(self, a, bounds, slopes):
        """Return coefficients of the inputs, and what is added to the bound.

        Below: the input whose lower bound is the largest. Above: with x the input that
        can be the largest and c what the others can reach at most, the chord of
        max(x, c); where windows overlap, the largest upper bound.
        """
        low, high = bounds[self.inputs[0]]
        n, s = a.shape[:2]
        plus, minus = a.clip(0), -((-a).clip(0))
        back = a.new_zeros((n, s, *low.shape[1:])).flatten(3)
        index = self.pool(low)[1].flatten(2)[:, None].expand(plus.flatten(3).shape)
        back = back.scatter_add(3, index, plus.flatten(3))
        top, place = self.pool(high)
        if self.overlaps:
            return [back.reshape((n, s, *low.shape[1:]))], total(minus * top[:, None])
        place = place.flatten(2)
        others = high.flatten(2).scatter(2, place, -np.inf)
        rival = self.pool(others.reshape(high.shape))[0].flatten(2)
        bottom, top = low.flatten(2).gather(2, place), top.flatten(2)
        rival = namespace(low).maximum(rival, bottom)
        width = top - bottom
        slope = (top - rival) / width.clip(1e-12)
        slope = slope.where(width > 1e-9, slope.new_zeros(()))
        offset = (rival - slope * bottom).where(width > 1e-9, top)
        use = (minus.flatten(3) * slope[:, None]).flatten(3)
        back = back.scatter_add(3, place[:, None].expand(use.shape), use)
        added = total(minus.flatten(3) * offset[:, None])
        return [back.reshape((n, s, *low.shape[1:]))], added

    def error(self, size, before, unit):
        """Return a bound of the rounding error of the output."""
        return self.pool(before)[0]
