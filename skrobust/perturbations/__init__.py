"""Perturbations: changes of the input that do not look at the model.

Each is a transformer with ``fit``, ``transform`` and ``perturb(estimator, X, y)``. In a
Pipeline it acts on both sides, at fit and at predict; inside a scorer it acts on the
rows that are scored alone, which is the honest default for evaluation.
"""

from skrobust.perturbations._function import FunctionPerturbation
from skrobust.perturbations._geometry import Rotation
from skrobust.perturbations._grid import two_factor_grid
from skrobust.perturbations._images import ImagePerturbation
from skrobust.perturbations._meta import PerturbedClassifier, PerturbedRegressor
from skrobust.perturbations._noise import GaussianNoise, SaltAndPepper
from skrobust.perturbations._noise_more import PixelDropout, SpeckleNoise, UniformNoise
from skrobust.perturbations._noise_shot import ShotNoise
from skrobust.perturbations._point import PointPerturbation
from skrobust.perturbations._presets import get_preset
from skrobust.perturbations._sampler import PerturbationSampler
from skrobust.perturbations._sequence import PerturbationSequence

__all__ = [
    "FunctionPerturbation",
    "GaussianNoise",
    "ImagePerturbation",
    "PerturbationSampler",
    "PerturbationSequence",
    "PerturbedClassifier",
    "PerturbedRegressor",
    "PixelDropout",
    "PointPerturbation",
    "Rotation",
    "SaltAndPepper",
    "ShotNoise",
    "SpeckleNoise",
    "UniformNoise",
    "get_preset",
    "two_factor_grid",
]
