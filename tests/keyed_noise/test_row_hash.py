"""Rows are keyed by their values, not by containers, dtypes or neighbours."""

import copy
import datetime
import decimal
import enum
import pathlib
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrobust._keyed_noise.generator import NoiseKey
from skrobust._keyed_noise.row_hash import ContentKey, content_keys
from skrobust._keyed_noise.splitmix import row_keys
from skrobust.perturbations import GaussianNoise

RNG = np.random.default_rng(0)
N = 40
TEXT = RNG.choice(["a", "b", "Zürich"], N).tolist()
MIXED = pd.DataFrame({
    "x": RNG.normal(size=N),
    "n": RNG.integers(0, 9, N),
    "c": TEXT,
    "b": RNG.random(N) < 0.5,
})  # fmt: skip


def equal(a, b):
    return np.array_equal(content_keys(a), content_keys(b))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, bool])
def test_numbers_are_keyed_as_before(dtype):
    X = (9 * RNG.random((N, 5))).astype(dtype)
    assert np.array_equal(content_keys(X), row_keys(X))
    assert equal(pd.DataFrame(X), X)
    assert equal(pl.DataFrame(X), X)
    assert equal(X.astype(object), X)
    assert equal(X.reshape(N, 5, 1), X)


def test_large_integers_of_a_frame_differ():
    X = np.array([[2**40], [2**40 + 1]])
    assert len(set(content_keys(X))) == 2
    assert equal(pd.DataFrame(X), X)


@pytest.mark.parametrize("dtype", ["object", "string", "str", "category"])
def test_text_counts_by_its_value(dtype):
    typed = MIXED.astype({"c": dtype})
    assert equal(typed, MIXED)
    assert equal(typed["c"], np.array(TEXT))
    assert equal(typed[["c"]], np.array(TEXT, dtype=object))


@pytest.mark.parametrize(
    "dtype", [pl.String, pl.Categorical, pl.Enum(["Zürich", "b", "a"])]
)
def test_polars_equals_pandas(dtype):
    assert equal(pl.DataFrame(MIXED.to_dict("list")).cast({"c": dtype}), MIXED)
    assert equal(pl.Series(TEXT, dtype=dtype), np.array(TEXT))


def test_object_array_equals_frame():
    assert equal(MIXED.to_numpy(), MIXED)
    assert equal(MIXED.to_numpy()[:, 2], np.array(TEXT))
    assert equal(TEXT, np.array(TEXT))


def test_a_row_does_not_know_its_neighbours():
    cells = np.array([["a", 1], [None, 2], [3.5, "b"], [np.nan, None], [7, 8]], object)
    whole = content_keys(cells)
    alone = [content_keys(cells[i : i + 1])[0] for i in range(len(cells))]
    assert np.array_equal(whole, alone)
    assert np.array_equal(content_keys(cells[::-1]), whole[::-1])
    assert len(set(whole)) == len(cells)


def test_one_missing_mark():
    marks = [None, np.nan, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]
    for mark in marks:
        assert equal(np.array(["a", mark], object), np.array(["a", None], object))
    reference = np.array([["a"], [None]], object)
    # Before pandas 3, astype("str") made the text "None" of a missing mark.
    new = ("str",) if int(pd.__version__.partition(".")[0]) >= 3 else ()
    for dtype in ("object", "string", "category", *new):
        assert equal(pd.DataFrame({"c": ["a", None]}).astype(dtype), reference)
    assert equal(pl.DataFrame({"c": ["a", None]}), reference)
    numbers = np.array([1.0, np.nan])
    assert equal(pd.Series([1, None], dtype="Int64"), numbers)
    assert equal(pd.Series([1, None], dtype="category"), numbers)
    assert equal(pd.Series([True, None], dtype="boolean"), numbers)
    assert equal(pl.Series([1, None]), numbers)
    assert equal(pl.Series([True, None]), numbers)
    assert equal(np.array([True, None], object), numbers)


def test_numbers_by_value_whatever_the_type():
    numbers = np.array([1.0, 2.0, 5.0])
    for other in (
        pd.Series([1, 2, 5], dtype="category"),
        np.array([decimal.Decimal(1), 2, np.float32(5)], object),
        pl.Series([decimal.Decimal(1), decimal.Decimal(2), decimal.Decimal(5)]),
    ):
        assert equal(other, numbers)


def test_times_by_value():
    stamps = pd.Series(pd.date_range("2020-01-01", periods=4, freq="7h"))
    reference = content_keys(stamps)
    assert len(set(reference)) == 4
    zoned = stamps.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    for other in (
        stamps.to_numpy(), stamps.astype(object), stamps.astype("category"), zoned,
        zoned.astype(object), stamps.astype("datetime64[ns]"),
        pl.Series(stamps.dt.to_pydatetime().tolist()),
    ):  # fmt: skip
        assert np.array_equal(content_keys(other), reference)
    missing = stamps.copy()
    missing[1] = pd.NaT
    assert content_keys(missing)[1] == content_keys(np.array([None], object))[0]
    days = np.array([datetime.date(2020, 1, 1)], object)
    assert equal(days, np.array(["2020-01-01"], dtype="datetime64[D]"))


def test_place_and_kind_matter():
    assert not equal(np.array([["a", "b"]]), np.array([["b", "a"]]))
    assert not equal(np.array(["1"]), np.array([1.0]))
    assert not equal(np.array([b"a"]), np.array(["a"]))


class Grade(enum.Enum):
    LOW = 1
    HIGH = 2


class Opaque:
    """A type that says nothing of its value."""


@pytest.mark.parametrize(
    "a, other",
    [
        (pd.Interval(0, 1), pd.Interval(0, 1, "left")),
        (pd.Interval(0, 1.0), pd.Interval(0, 2)),
        (pd.Period("2024-01"), pd.Period("2024-01-01")),
        (uuid.UUID(int=5), uuid.UUID(int=6)),
        ({"a": 1, "b": [2.0]}, {"a": 1, "b": [3.0]}),
        ({1, 2, "x"}, {1, 2, "y"}),
        (1 + 2j, 1 - 2j),
        (datetime.time(12), datetime.time(12, 30)),
        (np.arange(3), np.arange(4)),
        (np.arange(4), np.arange(4).reshape(2, 2)),
        (pd.Series([1.0, 2.0]), pd.Series([1.0, 2.5])),
        (pathlib.PurePosixPath("a/b"), pathlib.PurePosixPath("a/c")),
        (Grade.LOW, Grade.HIGH),
        (Opaque(), 1.0),
    ],
    ids=lambda cell: type(cell).__name__,
)
def test_cells_of_rare_types_count_by_what_they_hold(a, other):
    def key(cell):
        X = np.empty((1, 2), dtype=object)
        X[0, 0], X[0, 1] = 1.0, cell
        return content_keys(X)[0]

    assert key(a) == key(copy.deepcopy(a))
    assert key(a) != key(other)


def test_equal_cells_of_other_order_and_type_have_one_key():
    def one(cell):
        return np.array([cell, None], dtype=object)[:1]

    assert equal(one({"a": 1, "b": 2}), one({"b": 2, "a": 1}))
    assert equal(one(2 + 0j), np.array([2.0]))
    assert equal(one(Opaque()), one(Opaque()))  # by the name of the type alone
    with pytest.raises(ValueError, match="Complex data not supported"):
        equal(np.array([1 + 2j, 3]), np.array([1 + 2j, 3], dtype=object))


def test_noise_keys():
    X = RNG.normal(size=(N, 3))
    ours = ContentKey.from_container(X, 7)
    assert np.array_equal(ours.seeds, NoiseKey.from_rows(X, 7).seeds)
    assert np.array_equal(NoiseKey.from_keys(content_keys(X), 7).seeds, ours.seeds)
    step = ours.derive("step", 1)
    assert np.array_equal(step.seeds, NoiseKey.from_rows(X, 7).derive("step", 1).seeds)
    part = ContentKey.from_container(X[:5], 7).derive("step", 1)
    assert part.common == step.common != ours.common
    assert step.take([3, 1]).common == step.common
    a, b = (key.generator().shared().random() for key in (part, step))
    assert a == b


def test_large_integers_keep_their_own_noise():
    rows = 2**24 + np.arange(50)[:, None] * np.ones((1, 3), int)
    noise = GaussianNoise(std=0.001, data_range=(0, 2**25), random_state=0)
    assert np.array_equal(
        noise.perturb(None, rows), noise.perturb(None, rows[::-1])[::-1]
    )
