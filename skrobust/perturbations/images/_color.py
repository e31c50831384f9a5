"""Colour changes of images: contrast, brightness and saturation."""

from functools import lru_cache, reduce

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.pixel_kernels import raise_pixels, saturate_pixels, sum_rows
from skrobust.perturbations.images.byte_pixels import through_table
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.point_perturbation import PointPerturbation
from skrobust.perturbations.strength import Strength

_RED_GREEN_BLUE = (0.299, 0.587, 0.114)


def grey_of(images):
    """Return the brightness, one channel: that of RGB (BT.601), or the mean."""
    channels = _channels(images)
    if len(channels) == 1:
        return images
    weights = grey_weights(len(channels))
    return sum(w * channel for w, channel in zip(weights, channels, strict=True))


def grey_weights(n_channels):
    """Return the weights of the channels in the brightness."""
    return _RED_GREEN_BLUE if n_channels == 3 else [1 / n_channels] * n_channels


def _channels(images):
    # Channel by channel is much faster than along so short an axis.
    return [images[..., k : k + 1] for k in range(images.shape[3])]


def _largest(images):
    return reduce(np.maximum, _channels(images))


class Contrast(PointPerturbation):
    r"""Contrast reduction of images towards their mean colour.

    .. math:: x' = m + f\,(x - m)

    where m is the mean of each channel of each image: nothing gets darker on average
    (other libraries call a multiplication contrast).

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where ``factor`` is not given either.
    factor : float, default=None
        Factor f, in place of ``severity``; above 1 contrast grows.
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
    >>> from skrobust.perturbations import Contrast
    >>> images = np.array([[[100, 200]]], dtype=np.uint8)
    >>> Contrast(factor=0.5).perturb(None, images).tolist()
    [[[125, 175]]]
    """

    _strengths = {
        "factor": Strength(
            (0.75, 0.5, 0.4, 0.3, 0.15), (0.4, 0.3, 0.2, 0.1, 0.05), zero=1.0
        )
    }
    _noise = "fixed"
    _strong_params = {"factor": 0.3}

    def _perturb_tensor(self, images, rng):
        factor = self._strength(images.movedim(1, -1))
        return images * factor + images.mean((2, 3), keepdim=True) * (1 - factor)

    def _image_statistics(self, images):
        column_means = images.mean(axis=1, keepdims=True)
        return column_means.mean(axis=2, keepdims=True), self._strength(images)

    def _byte_statistics(self, images):
        kernel, (n, height, width, channels) = None, images.shape
        if images.flags.c_contiguous and width * channels > 1:
            kernel = compiled(sum_rows, images.size)
        if kernel is None:
            return super()._byte_statistics(images)
        column_means = np.empty((n, width * channels), dtype=np.float32)
        kernel(images.reshape(n, height, -1), column_means)
        column_means /= np.float32(height)
        column_means = column_means.reshape(n, 1, width, channels)
        return column_means.mean(axis=2, keepdims=True), self._strength(images)

    def _point(self, values, known):
        mean, factor = known
        return values * factor + mean * (1 - factor)


class Brightness(ImagePerturbation):
    """Brightness change: the value of HSV raised, hue and saturation kept.

    The value of a pixel is the largest of its channels, so all channels are scaled by
    the same number. One channel is its own value; black turns grey. A value stops at
    the high end of the range.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where ``shift`` is not given either.
    shift : float, default=None
        What is added to the value, as a share of the data range, in place of
        ``severity``. Below 0 images get darker.
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
    >>> from skrobust.perturbations import Brightness
    >>> image = np.array([[[[0.2, 0.1, 0.1]]]])
    >>> Brightness(shift=0.2, channel_axis=-1).perturb(None, image).round(3)
    array([[[[0.4, 0.2, 0.2]]]])
    """

    _strengths = {
        "shift": Strength(
            (0.05, 0.1, 0.15, 0.2, 0.3), (0.1, 0.2, 0.3, 0.4, 0.5), low=None
        )
    }
    _noise = "fixed"
    _strong_params = {"shift": 0.31}
    _in_place = True

    def _perturb_tensor(self, images, rng):
        value = images.amax(1, keepdim=True)
        new = value + self._strength(images.movedim(1, -1))
        # Values beyond a learned range stay where they are.
        new = new.maximum(value.clamp(max=0)).minimum(value.clamp(min=1))
        if images.shape[1] == 1:
            return new
        lit = value > 0
        share = (new / value).where(lit, new.new_tensor(1.0))
        return images * share + (new - value).where(~lit, new.new_tensor(0.0))

    def _perturb_images(self, images, rng):
        return _raised(images, self._strength(images))

    def _perturb_bytes(self, images, rng):
        grey, shift = images.shape[3] == 1, self._strength(images)
        if grey:
            return through_table(images, _raised_bytes(shift, grey), out=images)
        kernel = compiled(raise_pixels, images.size)
        if kernel is not None and images.shape[3] == 3 and images.flags.c_contiguous:
            kernel(images.reshape(-1), np.float32(shift))
            return images
        # In the table of each pixel's value.
        places = _largest(images).astype(np.uint16) << 8 | images
        images[...] = np.take(_raised_bytes(shift, grey), places, mode="clip")
        return images


def _raised(images, shift):
    """Return images with the value of each pixel raised."""
    value = _largest(images)
    # Values beyond a learned range stay where they are.
    new = np.clip(value + shift, np.minimum(value, 0), np.maximum(value, 1))
    if images.shape[3] == 1:
        return new
    dark = value <= 0
    out = images * np.where(dark, 1, new / np.where(dark, 1, value))
    out += np.where(dark, new - value, 0)
    return out


@lru_cache(maxsize=8)
def _raised_bytes(shift, grey):
    """Return the new level of each level, in colour for each value of its pixel."""
    levels = np.arange(256, dtype=np.float32) / 255
    if grey:
        new = _raised(levels.reshape(1, 256, 1, 1), shift)
    else:
        pairs = np.stack(np.broadcast_arrays(levels[:, None], levels), axis=-1)[None]
        # A level above its pixel's value does not occur.
        new = _raised(np.minimum(pairs, pairs[..., :1]), shift)[..., 1]
    return np.clip(np.rint(new * 255), 0, 255).astype(np.uint8).ravel()


class Saturate(ImagePerturbation):
    """Saturation change: the saturation of HSV changed, hue and value kept.

    The saturation S of hue, saturation and value becomes clip(scale S + offset, 0, 1).
    The published scales lead from 1 down to .1 and then up to 20, so between
    severities 2 and 3, where they are interpolated, there is one that changes nothing.
    Grey has no hue; where the offset colours it, it turns red (the first channel), as
    in other libraries.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    scale : float, default=None
        Factor of the saturation, in place of ``severity``.
    offset : float, default=None
        What is added to it, in place of ``severity``. Of the two, the one left out
        has its value at severity 1.
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
    >>> from skrobust.perturbations import Saturate
    >>> image = np.array([[[[0.8, 0.4, 0.4]]]])
    >>> saturate = Saturate(scale=0.5, offset=0, channel_axis=-1)
    >>> saturate.perturb(None, image).round(3)
    array([[[[0.8, 0.6, 0.6]]]])
    """

    _strengths = {
        "scale": Strength((0.3, 0.1, 1.5, 2, 2.5), (0.3, 0.1, 2, 5, 20), zero=1.0),
        "offset": Strength((0, 0, 0, 0.1, 0.2), (0, 0, 0, 0.1, 0.2), low=None),
    }
    _noise = "fixed"
    _strong_params = {"scale": 3.0}
    _grows_with_severity = False
    _test_params = ({"severity": 0.0},)

    def _checked_strengths(self, images):
        if images.shape[3] != 3:
            raise ValueError(
                "Saturate needs images with 3 channels. Got images of (height, width, "
                f"channels) {tuple(images.shape[1:])}."
            )
        return self._all_strengths(images)

    def _perturb_tensor(self, images, rng):
        at = self._checked_strengths(images.movedim(1, -1))
        value = images.amax(1, keepdim=True)
        depth = value - images
        spread = depth.amax(1, keepdim=True)
        new = at.scale * spread / value.where(value > 0, 1) + at.offset
        share = depth / spread.where(spread > 0, 1)
        red = images.new_tensor([0, 1, 1]).reshape(1, 3, 1, 1)
        share = share.where(spread > 0, red)
        return value - new.clamp(0, 1) * value.clamp(min=0) * share

    def _perturb_images(self, images, rng):
        at = self._checked_strengths(images)
        kernel = compiled(saturate_pixels, images.size)
        if kernel is not None:
            number = images.dtype.type
            flat = np.ascontiguousarray(images).reshape(-1)
            out = np.empty_like(flat)
            kernel(flat, number(at.scale), number(at.offset), out)
            return out.reshape(images.shape)
        value = _largest(images)
        depth = value - images  # 0 in the brightest channel, S times value in the least
        spread = _largest(depth)
        grey = spread <= 0
        saturation = spread / np.where(value > 0, value, 1)
        new = np.clip(at.scale * saturation + at.offset, 0, 1)
        share = depth / np.where(grey, 1, spread)
        red = np.array([0, 1, 1], dtype=images.dtype)
        out = value - new * np.maximum(value, 0) * np.where(grey, red, share)
        return out.astype(images.dtype, copy=False)
