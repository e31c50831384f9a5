"""Cases of perturbations and presets."""

import inspect

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC

from same_cases.data import CANCER, DIABETES, DIGITS, rng, signature

ANIMALS = ("fox", "dog", "cat", "owl", "hen", "rat", "bee", "ant", "cow", "pig")
TEXTS = [
    f"Café {i}: the {word}, number {37 * i + 5}, met {i + 2} élèves; it was fine."
    for i, word in enumerate(ANIMALS, start=10)
]
STRONG = {
    "BackgroundNoise": [{"snr_db": 5.0}, {"severity": 3, "color": "pink"}],
    "BaselineWander": [{"amplitude": 1.0}, {"severity": 2, "scale": "series"},
                       {"severity": 2, "kind": "walk"}],
    "Brightness": [{"shift": 0.31}],
    "CannyEdges": [{"share": 0.7}],
    "CaseChange": [{"share": 0.5, "case": "upper"}],
    "CategoryFlip": [{"share": 0.5, "columns": "all"}, {"severity": 5}],
    "ChannelLoss": [{"share": 0.5}, {"severity": 3, "fill": 0.0}],
    "ChannelShift": [{"shift": 0.31}],
    "ColumnSwap": [{"share": 0.5}],
    "Contrast": [{"factor": 0.3}],
    "DefocusBlur": [{"radius": 2}],
    "DottedLine": [{"opacity": 1.0}],
    "ElasticDeformation": [{"alpha": 3.0, "sigma": 0.5}],
    "FeatureLoss": [{"share": 0.5}, {"severity": 5, "fill": "most_frequent"}],
    "FeatureNoise": [{"sd": 0.3}, {"severity": 4, "keep_integer": True}],
    "Fog": [{"strength": 2.0}],
    "Frost": [{"ice_weight": 0.7}],
    "Gain": [{"gain_db": 6.0}],
    "Gamma": [{"gamma": 0.5}, {"severity": 3, "direction": "darker"}],
    "Gap": [{"share": 0.3}, {"severity": 3, "fill": "hold"}],
    "GaussianBlur": [{"std": 1.5}],
    "GaussianNoise": [{"std": 0.2}, {"var": 0.01}, {"mean": 0.1}],
    "GlassBlur": [{"max_shift": 2, "iterations": 2}],
    "Homoglyphs": [{"rate": 0.5}],
    "Jitter": [{"std": 0.3}, {"severity": 3, "unit": "db"}, {"snr_db": 10.0}],
    "JPEGCompression": [{"quality": 5}],
    "MainsHum": [{"amplitude": 1.0, "sampling_rate": 200}],
    "MeanDrift": [{"size": 1.0}, {"severity": 3, "shape": "ramp", "along": 0}],
    "MissingValues": [{"share": 0.5}, {"severity": 4, "mechanism": "mar"},
                      {"severity": 4, "mechanism": "mnar"}],
    "MotionBlur": [{"radius": 4, "std": 3}],
    "MultiplicativeNoise": [{"sd": 0.3}],
    "OCRErrors": [{"rate": 0.5}],
    "Occlusion": [{"area": 0.2}, {"severity": 3, "fill": 1.0}],
    "Outliers": [{"share": 0.5}],
    "PixelDropout": [{"density": 0.4}],
    "Pixelate": [{"share": 0.4}],
    "PointDropout": [{"share": 0.3}, {"severity": 3, "per_channel": True},
                     {"severity": 3, "fill": "hold"}],
    "PunctuationRemoval": [{"share": 0.5}],
    "QuantileClipping": [{"quantile": 0.6}, {"severity": 4, "sides": "upper"}],
    "QuantileNoise": [{"width": 0.5}],
    "Quantization": [{"bits": 2}],
    "Resampling": [{"factor": 3.0}],
    "Rotation": [{"angle": 40}, {"angle": 30, "canvas": "grow"},
                 {"angle": 30, "clockwise": True}],
    "Rounding": [{"levels": 4}],
    "SaltAndPepper": [{"density": 0.4}, {"density": 0.4, "per_channel": False}],
    "Saturate": [{"scale": 3.0}, {"offset": 0.2}],
    "ScaleDrift": [{"factor": 2.0}],
    "Scaling": [{"factor": 1.5}, {"factor": 0.6}],
    "SegmentPermutation": [{"n_segments": 6}],
    "SeriesClipping": [{"keep": 0.5}],
    "SeriesQuantization": [{"bits": 2}],
    "SeriesScaling": [{"std": 0.5}, {"severity": 3, "per_channel": True}],
    "Shear": [{"shear": 0.4}],
    "ShotNoise": [{"photons": 5}],
    "SignFlip": [{"share": 0.5}],
    "Smoothing": [{"share": 0.2}],
    "Snow": [{"mean": 0.4}],
    "Spatter": [{"mean": 0.6}],
    "SpeckleNoise": [{"std": 0.3}],
    "Spikes": [{"share": 0.3}],
    "StaleRows": [{"share": 0.5}],
    "Stripe": [{"width": 0.5}],
    "Tilt": [{"angle": 15}],
    "TimeShift": [{"share": 0.2}, {"severity": 4, "mode": "roll"}],
    "TimeWarp": [{"std": 0.5}, {"severity": 3, "knots": 6}],
    "Translation": [{"distance": 0.3}],
    "Truncation": [{"keep": 0.5}, {"severity": 3, "unit": "character"},
                   {"severity": 3, "side": "start"}],
    "Typos": [{"rate": 0.3}, {"severity": 3, "kinds": ("insert", "transpose")}],
    "UniformNoise": [{"half_width": 0.3}],
    "UnitError": [{"share": 0.5}],
    "WhitespaceErrors": [{"rate": 0.5}, {"severity": 3, "kinds": ("join",)}],
    "WordDrop": [{"rate": 0.4}],
    "WordSwap": [{"rate": 0.4}],
    "Zigzag": [{"opacity": 1.0}],
    "ZoomBlur": [{"zoom": 1.5}],
    "AccentRemoval": [{"share": 0.5}],
    "DigitChange": [{"share": 0.8}],
}  # fmt: skip


def mixed(n=24, seed=3):
    """Return a frame of numbers, counts, words and categories."""
    r = rng(seed)
    frame = pd.DataFrame(r.normal(size=(n, 3)), columns=["a", "b", "c"])
    frame["count"] = r.integers(0, 50, n)
    frame["colour"] = r.choice(["red", "green", "blue"], n)
    frame["grade"] = pd.Categorical(r.choice(list("xyz"), n))
    frame["narrow"] = r.random(n).astype(np.float32)
    frame.index = [f"row{i}" for i in range(n)][::-1]
    return frame


def perturbation_data():
    """Return rows for the images, tables, series and texts."""
    r = rng(1)
    return {
        "ImagePerturbation": {
            "bytes": r.integers(0, 256, (6, 9, 8, 3), dtype=np.uint8),
            "floats": r.random((6, 9, 8, 3)),
            "first": r.random((6, 3, 8, 9)).astype(np.float32),
            "words": r.integers(0, 65536, (4, 9, 8, 3), dtype=np.uint16),
            "grey": r.random((6, 12, 10)),
        },
        "TablePerturbation": {
            "array": r.normal(size=(40, 5)) + np.arange(5),
            "singles": r.normal(size=(40, 5)).astype(np.float32),
            "frame": mixed(),
        },
        "SeriesPerturbation": {
            "one": r.normal(size=(8, 40)).cumsum(axis=1),
            "three": r.normal(size=(8, 40, 3)),
            "singles": r.normal(size=(8, 40, 2)).astype(np.float32),
        },
        "TextPerturbation": {
            "objects": np.array(TEXTS, dtype=object),
            "list": TEXTS,
            "frame": pd.DataFrame({"text": TEXTS, "n": np.arange(10)}),
        },
    }


def perturbations(rec, sp):
    """Store results of every perturbation at severities and physical parameters."""
    data = perturbation_data()
    for name in sp._module.__all__:
        cls = getattr(sp, name)
        kinds = [
            k for k in data if inspect.isclass(cls) and issubclass(cls, getattr(sp, k))
        ]
        if not kinds or inspect.isabstract(cls) or name.endswith("Perturbation"):
            continue
        more = {"random_state": 7} if "random_state" in signature(cls) else {}
        if name == "MainsHum":
            more["sampling_rate"] = 200
        settings = [{"severity": s} for s in (1, 2, 3, 4, 5)] + STRONG.get(name, [{}])
        for number, options in enumerate(settings):
            for kind, X in data[kinds[0]].items():
                if kind in ("words", "grey", "singles", "list") and number % 2:
                    continue
                given = {**options, **more}
                if name == "CategoryFlip" and kind != "frame":
                    given["columns"] = "all"
                key = f"perturbations.{name}.{number} {kind}"
                rec(key, fit_and_perturb, cls, given, X)
    flat = {"image_shape": (8, 8), "data_range": (0, 16), "random_state": 0}
    holders(rec, sp, flat)
    presets(rec, sp, flat)


def fit_and_perturb(cls, options, X):
    """Learn from the first half and perturb all rows."""
    perturbation = cls(**options)
    half = X.iloc[: len(X) // 2] if hasattr(X, "iloc") else X[: len(X) // 2]
    perturbation.fit(half)
    return perturbation.perturb(None, X, np.arange(len(X)))


def jitter(X, rng, scale=0.1):
    """Add noise to all numbers."""
    return X + scale * rng.normal(size=X.shape)


def holders(rec, sp, flat):
    """Store results of what holds other perturbations, functions or models."""
    X, y = DIGITS[0][:120], DIGITS[1][:120]
    noise = sp.GaussianNoise(std=0.1, **flat)
    salt = sp.SaltAndPepper(0.2, **flat)
    tables = sp.FeatureNoise(severity=3, random_state=1)
    two = sp.PerturbationSequence([noise, sp.Rotation(20, **flat)], random_state=1)
    rec("perturbations.PerturbationSequence.two", two.fit_transform, X)
    named = sp.PerturbationSequence(
        [noise], name="n", number=3, replicate=2, random_state=1
    )
    rec("perturbations.PerturbationSequence.copy", named.fit(X).perturb, None, X)
    by = sp.PerturbationSequence([noise], noise_key="position", random_state=3)
    rec("perturbations.PerturbationSequence.key", by.fit(X).perturb, None, X)
    empty = sp.PerturbationSequence()
    rec("perturbations.PerturbationSequence.empty", empty.fit(X).perturb, None, X)
    for draws in ("auto", True, False):
        function = sp.FunctionPerturbation(jitter, draws=draws, random_state=2)
        key = f"perturbations.FunctionPerturbation.{draws}"
        rec(key, function.fit(X).perturb, None, X)
    halve = sp.FunctionPerturbation(np.sqrt, name="root")
    rec("perturbations.FunctionPerturbation.root", halve.fit(X).perturb, None, X)
    for same in (True, False):
        clips = sp.ClipPerturbation(
            salt, clips=np.repeat(np.arange(12), 10), same_over_clip=same
        )
        rec(f"perturbations.ClipPerturbation.{same}", clips.fit(X).perturb, None, X)
    flipped = CANCER[0][:200], CANCER[1][:200]
    for kind in ("symmetric", "pair"):
        noisy = sp.LabelNoiseClassifier(
            LogisticRegression(), 0.2, kind=kind, random_state=0
        )
        rec(
            f"perturbations.LabelNoiseClassifier.{kind}",
            lambda n=noisy: n.fit(*flipped).predict_proba(CANCER[0]),
        )
    severe = sp.LabelNoiseClassifier(SVC(), severity=3, random_state=0)
    rec(
        "perturbations.LabelNoiseClassifier.severity",
        lambda: severe.fit(X, y).predict(X),
    )
    for mode in ("add", "replace"):
        for share in (1.0, 0.4):
            sampler = sp.PerturbationSampler(
                noise, mode=mode, share=share, n_copies=1, random_state=5
            )
            rec(
                f"perturbations.PerturbationSampler.{mode} {share}",
                sampler.fit_resample,
                X,
                y,
            )
    for on in ("predict", "fit"):
        model = sp.PerturbedClassifier(LogisticRegression(max_iter=99), noise, on=on)
        rec(
            f"perturbations.PerturbedClassifier.{on}",
            lambda m=model: m.fit(X, y).predict_proba(X),
        )
        model = sp.PerturbedRegressor(Ridge(), tables, on=on)
        rec(
            f"perturbations.PerturbedRegressor.{on}",
            lambda m=model: m.fit(*DIABETES).predict(DIABETES[0]),
        )
    frame = pd.DataFrame(CANCER[0][:50]).add_prefix("f")
    out = sp.FeatureNoise(severity=2, random_state=0).set_output(transform="pandas")
    rec("perturbations.FeatureNoise.pandas", out.fit_transform, frame)
    rec("perturbations.GaussianNoise.flat", noise.fit(X).transform, X)


def presets(rec, sp, flat):
    """Store names and results of the published lists."""
    X = DIGITS[0][:10]
    color = rng(5).random((3, 16, 16, 3))
    tables, lines = rng(6).normal(size=(30, 4)), rng(7).normal(size=(5, 60))
    texts = np.array(TEXTS, dtype=object)
    lists = {
        "two_factor_grid": (lambda: sp.two_factor_grid(**flat)[::5], X),
        "two_factor_grid unique": (
            lambda: sp.two_factor_grid(unique=True, both_orders=False, **flat)[::9],
            X,
        ),
        "two_factor_grid var": (
            lambda: sp.two_factor_grid("asi68", gaussian="std", **flat)[3::11],
            X,
        ),
        "cifar_c": (lambda: sp.cifar_c(severities=(1, 4), random_state=0), color),
        "cifar_c holdout": (
            lambda: sp.cifar_c(severities=(3,), holdout=True, random_state=0),
            color,
        ),
        "imagenet_c": (lambda: sp.imagenet_c(severities=(2,), random_state=0), color),
        "mnist_c": (lambda: sp.mnist_c(**flat), X),
        "series": (lambda: sp.series(severities=(1, 5), random_state=0), lines),
        "tabular": (lambda: sp.tabular(severities=(1, 5), random_state=0), tables),
        "tabular missing": (
            lambda: sp.tabular(
                severities=(3,), missing=True, categories=True, random_state=0
            ),
            mixed(),
        ),
        "text": (lambda: sp.text(severities=(2, 5), random_state=0), texts),
    }
    for name in ("asi68", "cifar_c", "imagenet_c", "mnist_c"):
        shape = {"image_shape": (8, 8), "random_state": 0}
        lists[f"get_preset {name}"] = (
            lambda n=name, s=shape: sp.get_preset(n, **s)[::17],
            X,
        )
    for name, rows in {"series": lines, "tabular": tables, "text": texts}.items():
        lists[f"get_preset {name}"] = (
            lambda n=name: sp.get_preset(n, random_state=0)[::7],
            rows,
        )
    for name, (make, rows) in lists.items():
        rec(f"perturbations.{name}", perturb_all, make, rows)
    rec("perturbations.get_preset.bad", sp.get_preset, "nothing")


def perturb_all(make, X):
    """Return the names, numbers and results of a list of conditions."""
    conditions = make()
    names = np.array([one.name for one in conditions])
    numbers = [one.number for one in conditions]
    rows = [one.fit(X).perturb(None, X) for one in conditions]
    return names, numbers, rows
