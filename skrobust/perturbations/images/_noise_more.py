"""More noise: uniform and speckle noise, and pixels that drop out."""

import numpy as np

from skrobust._validation import check_number
from skrobust.perturbations.images._base import ImagePerturbation
from skrobust.perturbations.images._gaussian import (
    GAUSSIAN_LEVELS,
    AdditiveNoise,
    normal_table,
    thresholds,
)
from skrobust.perturbations.strength import strength, strength_by_side


class UniformNoise(AdditiveNoise):
    """Add uniform noise to every pixel and channel.

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
        Where the channels are, if the shape leaves it open.
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

    _physical = ("half_width",)
    _needs_geometry = False

    def __init__(
        self,
        severity=None,
        *,
        half_width=None,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.severity = severity
        self.half_width = half_width
        self.image_shape = image_shape
        self.channel_axis = channel_axis
        self.data_range = data_range
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if self.half_width is not None:
            check_number(self.half_width, "half_width", "UniformNoise", low=0)

    def _noise_table(self, images):
        severity, half_width = self._severity(), self.half_width
        if severity is not None:
            side = self._image_side(images)
            half_width = 3**0.5 * strength_by_side(severity, side, **GAUSSIAN_LEVELS)
        return half_width * ((np.arange(65536) + 0.5) / 32768 - 1)


class SpeckleNoise(ImagePerturbation):
    r"""Multiply every pixel and channel by normal noise of mean 1.

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
        Where the channels are, if the shape leaves it open.
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

    _physical = ("std",)
    _needs_geometry = False

    def __init__(
        self,
        severity=None,
        *,
        std=None,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.severity = severity
        self.std = std
        self.image_shape = image_shape
        self.channel_axis = channel_axis
        self.data_range = data_range
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if self.std is not None:
            check_number(self.std, "std", "SpeckleNoise", low=0)

    def _perturb_images(self, images, rng):
        severity, std = self._severity(), self.std
        if severity is not None:
            std = strength_by_side(
                severity,
                self._image_side(images),
                small=(0.06, 0.10, 0.12, 0.16, 0.20),
                large=(0.15, 0.20, 0.35, 0.45, 0.60),
            )
        table = (1 + std * normal_table()).astype(images.dtype)
        out = np.take(table, rng.words(images.shape), mode="clip")
        out *= images
        return out


class PixelDropout(ImagePerturbation):
    """Turn a share of the pixels, in all of their channels, to the low end.

    With one ``random_state`` the pixels struck at a low density stay struck at every
    higher one.

    Parameters
    ----------
    density : float in [0, 1], default=None
        Share of the pixels that are struck.
    severity : float in [0, 5], default=None
        In place of ``density``: 1, 2, 5, 10 and 20 % at severities 1 to 5 (our
        choice). With neither, severity 1 holds.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Where the channels are, if the shape leaves it open.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import PixelDropout
    >>> images = np.full((1, 8, 8, 3), 128, dtype=np.uint8)
    >>> dropped = PixelDropout(density=0.5, random_state=0).perturb(None, images)
    >>> np.unique(dropped).tolist()
    [0, 128]
    """

    _physical = ("density",)
    _needs_geometry = False
    _needs_side = False

    def __init__(
        self,
        density=None,
        *,
        severity=None,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.density = density
        self.severity = severity
        self.image_shape = image_shape
        self.channel_axis = channel_axis
        self.data_range = data_range
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if self.density is not None:
            check_number(self.density, "density", "PixelDropout", low=0, high=1)

    def _perturb_images(self, images, rng):
        severity, density = self._severity(), self.density
        if severity is not None:
            density = strength(severity, (0.01, 0.02, 0.05, 0.10, 0.20))
        struck = thresholds(density, len(images), rng)
        kept = rng.words((*images.shape[:3], 1)) >= struck
        return images * np.repeat(kept, images.shape[3], axis=3)

    _perturb_bytes = _perturb_images
