"""Every public perturbation with the rows that fit it, for the tests of their laws."""

import inspect
from typing import NamedTuple

import numpy as np
import pandas as pd
from families import public_classes
from sklearn.base import BaseEstimator

import skrobust.perturbations as sp

RNG = np.random.default_rng(0)


class Law(NamedTuple):
    """What a test must know of one perturbation, read from its class.

    ``noise`` is "normal" (every number gets its own continuous noise), "row" (each row
    draws, so that equal rows differ), "common" (drawn, but the same for all rows) or
    "fixed" (nothing is drawn). ``strong`` are physical parameters under which nearly
    every row changes, ``more`` what each instance needs besides.
    """

    cls: type

    def __call__(self, severity=None, **params):
        """Return an instance of a severity or of physical parameters."""
        params = {"severity": severity, **self.more, **params}
        if "random_state" in inspect.signature(self.cls).parameters:
            params.setdefault("random_state", 0)
        return self.cls(**params)

    def __str__(self):
        return self.name

    @property
    def name(self):
        return self.cls.__name__

    @property
    def kind(self):
        return self.cls._takes

    @property
    def noise(self):
        return self.cls._noise

    @property
    def more(self):
        params, strengths = self.cls._strong_params, self.cls._strengths
        return {k: v for k, v in params.items() if k not in strengths}

    @property
    def strong(self):
        return self.cls._strong_params

    @property
    def draws(self):
        """Whether equal rows come out different."""
        return self.noise in ("normal", "row")

    @property
    def learns(self):
        """Whether it learns from training data and refuses the rows at hand instead."""
        return strong(self)._must_learn()


def concrete_names():
    """Return the names of all public estimators that are no abstract bases."""
    return {kind.__name__ for kind in public_classes(sp, BaseEstimator)}


# These hold other perturbations, or any function: the tests make them by hand.
HOLDERS = {
    "ClipPerturbation", "FunctionPerturbation", "LabelNoiseClassifier",
    "PerturbationSampler", "PerturbationSequence", "PerturbedClassifier",
    "PerturbedFrames", "PerturbedRegressor",
}  # fmt: skip
LAWS = [Law(getattr(sp, name)) for name in sorted(concrete_names() - HOLDERS)]
LAWS.sort(key=lambda law: law.kind)


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
    hours = pd.to_timedelta(6 * np.arange(n), "h")
    frame["day"] = pd.Timestamp("2024-01-01") + hours
    frame.index = [f"row{i}" for i in range(n)][::-1]
    return frame


DATA = {
    "images": {
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
DATA["numbers"] = DATA["table"]  # of perturbations of any array
MIXED = _mixed()


def _plain(law):
    """Return what an instance needs for plain numbers: they are categories then."""
    others = getattr(law.cls, "_acts_on", "number") in ("category", "time")
    return {"columns": "all"} if others else {}


def strong(law, **params):
    """Return an instance under which nearly every row changes."""
    return law(**{**_plain(law), **law.strong, **params})


def at(law, severity=None, **params):
    """Return an instance of a severity that acts on plain numbers."""
    return law(severity, **{**_plain(law), **params})


def same(a, b):
    """Say whether two arrays hold the same values, bit for bit; NaN equals NaN."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
