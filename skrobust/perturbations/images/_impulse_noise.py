"""Impulse noise on images: salt and pepper, and dropped pixels."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.pixel_kernels import drop_pixels, strike_bytes
from skrobust._parameters import Flag
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.strength import Strength


def thresholds(share, n, rng):
    """Return for each of n rows how many of the 65,536 words are selected.

    The fraction of a word is rounded up or down by one draw per row, so that each
    value is selected with exactly the given probability; and what is selected at a low
    share stays selected at every higher one.
    """
    words = np.floor(share * 65536.0 + rng.random((n, 1)))
    return words.astype(np.int32).reshape(n, 1, 1, 1)


def _tensor_words(images, share, rng, *, per_channel):
    """Return 16-bit words for images as tensors, and how many of them are selected."""
    size = images.movedim(1, -1).shape
    selected = images.new_tensor(thresholds(share, len(images), rng))
    words = rng.tensor_words(size if per_channel else (*size[:3], 1))
    return words.movedim(-1, 1), selected


class SaltAndPepper(ImagePerturbation):
    """Salt-and-pepper noise: a share of the pixel values turned to white or black.

    Each value is selected with probability ``density``; half of the selected values
    turn to the low end and half to the high end of the data range. With one
    ``random_state`` a value selected at a low density is so at every higher one.

    Parameters
    ----------
    density : float in [0, 1], default=None
        Share of the values that are selected.
    severity : float in [0, 5], default=None
        Density by the impulse noise tables of CIFAR-10-C and ImageNet-C [1]_, in place
        of ``density``. With neither, severity 1 holds.
    per_channel : bool, default=True
        Whether channels are selected independently (as in MATLAB and scikit-image) or a
        pixel as a whole.
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

    _parameter_rules = {"per_channel": Flag()}

    def __init__(self, density=None, *, severity=None, per_channel=True, **shared):
        super().__init__(severity, **shared)
        self.density = density
        self.per_channel = per_channel

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

    def _perturb_tensor(self, images, rng):
        share = self._strength(images.movedim(1, -1)) / 2
        how = {"per_channel": self.per_channel}
        words, selected = _tensor_words(images, share, rng, **how)
        return (images * (words >= selected)).masked_fill(words > 65535 - selected, 1)

    def _perturb_images(self, images, rng):
        kept, high = self._masks(images, rng)
        return np.where(high, images.dtype.type(1), images * kept)

    def _perturb_bytes(self, images, rng):
        kernel = compiled(strike_bytes, images.size)
        if kernel is not None and self.per_channel:
            n = len(images)
            selected = thresholds(self._strength(images) / 2, n, rng).reshape(n)
            words = np.ascontiguousarray(rng.words(images.shape)).reshape(n, -1)
            out = np.empty(images.shape, dtype=np.uint8)
            flat = np.ascontiguousarray(images).reshape(n, -1)
            kernel(words, selected, flat, out.reshape(n, -1))
            return out
        kept, high = self._masks(images, rng)
        out = images * kept
        out |= high.view(np.uint8) * np.uint8(255)
        return out


class PixelDropout(ImagePerturbation):
    """Pixel dropout: a share of the pixels set to the low end in all channels.

    With one ``random_state`` a pixel selected at a low density is so at every higher
    one.

    Parameters
    ----------
    density : float in [0, 1], default=None
        Share of the pixels that are selected.
    severity : float in [0, 5], default=None
        In place of ``density``: 1, 2, 5, 10 and 20 % at severities 1 to 5 (our
        choice). With neither, severity 1 holds.
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
    >>> from skrobust.perturbations import PixelDropout
    >>> images = np.full((1, 8, 8, 3), 128, dtype=np.uint8)
    >>> dropped = PixelDropout(density=0.5, random_state=0).perturb(None, images)
    >>> np.unique(dropped).tolist()
    [0, 128]
    """

    _strengths = {"density": Strength((0.01, 0.02, 0.05, 0.10, 0.20), high=1)}
    _needs_geometry = False
    _strong_params = {"density": 0.4}

    def __init__(self, density=None, *, severity=None, **shared):
        super().__init__(severity, **shared)
        self.density = density

    def _perturb_tensor(self, images, rng):
        share = self._strength()
        words, lost = _tensor_words(images, share, rng, per_channel=False)
        return images * (words >= lost)

    def _perturb_images(self, images, rng):
        lost = thresholds(self._strength(), len(images), rng)
        kept = rng.words((*images.shape[:3], 1)) >= lost
        return images * np.repeat(kept, images.shape[3], axis=3)

    def _perturb_bytes(self, images, rng):
        kernel = compiled(drop_pixels, images.size)
        if kernel is None:
            return self._perturb_images(images, rng)
        n, height, width, channels = images.shape
        lost = thresholds(self._strength(), n, rng).reshape(n)
        words = np.ascontiguousarray(rng.words((n, height, width, 1))).reshape(n, -1)
        out = np.empty(images.shape, dtype=np.uint8)
        flat = np.ascontiguousarray(images).reshape(n, -1)
        kernel(words, lost, channels, flat, out.reshape(n, -1))
        return out
