"""Preset of the corruptions of MNIST-C."""

import numpy as np

from skrobust._parameters import Flag
from skrobust.perturbations.images._color import Brightness
from skrobust.perturbations.images._edges import CannyEdges
from skrobust.perturbations.images._fog import Fog
from skrobust.perturbations.images._glass import GlassBlur
from skrobust.perturbations.images._impulse_noise import SaltAndPepper
from skrobust.perturbations.images._motion import MotionBlur
from skrobust.perturbations.images._presets import at_severities, shape_of
from skrobust.perturbations.images._rotation import Rotation
from skrobust.perturbations.images._shot_noise import ShotNoise
from skrobust.perturbations.images._spatter import Spatter
from skrobust.perturbations.images._strokes import DottedLine, Stripe, Zigzag
from skrobust.perturbations.images._translation import Scaling, Shear, Translation
from skrobust.perturbations.presets import register_preset
from skrobust.perturbations.severity_grid import number_conditions

# The shear of scikit-image of that time: an angle, which also makes images taller.
_MNIST_SHEAR = {"shear": float(np.tan(0.4)), "stretch": float(1 / np.cos(0.4))}
# What the published code of MNIST-C does, whatever the strength.
_MNIST_QUIRKS = {
    "glass_blur": {"published": "mnist_c"},
    "motion_blur": {"published": True},
    "shear": {"both_ways": True},
    "rotate": {"both_ways": True},
    "translate": {"direction": "diagonal"},
    "fog": {"map_size": 256},
    "spatter": {"published": "mnist_c"},
    "dotted_line": {"published": True},
    "zigzag": {"published": True},
}
# Kinds, and the one strength of each that the publication uses.
_MNIST = {
    "shot_noise": (ShotNoise, {"photons": 3}),
    "impulse_noise": (SaltAndPepper, {"density": 0.17}),
    "glass_blur": (GlassBlur, {"std": 0.7, "max_shift": 1, "iterations": 2}),
    "motion_blur": (MotionBlur, {"radius": 10, "std": 3}),
    "shear": (Shear, {"shear": 0.4}),
    "scale": (Scaling, {"factor": 0.7}),
    "rotate": (Rotation, {"angle": 22.9183}),
    "brightness": (Brightness, {"shift": 0.5}),
    "translate": (Translation, {"distance": 3 * 2**0.5 / 28}),
    "stripe": (Stripe, {"width": 0.25}),
    "fog": (Fog, {"strength": 3, "decay": 1.4}),
    "spatter": (Spatter, {
        "mean": 0.65, "std": 0.3, "blur_std": 1, "threshold": 0.65, "mud": 1,
        "mud_std": 1.5,
    }),
    "dotted_line": (DottedLine, {"opacity": 1}),
    "zigzag": (Zigzag, {"opacity": 1}),
    "canny_edges": (CannyEdges, {"share": 1}),
}  # fmt: skip


@register_preset("images")
def mnist_c(
    severities=None,
    *,
    published=True,
    image_shape=None,
    channel_axis=None,
    data_range="auto",
    random_state=None,
):
    """Return the corruptions of MNIST-C as conditions.

    15 corruptions [1]_ and the clean images as number 1. The publication has one
    strength for each, in pixels of 28 x 28 images; these hold where ``severities`` is
    None. They do what the published code does, on images of one channel: shear and
    rotation have a drawn sign, a shear also makes digits taller, translations are
    diagonal, glass blur swaps half of the pixels and blurs along the columns alone, and
    fog is cut from a map of 256 pixels, of which it sees little.

    Parameters
    ----------
    severities : sequence of floats in [0, 5], default=None
        The severities of each class in place of the published strengths.
    published : bool, default=True
        Whether to do all that. With False shear and rotation keep one sign, a
        translation has any direction, glass, motion, fog, spatter and lines are those
        of their classes, and the strengths stay.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all conditions.

    Returns
    -------
    conditions : list of PerturbationSequence
        Each with a ``name`` such as ``"stripe"`` (or ``"stripe-3"``) and its
        ``number``.

    References
    ----------
    .. [1] N. Mu and J. Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision",
       arXiv 1906.02337, 2019.

    Examples
    --------
    >>> from skrobust.perturbations import mnist_c
    >>> [c.name for c in mnist_c(image_shape=(28, 28))][-3:]
    ['dotted_line', 'zigzag', 'canny_edges']
    """
    shape = shape_of(image_shape, channel_axis, data_range)
    Flag()(published, "published", "mnist_c")
    quirks = _MNIST_QUIRKS if published else {}
    if severities is None:
        at = {
            name: {**given, **quirks.get(name, {})}
            for name, (_, given) in _MNIST.items()
        }
        if published:
            at["shear"] |= _MNIST_SHEAR
        named = [
            (name, kind(**at[name], **shape)) for name, (kind, _) in _MNIST.items()
        ]
        return number_conditions(named, random_state)
    kinds = {
        name: kind(**quirks.get(name, {}), **shape)
        for name, (kind, _) in _MNIST.items()
    }
    return at_severities(kinds, severities, "mnist_c", random_state)
