"""Downscaling of images: fewer pixels, and back to the old number."""

from functools import lru_cache

import numpy as np

from skrobust.perturbations.images.byte_planes import through_planes
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.separable_filter import (
    cut_into_bands,
    filter_columns,
    filter_rows,
    from_planes,
    to_planes,
)
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
        share, planes = self._strength(images), to_planes(images)
        return from_planes(_there_and_back(planes, share))

    def _perturb_bytes(self, images, rng):
        share = self._strength(images)
        return through_planes(images, lambda planes: _there_and_back(planes, share))


def _there_and_back(planes, share):
    height, width = planes.shape[2:]
    planes = filter_rows(planes, _bands(height, share, planes.dtype.name))
    return filter_columns(planes, _bands(width, share, planes.dtype.name))


@lru_cache(maxsize=8)
def _bands(side, share, dtype):
    """Return the bands of both resizings of an axis at once."""
    small = max(1, round(share * side))
    both = _resizing(small, side) @ _resizing(side, small)
    used = both != 0
    first = used.argmax(axis=1)
    reach = (side - used[:, ::-1].argmax(axis=1) - first).max()
    first = np.minimum(first, side - reach)
    index = first[:, None] + np.arange(reach)
    return cut_into_bands(index, np.take_along_axis(both, index, axis=1), dtype)


def _resizing(old, new):
    """Return the matrix that resizes an axis of ``old`` pixels to ``new``."""
    step = old / new
    wide = max(step, 1.0)  # a small pixel averages over what it covers
    distance = (np.arange(old) + 0.5 - (np.arange(new)[:, None] + 0.5) * step) / wide
    x = np.abs(distance)
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    weight = np.where(x < 1, near, np.where(x < 2, far, 0.0))
    return weight / weight.sum(axis=1, keepdims=True)
