"""Every public perturbation with the rows that fit it, for the tests of their laws."""

import inspect
from typing import NamedTuple

import numpy as np
import pandas as pd

import skrobust.perturbations as sp

RNG = np.random.default_rng(0)


class Law(NamedTuple):
    """What a test must know of one perturbation.

    ``noise`` is "normal" (every number gets its own continuous noise), "row" (each row
    draws, so that equal rows differ), "common" (drawn, but the same for all rows) or
    "fixed" (nothing is drawn). ``strong`` are physical parameters under which nearly
    every row changes.
    """

    name: str
    kind: str
    noise: str
    strong: dict
    more: dict = {}

    def __call__(self, severity=None, **params):
        """Return an instance of a severity or of physical parameters."""
        params = {"severity": severity, **self.more, **params}
        if "random_state" in inspect.signature(self.cls).parameters:
            params.setdefault("random_state", 0)
        return self.cls(**params)

    def __str__(self):
        return self.name

    @property
    def cls(self):
        return getattr(sp, self.name)

    @property
    def draws(self):
        """Whether equal rows come out different."""
        return self.noise in ("normal", "row")


def _sequence(severity=None, *, random_state=None, **params):
    raise AssertionError


_IMAGES = {
    "Brightness": ("fixed", {"shift": 0.31}),
    "CannyEdges": ("fixed", {"share": 0.7}),
    "ChannelShift": ("row", {"shift": 0.31}),
    "Contrast": ("fixed", {"factor": 0.3}),
    "DefocusBlur": ("fixed", {"radius": 2}),
    "DottedLine": ("row", {"opacity": 1.0}),
    "ElasticDeformation": ("row", {"alpha": 3.0, "sigma": 0.5}),
    "Fog": ("row", {"strength": 2.0}),
    "Frost": ("row", {"ice_weight": 0.7}),
    "Gamma": ("fixed", {"gamma": 0.5}),
    "GaussianBlur": ("fixed", {"std": 1.5}),
    "GaussianNoise": ("normal", {"std": 0.2}),
    "GlassBlur": ("row", {"max_shift": 2, "iterations": 2}),
    "JPEGCompression": ("fixed", {"quality": 5}),
    "MotionBlur": ("row", {"radius": 4, "std": 3}),
    "Occlusion": ("row", {"area": 0.2}),
    "PixelDropout": ("row", {"density": 0.4}),
    "Pixelate": ("fixed", {"share": 0.4}),
    "Quantization": ("fixed", {"bits": 2}),
    "Rotation": ("fixed", {"angle": 40}),
    "SaltAndPepper": ("row", {"density": 0.4}),
    "Saturate": ("fixed", {"scale": 3.0}),
    "Scaling": ("fixed", {"factor": 1.5}),
    "Shear": ("fixed", {"shear": 0.4}),
    "ShotNoise": ("row", {"photons": 5}),
    "Snow": ("row", {"mean": 0.4}),
    "Spatter": ("row", {"mean": 0.6}),
    "SpeckleNoise": ("normal", {"std": 0.3}),
    "Stripe": ("fixed", {"width": 0.5}),
    "Translation": ("row", {"distance": 0.3}),
    "UniformNoise": ("normal", {"half_width": 0.3}),
    "Zigzag": ("row", {"opacity": 1.0}),
    "ZoomBlur": ("fixed", {"zoom": 1.5}),
}
_TABLES = {
    "CategoryFlip": ("row", {"share": 0.5}),
    "ColumnSwap": ("row", {"share": 0.5}),
    "FeatureLoss": ("common", {"share": 0.5}),
    "FeatureNoise": ("normal", {"sd": 0.3}),
    "MeanDrift": ("fixed", {"size": 1.0}),
    "MissingValues": ("row", {"share": 0.5}),
    "MultiplicativeNoise": ("normal", {"sd": 0.3}),
    "Outliers": ("row", {"share": 0.5}),
    "QuantileClipping": ("fixed", {"quantile": 0.6}),
    "QuantileNoise": ("row", {"width": 0.5}),
    "Rounding": ("fixed", {"levels": 4}),
    "ScaleDrift": ("fixed", {"factor": 2.0}),
    "SignFlip": ("row", {"share": 0.5}),
    "StaleRows": ("row", {"share": 0.5}),
    "UnitError": ("row", {"share": 0.5}),
}
_SERIES = {
    "BackgroundNoise": ("normal", {"snr_db": 5.0}),
    "BaselineWander": ("row", {"amplitude": 1.0}),
    "ChannelLoss": ("row", {"share": 0.5}),
    "Gain": ("row", {"gain_db": 6.0}),
    "Gap": ("row", {"share": 0.3}),
    "Jitter": ("normal", {"std": 0.3}),
    "MainsHum": ("row", {"amplitude": 1.0}),
    "PointDropout": ("row", {"share": 0.3}),
    "Resampling": ("fixed", {"factor": 3.0}),
    "SegmentPermutation": ("row", {"n_segments": 6}),
    "SeriesClipping": ("fixed", {"keep": 0.5}),
    "SeriesQuantization": ("fixed", {"bits": 2}),
    "SeriesScaling": ("row", {"std": 0.5}),
    "Smoothing": ("fixed", {"share": 0.2}),
    "Spikes": ("row", {"share": 0.3}),
    "TimeShift": ("row", {"share": 0.2}),
    "TimeWarp": ("row", {"std": 0.5}),
}
_TEXTS = {
    "AccentRemoval": ("row", {"share": 0.5}),
    "CaseChange": ("row", {"share": 0.5, "case": "upper"}),
    "DigitChange": ("row", {"share": 0.8}),
    "Homoglyphs": ("row", {"rate": 0.5}),
    "OCRErrors": ("row", {"rate": 0.5}),
    "PunctuationRemoval": ("row", {"share": 0.5}),
    "Truncation": ("fixed", {"keep": 0.5}),
    "Typos": ("row", {"rate": 0.3}),
    "WhitespaceErrors": ("row", {"rate": 0.5}),
    "WordDrop": ("row", {"rate": 0.4}),
    "WordSwap": ("row", {"rate": 0.4}),
}
_MORE = {"MainsHum": {"sampling_rate": 200}}
_FAMILIES = {"image": _IMAGES, "table": _TABLES, "series": _SERIES, "text": _TEXTS}
LAWS = [
    Law(name, kind, noise, strong, _MORE.get(name, {}))
    for kind, family in _FAMILIES.items()
    for name, (noise, strong) in family.items()
]
# Those that learn from training data, and will not take the rows at hand instead.
LEARNS = {
    "BaselineWander", "CategoryFlip", "FeatureNoise", "Jitter", "MainsHum", "MeanDrift",
    "Outliers", "QuantileClipping", "QuantileNoise", "Rounding", "ScaleDrift",
    "SeriesClipping", "SeriesQuantization", "Spikes", "StaleRows",
}  # fmt: skip
# These hold other perturbations, or any function: the tests make them by hand.
HOLDERS = {
    "ClipPerturbation", "FunctionPerturbation", "LabelNoiseClassifier",
    "PerturbationSampler", "PerturbationSequence", "PerturbedClassifier",
    "PerturbedRegressor",
}  # fmt: skip


def concrete_names():
    """Return the names of all public classes that are no abstract bases."""
    return {
        name
        for name in sp.__all__
        if inspect.isclass(getattr(sp, name))
        and not inspect.isabstract(getattr(sp, name))
    }


ANIMALS = ("fox", "dog", "cat", "owl", "hen", "rat", "bee", "ant", "cow", "pig")
SENTENCES = [
    f"Café {i}: the {word}, number {37 * i + 5}, met {i + 2} élèves; it was fine."
    for i, word in enumerate(ANIMALS, start=10)
]


def _mixed(n=24):
    frame = pd.DataFrame(RNG.normal(size=(n, 3)), columns=["a", "b", "c"])
    frame["count"] = RNG.integers(0, 50, n)
    frame["colour"] = RNG.choice(["red", "green", "blue"], n)
    frame["grade"] = pd.Categorical(RNG.choice(list("xyz"), n))
    frame["narrow"] = RNG.random(n).astype(np.float32)
    frame.index = [f"row{i}" for i in range(n)][::-1]
    return frame


DATA = {
    "image": {
        "bytes": RNG.integers(0, 256, (14, 9, 8, 3), dtype=np.uint8),
        "floats": RNG.random((14, 9, 8, 3)),
        "singles": RNG.random((14, 3, 8, 9)).astype(np.float32),
        "words": RNG.integers(0, 65536, (14, 9, 8, 3), dtype=np.uint16),
    },
    "table": {
        "array": RNG.normal(size=(40, 5)) + np.arange(5),
        "singles": RNG.normal(size=(40, 5)).astype(np.float32),
    },
    "series": {
        "one": RNG.normal(size=(14, 40)).cumsum(axis=1),
        "three": RNG.normal(size=(14, 40, 3)),
        "singles": RNG.normal(size=(14, 40, 2)).astype(np.float32),
    },
    "text": {"objects": np.array(SENTENCES, dtype=object)},
}
MIXED = _mixed()


def strong(law, **params):
    """Return an instance under which nearly every row changes."""
    if law.name == "CategoryFlip":
        params.setdefault("columns", "all")  # plain numbers are categories then
    return law(**{**law.strong, **params})


def at(law, severity, **params):
    """Return an instance of a severity that acts on plain numbers."""
    if law.name == "CategoryFlip":
        params.setdefault("columns", "all")
    return law(severity, **params)


def same(a, b):
    """Say whether two arrays hold the same values, bit for bit; NaN equals NaN."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
