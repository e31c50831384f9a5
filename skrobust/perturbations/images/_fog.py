"""Fog, and the plasma fractal behind fog and frost."""

import numpy as np

from skrobust._norms import namespace
from skrobust._validation import check_count, invalid
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.strength import Strength

_LEAST = 1e-30  # fog of less is none in float32, and black would be 0 / 0
_AT_ONCE = 32  # maps of a given size, which may be much larger than the images


def _power_of_two(side):
    return 1 << max(int(side) - 1, 0).bit_length()


def plasma(height, width, n, decay, rng, least=2):
    """Return random height maps in [0, 1] that look like clouds.

    Midpoint displacement on a grid that wraps around ("diamond-square", Fournier,
    Fussell and Carpenter, 1982): each finer grid moves the midpoints of the coarser
    one by uniform numbers whose size falls by ``decay`` squared per halving, as in the
    published fog. The numbers that are drawn do not depend on ``decay``.

    Parameters
    ----------
    height, width : int
        Of the maps. They are cut from a grid of powers of two.
    n : int
        Number of maps.
    decay : float
        2 is smooth, 1.4 is rough.
    rng : keyed generator
        With one row per map.
    least : int, default=2
        Least side of that grid, a power of two.

    Returns
    -------
    ndarray or tensor of shape (n, height, width)
        The maps; on the whole grid each goes from 0 to 1.
    """
    longer = _power_of_two(max(height, width, 2))
    rows, columns = (
        max(min(longer, max(_power_of_two(side), 32)), least)
        for side in (height, width)
    )
    # A generator for a device draws there.
    draw = getattr(rng, "tensor_random", rng.random)
    drawn = draw((n, rows, columns)) * 2 - 1
    xp = namespace(drawn)
    grid = xp.zeros_like(drawn)
    step, size = min(rows, columns), 1.0
    while step >= 2:
        half = step // 2

        def fill(row, column, total, step=step, size=size):
            place = (slice(None), slice(row, None, step), slice(column, None, step))
            grid[place] = total / 4 + size * drawn[place]

        corner = grid[:, ::step, ::step]
        pairs = corner + xp.roll(corner, -1, 1)
        fill(half, half, pairs + xp.roll(pairs, -1, 2))
        centre = grid[:, half::step, half::step]
        beside = corner + xp.roll(corner, -1, 2)
        fill(0, half, beside + centre + xp.roll(centre, 1, 1))
        above = corner + xp.roll(corner, -1, 1)
        fill(half, 0, above + centre + xp.roll(centre, 1, 2))
        step, size = half, size / decay**2
    grid -= xp.amin(grid, axis=(1, 2), keepdims=True)
    grid /= xp.amax(grid, axis=(1, 2), keepdims=True)
    return grid[:, :height, :width]


def _power(value, name, caller):
    """Raise unless a value is None or a power of two."""
    if value is not None:
        check_count(value, name, caller, low=2)
        if value & (value - 1):
            raise invalid(name, caller, "a power of two", value)


class Fog(ImagePerturbation):
    r"""Fog over images.

    .. math:: x' = (x + s f)\,\frac{m}{m + s}

    where f in [0, 1] is a cloud (a plasma fractal drawn for each image), s the
    strength, and m the largest value of the image.

    The cloud is cut from a map whose side is the next power of two, as in the scripts
    of ImageNet-C (256 for 224 pixels) and CIFAR-10-C (32 for 32 pixels) [1]_. A piece
    of a larger map sees less of it, so that it varies less and harms less: MNIST-C
    [2]_ cuts its 28 pixels from a map of 256, ``map_size=256``. (On CIFAR pictures at
    severity 5, ResNet-20 has an accuracy of .44 with maps of 32 and .58 with pieces of
    256.)

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    strength : float, default=None
        Strength s, in place of ``severity``.
    decay : float of at least 1, default=None
        How smooth the cloud is, in place of ``severity``: details shrink by the square
        of this number per halving of their size. Of the two, the one left out has its
        value at severity 1.
    map_size : int, default=None
        Side of the map that the cloud is cut from, a power of two; None is the next
        one that holds the image, which also replaces a smaller one.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same draws for the same rows.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.
    .. [2] N. Mu and J. Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision",
       arXiv 1906.02337, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Fog
    >>> images = np.full((1, 32, 32), 0.5)
    >>> foggy = Fog(strength=2, random_state=0).perturb(None, images)
    >>> bool(0.1 <= foggy.min() < foggy.max() <= 0.5)
    True
    """

    _strengths = {
        "strength": Strength((0.2, 0.5, 0.75, 1.0, 1.5), (1.5, 2.0, 2.5, 2.5, 3.0)),
        "decay": Strength(
            (3.0, 3.0, 2.5, 2.0, 1.75), (2.0, 2.0, 1.7, 1.5, 1.4), zero=3.0, low=1.0
        ),
    }
    _strong_params = {"strength": 2.0}

    _parameter_rules = {"map_size": _power}

    def __init__(
        self, severity=None, *, strength=None, decay=None, map_size=None, **shared
    ):
        super().__init__(severity, **shared)
        self.strength = strength
        self.decay = decay
        self.map_size = map_size

    def _perturb_tensor(self, images, rng):
        (n, _, height, width), seen = images.shape, images.movedim(1, -1)
        at = self._all_strengths(seen)
        cloud = self._clouds(n, height, width, at.decay, rng)[:, None].to(images.dtype)
        brightest = images.amax((1, 2, 3), keepdim=True).clamp(min=0)
        added = max(at.strength, _LEAST)
        share = 1.0 if at.strength == 0 else brightest / (brightest + added)
        return (images + at.strength * cloud) * share

    def _perturb_images(self, images, rng):
        at = self._all_strengths(images)
        n, height, width, _ = images.shape
        cloud = self._clouds(n, height, width, at.decay, rng)[..., None]
        cloud = cloud.astype(images.dtype, copy=False)
        brightest = np.maximum(images.max(axis=(1, 2, 3), keepdims=True), 0)
        if at.strength == 0:
            return images
        share = brightest / (brightest + max(at.strength, _LEAST))
        return (images + at.strength * cloud) * share.astype(images.dtype)

    def _clouds(self, n, height, width, decay, rng):
        if self.map_size is None:
            return plasma(height, width, n, decay, rng)
        parts = []
        for start in range(0, n, _AT_ONCE):
            some = slice(start, min(start + _AT_ONCE, n))
            draws, size = rng.take(some), some.stop - start
            parts.append(plasma(height, width, size, decay, draws, self.map_size))
        return namespace(parts[0]).concatenate(parts)
