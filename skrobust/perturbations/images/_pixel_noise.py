"""Noise on every pixel: Gaussian, uniform and speckle noise."""

import functools
import itertools

import numpy as np
from scipy.special import ndtri

from skrobust._compiled.compiled import compiled
from skrobust._compiled.pixel_kernels import (
    add_line_to_bytes,
    add_to_bytes,
    scale_bytes,
)
from skrobust.perturbations.images.device_filters import look_up
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.strength import Strength

# Standard deviations of the Gaussian noise of CIFAR-10-C and of ImageNet-C.
GAUSSIAN_NOISE = Strength(
    (0.04, 0.06, 0.08, 0.09, 0.10), (0.08, 0.12, 0.18, 0.26, 0.38)
)


@functools.cache
def normal_table():
    """Return the normal quantiles of all 16-bit words, scaled to variance 1.

    A 16-bit random word that looks up its quantile here is a normal number on a grid
    of 65,536 equally likely values within 4.2 standard deviations: all that can be
    seen in an image, and several times faster than a normal number of full width.
    """
    table = ndtri((np.arange(65536) + 0.5) / 65536)
    table /= table.std()
    table.flags.writeable = False
    return table


@functools.cache
def uniform_table():
    """Return 65,536 numbers between -1 and 1, equally far apart, one for each word."""
    table = (np.arange(65536) + 0.5) / 32768 - 1
    table.flags.writeable = False
    return table


@functools.lru_cache(maxsize=8)
def _levels(table, mean, scale):
    """Return whole numbers for bytes: x + rounded noise is x + noise rounded."""
    noise = (mean + scale * table()).astype(np.float32)
    levels = np.clip(np.rint(noise * 255), -255, 255).astype(np.int16)
    levels.flags.writeable = False
    return levels


@functools.lru_cache(maxsize=8)
def _line(half_width):
    """Return start and slope of a line that rounds to the levels of uniform noise.

    In single precision not every line does, and None is returned if none of those
    nearby does at each word.
    """
    levels = _levels(uniform_table, 0.0, half_width)
    words = np.arange(65536).astype(np.float32)
    ends = [255 * half_width * (0.5 / 32768 - 1), 255 * half_width / 32768]
    ends = np.array(ends, dtype=np.float32)
    for steps in itertools.product((0, 1, -1, 2, -2), repeat=2):
        line = ends + np.spacing(ends) * np.array(steps, dtype=np.float32)
        if (np.clip(np.rint(line[0] + line[1] * words), -255, 255) == levels).all():
            return line
    return None


@functools.lru_cache(maxsize=8)
def _factors(std):
    factors = (1 + std * normal_table()).astype(np.float32)
    factors.flags.writeable = False
    return factors


def _by_word(kernel, table, words, images):
    """Return new bytes from a kernel of what each word looks up."""
    out = np.empty(images.shape, dtype=np.uint8)
    flat = np.ascontiguousarray(images).reshape(-1)
    kernel(table, np.ascontiguousarray(words).reshape(-1), flat, out.reshape(-1))
    return out


class AdditiveNoise(ImagePerturbation):
    """Base class of noise added to every pixel and channel independently.

    The noise of each of the 65,536 words, as a share of the data range, is a number of
    the table that a subclass names, times a scale, plus a mean. The subclass writes
    ``_mean_and_scale(images)``.
    """

    _needs_geometry = False
    _noise = "normal"

    def _perturb_tensor(self, images, rng):
        table = self._noise_table(images.movedim(1, -1))
        return look_up(images, table, rng) + images

    def _perturb_images(self, images, rng):
        table = self._noise_table(images).astype(images.dtype)
        out = np.take(table, rng.words(images.shape), mode="clip")
        out += images
        return out

    def _noise_table(self, images):
        mean, scale = self._mean_and_scale(images)
        return mean + scale * self._table()

    def _perturb_bytes(self, images, rng):
        mean, scale = self._mean_and_scale(images)
        levels = _levels(self._table, float(mean), float(scale))
        words = rng.words(images.shape)
        kernel = compiled(add_to_bytes, images.size)
        if kernel is not None:
            return _by_word(kernel, levels, words, images)
        out = np.take(levels, words, mode="clip")
        out += images
        np.clip(out, 0, 255, out=out)
        return out.astype(np.uint8)


class GaussianNoise(AdditiveNoise):
    r"""Gaussian noise on every pixel and channel.

    .. math:: x' = \mathrm{clip}(x + R\,(\mathrm{mean} + \mathrm{std}\cdot\varepsilon)),
        \qquad \varepsilon \sim N(0, 1)

    where R is the width of the data range. The normal numbers are looked up by 16-bit
    words, so they are 65,536 equally likely values within 4.2 standard deviations,
    with mean 0 and variance 1. Either ``severity`` or the physical
    parameters are given; with neither, severity 1 holds.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image. 0 changes nothing.
    mean : float, default=None
        Mean of the noise, as a share of the data range; None is 0.
    std : float, default=None
        Standard deviation of the noise, as a share of the data range.
    var : float, default=None
        Variance, in place of ``std`` (the two-factor conditions of the
        Accuracy-Stability Index use a mean of .1 to .2 and a variance of .01).
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import GaussianNoise
    >>> images = np.full((2, 8, 8), 0.5)
    >>> noisy = GaussianNoise(std=0.1, random_state=0).perturb(None, images)
    >>> noisy.shape
    (2, 8, 8)
    >>> bool((images == 0.5).all())
    True
    """

    _strengths = {"mean": Strength(low=None), "std": GAUSSIAN_NOISE, "var": Strength()}
    _either = (("std", "var"),)
    _strong_params = {"std": 0.2}
    _test_params = ({}, {"std": 0.1, "image_shape": None})

    _table = staticmethod(normal_table)

    def _mean_and_scale(self, images):
        if self.mean is None and self.std is None and self.var is None:
            severity = 1.0 if self.severity is None else self.severity
            return 0.0, GAUSSIAN_NOISE.at(severity, images.shape[1:3])
        std = self.std if self.std is not None else np.sqrt(self.var or 0.0)
        return self.mean or 0.0, std


class UniformNoise(AdditiveNoise):
    """Uniform noise on every pixel and channel.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength; with neither it nor ``half_width``, severity 1 holds. No table is
        published: the half-width is sqrt(3) times the standard deviation of
        :class:`GaussianNoise` at the same severity, so that both have the same
        standard deviation (our choice).
    half_width : float, default=None
        The noise is uniform between minus and plus this share of the data range.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import UniformNoise
    >>> images = np.full((2, 8, 8), 0.5)
    >>> noisy = UniformNoise(half_width=0.1, random_state=0).perturb(None, images)
    >>> bool(abs(noisy - 0.5).max() <= 0.1)
    True
    """

    _strengths = {"half_width": GAUSSIAN_NOISE}
    _strong_params = {"half_width": 0.3}

    _table = staticmethod(uniform_table)

    def _mean_and_scale(self, images):
        half_width = self.half_width
        if half_width is None:  # that of the same standard deviation
            half_width = 3**0.5 * self._strength(images)
        return 0.0, half_width

    def _perturb_bytes(self, images, rng):
        kernel = compiled(add_line_to_bytes, images.size)
        line = None
        if kernel is not None:
            line = _line(float(self._mean_and_scale(images)[1]))
        if line is None:
            return super()._perturb_bytes(images, rng)
        return _by_word(kernel, line, rng.words(images.shape), images)


class SpeckleNoise(ImagePerturbation):
    r"""Speckle noise: every pixel and channel times Gaussian noise of mean 1.

    .. math:: x' = \mathrm{clip}(x\,(1 + \mathrm{std}\cdot\varepsilon)),
        \qquad \varepsilon \sim N(0, 1)

    with x counted from the low end of the data range. The normal numbers are those of
    :class:`GaussianNoise`: 65,536 equally likely values.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image. With neither it nor ``std``, severity 1 holds.
    std : float, default=None
        Standard deviation of the noise, as a share of the pixel's own value.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import SpeckleNoise
    >>> images = np.array([[[0.0, 0.5]]])
    >>> noisy = SpeckleNoise(std=0.1, random_state=0).perturb(None, images)
    >>> bool(noisy[0, 0, 0] == 0), bool(noisy[0, 0, 1] != 0.5)
    (True, True)
    """

    _strengths = {
        "std": Strength((0.06, 0.10, 0.12, 0.16, 0.20), (0.15, 0.20, 0.35, 0.45, 0.60))
    }
    _needs_geometry = False
    _noise = "normal"
    _strong_params = {"std": 0.3}

    def _perturb_tensor(self, images, rng):
        return look_up(images, self._share_table(images.movedim(1, -1)), rng) * images

    def _share_table(self, images):
        return 1 + self._strength(images) * normal_table()

    def _perturb_images(self, images, rng):
        factors = self._share_table(images).astype(images.dtype)
        out = np.take(factors, rng.words(images.shape), mode="clip")
        out *= images
        return out

    def _perturb_bytes(self, images, rng):
        kernel = compiled(scale_bytes, images.size)
        if kernel is None:
            return None
        factors = _factors(float(self._strength(images)))
        return _by_word(kernel, factors, rng.words(images.shape), images)
