"""Successive frames: what each is, and flips and stability along them."""

import copy

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from skrobust import perturbations
from skrobust.metrics import (
    confidence_interval,
    flip_rate,
    period_stability_index,
    stability_index,
)
from skrobust.perturbations import (
    Brightness,
    ClipPerturbation,
    FeatureNoise,
    Frost,
    FunctionPerturbation,
    GaussianNoise,
    MeanDrift,
    PerturbationSequence,
    PerturbedFrames,
    Rotation,
    SaltAndPepper,
    Scaling,
    Tilt,
    Translation,
    Typos,
)

RNG = np.random.default_rng(0)
IMAGES = RNG.random((4, 9, 8))


class Positive(ClassifierMixin, BaseEstimator):
    """A classifier of numbers by the sign of the first feature."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)

    def predict_proba(self, X):
        right = self.predict(X)
        return np.column_stack([1 - right, right])


def test_each_frame_is_the_perturbation_at_its_step():
    angles = np.arange(-15, 16)
    turned = list(PerturbedFrames(Rotation(), steps={"angle": angles}).frames(IMAGES))
    assert len(turned) == 31
    for angle, frame in zip(angles, turned, strict=True):
        expected = Rotation(angle=angle).perturb(None, IMAGES)
        assert np.array_equal(frame, expected)
    assert np.array_equal(turned[15], IMAGES)
    # Several parameters step together: to the left, then to the right.
    shift = np.linspace(-0.2, 0.2, 5)
    steps = {"distance": np.abs(shift), "direction": np.where(shift < 0, 180, 0)}
    frames = list(PerturbedFrames(Translation(), steps=steps).frames(IMAGES))
    for size, frame in zip(shift, frames, strict=True):
        p = Translation(distance=abs(size), direction=180 if size < 0 else 0)
        assert np.array_equal(frame, p.perturb(None, IMAGES))


def test_without_steps_the_severity_grows():
    noise = GaussianNoise(data_range=(-9, 9), image_shape=(9, 8), random_state=0)
    frames = list(PerturbedFrames(noise, n_frames=11).frames(IMAGES))
    assert np.array_equal(frames[0], IMAGES)
    sizes = [np.abs(frame - IMAGES).mean() for frame in frames]
    assert (np.diff(sizes) > 0).all()
    # The same noise grows: each frame is a multiple of the last one.
    patterns = [(frame - IMAGES)[0].ravel() for frame in frames[1:]]
    assert np.allclose(np.corrcoef(patterns), 1)


@pytest.mark.parametrize(
    ("physical", "zero"),
    [
        (GaussianNoise(std=0.2, data_range=(-9, 9), random_state=0), {"std": 0.0}),
        (Rotation(angle=-20.0), {"angle": 0.0}),
        (Scaling(factor=0.5), {"factor": 1.0}),
        (
            Frost(image_weight=0.6, ice_weight=0.4, random_state=0),
            {"image_weight": 1.0, "ice_weight": 0.0},
        ),
    ],
    ids=lambda p: type(p).__name__,
)
def test_without_steps_a_physical_strength_grows_to_its_value(physical, zero):
    frames = list(PerturbedFrames(physical, n_frames=5).frames(IMAGES))
    assert len(frames) == 5
    assert np.array_equal(frames[0], IMAGES)
    for at, frame in enumerate(frames[1:], 1):
        grown = {
            name: none + at / 4 * (getattr(physical, name) - none)
            for name, none in zero.items()
        }
        same = clone(physical).set_params(**grown).perturb(None, IMAGES)
        np.testing.assert_allclose(frame, same, atol=1e-12)
    assert np.array_equal(frames[-1], physical.perturb(None, IMAGES))


def test_whole_strengths_need_steps():
    whole = [
        (kind, name)
        for kind in map(vars(perturbations).get, perturbations.__all__)
        for name, strength in getattr(kind, "_strengths", {}).items()
        if strength.whole
    ]
    assert whole
    for kind, name in whole:
        p = PerturbedFrames(kind(**{name: 3}))
        with pytest.raises(ValueError, match=f"given, with the values of '{name}' in"):
            list(p.frames(IMAGES))


@pytest.mark.parametrize("wrap", [lambda p: p, lambda p: PerturbationSequence([p])])
def test_without_a_seed_the_frames_share_their_draws(wrap):
    noise = wrap(GaussianNoise(std=0.1, data_range=(-9, 9), image_shape=(9, 8)))
    name = "std" if isinstance(noise, GaussianNoise) else "steps"
    values = [0.1, 0.1, 0.1] if name == "std" else [noise.steps] * 3
    p = PerturbedFrames(noise, steps={name: values})
    first, *others = p.frames(IMAGES)
    assert not np.array_equal(first, IMAGES)
    assert all(np.array_equal(first, other) for other in others)
    assert not np.array_equal(next(p.frames(IMAGES)), first)  # another call draws anew
    assert noise.random_state is None
    new = PerturbedFrames(noise, steps={name: values}, draws="new")
    a, b, _ = new.frames(IMAGES)
    assert not np.array_equal(a, b)


def test_a_seed_inside_a_wrapper_stays():
    inner = GaussianNoise(std=0.1, data_range=(-9, 9), random_state=3)
    clips = ClipPerturbation(inner, same_over_clip=False)
    p = PerturbedFrames(clips, steps={"same_over_clip": [False, False]})
    for frame in p.frames(IMAGES):
        assert np.array_equal(frame, clips.perturb(None, IMAGES))


def test_new_draws_flicker():
    noise = GaussianNoise(std=0.05, data_range=(-9, 9), random_state=0)
    p = PerturbedFrames(noise, draws="new", n_frames=6)
    frames = np.stack(list(p.frames(IMAGES)))
    assert np.array_equal(frames[0], IMAGES)
    patterns = (frames - IMAGES)[1:].reshape(5, -1)
    assert np.abs(np.corrcoef(patterns) - np.eye(5)).max() < 0.25  # 288 numbers each
    assert np.allclose(patterns.std(axis=1), 0.05 * 18, rtol=0.15)
    assert np.array_equal(frames, np.stack(list(p.frames(IMAGES))))
    alone = np.stack(list(p.frames(IMAGES[2:3])))
    assert np.array_equal(alone[:, 0], frames[:, 2])
    other = PerturbedFrames(noise, draws="new", n_frames=6, random_state=5)
    assert not np.array_equal(np.stack(list(other.frames(IMAGES))), frames)


def test_flips_of_a_drift_are_counted_exactly():
    # Each positive number crosses 0 once in 10 steps if it is less than 5.
    X = np.linspace(-4.75, 9.75, 30)[:, None]
    p = PerturbedFrames(MeanDrift(), steps={"size": -np.linspace(0, 5, 11)})
    unit = np.array([[-1.0], [1.0]])  # a standard deviation of 1
    y_pred = p.fit(unit).predict_frames(Positive(), X)
    assert y_pred.shape == (30, 11)
    crosses = ((X > 0) & (X < 5)).mean()
    assert flip_rate(y_pred, against=p.against) == pytest.approx(crosses / 10)
    truth = (X[:, 0] > 0).astype(int)
    scores = (y_pred == truth[:, None]).mean(axis=0)
    rows = np.repeat(truth, 11), y_pred.ravel(), np.tile(np.arange(11), 30)
    assert period_stability_index(*rows) == pytest.approx(stability_index(scores))


def test_flips_under_noise_have_the_normal_probability():
    X = np.full((400, 1), 0.3)
    noise = FunctionPerturbation(add, random_state=0)
    p = PerturbedFrames(noise, draws="new", n_frames=26)
    y_pred = p.predict_frames(Positive(), X)
    assert p.against == "first"
    share, expected = flip_rate(y_pred, against="first"), norm.cdf(-0.3)
    assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / (400 * 25))
    interval = confidence_interval("flip_rate", y_pred, against="first")
    assert interval.low < expected < interval.high
    # Consecutive frames flip with probability 2 p (1 - p), the first of them aside.
    pairs = flip_rate(y_pred[:, 1:])
    assert abs(pairs - 2 * expected * (1 - expected)) < 0.02


def add(X, rng):
    return X + rng.normal(size=X.shape)


def test_steps_reach_into_sequences_and_clips():
    def sequence_of(angle):
        steps = [SaltAndPepper(0.1), Rotation(angle)]
        return PerturbationSequence(steps, random_state=0)

    sequence = sequence_of(0)
    steps = {"rotation__angle": [0, 10, 20]}
    frames = list(PerturbedFrames(sequence, steps=steps).fit(IMAGES).frames(IMAGES))
    for angle, frame in zip([0, 10, 20], frames, strict=True):
        same = PerturbationSequence(
            [SaltAndPepper(0.1), Rotation(angle)], random_state=0
        )
        assert np.array_equal(frame, same.perturb(None, IMAGES))
    assert sequence.steps[1].angle == 0
    clips = ClipPerturbation(Brightness(), clips=2)
    steps = {"perturbation__shift": [-0.3, 0.0, 0.3]}
    p = PerturbedFrames(clips, steps=steps).fit(IMAGES)
    for shift, frame in zip([-0.3, 0.0, 0.3], p.frames(IMAGES), strict=True):
        assert np.array_equal(frame, Brightness(shift=shift).perturb(None, IMAGES))
    assert p.perturbation_.perturbation_.shift is None


def test_scales_are_learned_once_and_containers_stay():
    X = pd.DataFrame({"a": RNG.normal(size=50), "b": RNG.normal(size=50) * 100})
    y = (X["a"] > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    p = PerturbedFrames(FeatureNoise(random_state=0), n_frames=4).fit(X)
    check_is_fitted(p)
    before = X.copy()
    frames = list(p.frames(X[:5]))
    assert all(list(frame.columns) == ["a", "b"] for frame in frames)
    last = FeatureNoise(severity=5, random_state=0).fit(X).perturb(None, X[:5])
    assert frames[-1].equals(last)
    assert X.equals(before)
    assert p.predict_frames(model, X, method="predict_proba").shape == (50, 4, 2)
    texts = ["the quick brown fox", "jumps over the lazy dog"]
    written = list(
        PerturbedFrames(Typos(rate=0.5), draws="new", n_frames=3).frames(texts)
    )
    assert written[0] == texts
    assert all(len(frame) == 2 for frame in written)


def test_the_clean_frame_is_a_copy():
    p = PerturbedFrames(GaussianNoise(std=0.1), draws="new", n_frames=2)
    kept = copy.deepcopy(IMAGES)
    next(p.frames(IMAGES))[:] = 0
    assert np.array_equal(IMAGES, kept)


def test_tilt_projects_the_turned_picture():
    # A picture whose value is its column shows where each pixel comes from.
    height, width, angle = 21, 31, np.deg2rad(12)
    columns = np.tile(np.arange(width) / (width - 1), (1, height, 1))
    tilted = Tilt(angle=12).perturb(None, columns)[0] * (width - 1)
    f = np.hypot(height, width)
    sin, cos = np.sin(angle), np.cos(angle)
    for x, y in ((0, 0), (5, -3), (-7, 4), (9, 6)):
        X, Y, Z = cos * x, cos * y - sin * sin * x, sin * y + cos * sin * x
        at = f / (f + Z) * np.array([Y, X]) + [(height - 1) / 2, (width - 1) / 2]
        row, column = np.floor(at).astype(int)
        down, right = at - [row, column]
        near = tilted[row : row + 2, column : column + 2]
        read = np.array([1 - down, down]) @ near @ [1 - right, right]
        assert read == pytest.approx(x + (width - 1) / 2, abs=0.02)
    assert np.array_equal(Tilt(angle=0).perturb(None, columns), columns)


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"perturbation": 3}, "'perturbation' .* a perturbation of skrobust"),
        ({"steps": {"angle": 5}}, "values of 'angle', one for each frame"),
        ({"steps": {"angel": [1, 2]}}, r"parameters of Rotation \(.*angle.*'angel'"),
        ({"steps": {"angle": [1]}}, "at least two"),
        ({"steps": {"angle": iter([1, 2])}}, "a list of values of 'angle'"),
        (
            {"steps": {"angle": [1, 2], "fill": [0]}},
            "numbers equal. Got {'angle': 2, 'fill': 1}",
        ),
        ({"steps": [1, 2]}, "a dict of parameters"),
        ({"perturbation": FunctionPerturbation(np.tanh)}, "has no severity"),
        ({"draws": "old"}, "'draws' parameter of PerturbedFrames"),
        ({"n_frames": 1}, "'n_frames'"),
    ],
)
def test_bad_parameters_get_a_sentence(change, sentence):
    p = PerturbedFrames(Rotation(severity=None)).set_params(**change)
    with pytest.raises(ValueError, match=sentence):
        p.fit(IMAGES)
    with pytest.raises(ValueError, match=r"'method' .* Positive has no such one"):
        PerturbedFrames(Rotation()).predict_frames(Positive(), IMAGES, method="decide")
