"""Perturbations of series: their theorems, their laws, and what users met elsewhere."""

# ruff: noqa: E501 (a table reads better in long lines)

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from skrobust.perturbations import (
    BackgroundNoise,
    BaselineWander,
    ChannelLoss,
    Gain,
    Gap,
    Jitter,
    MainsHum,
    PerturbationSequence,
    PointDropout,
    Resampling,
    SegmentPermutation,
    SeriesClipping,
    SeriesPerturbation,
    SeriesQuantization,
    SeriesScaling,
    Smoothing,
    Spikes,
    TimeShift,
    TimeWarp,
    series,
)
from skrobust.testing import check_perturbation

RNG = np.random.default_rng(0)
DRAW = [
    Jitter(std=0.2),
    Jitter(std=0.2, scale="series"),
    Jitter(snr_db=10),
    Jitter(3, unit="db"),
    SeriesScaling(std=0.3),
    SeriesScaling(std=0.3, per_channel=True),
    BaselineWander(amplitude=1),
    BaselineWander(amplitude=1, kind="ramp", scale="series"),
    BaselineWander(amplitude=1, kind="constant"),
    Spikes(share=0.1),
    MainsHum(sampling_rate=200),
    PointDropout(share=0.2, fill="hold"),
    PointDropout(share=0.2, fill="zero", per_channel=True),
    Gap(share=0.2, fill="hold"),
    Gap(share=0.2, fill="zero"),
    ChannelLoss(share=0.4, fill="zero"),
    ChannelLoss(share=0.4, fill="hold"),
    TimeShift(share=0.2),
    TimeShift(share=0.2, mode="roll"),
    TimeWarp(std=0.3),
    SegmentPermutation(n_segments=4),
    BackgroundNoise(snr_db=10),
    BackgroundNoise(snr_db=10, color="pink"),
    BackgroundNoise(snr_db=10, color="brown"),
    Gain(gain_db=6),
]
STILL = [
    SeriesQuantization(bits=4),
    SeriesQuantization(bits=4, scale="series"),
    SeriesClipping(keep=0.8),
    SeriesClipping(keep=0.8, scale="series"),
    Smoothing(share=0.2),
    Resampling(factor=3),
]
LOSE = [
    PointDropout(share=0.2),
    Gap(share=0.2),
    ChannelLoss(share=0.4),
    TimeShift(share=0.2, fill="nan"),
]
EVERY = [*DRAW, *STILL, *LOSE]


def walks(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).cumsum(axis=1)


def run(p, X, seed=0):
    return clone(p).set_params(random_state=seed).fit(X).perturb(None, X)


# Laws that all keep


@pytest.mark.parametrize("p", [*DRAW, *STILL], ids=str)
@pytest.mark.parametrize("shape", [(12, 40), (12, 40, 3), (8, 1100)], ids=str)
def test_promises(p, shape):
    check_perturbation(p, walks(*shape), draws=p in DRAW)
    check_perturbation(p, walks(*shape).astype(np.float32), draws=p in DRAW)


@pytest.mark.parametrize("p", LOSE, ids=str)
def test_promises_of_those_that_lose_points(p):
    X = walks(12, 40, 3)
    whole = run(p, X)
    assert np.isnan(whole).any()
    order = RNG.permutation(12)
    for part in (order, slice(0, 5), slice(5, 12)):
        fitted = clone(p).set_params(random_state=0).fit(X)
        np.testing.assert_array_equal(fitted.perturb(None, X[part]), whole[part])
    assert np.array_equal(run(clone(p).set_params(severity=0, share=None), X), X)


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_missing_points(p):
    X = walks(6, 40, 2)
    holed = X.copy()
    holed[1, 5:9, 0] = np.nan
    holed[2, :, 1] = np.nan
    before = holed.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = run(p, holed)
    np.testing.assert_array_equal(holed, before)
    if p._keeps_time:
        assert np.isnan(out[np.isnan(holed)]).all()
    if p not in LOSE and not (isinstance(p, TimeWarp) or p._keeps_time):
        assert np.isnan(out).sum() >= 4
    if p not in LOSE:
        assert np.isfinite(out[[0, 3, 4, 5]]).all()
    # Without learned scales a hole in one series is nothing to the others.
    if not (p._learns_sd or hasattr(p, "scale")):
        np.testing.assert_array_equal(run(p, X)[[0, 3, 4, 5]], out[[0, 3, 4, 5]])


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_layouts_and_containers_agree(p):
    X = walks(6, 20)
    plain = run(p, X)
    np.testing.assert_array_equal(run(p, X[..., None])[..., 0], plain)
    np.testing.assert_array_equal(run(p, np.asfortranarray(X)), plain)
    np.testing.assert_array_equal(run(p, X[:, ::-1].copy()[:, ::-1]), plain)
    names = [f"t{i}" for i in range(20)]
    frame = pd.DataFrame(X, columns=names, index=range(50, 56))
    out = run(p, frame)
    assert list(out.index) == list(range(50, 56))
    np.testing.assert_array_equal(out.to_numpy(), plain)
    out = run(p, pl.DataFrame(X, schema=names))
    np.testing.assert_array_equal(out.to_numpy(), plain)
    assert out.columns == names


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_one_point_and_two(p):
    for length in (1, 2, 3):
        out = run(p, walks(5, length))
        assert out.shape == (5, length)


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_integers(p):
    X = RNG.integers(-1000, 1000, size=(6, 30)).astype(np.int16)
    out = run(p, X)
    if p._moves_only():
        assert out.dtype == np.int16
    else:
        assert out.dtype == np.float64
        np.testing.assert_array_equal(out, run(p, X.astype(float)))
    still = clone(p).set_params(**dict.fromkeys(p._strengths), severity=0)
    assert run(still, X).dtype == np.int16


def test_integers_that_float64_cannot_hold_are_moved_exactly():
    X = 2**62 + np.arange(40).reshape(2, 20)
    for p in (TimeShift(share=0.2), SegmentPermutation(n_segments=4), Gap(fill="hold")):
        assert np.isin(run(p, X), X).all()


@pytest.mark.parametrize("p", EVERY, ids=str)
def test_every_severity_works(p):
    X = walks(6, 60, 2)
    p = clone(p).set_params(**dict.fromkeys(p._strengths))
    sizes = []
    for severity in (0, 1e-3, 0.5, 1, 2.5, 5):
        out = run(p.set_params(severity=severity), X)
        assert out.shape == X.shape
        sizes.append(float(np.nanmean((out - X) ** 2)) + np.isnan(out).mean())
    assert sizes[0] == 0
    assert sizes[-1] > 0


# Theorems


@pytest.mark.parametrize("length", [2, 50, 3000])
@pytest.mark.parametrize("snr_db", [30, 20, 5, -3])
def test_signal_to_noise_ratio_is_exact(length, snr_db):
    X = walks(5, length, 2) * 100
    X[1, 0, 0] = np.nan
    for p in (
        Jitter(snr_db=snr_db),
        BackgroundNoise(snr_db=snr_db, color="pink"),
        BackgroundNoise(snr_db=snr_db, color="brown"),
    ):
        p.set_params(channel_axis=-1)
        X_in = X / np.nanmax(np.abs(X)) / 20  # far from full scale
        noise = run(p, X_in) - X_in
        ratio = np.nanmean(X_in**2, axis=1) / np.nanmean(noise**2, axis=1)
        np.testing.assert_allclose(10 * np.log10(ratio), snr_db, atol=1e-6)


def test_levels_of_decibels():
    X = walks(4, 500)
    ratio = []
    for severity in (1, 2, 3, 4, 5, 2.5, 0.1):
        noise = run(Jitter(severity, unit="db"), X) - X
        ratio.append(10 * np.log10((X**2).mean() / (noise**2).mean()))
    assert ratio == pytest.approx([30, 20, 15, 10, 5, 17.5, 50])


def test_silence_stays_silent():
    silent, constant = np.zeros((3, 100)), np.full((3, 100), 7.3)
    mixed = np.concatenate([walks(4, 100), silent, constant])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for color in ("white", "pink", "brown"):
            p = BackgroundNoise(snr_db=20, color=color)
            assert np.array_equal(run(p, silent), silent)
        p = Jitter(snr_db=20)
        assert np.array_equal(run(p, silent), silent)
        assert np.isfinite(run(p, constant)).all()
        for p in (Jitter(snr_db=20), Jitter(std=0.3, scale="series")):
            out = run(p, mixed)
            assert np.array_equal(out[4:7], silent)
            assert np.array_equal(out[:4], run(p, mixed[:4]))
        # A constant series has no spread of its own, so gets no noise by spread.
        p = Jitter(std=0.3, scale="series")
        assert np.array_equal(run(p, mixed)[7:], constant)
        assert np.array_equal(run(p, constant * 0.1), constant * 0.1)


def test_noise_is_in_units_of_the_training_data():
    train = walks(50, 40, 2) * [1, 1000]
    X = walks(300, 40, 2, seed=1)
    p = Jitter(std=0.3, random_state=0).fit(train)
    np.testing.assert_allclose(p.scale_, train.std(axis=(0, 1)))
    noise = (p.perturb(None, X) - X) / (0.3 * p.scale_)
    assert stats.kstest(noise.ravel(), "norm").pvalue > 1e-3
    own = run(Jitter(std=0.3, scale="series"), X) - X
    z = own / (0.3 * X.std(axis=1, keepdims=True))
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
    np.testing.assert_allclose(
        [run(Jitter(s), X[:3]).std() for s in (1, 5)],
        [(X[:3] + s * (run(Jitter(std=1), X[:3]) - X[:3])).std() for s in (0.05, 0.5)],
    )


def test_scaling_is_one_positive_factor():
    X = walks(400, 20, 2)
    factor = run(SeriesScaling(std=0.4), X) / X
    np.testing.assert_allclose(factor, factor[:, :1, :1] * np.ones_like(X))
    logs = np.log(factor[:, 0, 0]) / 0.4
    assert stats.kstest(logs, "norm").pvalue > 1e-3
    each = run(SeriesScaling(std=0.4, per_channel=True), X) / X
    assert not np.allclose(each[:, 0, 0], each[:, 0, 1])


def test_forms_of_the_baseline():
    X = walks(30, 64)
    sd = X.std()
    drift = run(BaselineWander(amplitude=2, kind="constant"), X) - X
    np.testing.assert_allclose(np.abs(drift), 2 * sd)
    assert {-1, 1} == set(np.sign(drift[:, 0]))
    drift = run(BaselineWander(amplitude=2, kind="ramp"), X) - X
    np.testing.assert_allclose(np.diff(drift, n=2), 0, atol=1e-9)
    np.testing.assert_allclose(np.abs(drift[:, [0, -1]]), [[0, 2 * sd]] * 30)
    drift = run(BaselineWander(amplitude=2, cycles=3), X) - X
    step = 2 * np.cos(2 * np.pi * 3 / 63)  # what a sine of 3 waves obeys
    np.testing.assert_allclose(
        drift[:, 2:], step * drift[:, 1:-1] - drift[:, :-2], atol=1e-9
    )


def test_hum_is_one_line_in_the_spectrum():
    X = walks(5, 400, 2)
    p = MainsHum(amplitude=0.5, sampling_rate=400, frequency=60)
    hum = run(p, X) - X
    spectrum = np.abs(np.fft.rfft(hum, axis=1)) * 2 / 400
    np.testing.assert_allclose(spectrum[:, 60], [0.5 * X.std(axis=(0, 1))] * 5)
    spectrum[:, 60] = 0
    np.testing.assert_allclose(spectrum, 0, atol=1e-9)
    phases = np.angle(np.fft.rfft(hum, axis=1)[:, 60])
    np.testing.assert_allclose(phases[:, 0], phases[:, 1])
    assert len(np.unique(phases[:, 0].round(6))) == 5


def test_spikes_strike_their_share_and_nest():
    X = walks(200, 50)
    outs = [run(Spikes(share=s), X) - X for s in (0.02, 0.2)]
    struck = outs[1] != 0
    assert stats.binomtest(int(struck.sum()), X.size, 0.2).pvalue > 1e-3
    np.testing.assert_allclose(np.abs(outs[1][struck]), 5 * X.std())
    few = outs[0] != 0
    assert not (few & ~struck).any()
    np.testing.assert_array_equal(outs[0][few], outs[1][few])


@pytest.mark.parametrize("fill", ["nan", "hold", "zero"])
def test_lost_points_nest_and_are_filled(fill):
    X = np.abs(walks(100, 50)) + 1
    lost = {}
    for share in (0.02, 0.1, 0.3):
        marked = run(PointDropout(share=share), X)
        lost[share] = np.isnan(marked)
        out = run(PointDropout(share=share, fill=fill), X)
        assert np.array_equal(out[~lost[share]], X[~lost[share]])
        if fill == "zero":
            assert (out[lost[share]] == 0).all()
        if fill == "hold":
            expected = pd.DataFrame(marked).ffill(axis=1)
            expected[0] = expected[0].fillna(pd.Series(X[:, 0]))
            expected = expected.ffill(axis=1).to_numpy()
            # ffill first used later values only where nothing came before
            first = np.maximum.accumulate(~lost[share], axis=1)
            assert np.array_equal(out[first], expected[first])
            assert np.array_equal(
                out[~first], np.broadcast_to(X[:, :1], X.shape)[~first]
            )
    assert not (lost[0.02] & ~lost[0.1]).any()
    assert not (lost[0.1] & ~lost[0.3]).any()
    assert stats.binomtest(int(lost[0.3].sum()), X.size, 0.3).pvalue > 1e-3


def test_gap_is_one_stretch_that_grows():
    X = walks(300, 40, 2)
    inner = None
    for share in (0.01, 0.05, 0.1, 0.125, 0.2, 0.3, 0.9, 1.0):
        lost = np.isnan(run(Gap(share=share), X))
        assert np.array_equal(lost[..., 0], lost[..., 1])
        assert (lost[..., 0].sum(axis=1) == max(1, round(share * 40))).all()
        edges = np.abs(np.diff(np.pad(lost[..., 0].astype(int), ((0, 0), (1, 1)))))
        assert (edges.sum(axis=1) == 2).all()
        if inner is not None:
            assert not (inner & ~lost).any()
        inner = lost
    starts = np.isnan(run(Gap(share=0.25), walks(5000, 8))).argmax(axis=1)
    counts = np.bincount(starts, minlength=7)
    assert stats.chisquare(counts).pvalue > 1e-3  # all 7 places are equally likely


def test_lost_channels_are_right_on_average_and_nest():
    X = walks(2000, 6, 5)
    few, many = (
        np.isnan(run(ChannelLoss(share=s), X)).all(axis=1) for s in (0.25, 0.5)
    )
    counts = few.sum(axis=1)
    assert set(counts) == {1, 2}
    assert stats.binomtest(int((counts == 2).sum()), 2000, 0.25).pvalue > 1e-3
    assert not (few & ~many).any()
    # Each channel is as likely as any other.
    assert few.mean(axis=0) == pytest.approx([0.25] * 5, abs=0.05)
    frozen = run(ChannelLoss(share=1, fill="hold"), X[:4])
    assert np.array_equal(frozen, np.broadcast_to(X[:4, :1], (4, 6, 5)))


def test_shift_moves_whole_points():
    X = walks(60, 50)
    rolled = run(TimeShift(share=0.1, mode="roll"), X)
    padded = run(TimeShift(share=0.1), X)
    holed = run(TimeShift(share=0.1, fill="nan"), X)
    zeroed = run(TimeShift(share=0.1, fill="zero"), X)
    seen = set()
    for i, row in enumerate(X):
        way = 5 if np.array_equal(rolled[i], np.roll(row, 5)) else -5
        seen.add(way)
        assert np.array_equal(rolled[i], np.roll(row, way))
        free = np.arange(50) < 5 if way > 0 else np.arange(50) >= 45
        assert np.array_equal(padded[i, ~free], rolled[i, ~free])
        assert (padded[i, free] == (row[0] if way > 0 else row[-1])).all()
        assert np.isnan(holed[i, free]).all()
        assert (zeroed[i, free] == 0).all()
    assert seen == {5, -5}


def test_warp_is_monotone_and_keeps_the_ends():
    line = np.arange(200.0) + 1e-3 * RNG.random((40, 1))
    for std in (0.05, 0.5, 3):
        out = run(TimeWarp(std=std), line)
        assert (np.diff(out) > 0).all()
        np.testing.assert_array_equal(out[:, [0, -1]], line[:, [0, -1]])
    X = walks(10, 50)
    assert np.abs(run(TimeWarp(std=0.0), X) - X).max() < 1e-9
    out = run(TimeWarp(std=1.0), X)
    assert (out <= X.max(axis=1, keepdims=True)).all()
    assert (out >= X.min(axis=1, keepdims=True)).all()
    both = run(TimeWarp(std=0.5), np.stack([line, 2 * line], axis=2))
    np.testing.assert_allclose(both[..., 1], 2 * both[..., 0])


def test_resampling_keeps_lines_and_what_it_samples():
    t = np.arange(41.0)
    lines = np.stack([3 * t - 7, 0 * t + 5.5])
    np.testing.assert_allclose(run(Resampling(factor=3), lines), lines)
    X = walks(4, 41)
    out = run(Resampling(factor=2), X)  # 21 of 41 points: every second one
    np.testing.assert_allclose(out[:, ::2], X[:, ::2])
    np.testing.assert_allclose(out[:, 1::2], (X[:, :-2:2] + X[:, 2::2]) / 2)
    assert np.array_equal(run(Resampling(factor=1), X), X)


@pytest.mark.parametrize("scale", ["train", "series"])
def test_quantization_moves_by_half_a_step_at_most(scale):
    X = walks(6, 100, 2)
    for bits in (1, 3, 8, 4.5):
        out = run(SeriesQuantization(bits=bits, scale=scale), X)
        axis = (0, 1) if scale == "train" else 1
        width = X.max(axis=axis, keepdims=True) - X.min(axis=axis, keepdims=True)
        step = width / (2**bits - 1)
        assert (np.abs(out - X) <= step / 2 * (1 + 1e-9)).all()
        for channel in range(2):
            levels = np.unique(out[0, :, channel].round(9))
            assert len(levels) <= int(2**bits)
    again = SeriesQuantization(bits=3).fit(X)
    out = again.perturb(None, X)
    np.testing.assert_allclose(again.perturb(None, out), out)
    flat = np.full((3, 5), 2.5)
    assert np.array_equal(run(SeriesQuantization(bits=3, scale=scale), flat), flat)


def test_clipping_at_quantiles():
    train, X = walks(50, 41, 2), walks(9, 41, 2, seed=5) * 3
    for severity, keep in zip(
        (1, 2, 3, 4, 5), (0.99, 0.95, 0.9, 0.85, 0.8), strict=True
    ):
        p = SeriesClipping(severity).fit(train)
        share = [(1 - keep) / 2, (1 + keep) / 2]
        low, high = np.quantile(train, share, axis=(0, 1))
        np.testing.assert_allclose(p.perturb(None, X), np.clip(X, low, high))
        p = SeriesClipping(severity, scale="series")
        low, high = np.quantile(X, share, axis=1, keepdims=True)
        np.testing.assert_allclose(p.perturb(None, X), np.clip(X, low, high))
    holed = X.copy()
    holed[:, ::3] = np.nan
    low, high = np.nanquantile(holed, [0.1, 0.9], axis=1, keepdims=True)
    out = SeriesClipping(5, scale="series").perturb(None, holed)
    np.testing.assert_allclose(out, np.clip(holed, low, high))


def test_smoothing_is_the_mean_of_a_window():
    X = walks(3, 50)
    out = run(Smoothing(share=0.1), X)  # 5 points
    for t in range(50):
        window = X[:, max(0, t - 2) : t + 3]
        np.testing.assert_allclose(out[:, t], window.mean(axis=1))
    flat = np.full((2, 30), 0.1)
    assert np.array_equal(run(Smoothing(5), flat), flat)
    X[0, 10] = np.nan
    np.testing.assert_allclose(
        run(Smoothing(share=0.1), X)[0, 11], np.nanmean(X[0, 9:14])
    )


def test_permutation_keeps_what_there_is():
    X = walks(200, 24, 2)
    out = run(SegmentPermutation(n_segments=4), X)
    np.testing.assert_array_equal(np.sort(out, axis=1), np.sort(X, axis=1))
    starts = []
    for before, after in zip(X, out, strict=True):
        place = [int(np.flatnonzero((before == a).all(axis=1))[0]) for a in after]
        parts = np.reshape(place, (4, 6))
        assert np.array_equal(parts - parts[:, :1], np.tile(np.arange(6), (4, 1)))
        starts.append(tuple(parts[:, 0] // 6))
    assert all(sorted(s) == [0, 1, 2, 3] for s in starts)
    assert len(set(starts)) == 24  # every order occurs


@pytest.mark.parametrize(
    ("color", "slope"), [("white", 0), ("pink", -1), ("brown", -2)]
)
def test_color_is_the_slope_of_the_spectrum(color, slope):
    X = np.full((300, 512), 0.01) + 1e-6 * RNG.random((300, 1))
    noise = run(BackgroundNoise(snr_db=10, color=color), X) - X
    power = (np.abs(np.fft.rfft(noise, axis=1)) ** 2).mean(axis=0)[1:-1]
    f = np.arange(1, len(power) + 1)
    fitted = np.polyfit(np.log(f), np.log(power), 1)[0]
    assert fitted == pytest.approx(slope, abs=0.03)


def test_sound_is_clipped_and_keeps_its_type():
    t = np.arange(400)
    loud = np.sin(t / 3)[None] * np.ones((3, 1)) * [[0.99], [0.5], [0.999]]
    out = run(BackgroundNoise(snr_db=5), loud)
    assert np.abs(out).max() == 1.0
    beyond = loud * 4
    assert np.abs(run(BackgroundNoise(snr_db=5), beyond)).max() == np.abs(beyond).max()
    for kind in (np.int8, np.int16, np.int32, np.int64):
        top = np.iinfo(kind).max
        X = (loud * (0.999 * top)).astype(kind)
        out = run(BackgroundNoise(snr_db=5), X)
        assert out.dtype == kind
        assert out.max() == top
        assert out.min() == np.iinfo(kind).min
        # Where nothing was clipped, the noise is noise and nothing wrapped around.
        assert np.corrcoef(out.ravel(), X.ravel())[0, 1] > 0.8
    quiet = (1000 * loud).astype(np.int16)
    rounded = run(BackgroundNoise(snr_db=20), quiet)
    exact = run(BackgroundNoise(snr_db=20), quiet.astype(np.int64) * 1)
    assert np.array_equal(rounded, exact)
    floats = run(BackgroundNoise(snr_db=20), quiet.astype(float))
    inside = np.abs(floats) < np.abs(quiet).max(axis=1, keepdims=True)
    assert inside.mean() > 0.8
    assert np.array_equal(rounded[inside], np.rint(floats[inside]))


def test_gain_is_even_in_decibels():
    X = np.full((2000, 3), 0.01) + 1e-5 * RNG.random((2000, 3))
    db = 20 * np.log10(run(Gain(gain_db=6), X) / X)
    np.testing.assert_allclose(db, db[:, :1] * np.ones((1, 3)), atol=1e-9)
    assert stats.kstest(db[:, 0] / 12 + 0.5, "uniform").pvalue > 1e-3


# Use


def test_learned_scale_needs_fit():
    X = walks(4, 20)
    for p in (Jitter(), BaselineWander(), Spikes(), MainsHum(sampling_rate=200),
              SeriesQuantization(), SeriesClipping()):  # fmt: skip
        with pytest.raises(NotFittedError, match="of the training data: fit it on"):
            p.perturb(None, X)
        clone(p).set_params(scale="series").perturb(None, X)


def test_in_a_pipeline_and_a_sequence():
    X = walks(60, 30)
    y = (X[:, -1] > X[:, 0]).astype(int)
    pipe = make_pipeline(Jitter(std=0.05, random_state=0), TimeShift(), SVC())
    assert pipe.fit(X, y).score(X, y) > 0.8
    both = [
        PerturbationSequence(steps, random_state=0).fit(X).perturb(None, X)
        for steps in ([Jitter(), Spikes()], [Spikes(), Jitter()])
    ]
    np.testing.assert_allclose(*both)  # both add: the order is nothing
    steps = [Gap(share=0.2), Smoothing(share=0.1)]
    lost = PerturbationSequence(steps, random_state=0).perturb(None, X)
    np.testing.assert_array_equal(np.isnan(lost).sum(axis=1), 6)
    holed = np.where(np.arange(30) == 7, np.nan, X)
    for data in (holed, np.stack([holed, X], axis=2)):
        noisy = PerturbationSequence([Jitter(), Spikes()]).fit(data).perturb(None, data)
        np.testing.assert_array_equal(np.isnan(noisy), np.isnan(data))


def test_preset():
    grid = series(random_state=0)
    assert len(grid) == 1 + 13 * 5
    assert grid[0].name == "CLEAN"
    assert grid[3].name == "jitter-3"
    assert [c.number for c in grid] == list(range(1, len(grid) + 1))
    assert len({c.name for c in grid}) == len(grid)
    X = walks(8, 60)
    for condition in grid:
        out = condition.fit(X).perturb(None, X)
        assert np.isfinite(out).all(), condition.name
        assert np.array_equal(out, X) == (condition.name == "CLEAN"), condition.name
    assert [c.name for c in series([0, 2.5])][:3] == ["CLEAN", "jitter-0", "jitter-2.5"]


def test_a_newcomer_must_keep_the_shape():
    class Shorter(SeriesPerturbation):
        def __init__(self, random_state=None):
            self.random_state = random_state

        def _perturb_series(self, series, rng):
            return series[:, 1:]

    with pytest.raises(ValueError, match=r"_perturb_series must keep the shape"):
        Shorter().perturb(None, walks(2, 5))


X = walks(4, 20)
INFINITE = X.copy()
INFINITE[2, 3] = np.inf
# (what is called, the sentence it must raise)
ROWS = {
    "infinity": (lambda: run(Jitter(), INFINITE), "no infinity.*first in row 2"),
    "4-D": (lambda: run(Jitter(), X[..., None, None]), r"series of shape \(n, time\)"),
    "1-D": (lambda: run(Jitter(), X[0]), "1D array"),
    "text": (lambda: run(Jitter(), [["a", "b"]]), "could not convert|numeric"),
    "channels": (
        lambda: Jitter().fit(X[..., None] * [1, 2]).transform(X[..., None]),
        "fitted on series of 2 channels; these have 1",
    ),
    "length": (lambda: Jitter().fit(X).transform(X[:, 1:]), "19 features.*20 features"),
    "severity": (lambda: run(Jitter(6), X), "'severity' parameter of Jitter"),
    "both": (lambda: run(Jitter(1, std=1), X), "either 'severity' or 'std', not both"),
    "std and snr": (lambda: run(Jitter(std=1, snr_db=1), X), "'std' or 'snr_db', not"),
    "std": (lambda: run(Jitter(std=-1), X), "'std' parameter of Jitter must be a non-n"),
    "snr_db": (lambda: run(Jitter(snr_db=np.nan), X), "'snr_db' parameter of Jitter"),
    "unit": (lambda: run(Jitter(unit="dB"), X), "'unit' parameter of Jitter must be"),
    "scale": (lambda: run(Jitter(scale="row"), X), "'scale' parameter of Jitter must"),
    "scaling": (lambda: run(SeriesScaling(std=-1), X), "'std' parameter of SeriesScal"),
    "scaling channel": (
        lambda: run(SeriesScaling(per_channel=1), X), "'per_channel' parameter"),
    "amplitude": (lambda: run(BaselineWander(amplitude=-1), X), "'amplitude' parameter"),
    "kind": (lambda: run(BaselineWander(kind="step"), X), "'kind' parameter of Baseline"),
    "cycles": (lambda: run(BaselineWander(cycles=0), X), "'cycles' parameter"),
    "spikes": (lambda: run(Spikes(share=2), X), "'share' parameter of Spikes must be a"),
    "height": (lambda: run(Spikes(height=-1), X), "'height' parameter of Spikes"),
    "no rate": (lambda: run(MainsHum(), X), "'sampling_rate' parameter of MainsHum"),
    "rate": (lambda: run(MainsHum(sampling_rate=-1), X), "'sampling_rate' parameter"),
    "alias": (lambda: run(MainsHum(sampling_rate=100), X), "below half the sampling rate"),
    "hum": (
        lambda: run(MainsHum(amplitude=-1, sampling_rate=200), X), "'amplitude' param"),
    "dropout": (lambda: run(PointDropout(share=-0.1), X), "'share' parameter of PointDr"),
    "dropout fill": (lambda: run(PointDropout(fill=0), X), "'fill' parameter of PointDr"),
    "dropout channel": (
        lambda: run(PointDropout(per_channel="no"), X), "'per_channel' parameter"),
    "gap": (lambda: run(Gap(share=20), X), "'share' parameter of Gap must be a number"),
    "gap fill": (lambda: run(Gap(fill="mean"), X), "'fill' parameter of Gap must be one"),
    "channel loss": (lambda: run(ChannelLoss(share=3), X), "'share' parameter of Channel"),
    "shift": (lambda: run(TimeShift(share=2), X), "'share' parameter of TimeShift"),
    "shift mode": (lambda: run(TimeShift(mode="wrap"), X), "'mode' parameter of TimeShif"),
    "shift fill": (lambda: run(TimeShift(fill="edge"), X), "'fill' parameter of TimeShift"),
    "warp": (lambda: run(TimeWarp(std=-1), X), "'std' parameter of TimeWarp"),
    "knots": (lambda: run(TimeWarp(knots=1), X), "'knots' parameter of TimeWarp"),
    "factor": (lambda: run(Resampling(factor=0.5), X), "'factor' parameter of Resampling"),
    "segments": (
        lambda: run(SegmentPermutation(n_segments=2.5), X), "'n_segments' parameter"),
    "many bits": (lambda: run(SeriesQuantization(bits=2000), X), "'bits' parameter of Ser"),
    "snr": (lambda: run(Jitter(snr_db=-9999), X), "'snr_db' parameter of Jitter must be"),
    "bits": (lambda: run(SeriesQuantization(bits=0), X), "'bits' parameter of SeriesQu"),
    "keep": (lambda: run(SeriesClipping(keep=99), X), "'keep' parameter of SeriesClipp"),
    "window": (lambda: run(Smoothing(share=0), X), "'share' parameter of Smoothing"),
    "color": (lambda: run(BackgroundNoise(color="red"), X), "'color' parameter of Backg"),
    "noise": (lambda: run(BackgroundNoise(snr_db="5"), X), "'snr_db' parameter of Backgr"),
    "unsigned": (
        lambda: run(Gain(gain_db=1), X.astype(np.uint8)), "signed integers. Got uint8"),
    "gain": (lambda: run(Gain(gain_db=-1), X), "'gain_db' parameter of Gain"),
    "random_state": (lambda: run(Jitter(), X, seed="0"), "'random_state' parameter"),
    "preset": (lambda: series([1, 6]), "'severities' parameter of series"),
    "preset number": (lambda: series(3), "'severities' parameter of series must be a seq"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_series_perturbations_refuse_wrong_parameters(name):
    call, sentence = ROWS[name]
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()
