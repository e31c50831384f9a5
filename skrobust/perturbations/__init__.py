"""Perturbations: changes of the input that do not look at the model.

Each is a transformer with ``fit``, ``transform`` and ``perturb(estimator, X, y)``. In a
Pipeline it acts on both sides, at fit and at predict; inside a scorer it acts on the
rows that are scored alone, which is the honest default for evaluation.
"""

from skrobust.perturbations.grid import two_factor_grid
from skrobust.perturbations.images._blur import DefocusBlur, GaussianBlur
from skrobust.perturbations.images._color import Brightness, Contrast, Saturate
from skrobust.perturbations.images._edges import CannyEdges
from skrobust.perturbations.images._elastic import ElasticDeformation
from skrobust.perturbations.images._fog import Fog
from skrobust.perturbations.images._frost import Frost
from skrobust.perturbations.images._glass import GlassBlur
from skrobust.perturbations.images._impulse_noise import PixelDropout, SaltAndPepper
from skrobust.perturbations.images._jpeg_pixelate import JPEGCompression, Pixelate
from skrobust.perturbations.images._mnist_preset import mnist_c
from skrobust.perturbations.images._motion import MotionBlur
from skrobust.perturbations.images._occlusion import Occlusion
from skrobust.perturbations.images._pixel_noise import (
    GaussianNoise,
    SpeckleNoise,
    UniformNoise,
)
from skrobust.perturbations.images._presets import cifar_c, imagenet_c
from skrobust.perturbations.images._rotation import Rotation
from skrobust.perturbations.images._shot_noise import ShotNoise
from skrobust.perturbations.images._snow import Snow
from skrobust.perturbations.images._spatter import Spatter
from skrobust.perturbations.images._strokes import DottedLine, Stripe, Zigzag
from skrobust.perturbations.images._tilt import Tilt
from skrobust.perturbations.images._tone import ChannelShift, Gamma, Quantization
from skrobust.perturbations.images._translation import Scaling, Shear, Translation
from skrobust.perturbations.images._zoom_blur import ZoomBlur
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.point_perturbation import PointPerturbation
from skrobust.perturbations.meta._clip_perturbation import ClipPerturbation
from skrobust.perturbations.meta._function import FunctionPerturbation
from skrobust.perturbations.meta._label_noise import LabelNoiseClassifier
from skrobust.perturbations.meta._perturbed import (
    PerturbedClassifier,
    PerturbedRegressor,
)
from skrobust.perturbations.meta._perturbed_frames import PerturbedFrames
from skrobust.perturbations.meta._resampler import PerturbationSampler
from skrobust.perturbations.meta._sequence import PerturbationSequence
from skrobust.perturbations.presets import get_preset, get_preset_names
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables._calibrate_severity import calibrate_severity
from skrobust.perturbations.tables._categories import CategoryFlip
from skrobust.perturbations.tables._dates import DateShift
from skrobust.perturbations.tables._drift import MeanDrift, ScaleDrift
from skrobust.perturbations.tables._entry_errors import Outliers, SignFlip, UnitError
from skrobust.perturbations.tables._feature_loss import FeatureLoss
from skrobust.perturbations.tables._feature_noise import (
    FeatureNoise,
    MultiplicativeNoise,
    QuantileNoise,
)
from skrobust.perturbations.tables._missing import MissingValues
from skrobust.perturbations.tables._presets import tabular
from skrobust.perturbations.tables._rounding import QuantileClipping, Rounding
from skrobust.perturbations.tables._severity_weights import severity_weights
from skrobust.perturbations.tables._whole_rows import ColumnSwap, StaleRows
from skrobust.perturbations.tables.table_perturbation import TablePerturbation
from skrobust.perturbations.texts._form import (
    AccentRemoval,
    CaseChange,
    DigitChange,
    PunctuationRemoval,
)
from skrobust.perturbations.texts._letters import Homoglyphs, OCRErrors, Typos
from skrobust.perturbations.texts._presets import text
from skrobust.perturbations.texts._words import (
    Truncation,
    WhitespaceErrors,
    WordDrop,
    WordSwap,
)
from skrobust.perturbations.texts.text_perturbation import TextPerturbation
from skrobust.perturbations.time_series._audio import BackgroundNoise, Gain
from skrobust.perturbations.time_series._baseline_hum import BaselineWander, MainsHum
from skrobust.perturbations.time_series._loss import ChannelLoss, Gap, PointDropout
from skrobust.perturbations.time_series._presets import series
from skrobust.perturbations.time_series._signal_noise import Jitter, Spikes
from skrobust.perturbations.time_series._time import (
    Resampling,
    SegmentPermutation,
    TimeShift,
    TimeWarp,
)
from skrobust.perturbations.time_series._values import (
    SeriesClipping,
    SeriesQuantization,
    SeriesScaling,
    Smoothing,
)
from skrobust.perturbations.time_series.series_perturbation import SeriesPerturbation
from skrobust.perturbations.videos._downscaling import Downscaling
from skrobust.perturbations.videos._presets import video_chain
from skrobust.perturbations.videos._video_compression import VideoCompression

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
    "DateShift",
    "DefocusBlur",
    "DigitChange",
    "DottedLine",
    "Downscaling",
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
    "PerturbedFrames",
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
    "Strength",
    "Stripe",
    "TablePerturbation",
    "TextPerturbation",
    "Tilt",
    "TimeShift",
    "TimeWarp",
    "Translation",
    "Truncation",
    "Typos",
    "UniformNoise",
    "UnitError",
    "VideoCompression",
    "WhitespaceErrors",
    "WordDrop",
    "WordSwap",
    "Zigzag",
    "ZoomBlur",
    "calibrate_severity",
    "cifar_c",
    "get_preset",
    "get_preset_names",
    "imagenet_c",
    "mnist_c",
    "series",
    "severity_weights",
    "tabular",
    "text",
    "two_factor_grid",
    "video_chain",
]
