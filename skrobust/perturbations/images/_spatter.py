"""Spatter of water and mud on images."""

import numpy as np

from skrobust._parameters import Flag, NamedOr
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.images.published_water import water_light
from skrobust.perturbations.images.separable_filter import blur_images
from skrobust.perturbations.strength import MOST_PIXELS, Strength

_WATER = (175 / 255, 238 / 255, 238 / 255)
_MUD = (63 / 255, 42 / 255, 20 / 255)
_MNIST_MUD = (63 / 255,) * 3


class Spatter(PublishedPerturbation):
    """Spatter on images: drops of water or, at high severities, mud.

    Normal noise is smoothed; where it exceeds a threshold there is liquid. Mud covers
    the image with a brown of soft edges, as published [1]_. Water adds a pale
    turquoise, lit from the upper left. By default its light is the slope of its
    surface. The published code finds the edges of the water, takes the distance to
    them, spreads its histogram and embosses it, in eight bits: ``published=True``.
    Its water is fainter (ResNet-20 on CIFAR pictures at severity 3: accuracy .50 by
    default, .59 with the published code, .62 with ``published=True``).
    ``published="mnist_c"`` also has the grey mud of MNIST-C [2]_, for one channel.

    The published tables switch from water to mud between severities 3 and 4: there,
    the two pictures are mixed. Below severity 1 the water fades. An image on which no
    drop falls stays as it is (the published code divides 0 by 0 there).

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    mean, std : float, default=None
        Of the noise, in place of ``severity``, as is all that follows. What is left
        out has its value at severity 1.
    blur_std : float, default=None
        Standard deviation of the smoothing in pixels.
    threshold : float, default=None
        Smoothed noise above it is liquid.
    opacity : float in [0, 1], default=None
        Strength of the water.
    mud : float in [0, 1], default=None
        0 is water, 1 is mud, in between they are mixed.
    mud_std : float, default=None
        Standard deviation of the soft edges of mud in pixels.
    published : bool or "mnist_c", default=False
        Whether to do what the published code does. The presets set it.
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
    .. [2] N. Mu and J. Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision",
       arXiv 1906.02337, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Spatter
    >>> images = np.full((1, 32, 32, 3), 0.9)
    >>> muddy = Spatter(5, random_state=0).perturb(None, images)
    >>> bool(muddy.mean() < 0.9)
    True
    """

    _strengths = {
        "mean": Strength(
            (0.62, 0.65, 0.65, 0.65, 0.65),
            (0.65, 0.65, 0.65, 0.65, 0.67),
            zero=0.62,
            low=None,
        ),
        "std": Strength((0.1, 0.1, 0.3, 0.1, 0.1), (0.3, 0.3, 0.3, 0.3, 0.4), zero=0.1),
        "blur_std": Strength(
            (0.7, 0.8, 1, 0.7, 0.5), (4, 3, 2, 1, 1), zero=0.7, high=MOST_PIXELS
        ),
        "threshold": Strength(
            (0.7, 0.7, 0.69, 0.69, 0.68),
            (0.69, 0.68, 0.68, 0.65, 0.65),
            zero=0.7,
            low=None,
        ),
        "opacity": Strength((0.5,) * 5, (0.6, 0.6, 0.5, 0.5, 0.5), high=1.0),
        "mud": Strength((0, 0, 0, 1, 1), high=1.0),
        "mud_std": Strength((0.6,) * 5, (1.5,) * 5, zero=0.6, high=MOST_PIXELS),
    }
    _parameter_rules = {"published": NamedOr(("mnist_c",), Flag())}
    _strong_params = {"mean": 0.6}
    _grows_with_severity = False

    def _perturb_images(self, images, rng):
        at = self._all_strengths(images)
        noise = rng.normal(size=(*images.shape[:3], 1)).astype(images.dtype)
        liquid = at.mean + at.std * blur_images(noise, at.blur_std)
        wet = (liquid > at.threshold).astype(images.dtype)
        out = images
        if at.mud < 1:
            if self.published:
                drops = water_light((liquid * wet)[..., 0])[..., None]
                drops = drops.astype(images.dtype)
            else:
                drops = _light(liquid - at.threshold, wet)
            out = images + at.opacity * drops * _color(_WATER, images)
        if at.mud > 0:
            cover = blur_images(wet, at.mud_std)
            cover = np.where(cover < 0.8, 0, cover).astype(images.dtype)
            mud = _MNIST_MUD if self.published == "mnist_c" else _MUD
            muddy = images + (_color(mud, images) - images) * cover
            out = np.clip(out, 0, 1) * (1 - at.mud) + muddy * at.mud
        return out


def _light(surface, wet):
    """Return how bright each place of the drops is, from 0 to 1."""
    height = surface * wet
    slope = np.zeros_like(height)
    slope[:, 1:] += np.diff(height, axis=1)
    slope[:, :, 1:] += np.diff(height, axis=2)
    steepest = np.abs(slope).max(axis=(1, 2), keepdims=True)
    slope /= np.where(steepest > 0, steepest, 1)
    return wet * np.clip(0.3 + 0.7 * slope, 0, 1)


def _color(rgb, images):
    if images.shape[3] == 3:
        return np.array(rgb, dtype=images.dtype)
    grey = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]
    return np.full(images.shape[3], grey, dtype=images.dtype)
