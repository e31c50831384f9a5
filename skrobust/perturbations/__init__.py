"""Perturbations: changes of the input that do not look at the model.

Each is a transformer with ``fit``, ``transform`` and ``perturb(estimator, X, y)``. In a
Pipeline it acts on both sides, at fit and at predict; inside a scorer it acts on the
rows that are scored alone, which is the honest default for evaluation.
"""

from skrobust.perturbations._audio import BackgroundNoise, Gain
from skrobust.perturbations._geometry import Rotation
from skrobust.perturbations._grid import two_factor_grid
from skrobust.perturbations._images import ImagePerturbation
from skrobust.perturbations._noise import GaussianNoise, SaltAndPepper
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

__all__ = [
    "AccentRemoval",
    "BackgroundNoise",
    "BaselineWander",
    "CaseChange",
    "ChannelLoss",
    "DigitChange",
    "Gain",
    "Gap",
    "GaussianNoise",
    "Homoglyphs",
    "ImagePerturbation",
    "Jitter",
    "MainsHum",
    "OCRErrors",
    "PerturbationSequence",
    "PointDropout",
    "PunctuationRemoval",
    "Resampling",
    "Rotation",
    "SaltAndPepper",
    "SegmentPermutation",
    "SeriesClipping",
    "SeriesPerturbation",
    "SeriesQuantization",
    "SeriesScaling",
    "Smoothing",
    "Spikes",
    "TextPerturbation",
    "TimeShift",
    "TimeWarp",
    "Truncation",
    "Typos",
    "WhitespaceErrors",
    "WordDrop",
    "WordSwap",
    "series",
    "text",
    "two_factor_grid",
]
