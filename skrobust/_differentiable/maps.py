"""Differentiable maps of pipeline steps, with their pullbacks.

A map takes rows of float64 and returns the new rows with a function that turns slopes
by the new rows into slopes by the old ones (the vector-Jacobian product).
"""

from typing import Any, NamedTuple

import numpy as np

LIMIT = 2**21  # numbers that a wide map may hold at once (16 MB)


class Map(NamedTuple):
    """Map of a translated step: ``apply(x) -> (z, pullback)``.

    ``stand_in`` names what has no slopes, so that the pullback follows others instead.
    """

    apply: Any
    affine: bool = False
    stand_in: str = ""


def chain(maps):
    """Return the map that applies maps one after the other."""
    maps = list(maps)

    def apply(x):
        pulls = []
        for one in maps:
            x, pull = one.apply(x)
            pulls.append(pull)

        def pullback(slope):
            for pull in reversed(pulls):
                slope = pull(slope)
            return slope

        return x, pullback

    return Map(apply, all(one.affine for one in maps), stand_in_of(maps))


def stand_in_of(maps):
    """Return what has no slopes in the first of some maps that names it."""
    return next((one.stand_in for one in maps if one.stand_in), "")


def beside(maps):
    """Return the map whose result holds the results of maps side by side."""
    maps = list(maps)

    def apply(x):
        parts = [one.apply(x) for one in maps]
        if not parts:
            return np.zeros((len(x), 0)), lambda slope: np.zeros_like(x)
        edges = np.cumsum([z.shape[1] for z, _ in parts])[:-1]

        def pullback(slope):
            slopes = np.split(slope, edges, axis=1)
            return sum(p(s) for (_, p), s in zip(parts, slopes, strict=True))

        return np.concatenate([z for z, _ in parts], axis=1), pullback

    return Map(apply, all(one.affine for one in maps), stand_in_of(maps))


def total(maps, weights=None):
    """Return the map whose result is the (weighted) sum of the results of maps."""
    maps = list(maps)
    weights = np.ones(len(maps)) if weights is None else weights

    def apply(x):
        parts = [one.apply(x) for one in maps]
        value = sum(w * z for w, (z, _) in zip(weights, parts, strict=True))

        def pullback(slope):
            pairs = zip(weights, parts, strict=True)
            return sum(pull(w * slope) for w, (_, pull) in pairs)

        return value, pullback

    return Map(apply, all(one.affine for one in maps), stand_in_of(maps))


def scaling(scale, shift, bounds=None):
    """Return the map ``x * scale + shift``, clipped where there are bounds."""

    def apply(x):
        z = x * scale + shift
        if bounds is None:
            return z, lambda slope: slope * scale
        inside = (z >= bounds[0]) & (z <= bounds[1])
        return z.clip(*bounds), lambda slope: slope * scale * inside

    return Map(apply, bounds is None)


def linear(weights, offset=0.0):
    """Return the map ``x @ weights + offset``, with weights of shape (n_in, n_out)."""
    return Map(lambda x: (x @ weights + offset, lambda slope: slope @ weights.T), True)


def pick(columns):
    """Return the map that keeps some columns, in the order of ``columns``."""

    def apply(x):
        def pullback(slope):
            out = np.zeros_like(x)
            np.add.at(out, (slice(None), columns), slope)
            return out

        return x[:, columns], pullback

    return Map(apply, True)


def bounded(one, width):
    """Return a map that never holds more than LIMIT numbers of ``width`` a row.

    Where a batch is larger, it goes in pieces, and its pullback computes them again
    instead of keeping them.
    """
    step = max(1, LIMIT // max(1, width))

    def apply(x):
        if len(x) <= step:
            return one.apply(x)
        pieces = [slice(i, i + step) for i in range(0, len(x), step)]

        def pullback(slope):
            return np.concatenate([one.apply(x[r])[1](slope[r]) for r in pieces])

        return np.concatenate([one.apply(x[r])[0] for r in pieces]), pullback

    return Map(apply, one.affine, one.stand_in)


def dense(values):
    """Return an attribute as a float64 array, whatever a sparse fit left."""
    if hasattr(values, "toarray"):
        values = values.toarray()
    return np.asarray(values, dtype=np.float64)


def sklearn_name(thing):
    """Return the name of a class of scikit-learn itself; None for any other.

    A subclass may transform in a way of its own, so that it is not translated.
    """
    kind = type(thing)
    return kind.__name__ if kind.__module__.partition(".")[0] == "sklearn" else None
