"""Downscaling of images: fewer pixels, and back to the old number."""

from functools import lru_cache

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.resize_kernels import mix_columns, mix_rows
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.strength import Strength


class Downscaling(ImagePerturbation):
    """Downscaling of images and back, by smooth filters, as sites do it.

    Each image is made smaller, to max(1, round(share side)) pixels a side, and larger
    again, both by the bicubic filter of Pillow, which averages over what a small pixel
    covers. (:class:`Pixelate` averages and repeats blocks instead.) The small image is
    not rounded.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength; the shares at severities 1 to 5 are 0.75, 0.6, 0.5, 0.35 and 0.25, our
        choice. 0 changes nothing. 1 where ``share`` is not given either.
    share : float in (0, 1], default=None
        Side of the small image over that of the image, in place of ``severity``.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Downscaling
    >>> stripes = np.tile([0, 255], (1, 16, 8)).astype(np.uint8)
    >>> bool(np.ptp(Downscaling(share=0.25).perturb(None, stripes)) < 100)
    True
    """

    _strengths = {
        "share": Strength(
            (0.75, 0.6, 0.5, 0.35, 0.25), zero=1.0, low=0.0, high=1.0, low_open=True
        ),
    }
    _noise = "fixed"
    _strong_params = {"share": 0.25}

    def _perturb_images(self, images, rng):
        share = self._strength(images)
        height, width = images.shape[1:3]
        small = [max(1, round(share * side)) for side in (height, width)]
        # Columns while there are the fewest rows.
        for axis, old, new in (
            (1, height, small[0]),
            (2, width, small[1]),
            (2, small[1], width),
            (1, small[0], height),
        ):
            images = _mixed(images, axis, *_resizing(old, new, images.dtype.name))
        return images


def _mixed(images, axis, first, weights):
    """Mix neighbours along an axis; the k-th members of mixtures are ``first`` + k."""
    n, height, _, channels = images.shape
    shape = list(images.shape)
    shape[axis] = len(first)
    by_rows = axis == 1
    kernel = compiled(mix_rows if by_rows else mix_columns, images.size)
    if kernel is not None:
        lines = np.ascontiguousarray(images).reshape(n, height, -1)
        out = np.empty(shape, dtype=images.dtype)
        how = () if by_rows else (channels,)
        kernel(lines, *how, first, weights, out.reshape(n, out.shape[1], -1))
        return out
    ends = (-1, 1, 1) if by_rows else (-1, 1)
    out = 0
    for k, weight in enumerate(weights.T):
        part = images.take(first + k, axis=axis)
        part *= weight.reshape(ends)
        out = part if k == 0 else np.add(out, part, out=out)
    return out


@lru_cache(maxsize=16)
def _resizing(old, new, dtype):
    """Return the first of the pixels that each new one mixes, and their weights."""
    weight = _bicubic(old, new)
    used = weight != 0
    first, last = used.argmax(axis=1), old - 1 - used[:, ::-1].argmax(axis=1)
    reach = (last - first).max() + 1
    first = np.minimum(first, old - reach)
    index = first[:, None] + np.arange(reach)
    return first, np.take_along_axis(weight, index, axis=1).astype(dtype)


def _bicubic(old, new):
    """Return the matrix that resizes an axis of ``old`` pixels to ``new``."""
    step = old / new
    wide = max(step, 1.0)  # a small pixel averages over what it covers
    distance = (np.arange(old) + 0.5 - (np.arange(new)[:, None] + 0.5) * step) / wide
    x = np.abs(distance)
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    weight = np.where(x < 1, near, np.where(x < 2, far, 0.0))
    return weight / weight.sum(axis=1, keepdims=True)
