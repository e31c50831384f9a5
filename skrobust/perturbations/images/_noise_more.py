"""More noise: uniform and speckle noise, and pixels that drop out."""

import numpy as np

from skrobust.perturbations.images._base import ImagePerturbation
from skrobust.perturbations.images._gaussian import (
    GAUSSIAN_NOISE,
    AdditiveNoise,
    normal_table,
    thresholds,
)
from skrobust.perturbations.strength import Strength


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

    _strengths = {"half_width": GAUSSIAN_NOISE}
    _needs_geometry = False
    _noise = "normal"
    _strong_params = {"half_width": 0.3}

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
        super().__init__(image_shape, channel_axis, data_range, random_state)

    def _noise_table(self, images):
        half_width = self.half_width
        if half_width is None:  # that of the same standard deviation
            half_width = 3**0.5 * self._strength(images)
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

    _strengths = {
        "std": Strength((0.06, 0.10, 0.12, 0.16, 0.20), (0.15, 0.20, 0.35, 0.45, 0.60))
    }
    _needs_geometry = False
    _noise = "normal"
    _strong_params = {"std": 0.3}

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
        super().__init__(image_shape, channel_axis, data_range, random_state)

    def _perturb_images(self, images, rng):
        table = (1 + self._strength(images) * normal_table()).astype(images.dtype)
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

    _strengths = {"density": Strength((0.01, 0.02, 0.05, 0.10, 0.20), high=1)}
    _needs_geometry = False
    _strong_params = {"density": 0.4}

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
        super().__init__(image_shape, channel_axis, data_range, random_state)

    def _perturb_images(self, images, rng):
        lost = thresholds(self._strength(), len(images), rng)
        kept = rng.words((*images.shape[:3], 1)) >= lost
        return images * np.repeat(kept, images.shape[3], axis=3)

    _perturb_bytes = _perturb_images
