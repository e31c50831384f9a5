"""Perturbations: changes of the input that do not look at the model.

Each is a transformer with ``fit``, ``transform`` and ``perturb(estimator, X, y)``. In a
Pipeline it acts on both sides, at fit and at predict; inside a scorer it acts on the
rows that are scored alone, which is the honest default for evaluation.
"""

from skrobust.perturbations._blur import DefocusBlur, GaussianBlur, ZoomBlur
from skrobust.perturbations._color import Brightness, Contrast, Saturate
from skrobust.perturbations._compression import JPEGCompression, Pixelate
from skrobust.perturbations._edges import CannyEdges
from skrobust.perturbations._elastic import ElasticDeformation
from skrobust.perturbations._fog import Fog
from skrobust.perturbations._geometry import Rotation
from skrobust.perturbations._grid import two_factor_grid
from skrobust.perturbations._image_presets import cifar_c, imagenet_c, mnist_c
from skrobust.perturbations._images import ImagePerturbation
from skrobust.perturbations._motion import GlassBlur, MotionBlur
from skrobust.perturbations._noise import GaussianNoise, SaltAndPepper
from skrobust.perturbations._occlusion import Occlusion
from skrobust.perturbations._sequence import PerturbationSequence
from skrobust.perturbations._shift import Scaling, Shear, Translation
from skrobust.perturbations._spatter import Spatter
from skrobust.perturbations._strokes import DottedLine, Stripe, Zigzag
from skrobust.perturbations._tone import ChannelShift, Gamma, Quantization
from skrobust.perturbations._weather import Frost, Snow

__all__ = [
    "Brightness",
    "CannyEdges",
    "ChannelShift",
    "Contrast",
    "DefocusBlur",
    "DottedLine",
    "ElasticDeformation",
    "Fog",
    "Frost",
    "Gamma",
    "GaussianBlur",
    "GaussianNoise",
    "GlassBlur",
    "ImagePerturbation",
    "JPEGCompression",
    "MotionBlur",
    "Occlusion",
    "PerturbationSequence",
    "Pixelate",
    "Quantization",
    "Rotation",
    "SaltAndPepper",
    "Saturate",
    "Scaling",
    "Shear",
    "Snow",
    "Spatter",
    "Stripe",
    "Translation",
    "Zigzag",
    "ZoomBlur",
    "cifar_c",
    "imagenet_c",
    "mnist_c",
    "two_factor_grid",
]
