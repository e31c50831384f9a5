"""Panels of series: both orders of axes, nested frames, and uneven times."""

import inspect

import numpy as np
import pandas as pd
import pytest
from perturbation_table import LAWS
from sklearn.base import BaseEstimator, ClassifierMixin

from skrobust._keyed_noise.generator import KeyedGenerator, NoiseKey
from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import (
    BaselineWander,
    Gap,
    Jitter,
    MainsHum,
    PerturbationSequence,
    Resampling,
    SegmentPermutation,
    TimeShift,
    TimeWarp,
    get_preset,
    series,
)
from skrobust.perturbations.time_series.panels import read_nested

SERIES = [law for law in LAWS if law.kind == "series"]
RNG = np.random.default_rng(0)
PANEL = RNG.normal(size=(6, 30, 3)).cumsum(axis=1)
UNEVEN = np.cumsum(RNG.uniform(0.2, 3, 30))


def nested(panel, index=None, kind=pd.Series):
    """Return a nested frame as in sktime: a column per channel, a cell per series."""
    cells = np.empty((len(panel), panel.shape[2]), dtype=object)
    for i, j in np.ndindex(*cells.shape):
        values = panel[i, :, j]
        cells[i, j] = kind(values, index) if kind is pd.Series else kind(values)
    names = [f"dim_{j}" for j in range(panel.shape[2])]
    return pd.DataFrame(
        cells, columns=names, index=[f"row {i}" for i in range(len(cells))]
    )


def values_of(frame):
    rows = [[np.asarray(cell) for cell in row] for row in frame.to_numpy()]
    return np.moveaxis(np.array(rows), 1, 2)


@pytest.mark.parametrize("law", SERIES, ids=str)
@pytest.mark.parametrize("kind", [pd.Series, np.array, list])
def test_the_same_series_have_the_same_noise_in_every_container(law, kind):
    def p(**params):
        return law(**{**law.strong, **params}).fit

    out = p(channel_axis=-1)(PANEL).transform(PANEL)
    first = np.ascontiguousarray(PANEL.swapaxes(1, 2))
    assert np.array_equal(
        p(channel_axis=1)(first).transform(first).swapaxes(1, 2), out, equal_nan=True
    )
    frame = nested(PANEL, kind=kind)
    new = p()(frame).transform(frame)
    assert np.array_equal(values_of(new), out, equal_nan=True)
    assert list(new.columns) == list(frame.columns)
    assert new.index.equals(frame.index)
    assert isinstance(new.iloc[0, 0], kind if isinstance(kind, type) else np.ndarray)
    assert np.array_equal(values_of(frame), PANEL)


@pytest.mark.parametrize("name", ["jitter-3", "gap-5", "time-warp-5"])
def test_conditions_have_the_same_noise_in_every_container(name):
    first = np.ascontiguousarray(PANEL.swapaxes(1, 2))

    def moved(X, channel_axis=None):
        conditions = series((3, 5), channel_axis=channel_axis, random_state=0)
        (condition,) = (c for c in conditions if c.name == name)
        return condition.fit(X).perturb(None, X)

    out = moved(PANEL)
    assert np.array_equal(moved(first, 1).swapaxes(1, 2), out)
    assert np.array_equal(values_of(moved(nested(PANEL))), out)


@pytest.mark.parametrize("law", SERIES, ids=str)
def test_series_of_several_lengths_come_out_as_each_alone(law):
    frame = nested(PANEL)
    for i, n in enumerate((30, 12, 30, 12, 7, 30)):
        for j in range(3):
            frame.iat[i, j] = frame.iat[i, j].iloc[:n].rename(f"{i} {j}")
    p = law(**law.strong).fit(nested(PANEL))
    out = p.perturb(None, frame)
    for i in range(6):
        alone = p.perturb(None, frame.iloc[[i]])
        for j in range(3):
            old, new = frame.iat[i, j], out.iat[i, j]
            assert new.equals(alone.iat[0, j])
            assert new.index.equals(old.index)
            assert new.name == old.name
    sequence = PerturbationSequence([p], random_state=3)
    assert isinstance(sequence.perturb(None, frame).iat[0, 0], pd.Series)


@pytest.mark.parametrize("shape", [(5, 3, 100), (5, 4, 4), (5, 1, 100)])
def test_an_axis_that_could_be_either_is_asked_for(shape):
    X = RNG.normal(size=shape)
    for call in (Gap().fit, lambda X: Gap(random_state=0).perturb(None, X)):
        with pytest.raises(ValueError, match=r"channel_axis=1 for .* sktime"):
            call(X)
    # All channels of a series lose the same stretch of time.
    lost = np.isnan(Gap(share=0.3, channel_axis=1, random_state=0).perturb(None, X))
    assert lost.any(axis=(1, 2)).all()
    assert (lost == lost[:, :1]).all()
    lost = np.isnan(Gap(share=0.3, channel_axis=-1, random_state=0).perturb(None, X))
    assert (lost == lost[:, :, :1]).all()
    with pytest.raises(ValueError, match="'channel_axis' parameter of Gap"):
        Gap(channel_axis=0).fit(X)


def test_scales_are_those_of_channels_in_every_order():
    X = RNG.normal(size=(8, 2, 500)) * np.array([1, 100])[:, None]
    noise = Jitter(std=0.5, channel_axis=1, random_state=0).fit(X)
    assert np.allclose(noise.scale_, X.std(axis=(0, 2)))
    assert np.allclose(Jitter().fit(nested(X.swapaxes(1, 2))).scale_, noise.scale_)
    with pytest.raises(ValueError, match="X has 3 features, but Jitter is expecting 2"):
        noise.transform(X[:, [0, 1, 0]])


def test_presets_take_the_axis():
    assert "channel_axis" in inspect.signature(series).parameters
    X = RNG.normal(size=(4, 2, 50))
    for condition in get_preset("series", channel_axis=1, random_state=0)[1::5]:
        assert condition.fit(X).transform(X).shape == X.shape


def test_what_has_a_course_in_time_follows_the_index():
    t = UNEVEN
    share = (t - t[0]) / (t[-1] - t[0])
    frame = nested(np.tile(t[:, None], (4, 1, 1)), index=t)
    ramp = BaselineWander(amplitude=2.0, kind="ramp", scale="series", random_state=0)
    moved = values_of(ramp.perturb(None, frame)) - t[:, None]
    assert np.allclose(np.abs(moved), 2 * t.std() * share[:, None])
    # A straight line in time is one after linear resampling, at any times.
    line = values_of(Resampling(factor=3).perturb(None, frame))
    assert np.allclose(line, t[:, None])
    # By the place of the point it would not be.
    by_place = values_of(Resampling(factor=3).perturb(None, nested(values_of(frame))))
    assert np.abs(by_place - t[:, None]).max() > 0.1
    hum = MainsHum(amplitude=1, sampling_rate=10, frequency=1, scale="series",
                   random_state=0)  # fmt: skip
    wave = (values_of(hum.perturb(None, frame)) - t[:, None])[..., 0] / t.std()
    seconds = share * (len(t) - 1) / 10
    basis = np.c_[np.sin(2 * np.pi * seconds), np.cos(2 * np.pi * seconds)]
    weights, residual = np.linalg.lstsq(basis, wave.T, rcond=None)[:2]
    assert np.allclose(residual, 0, atol=1e-16)
    assert np.allclose((weights**2).sum(axis=0), 1)


def test_a_warp_is_the_same_warp_at_other_times():
    t = UNEVEN
    p = TimeWarp(std=0.5, random_state=0)
    frame = nested(np.tile(t[:, None], (4, 1, 1)), index=t)
    out = values_of(p.perturb(None, frame))[..., 0]
    assert np.allclose(out[:, [0, -1]], t[[0, -1]])
    assert (np.diff(out, axis=1) > 0).all()
    assert np.abs(out - t).max() > 0.1
    # The warp of a line is the warp itself; between even steps it is read linearly.
    length = len(t)
    even = np.linspace(t[0], t[-1], length)
    rows = np.tile(t[:, None], (4, 1, 1))
    key = NoiseKey.from_rows(rows, 0).derive("TimeWarp", 0)  # whatever their times
    steps = p._warped_times(4, length, KeyedGenerator(key))
    share = (t - t[0]) / (t[-1] - t[0]) * (length - 1)
    expected = [np.interp(share, np.arange(length), s) for s in steps]
    assert np.allclose(out, np.interp(expected, np.arange(length), even))


def test_missing_points_are_bridged_in_time():
    t = UNEVEN
    line = np.tile(t[:, None], (4, 1, 1))
    holes = line.copy()
    holes[:, 5:9] = np.nan
    frame = nested(holes, index=t)
    out = values_of(Resampling(factor=2).perturb(None, frame))
    assert np.array_equal(np.isnan(out), np.isnan(holes))
    assert np.allclose(out, holes, equal_nan=True)
    warped = values_of(TimeWarp(std=0.01, random_state=0).perturb(None, frame))
    assert np.isnan(warped[:, 6:8]).all()
    assert not np.isnan(warped[:, 11:]).any()


@pytest.mark.parametrize("law", SERIES, ids=str)
def test_equally_spaced_times_change_nothing(law):
    X = PANEL[..., 0]
    p = law(**law.strong)
    plain = p.fit(X).perturb(None, X)
    for labels in (
        pd.date_range("2024", periods=30, freq="7h"),
        pd.timedelta_range(0, periods=30, freq="1D"),
        np.linspace(0, 3, 30),
    ):
        frame = pd.DataFrame(X, columns=labels)
        out = p.fit(frame).perturb(None, frame)
        assert np.array_equal(out.to_numpy(), plain, equal_nan=True)
        assert out.columns.equals(frame.columns)


def test_columns_that_are_times():
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta(UNEVEN, "h")
    share = (UNEVEN - UNEVEN[0]) / (UNEVEN[-1] - UNEVEN[0])
    ramp = BaselineWander(amplitude=1.0, kind="ramp", scale="series", random_state=0)
    wave = np.tile(np.sin(UNEVEN), (3, 1))
    for labels in (dates, UNEVEN, -UNEVEN, dates - dates[0]):
        frame = pd.DataFrame(wave, columns=labels)
        moved = np.abs(ramp.fit(frame).transform(frame) - wave) / wave[0].std()
        assert np.allclose(moved, share, atol=1e-6)
    with pytest.raises(ValueError, match=r"times that increase.*sort"):
        ramp.fit(pd.DataFrame(wave, columns=np.r_[UNEVEN[1:], 0.0]))


def test_points_are_counted_where_time_has_no_say():
    frame = nested(PANEL, index=UNEVEN)
    for p in (TimeShift(share=0.2), SegmentPermutation(n_segments=3), Gap(share=0.2)):
        p.set_params(random_state=0)
        out, plain = p.perturb(None, frame), p.perturb(None, nested(PANEL))
        assert np.array_equal(values_of(out), values_of(plain), equal_nan=True)
        assert np.array_equal(out.iat[0, 0].index, UNEVEN)


def test_cells_keep_their_types():
    ints = nested((9 * PANEL).astype(np.int16))
    roll = TimeShift(share=0.2, mode="roll", random_state=0)
    assert roll.perturb(None, ints).iat[0, 0].dtype == np.int16
    assert Jitter(std=1).fit(ints).transform(ints).iat[0, 0].dtype == np.float64
    single = nested(PANEL.astype(np.float32))
    assert Jitter(std=1).fit(single).transform(single).iat[0, 0].dtype == np.float32
    nullable = nested(PANEL).map(lambda cell: cell.astype("Float64"))
    nullable.iat[0, 0].iloc[3] = pd.NA
    out = Jitter(std=1, random_state=0).fit(nullable).transform(nullable)
    assert out.iat[0, 0].dtype == "Float64"
    assert out.iat[0, 0].isna().tolist() == [i == 3 for i in range(30)]


@pytest.mark.parametrize(
    "change, sentence",
    [
        (
            lambda cell: cell.iloc[:9],
            "one length and one index of time in",
        ),
        (lambda cell: cell.set_axis(UNEVEN), "one length and one index of time"),
        (lambda cell: None, r"row 2 holds 'None' of type NoneType: drop the row"),
        (lambda cell: cell.astype(str), "cells are series of numbers; row 2"),
        (lambda cell: cell * np.inf, "no infinity"),
    ],
)
def test_bad_cells_get_a_sentence(change, sentence):
    frame = nested(PANEL)
    frame.iat[2, 1] = change(frame.iat[2, 1])
    with pytest.raises(ValueError, match=sentence):
        Jitter().fit(frame)


class Rising(ClassifierMixin, BaseEstimator):
    """A classifier of nested frames: whether the first channel ends above its start."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.array([int(cell.iloc[-1] > cell.iloc[0]) for cell in X.iloc[:, 0]])


def test_nested_frames_are_evaluated():
    rng = np.random.default_rng(0)
    X = nested(rng.normal(size=(40, 30, 2)).cumsum(axis=1))
    model = Rising().fit(X, [0, 1] * 20)
    y = model.predict(X)
    conditions = series((1, 5), random_state=0)
    results = evaluate_perturbations(model, X, y, conditions, X_ref=X).to_frame()
    assert results["score"][0] == 1
    assert 0.5 < results["score"].iloc[1:].min() < 1
    assert (results["changed"].iloc[1:] > 0).all()


LONG_AGO = np.array(["2000", "2300", "2301", "2590"], dtype="M8[s]")


@pytest.mark.parametrize(
    "index",
    [
        pd.DatetimeIndex(LONG_AGO),
        pd.DatetimeIndex(LONG_AGO)[::-1],
        pd.DatetimeIndex(["1680", "1975", "1976", "2260"]).as_unit("ns"),
        pd.DatetimeIndex(LONG_AGO).tz_localize("Europe/Berlin"),
        pd.DatetimeIndex(LONG_AGO) - pd.Timestamp("2400").as_unit("s"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_times_over_centuries_do_not_wrap(index):
    years = np.array([0, 300, 301, 590.0])
    if getattr(index, "year", [0])[0] == 1680:
        years = np.array([0, 295, 296, 580.0])
    if index[0] > index[-1]:
        years = (590 - years)[::-1]
    frame = nested(PANEL[:, :4], index)
    found = read_nested(frame, "Jitter").parts[0].positions
    assert np.allclose(found, years / years[-1] * 3, atol=1e-3)


@pytest.mark.filterwarnings("error")
def test_time_zones_and_units_change_nothing():
    # Clocks go forward in the second hour, so that local times are not equally spaced.
    local = pd.date_range("2024-03-30 23:00", periods=9, freq="h", tz="Europe/Berlin")
    keep = [0, 1, 2, 4, 5, 8]
    kinds = [local, local.as_unit("s"), local.tz_convert("UTC").tz_localize(None)]
    try:
        import pyarrow  # noqa: F401

        kinds.append(pd.Index(local.astype("timestamp[ns, tz=Europe/Berlin][pyarrow]")))
    except ImportError:
        pass
    for index in kinds:
        found = read_nested(nested(PANEL[:, :6], index[keep]), "Jitter").parts[0]
        assert np.allclose(found.positions, np.array(keep) / 8 * 5)
    frame = nested(PANEL[:, :6], local[keep])
    values = nested(PANEL[:, :6], local[keep].as_unit("s"))
    mixed = pd.concat([frame.iloc[:, [0]], values.iloc[:, [1]]], axis=1)
    assert read_nested(mixed, "Jitter").parts[0].series.shape == (6, 6, 2)


def long_frame(panel, times=None):
    """Return a panel in sktime's long format: a row per point, a column per channel."""
    n, length, channels = panel.shape
    times = np.arange(length) if times is None else times
    names = [f"case {i}" for i in range(n)]
    index = pd.MultiIndex.from_product([names, times], names=["case", "time"])
    columns = [f"dim_{j}" for j in range(channels)]
    return pd.DataFrame(panel.reshape(-1, channels), index=index, columns=columns)


@pytest.mark.parametrize("law", SERIES, ids=str)
def test_long_frames_hold_the_same_series(law):
    p, frame = law(**law.strong).fit(PANEL), long_frame(PANEL)
    out = p.fit(PANEL).perturb(None, PANEL)
    p = law(**law.strong).fit(frame)
    for new in (p.transform(frame), p.perturb(None, frame)):
        assert np.array_equal(new.to_numpy().reshape(PANEL.shape), out, equal_nan=True)
        pd.testing.assert_index_equal(new.index, frame.index)
        assert list(new.columns) == list(frame.columns)
    sequence = PerturbationSequence([p], random_state=3).fit(frame)
    assert sequence.perturb(None, frame).index.equals(frame.index)
    assert p.n_channels_ == 3
    assert np.array_equal(frame.to_numpy().reshape(PANEL.shape), PANEL)


def test_long_frames_may_differ_in_lengths_times_order_and_levels():
    lengths, p = (30, 12, 7), TimeWarp(severity=5, random_state=0)
    alone = [long_frame(PANEL[[i], :n], UNEVEN[:n]) for i, n in enumerate(lengths)]
    for i, frame in enumerate(alone):
        frame.index = frame.index.set_levels([f"case {i}"], level=0)
    mixed = pd.concat(alone).sort_index(level=1)  # by time: series are not in one piece
    out = p.perturb(None, mixed)
    pd.testing.assert_index_equal(out.index, mixed.index)
    for frame in alone:
        assert out.loc[frame.index].equals(p.perturb(None, frame))
        assert not out.loc[frame.index].equals(frame)
    deep = pd.concat({"site": mixed}, names=["site"])
    assert np.array_equal(p.perturb(None, deep), out)
    days = mixed.set_axis(
        mixed.index.set_levels(
            pd.Timestamp("2024-01-01") + pd.to_timedelta(mixed.index.levels[1], "D"),
            level=1,
        )
    )
    assert np.allclose(p.perturb(None, days), out)


def test_long_frames_keep_the_types_of_their_columns():
    frame = long_frame(np.round(PANEL * 10)).astype(
        {"dim_0": np.float32, "dim_1": np.int16, "dim_2": "Int64"}
    )
    for p in (TimeShift(severity=5, fill="hold"), Jitter(severity=0)):
        new = p.fit(frame).perturb(None, frame)
        assert new.dtypes.equals(frame.dtypes)
    new = Jitter(severity=3).fit(frame).perturb(None, frame)
    assert list(map(str, new.dtypes)) == ["float32", "float64", "Float64"]


def test_long_frames_that_cannot_be_read_say_so():
    frame = long_frame(PANEL)
    swapped = frame.reorder_levels([1, 0])
    with pytest.raises(ValueError, match=r"Gap takes the last level .*reorder_levels"):
        Gap().fit(swapped)
    dates = frame.set_axis(
        pd.MultiIndex.from_product([pd.date_range("2024", periods=30), range(6)])
    )
    with pytest.raises(ValueError, match="bring the time to the end"):
        Gap().fit(dates)
    with pytest.raises(ValueError, match=r"each of the 6 .*reset_index\(drop=True\)"):
        Gap().fit(frame.groupby(level=0).head(1))
    twice = pd.concat([frame, frame.iloc[:1]])
    with pytest.raises(ValueError, match="'case 0' do not: sort the points by time"):
        Gap().fit(twice)
    with pytest.raises(ValueError, match="do not: sort the points by time"):
        Gap().fit(frame.sample(frac=1, random_state=0))
    # Two points have an order, too.
    two = frame.groupby(level=0).head(1)
    with pytest.raises(ValueError, match="needs times that increase"):
        Gap().fit(pd.concat([two, two]))
    # Columns labelled by times are points: a series in each row, whatever the index.
    wide = pd.DataFrame(PANEL[..., 0], columns=UNEVEN, index=frame.index[:6])
    assert TimeWarp(severity=3).fit(wide).n_channels_ == 1


@pytest.mark.parametrize("other", ["x", pd.Timestamp("2026-01-01")])
def test_points_in_rows_without_an_index_get_the_cure(other):
    frame = pd.DataFrame({"id": [0, 0, 1, 1], "t": [0, 1, 0, 1], "a": [3, 4, 5, 6]})
    with pytest.warns(UserWarning, match=r"\(id, t, a\) seem .*X.set_index\("):
        Jitter(severity=3).fit(frame)
    frame["other"] = other
    with pytest.raises(ValueError, match=r"column 'other' holds no .*X.set_index\("):
        Jitter(severity=3).fit(frame)
