"""Perturbations: changes of the input that do not look at the model.

Each is a transformer with ``fit``, ``transform`` and ``perturb(estimator, X, y)``. In a
Pipeline it acts on both sides, at fit and at predict; inside a scorer it acts on the
rows that are scored alone, which is the honest default for evaluation.
"""

from skrobust.perturbations._audio import BackgroundNoise, Gain
from skrobust.perturbations._blur import DefocusBlur, GaussianBlur, ZoomBlur
from skrobust.perturbations._clips import ClipPerturbation
from skrobust.perturbations._color import Brightness, Contrast, Saturate
from skrobust.perturbations._compression import JPEGCompression, Pixelate
from skrobust.perturbations._edges import CannyEdges
from skrobust.perturbations._elastic import ElasticDeformation
from skrobust.perturbations._fog import Fog
from skrobust.perturbations._function import FunctionPerturbation
from skrobust.perturbations._geometry import Rotation
from skrobust.perturbations._grid import two_factor_grid
from skrobust.perturbations._image_presets import cifar_c, imagenet_c, mnist_c
from skrobust.perturbations._images import ImagePerturbation
from skrobust.perturbations._label_noise import LabelNoiseClassifier
from skrobust.perturbations._meta import PerturbedClassifier, PerturbedRegressor
from skrobust.perturbations._motion import GlassBlur, MotionBlur
from skrobust.perturbations._noise import GaussianNoise, SaltAndPepper
from skrobust.perturbations._noise_more import PixelDropout, SpeckleNoise, UniformNoise
from skrobust.perturbations._noise_shot import ShotNoise
from skrobust.perturbations._occlusion import Occlusion
from skrobust.perturbations._point import PointPerturbation
from skrobust.perturbations._presets import get_preset
from skrobust.perturbations._sampler import PerturbationSampler
from skrobust.perturbations._sequence import PerturbationSequence
from skrobust.perturbations._series import SeriesPerturbation
from skrobust.perturbations._series_loss import ChannelLoss, Gap, PointDropout
from skrobust.perturbations._series_noise import (
    BaselineWander,
    Jitter,
    MainsHum,
    Spikes,
)
from skrobust.perturbations._series_presets import series
from skrobust.perturbations._series_time import (
    Resampling,
    SegmentPermutation,
    TimeShift,
    TimeWarp,
)
from skrobust.perturbations._series_values import (
    SeriesClipping,
    SeriesQuantization,
    SeriesScaling,
    Smoothing,
)
from skrobust.perturbations._shift import Scaling, Shear, Translation
from skrobust.perturbations._spatter import Spatter
from skrobust.perturbations._strokes import DottedLine, Stripe, Zigzag
from skrobust.perturbations._table_categories import CategoryFlip
from skrobust.perturbations._table_coarse import QuantileClipping, Rounding
from skrobust.perturbations._table_drift import MeanDrift, ScaleDrift
from skrobust.perturbations._table_errors import Outliers, SignFlip, UnitError
from skrobust.perturbations._table_loss import FeatureLoss
from skrobust.perturbations._table_missing import MissingValues
from skrobust.perturbations._table_noise import (
    FeatureNoise,
    MultiplicativeNoise,
    QuantileNoise,
)
from skrobust.perturbations._table_presets import tabular
from skrobust.perturbations._table_rows import ColumnSwap, StaleRows
from skrobust.perturbations._tables import TablePerturbation
from skrobust.perturbations._text import TextPerturbation
from skrobust.perturbations._text_form import (
    AccentRemoval,
    CaseChange,
    DigitChange,
    PunctuationRemoval,
)
from skrobust.perturbations._text_letters import Homoglyphs, OCRErrors, Typos
from skrobust.perturbations._text_presets import text
from skrobust.perturbations._text_words import (
    Truncation,
    WhitespaceErrors,
    WordDrop,
    WordSwap,
)
from skrobust.perturbations._tone import ChannelShift, Gamma, Quantization
from skrobust.perturbations._weather import Frost, Snow

__all__ = [
    "AccentRemoval",
    "BackgroundNoise",
    "BaselineWander",
    "Brightness",
    "CannyEdges",
    "CaseChange",
    "CategoryFlip",
    "ChannelLoss",
    "ChannelShift",
    "ClipPerturbation",
    "ColumnSwap",
    "Contrast",
    "DefocusBlur",
    "DigitChange",
    "DottedLine",
    "ElasticDeformation",
    "FeatureLoss",
    "FeatureNoise",
    "Fog",
    "Frost",
    "FunctionPerturbation",
    "Gain",
    "Gamma",
    "Gap",
    "GaussianBlur",
    "GaussianNoise",
    "GlassBlur",
    "Homoglyphs",
    "ImagePerturbation",
    "JPEGCompression",
    "Jitter",
    "LabelNoiseClassifier",
    "MainsHum",
    "MeanDrift",
    "MissingValues",
    "MotionBlur",
    "MultiplicativeNoise",
    "OCRErrors",
    "Occlusion",
    "Outliers",
    "PerturbationSampler",
    "PerturbationSequence",
    "PerturbedClassifier",
    "PerturbedRegressor",
    "PixelDropout",
    "Pixelate",
    "PointDropout",
    "PointPerturbation",
    "PunctuationRemoval",
    "QuantileClipping",
    "QuantileNoise",
    "Quantization",
    "Resampling",
    "Rotation",
    "Rounding",
    "SaltAndPepper",
    "Saturate",
    "ScaleDrift",
    "Scaling",
    "SegmentPermutation",
    "SeriesClipping",
    "SeriesPerturbation",
    "SeriesQuantization",
    "SeriesScaling",
    "Shear",
    "ShotNoise",
    "SignFlip",
    "Smoothing",
    "Snow",
    "Spatter",
    "SpeckleNoise",
    "Spikes",
    "StaleRows",
    "Stripe",
    "TablePerturbation",
    "TextPerturbation",
    "TimeShift",
    "TimeWarp",
    "Translation",
    "Truncation",
    "Typos",
    "UniformNoise",
    "UnitError",
    "WhitespaceErrors",
    "WordDrop",
    "WordSwap",
    "Zigzag",
    "ZoomBlur",
    "cifar_c",
    "get_preset",
    "imagenet_c",
    "mnist_c",
    "series",
    "tabular",
    "text",
    "two_factor_grid",
]
