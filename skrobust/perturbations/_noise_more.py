"""More noise: uniform, speckle and shot noise, and pixels that drop out."""

import functools

import numpy as np
from scipy.special import pdtr

from skrobust._validation import check_number
from skrobust.perturbations._images import ImagePerturbation
from skrobust.perturbations._noise import (
    GAUSSIAN_LEVELS,
    AdditiveNoise,
    normal_table,
    thresholds,
)
from skrobust.perturbations._severity import strength, strength_by_side

_MOST_PHOTONS = 2048  # at full brightness, up to which counts are drawn from tables
_CELL = 64  # words that share a first guess of their count


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
        return images * (rng.words((*images.shape[:3], 1)) >= struck)

    _perturb_bytes = _perturb_images


@functools.lru_cache(maxsize=8)
def _poisson_tables(photons):
    """Return what finds the Poisson count of a word at each of 256 brightnesses.

    ``first``: the count that the first word of each cell of 64 words has; ``limits``:
    the words from which the count is 1, 2, ... more than ``lowest``.
    """
    rate = np.arange(256)[:, None] * (photons / 255)
    lowest = np.floor(np.maximum(0, rate - 6 * np.sqrt(rate) - 3)).astype(np.int64)
    width = int(12 * np.sqrt(photons) + 30)
    share = pdtr(lowest + np.arange(width), rate)
    limits = np.ceil(65536 * share - 0.5).astype(np.int32)
    limits[:, -1] = 65536
    cells = np.arange(0, 65536, _CELL)
    first = np.stack([np.searchsorted(row, cells, side="right") for row in limits])
    start = np.arange(256)[:, None] * width
    # Places in ``limits`` laid flat, from which the count follows by subtraction.
    places = (first + start).astype(np.int32)
    offsets = (lowest - start).astype(np.int32)
    return places.ravel(), limits.ravel(), offsets.ravel()


def _level_counts(levels, words, photons):
    """Draw Poisson counts of mean ``photons * levels / 255`` by inversion."""
    places, limits, offsets = _poisson_tables(photons)
    levels, words = levels.reshape(-1), words.reshape(-1)
    cell = levels * np.int64(65536 // _CELL)
    cell += words // np.uint16(_CELL)
    at = np.take(places, cell, mode="clip")
    ahead = np.flatnonzero(np.take(limits, at, mode="clip") <= words)
    while ahead.size:
        at[ahead] += 1
        ahead = ahead[limits[at[ahead]] <= words[ahead]]
    at += np.take(offsets, levels, mode="clip")
    return at


def _small_counts(rates, u):
    """Draw Poisson counts of small means by inversion, going up from zero."""
    counts = np.zeros(rates.shape)
    term = np.exp(-rates)
    total = term.copy()
    ahead = np.flatnonzero(u >= total)
    while ahead.size:
        counts[ahead] += 1
        term[ahead] *= rates[ahead] / counts[ahead]
        total[ahead] += term[ahead]
        # A term that adds nothing any more ends the search, whatever u is.
        ahead = ahead[(u[ahead] >= total[ahead]) & (term[ahead] > 1e-17)]
    return counts


class ShotNoise(ImagePerturbation):
    r"""Count photons: Poisson noise, strong in the bright and weak in the dark.

    .. math:: x' = \mathrm{clip}(k / c), \qquad k \sim \mathrm{Poisson}(c\,x)

    where x is the pixel's share of the data range and c the number of ``photons``.
    Counts are drawn by inversion from 16-bit words, so that one ``random_state`` gives
    nearly the same pattern at every severity. 8-bit images use a table of their 256
    brightnesses; between two of these, a count of the small rest is added, since a sum
    of independent Poisson counts is a Poisson count. Above 2,048 photons the count is
    rounded off by no table, but taken from the normal expansion of its quantile
    (Cornish and Fisher, 1938), right to a photon, a 2,048th of the range.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image. What is interpolated is the relative standard deviation
        1 / sqrt(c) at full brightness, so that severity goes to 0 without a jump (our
        choice). With neither it nor ``photons``, severity 1 holds.
    photons : float, default=None
        Mean count c at the high end of the data range; the fewer, the noisier.
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
    >>> from skrobust.perturbations import ShotNoise
    >>> images = np.full((1, 2, 2), 0.5)
    >>> noisy = ShotNoise(photons=10, random_state=0).perturb(None, images)
    >>> bool((noisy * 10 == (noisy * 10).round()).all())
    True
    """

    _physical = ("photons",)
    _needs_geometry = False

    def __init__(
        self,
        severity=None,
        *,
        photons=None,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.severity = severity
        self.photons = photons
        self.image_shape = image_shape
        self.channel_axis = channel_axis
        self.data_range = data_range
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if self.photons is not None:
            check_number(self.photons, "photons", "ShotNoise", low=0, low_open=True)

    def _count(self, images):
        severity = self._severity()
        if severity is None:
            return float(self.photons)
        levels = ((500, 250, 100, 75, 50), (60, 25, 12, 5, 3))
        small, large = (np.asarray(counts) ** -0.5 for counts in levels)
        return strength_by_side(severity, self._image_side(images), small, large) ** -2

    def _perturb_images(self, images, rng):
        photons = self._count(images)
        words = rng.words(images.shape)
        values = np.maximum(images, 0)
        if photons > _MOST_PHOTONS:
            z = np.take(normal_table().astype(images.dtype), words, mode="clip")
            # x + sqrt(x / c) z + (z * z - 1) / (6 c), and nothing where x is 0.
            skew = (z * z - 1) / images.dtype.type(6 * photons)
            return (values + np.sqrt(values / photons) * z + skew) * (values > 0)
        # What is next to a level is that level, whatever the last digits.
        level = np.floor(values * 255 + 1e-4)
        rest = np.maximum(values - level / 255, 0).reshape(-1)
        level = np.minimum(level, 255)
        counts = _level_counts(level.astype(np.uint8), words, photons)
        between = np.flatnonzero(rest > 1e-6)
        if between.size:
            u = rng.random(images.shape).reshape(-1)[between]
            counts = counts.astype(np.float64)
            counts[between] += _small_counts(photons * rest[between], u)
        return (counts / photons).reshape(images.shape).astype(images.dtype)

    def _perturb_bytes(self, images, rng):
        photons = self._count(images)
        if photons > _MOST_PHOTONS:
            return None
        counts = _level_counts(images, rng.words(images.shape), photons)
        most = int(counts.max())
        pixels = np.rint(np.minimum(np.arange(most + 1) * (255 / photons), 255))
        pixels = np.take(pixels.astype(np.uint8), counts, mode="clip")
        return pixels.reshape(images.shape)
