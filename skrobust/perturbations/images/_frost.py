"""Frost on images."""

import numpy as np

from skrobust._parameters import Flag
from skrobust.perturbations.images._color import grey_of
from skrobust.perturbations.images._fog import plasma
from skrobust.perturbations.images._motion import smear
from skrobust.perturbations.images.frost_pictures import cut_pieces, read_pictures
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.strength import Strength, image_side

# The published code makes its photographs a fifth as large for images of 32 pixels, and
# leaves them as they are for images of 224.
_SCALE_AT_32 = 0.2
# Means and spreads, as shares of the range, of the five photographs that it uses.
_MEANS = np.array([0.513, 0.811, 0.811, 0.595, 0.484])
_SPREADS = np.array([0.169, 0.089, 0.089, 0.122, 0.173])


class Frost(PublishedPerturbation):
    """Frost: a weighted sum of the image and a picture of ice.

    The weights are the published ones [1]_. The published frost cuts pieces from
    photographs, which are not shipped here. With ``pictures=`` each image gets a drawn
    piece of a drawn picture, as published: from pictures a fifth as large for images
    of 32 pixels, as large as they are for 224, and between these by the logarithm of
    the side.

    Without pictures the ice is drawn: thin crystals (specks of noise smeared in both
    directions along three drawn lines, each in regions of its own) on a cloud of hoar,
    white in all channels. With ``published=True`` it is as bright, and varies as much,
    as one of the published photographs; otherwise it is darker. Drawn ice is not the
    published frost, and the presets call it ``drawn_frost``. (ResNet-20 on CIFAR
    pictures, mean accuracy at severities 1, 3 and 5: .54 with the published code and
    with its photographs, .53 with ice as bright, .46 with the darker one.)

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    image_weight : float, default=None
        Weight of the image, in place of ``severity``.
    ice_weight : float, default=None
        Weight of the ice, in place of ``severity``. Of the two, the one left out has
        its value at severity 1.
    pictures : str, Path or sequence of ndarray, default=None
        A folder with pictures of frost (needs Pillow), or the pictures as arrays of
        shape (height, width) or (height, width, 3), uint8 or floats in [0, 1]. None
        draws the ice. The published photographs are part of the package
        ``imagecorruptions``, in its folder ``frost``.
    published : bool, default=False
        Whether to do what the published code does: of more than five pictures, the
        first five by name are used. The presets set it.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same draws for the same rows.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Frost
    >>> images = np.zeros((1, 32, 32))
    >>> frozen = Frost(image_weight=1, ice_weight=0.5, random_state=0)
    >>> bool(0 < frozen.perturb(None, images).max() <= 0.5)
    True
    >>> window = np.full((200, 300), 0.8)
    >>> frozen = Frost(ice_weight=0.5, pictures=[window])
    >>> frozen.perturb(None, images).max().round(3)
    np.float64(0.4)
    """

    _strengths = {
        "image_weight": Strength(
            (1, 1, 0.9, 0.85, 0.75), (1, 0.8, 0.7, 0.65, 0.6), zero=1.0
        ),
        "ice_weight": Strength((0.2, 0.3, 0.4, 0.4, 0.45), (0.4, 0.6, 0.7, 0.7, 0.75)),
    }
    _parameter_rules = {"published": Flag()}
    _strong_params = {"ice_weight": 0.7}
    _grows_with_severity = False

    def __init__(
        self,
        severity=None,
        *,
        image_weight=None,
        ice_weight=None,
        pictures=None,
        **shared,
    ):
        super().__init__(severity, **shared)
        self.image_weight = image_weight
        self.ice_weight = ice_weight
        self.pictures = pictures

    def _check_parameters(self):
        super()._check_parameters()
        if self.pictures is not None:
            read_pictures(self.pictures, type(self).__name__)

    def _perturb_images(self, images, rng):
        at = self._all_strengths(images)
        if self.pictures is None:
            ice = _ice(images.shape, rng)
            if self.published:
                ice = _as_bright_as_published(ice, rng)
        else:
            ice = self._pieces(images.shape, rng)
        ice = ice.astype(images.dtype, copy=False)
        return at.image_weight * images + at.ice_weight * ice

    def _pieces(self, shape, rng):
        pictures = read_pictures(self.pictures, type(self).__name__)
        if self.published:
            pictures = pictures[:5]
        n, height, width, channels = shape
        share = np.log(image_side((height, width)) / 32) / np.log(224 / 32)
        scale = _SCALE_AT_32 ** (1 - np.clip(share, 0, 1))
        pieces = cut_pieces(pictures, height, width, float(scale), rng, n)
        return pieces if channels == 3 else grey_of(pieces)


def _ice(shape, rng):
    """Return a drawn texture of ice in [0, 1], of shape (n, height, width, 1)."""
    n, height, width, _ = shape
    specks = rng.random((n, height, width, 3)).astype(np.float32)
    angles = rng.uniform(0, 180, size=(n, 3))
    reach = max(np.sqrt(height * width) / 28, 1.0)
    crystals = np.zeros((n, height, width, 1), dtype=np.float32)
    for k in range(3):
        seeds = (specks[..., k : k + 1] > 0.97).astype(np.float32)
        needles = smear(seeds, angles[:, k], 2 * reach, reach)
        needles = needles + smear(seeds, angles[:, k] + 180, 2 * reach, reach)
        # Each direction has regions of its own.
        where = plasma(height, width, n, 1.45, rng)[..., None].astype(np.float32)
        crystals += needles * np.clip(4 * where - 1.5, 0, 1)
    crystals = np.minimum(4 * crystals, 1)
    hoar = plasma(height, width, n, 1.35, rng)[..., None].astype(np.float32)
    return np.clip(0.1 + 0.4 * hoar + 0.5 * crystals, 0, 1)


def _as_bright_as_published(ice, rng):
    """Return drawn ice with the mean and the spread of a drawn published photograph."""
    which = np.floor(len(_MEANS) * rng.random(size=(len(ice), 1))).astype(int)
    mean, spread = (t[which][..., None, None] for t in (_MEANS, _SPREADS))
    middle, width = (f(axis=(1, 2), keepdims=True) for f in (ice.mean, ice.std))
    return np.clip(mean + (ice - middle) * (spread / np.maximum(width, 1e-6)), 0, 1)
