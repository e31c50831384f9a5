"""Kernels, and image perturbations that run every way through them."""

from importlib import import_module
from pkgutil import iter_modules

import numpy as np

import skrobust.perturbations as sp
from skrobust import _compiled

KINDS = sorted(
    name
    for name in sp.__all__
    if isinstance(getattr(sp, name), type)
    and issubclass(getattr(sp, name), sp.ImagePerturbation)
    and name not in ("ImagePerturbation", "PointPerturbation")
)
KERNELS = [
    function
    for one in iter_modules(_compiled.__path__, f"{_compiled.__name__}.")
    if one.name.endswith("_kernels")
    for function in vars(import_module(one.name)).values()
    if getattr(function, "__module__", None) == one.name
]
PARAMETERS = [
    *(
        getattr(sp, name)(severity=3, published=True)
        for name in KINDS
        if "published" in getattr(sp, name)().get_params()
    ),
    sp.Rotation(30, both_ways=True),
    sp.Shear(shear=0.4, both_ways=True, stretch=1.2),
    sp.Translation(distance=0.2, direction="diagonal"),
    sp.Rotation(30, fill=0.4),
    sp.Rotation(30, canvas="fit", clockwise=True, fill=1),
    sp.Translation(distance=0.3, direction=20, fill=0.7),
    sp.Translation(distance=0.25, direction=90),
    sp.Translation(distance=1e12, direction=10, fill=0.2),
    sp.Scaling(factor=0.6, fill=0.5),
    sp.Shear(shear=-0.7, fill=0.5),
    sp.Shear(shear=1e9),
    sp.GaussianBlur(std=0.3),
    sp.GaussianBlur(std=7),
    sp.GaussianBlur(std=2.9),
    sp.DefocusBlur(radius=4.2, alias_std=0.7),
    sp.MotionBlur(radius=20, std=9, angle=160),
    sp.SaltAndPepper(0.4, per_channel=False),
    sp.Contrast(factor=3),
    sp.Gamma(gamma=2.2),
    sp.ElasticDeformation(alpha=4, sigma=0.02, affine=0.9),
    sp.ZoomBlur(zoom=1.5, step=0.04),
    sp.ZoomBlur(zoom=1.005),
    sp.UniformNoise(half_width=0.37),
    sp.Pixelate(share=0.03),
    sp.Downscaling(share=0.9),
]


def edge_patterns():
    """Return grey images whose edges meet, or are as steep as their neighbours."""
    y, x = np.mgrid[:40, :52]
    flat = np.zeros((40, 52))
    patterns = [
        flat, flat + 1, x % 2, (x + y) % 2, (x // 4 + y // 4) % 2, x > 20, x + y > 40,
        x > y, (x - 25) ** 2 + (y - 20) ** 2 < 150, x / 52, (x * y) % 7 / 6,
        ((x > 20) + (y > 15)) / 2, 0.25 + 0.12 * (x > 9), 30.0 * (x > 9),
    ]  # fmt: skip
    return np.stack(patterns).astype(np.float64)
