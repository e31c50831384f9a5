"""JPEG compression and pixelation of images."""

from functools import lru_cache
from io import BytesIO

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.pixel_kernels import mean_blocks
from skrobust._optional import require
from skrobust.perturbations.images.byte_pixels import layers_of
from skrobust.perturbations.images.device_filters import index_tensor
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.jpeg_loss import after_jpeg
from skrobust.perturbations.strength import Strength


class JPEGCompression(ImagePerturbation):
    """JPEG compression of images.

    Images pass through 8 bits per value, whatever their dtype. One channel is stored
    as grey, three as RGB with Pillow's defaults (colour at half the resolution), any
    other number channel by channel as grey. Needs Pillow.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. Below severity 1 the quality rises to
        100, at which 8-bit images still lose their last digit. 1 where ``quality`` is
        not given either.
    quality : float in [1, 100], default=None
        Quality of the JPEG, rounded to an integer, in place of ``severity``.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import JPEGCompression
    >>> ramp = np.arange(256, dtype=np.uint8).reshape(1, 16, 16)
    >>> JPEGCompression(quality=10).perturb(None, ramp).shape
    (1, 16, 16)
    """

    _strengths = {
        "quality": Strength(
            (80, 65, 58, 50, 40), (25, 18, 15, 10, 7), zero=100.0, low=1.0, high=100.0
        )
    }
    _noise = "fixed"
    _strong_params = {"quality": 5}

    def _perturb_images(self, images, rng):
        levels = np.rint(np.clip(images, 0, 1) * 255).astype(np.uint8)
        return self._perturb_bytes(levels, rng).astype(images.dtype) / 255

    def _perturb_bytes(self, images, rng):
        pillow = require("PIL.Image", "JPEGCompression", extra="images")
        quality = int(np.rint(self._strength(images)))
        features = require("PIL.features", "JPEGCompression", extra="images")
        # Pillow may be built with another codec, and is then asked at every pixel.
        if features.check_feature("libjpeg_turbo"):
            new = after_jpeg(images, quality)
            if new is not None:
                return new
        out = np.empty_like(images)
        for image, new in zip(images, out, strict=True):
            if image.shape[2] == 3:
                new[:] = _through_jpeg(image, quality, pillow)
                continue
            for k in range(image.shape[2]):
                new[..., k] = _through_jpeg(image[..., k], quality, pillow)
        return out


def _through_jpeg(pixels, quality, pillow):
    stored = BytesIO()
    pillow.fromarray(np.ascontiguousarray(pixels)).save(
        stored, format="JPEG", quality=quality
    )
    with pillow.open(stored) as image:
        return np.asarray(image)


class Pixelate(ImagePerturbation):
    """Pixelation: blocks of pixels replaced by their mean.

    The image is made smaller, to int(share height) by int(share width) and at least
    one block, by averaging, and larger again by repeating. Each pixel belongs to the
    block that holds its centre, as in Pillow's box filter (a centre on a border counts
    in the block before it and shows the colour of the one after). Severities in
    between are continuous in the share; the number of blocks is whole.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where ``share`` is not given either.
    share : float in (0, 1], default=None
        Blocks per pixel along each axis, in place of ``severity``.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Pixelate
    >>> Pixelate(share=0.5).perturb(None, np.array([[[0.0, 1.0, 0.4, 0.6]]])).tolist()
    [[[0.5, 0.5, 0.5, 0.5]]]
    """

    _strengths = {
        "share": Strength(
            (0.95, 0.9, 0.85, 0.75, 0.65),
            (0.6, 0.5, 0.4, 0.3, 0.25),
            zero=1.0,
            high=1.0,
            low_open=True,
        )
    }
    _noise = "fixed"
    _strong_params = {"share": 0.4}
    _in_place = True
    _grows_with_severity = False

    def _perturb_tensor(self, images, rng):
        places = list(self._places(images.movedim(1, -1)))
        for axis, (_, shown, ends) in zip((2, 3), places, strict=True):
            first, size = ends[:-1], np.diff(ends)
            total = 0
            for k in range(size.max()):  # the k-th members of all blocks at once
                at = index_tensor(images, first + np.minimum(k, size - 1))
                sides = (-1, 1) if axis == 2 else (-1,)
                weight = images.new_tensor((size > k) / size).reshape(sides)
                total = total + images.index_select(axis, at) * weight
            images = total.index_select(axis, index_tensor(total, shown))
        return images

    def _perturb_images(self, images, rng):
        total, count, shown = self._blocks(images, images.dtype)
        return _repeated(total / count, shown)

    def _perturb_bytes(self, images, rng):
        kernel, layers = compiled(mean_blocks, images.size), layers_of(images)
        if kernel is None or layers is None:
            total, count, shown = self._blocks(images, np.int32)
            count = count.astype(np.int32)
            means = ((2 * total + count) // (2 * count)).astype(np.uint8)
            return _repeated(means, shown)
        _, shown, ends = zip(*self._places(images), strict=True)
        lines = layers.reshape(-1, *layers.shape[2:])
        kernel(lines, lines.shape[2] // images.shape[2], *ends, *shown)
        return images

    def _places(self, images):
        """Yield what :func:`_block_places` returns for the height and the width."""
        share = self._strength(images)
        for side in images.shape[1:3]:
            yield _block_places(side, max(int(round(share * side, 9)), 1))

    def _blocks(self, images, dtype):
        """Return sums and sizes of the blocks, and which block each pixel shows."""
        total, sizes, places = images, [], []
        for axis, (counted, shown, _) in enumerate(self._places(images), start=1):
            first = np.flatnonzero(np.diff(counted, prepend=-1))
            total = _block_sums(total, first, axis, dtype)
            sizes.append(np.diff(first, append=images.shape[axis]))
            places.append(shown)
        return total, np.outer(*sizes)[:, :, None].astype(dtype), places


@lru_cache(maxsize=8)
def _block_places(side, n_blocks):
    """Return the block that each pixel counts in, that it shows, and where blocks end.

    The ends begin with that of no block, which is 0.
    """
    centre = (2 * np.arange(side) + 1) * n_blocks  # in units of block / 2 side
    counted, shown = (centre - 1) // (2 * side), centre // (2 * side)
    return counted, shown, np.append(0, np.cumsum(np.bincount(counted)))


def _block_sums(values, first, axis, dtype):
    """Sum neighbours along an axis, in blocks that begin at ``first``.

    The k-th members of all blocks are added at once: the blocks are short, and adding
    along them would be slow.
    """
    size = np.diff(first, append=values.shape[axis])
    total = np.take(values, first, axis=axis).astype(dtype)
    for k in range(1, size.max()):
        longer = np.flatnonzero(size > k)
        part = np.take(values, first[longer] + k, axis=axis)
        if len(longer) == len(first):
            total += part
        else:
            total[(slice(None),) * axis + (longer,)] += part
    return total


def _repeated(values, places):
    # Rows last: they are copied whole.
    return np.take(np.take(values, places[1], axis=2), places[0], axis=1)
