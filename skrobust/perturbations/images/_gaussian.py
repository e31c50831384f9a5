"""Noise that strikes each pixel by itself: Gaussian, salt and pepper."""

import functools

import numpy as np
from scipy.special import ndtri

from skrobust.perturbations.images._base import ImagePerturbation
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


def thresholds(share, n, rng):
    """Return for each of n rows how many of the 65,536 words are selected.

    The fraction of a word is rounded up or down by one draw per row, so that each
    value is struck with exactly the given probability; and what is struck at a low
    share stays struck at every higher one.
    """
    words = np.floor(share * 65536.0 + rng.random((n, 1)))
    return words.astype(np.int32).reshape(n, 1, 1, 1)


class AdditiveNoise(ImagePerturbation):
    """Base of noise that is added to every pixel and channel independently.

    A subclass writes ``_noise_table(images)``: the noise of each of the 65,536 words,
    as a share of the data range.
    """

    def _perturb_images(self, images, rng):
        table = self._noise_table(images).astype(images.dtype)
        out = np.take(table, rng.words(images.shape), mode="clip")
        out += images
        return out

    def _perturb_bytes(self, images, rng):
        # Rounding x + noise is x + rounded noise, since x is whole.
        levels = np.rint(self._noise_table(images).astype(np.float32) * 255)
        levels = np.clip(levels, -255, 255).astype(np.int16)
        out = np.take(levels, rng.words(images.shape), mode="clip")
        out += images
        np.clip(out, 0, 255, out=out)
        return out.astype(np.uint8)


class GaussianNoise(AdditiveNoise):
    r"""Add normal noise to every pixel and channel.

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
    >>> from skrobust.perturbations import GaussianNoise
    >>> images = np.full((2, 8, 8), 0.5)
    >>> noisy = GaussianNoise(std=0.1, random_state=0).perturb(None, images)
    >>> noisy.shape
    (2, 8, 8)
    >>> bool((images == 0.5).all())
    True
    """

    _strengths = {
        "mean": Strength(low=None),
        "std": GAUSSIAN_NOISE,
        "var": Strength(),
    }
    _either = (("std", "var"),)
    _needs_geometry = False
    _noise = "normal"
    _strong_params = {"std": 0.2}
    _test_params = ({}, {"std": 0.1, "image_shape": None})

    def __init__(
        self,
        severity=None,
        *,
        mean=None,
        std=None,
        var=None,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.severity = severity
        self.mean = mean
        self.std = std
        self.var = var
        super().__init__(image_shape, channel_axis, data_range, random_state)

    def _noise_table(self, images):
        if self.mean is None and self.std is None and self.var is None:
            severity = 1.0 if self.severity is None else self.severity
            return normal_table() * GAUSSIAN_NOISE.at(severity, images.shape[1:3])
        mean = self.mean or 0.0
        std = self.std if self.std is not None else np.sqrt(self.var or 0.0)
        return mean + std * normal_table()


class SaltAndPepper(ImagePerturbation):
    """Turn a share of the pixel values to white or to black.

    Each value is struck with probability ``density``, half of the struck ones turn to
    the low end and half to the high end of the data range. With one ``random_state``
    the values struck at a low density stay struck at every higher one.

    Parameters
    ----------
    density : float in [0, 1], default=None
        Share of the values that are struck.
    severity : float in [0, 5], default=None
        Density by the impulse noise tables of CIFAR-10-C and ImageNet-C [1]_, in place
        of ``density``. With neither, severity 1 holds.
    per_channel : bool, default=True
        Whether channels are struck independently (as in MATLAB and scikit-image) or a
        pixel as a whole.
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
    >>> from skrobust.perturbations import SaltAndPepper
    >>> images = np.full((4, 8, 8), 128, dtype=np.uint8)
    >>> noisy = SaltAndPepper(density=1.0, random_state=0).perturb(None, images)
    >>> np.unique(noisy).tolist()
    [0, 255]
    """

    _strengths = {
        "density": Strength(
            (0.01, 0.02, 0.03, 0.05, 0.07), (0.03, 0.06, 0.09, 0.17, 0.27), high=1
        )
    }
    _needs_geometry = False
    _strong_params = {"density": 0.4}
    _test_params = ({"density": 0.1},)

    def __init__(
        self,
        density=None,
        *,
        severity=None,
        per_channel=True,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.density = density
        self.severity = severity
        self.per_channel = per_channel
        super().__init__(image_shape, channel_axis, data_range, random_state)

    def _masks(self, images, rng):
        """Return where pixels are kept and where they turn to the high end."""
        share = self._strength(images) / 2
        # At most half of the words, which fits into 16 bits.
        selected = thresholds(share, len(images), rng).astype(np.uint16)
        size = images.shape if self.per_channel else (*images.shape[:3], 1)
        words = rng.words(size)
        if not self.per_channel:
            words = np.repeat(words, images.shape[3], axis=3)
        return words >= selected, words > 65535 - selected

    def _perturb_images(self, images, rng):
        kept, high = self._masks(images, rng)
        return np.where(high, images.dtype.type(1), images * kept)

    def _perturb_bytes(self, images, rng):
        kept, high = self._masks(images, rng)
        out = images * kept
        out |= high.view(np.uint8) * np.uint8(255)
        return out
