"""Shot noise on images: Poisson counts of photons."""

import functools

import numpy as np
from scipy.special import pdtr

from skrobust.perturbations.images._pixel_noise import normal_table
from skrobust.perturbations.images.device_filters import index_tensor
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.strength import Strength

_MOST_PHOTONS = 2048  # at full brightness, up to which counts are drawn from tables
_CELL = 64  # words that share a first guess of their count


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


def _level_counts_tensor(levels, words, photons):
    """Draw the counts of :func:`_level_counts` for whole levels, as tensors."""
    places, limits, offsets = (
        index_tensor(levels, table) for table in _poisson_tables(photons)
    )
    levels, words = levels.long(), words.long()
    at = places[levels * (65536 // _CELL) + words // _CELL]
    while (ahead := limits[at] <= words).any():
        at = at + ahead
    return at + offsets[levels]


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
    r"""Shot noise: Poisson counts of photons, strongest in bright pixels.

    .. math:: x' = \mathrm{clip}(k / c), \qquad k \sim \mathrm{Poisson}(c\,x)

    where x is the pixel's share of the data range and c the number of ``photons``.
    Counts are drawn by inversion from 16-bit words, so that one ``random_state`` gives
    nearly the same pattern at every severity. There is a table for each of the 256
    brightnesses of an 8-bit image; between two of these the count of the small rest is
    added, since a sum of independent Poisson counts is a Poisson count. Above 2,048
    photons k is the normal expansion of its quantile (Cornish and Fisher, 1938), which
    is right to within a photon, then less than a 2,048th of the range. What exceeds a
    learned range is added after the noise of its high end.

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
    >>> from skrobust.perturbations import ShotNoise
    >>> images = np.full((1, 2, 2), 0.5)
    >>> noisy = ShotNoise(photons=10, random_state=0).perturb(None, images)
    >>> bool((noisy * 10 == (noisy * 10).round()).all())
    True
    """

    _strengths = {
        "photons": Strength(
            (500, 250, 100, 75, 50),
            (60, 25, 12, 5, 3),
            zero=np.inf,
            low_open=True,
            measure=lambda photons: photons**-0.5,
        )
    }
    _needs_geometry = False
    _strong_params = {"photons": 5}

    def _batch_rows(self, size):
        return max(1, (1 << 17) // size)  # each number takes several of 8 bytes

    def _count(self, images):
        if self.photons is not None:
            return float(self.photons)
        return self._strength(images) ** -2

    def _perturb_tensor(self, images, rng):
        photons = self._count(images.movedim(1, -1))
        values = images.clamp(0, 1)
        level = (values * 255 + 1e-4).floor()
        # Counts between levels come from a search that the host does.
        if photons > _MOST_PHOTONS or (values - level / 255 > 1e-6).any():
            return None
        words = rng.tensor_words(images.movedim(1, -1).shape).movedim(-1, 1)
        counts = _level_counts_tensor(level, words, photons)
        noisy = (counts.to(images.dtype) / photons).to(images.dtype)
        return noisy + (images - 1).clamp(min=0)

    def _perturb_images(self, images, rng):
        photons = self._count(images)
        words = rng.words(images.shape)
        values = np.clip(images, 0, 1)
        beyond = np.maximum(images - 1, 0)
        if photons > _MOST_PHOTONS:
            z = np.take(normal_table().astype(images.dtype), words, mode="clip")
            # x + sqrt(x / c) z + (z * z - 1) / (6 c), and nothing where x is 0.
            skew = (z * z - 1) / images.dtype.type(6 * photons)
            noisy = values + np.sqrt(values / photons) * z + skew
            return np.where(values > 0, noisy, 0) + beyond
        # What is next to a level is that level, whatever the last digits.
        level = np.floor(values * 255 + 1e-4)
        rest = (values - level / 255).reshape(-1)
        counts = _level_counts(level.astype(np.uint8), words, photons)
        between = np.flatnonzero(rest > 1e-6)
        if between.size:
            u = rng.random(images.shape).reshape(-1)[between]
            counts = counts.astype(np.float64)
            counts[between] += _small_counts(photons * rest[between], u)
        return (counts / photons).reshape(images.shape).astype(images.dtype) + beyond

    def _perturb_bytes(self, images, rng):
        photons = self._count(images)
        if photons > _MOST_PHOTONS:
            return None
        counts = _level_counts(images, rng.words(images.shape), photons)
        most = int(counts.max())
        pixels = np.rint(np.minimum(np.arange(most + 1) * (255 / photons), 255))
        pixels = np.take(pixels.astype(np.uint8), counts, mode="clip")
        return pixels.reshape(images.shape)
