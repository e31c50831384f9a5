"""Tables of columns of any type: what is not selected comes back as it was.

A random walk over types of columns, perturbations and choices of columns. Columns of
pyarrow take part where it is installed.
"""

import datetime
import decimal
import inspect
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest
from perturbation_table import LAWS
from scipy.sparse import csr_array

from skrobust.base.frame_columns import columns_from
from skrobust.perturbations import (
    CategoryFlip,
    ColumnSwap,
    FeatureLoss,
    FeatureNoise,
    MeanDrift,
    MissingValues,
    PerturbationSampler,
    SeriesScaling,
    SignFlip,
    StaleRows,
)
from skrobust.perturbations.tables.column_selection import NoColumnsError

TABLES = [law for law in LAWS if law.kind == "table"]
N = 17


def _gaps(values, rng):
    """Return a list in which some values are missing."""
    gone = rng.random(len(values)) < 0.2
    return [None if g else v for v, g in zip(values, gone, strict=True)]


def _numpy_columns(rng):
    ints = rng.integers(0, 50, N)
    days = pd.date_range("2024-01-01", periods=N, freq="7h")
    yield from (ints.astype(t) for t in ("int8", "uint16", "int32", "int64", "uint64"))
    yield from (rng.normal(size=N).astype(t) for t in ("f2", "f4", "f8"))
    yield ints > 25
    yield ints + 2j
    yield from (days, days.as_unit("s"), days - days[0])


def _object_columns(rng):
    ints = rng.integers(0, 50, N).tolist()
    yield [f"word {i % 5}" for i in ints]
    yield from ([str(i) for i in ints], [float(i) for i in ints], ints)
    yield [i > 25 for i in ints]
    yield [decimal.Decimal(i) / 4 for i in ints]
    yield [datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in ints]
    yield [datetime.timedelta(i) for i in ints]
    yield [datetime.time(i % 24) for i in ints]
    yield [uuid.UUID(int=i) for i in ints]
    yield [1j * i for i in ints]
    yield [pd.Interval(i, i + 1) for i in ints]
    yield [pd.Period("2024-01", "M") + i for i in ints]
    yield [{"a": i} for i in ints]
    yield [[i, "b"] for i in ints]
    yield [np.arange(i) for i in ints]
    yield [pd.Series([i, 2.0]) for i in ints]
    yield [i if i % 2 else f"{i}" for i in ints]
    yield [None] * N


def _pandas_columns(rng):
    for column in _numpy_columns(rng):
        yield pd.Series(column)
    for column in _object_columns(rng):
        yield pd.Series(column, dtype=object)
        yield pd.Series(_gaps(column, rng), dtype=object)
    ints = rng.integers(0, 50, N)
    words = [f"word {i % 5}" for i in ints]
    days = pd.Series(pd.date_range("2024-01-01", periods=N, freq="7h"))
    for dtype in ("Int8", "UInt32", "Int64", "Float32", "Float64", "boolean"):
        cells = ints > 25 if dtype == "boolean" else ints
        yield pd.Series(_gaps(cells.tolist(), rng), dtype=dtype)
        yield pd.Series(cells.tolist(), dtype=dtype)
    yield pd.Series(_gaps(words, rng), dtype="str")
    yield pd.Series(_gaps(words, rng), dtype="string")
    yield pd.cut(pd.Series(ints), 4)
    yield pd.qcut(pd.Series(_gaps(ints.tolist(), rng), dtype="Float64"), 3)
    yield pd.Series(pd.Categorical(_gaps(words, rng)))
    yield pd.Series(pd.Categorical(words, ordered=True))
    yield pd.Series(pd.Categorical(_gaps((ints % 4).tolist(), rng)))
    yield pd.Series(pd.interval_range(0, N))
    yield pd.Series(pd.interval_range(0.0, N))
    yield days.dt.to_period("D")
    yield days.dt.tz_localize("Europe/Paris")
    yield pd.Series(pd.arrays.SparseArray((ints % 3).astype(float)))
    yield pd.Series(pd.arrays.SparseArray(ints % 3))


def _arrow_columns(rng):
    pa = pytest.importorskip("pyarrow")
    ints = rng.integers(0, 50, N).tolist()
    days = [datetime.datetime(2024, 1, 1) + datetime.timedelta(i) for i in ints]
    pairs = (
        (pa.int8(), ints),
        (pa.int64(), ints),
        (pa.uint64(), ints),
        (pa.float32(), ints),
        (pa.float64(), ints),
        (pa.bool_(), [i > 25 for i in ints]),
        (pa.string(), [f"word {i % 5}" for i in ints]),
        (pa.large_string(), [f"word {i % 5}" for i in ints]),
        (pa.binary(), [bytes([i]) for i in ints]),
        (pa.decimal128(10, 2), [decimal.Decimal(i) for i in ints]),
        (pa.date32(), [day.date() for day in days]),
        (pa.timestamp("ns"), days),
        (pa.timestamp("us", "Europe/Paris"), days),
        (pa.duration("ms"), [day - days[0] for day in days]),
        (pa.time64("us"), [datetime.time(i % 24) for i in ints]),
        (pa.list_(pa.int64()), [[i] for i in ints]),
        (pa.struct([("a", pa.int64())]), [{"a": i} for i in ints]),
        (pa.dictionary(pa.int8(), pa.string()), [f"word {i % 5}" for i in ints]),
    )
    for dtype, cells in pairs:
        cells = _gaps(cells, rng)
        if pa.types.is_dictionary(dtype):
            cells = pa.array(cells).dictionary_encode().cast(dtype)
            yield pd.Series(pd.arrays.ArrowExtensionArray(cells))
        else:
            yield pd.Series(cells, dtype=pd.ArrowDtype(dtype))
    yield pd.Series([f"word {i % 5}" for i in ints], dtype="string[pyarrow]")


def _polars_columns(rng):
    ints = rng.integers(0, 50, N).tolist()
    words = [f"word {i % 5}" for i in ints]
    days = [datetime.datetime(2024, 1, 1) + datetime.timedelta(i) for i in ints]
    pairs = (
        *((t, ints) for t in (pl.Int8, pl.UInt16, pl.Int64, pl.UInt64)),
        *((t, [i / 4 for i in ints]) for t in (pl.Float32, pl.Float64)),
        (pl.Boolean, [i > 25 for i in ints]),
        (pl.String, words),
        (pl.Categorical, words),
        (pl.Enum(sorted(set(words))), words),
        (pl.Binary, [bytes([i]) for i in ints]),
        (pl.Decimal(10, 2), [decimal.Decimal(i) for i in ints]),
        (pl.Date, [day.date() for day in days]),
        (pl.Datetime("ns"), days),
        (pl.Datetime("us", "Europe/Paris"), days),
        (pl.Duration, [day - days[0] for day in days]),
        (pl.Time, [datetime.time(i % 24) for i in ints]),
        (pl.List(pl.Int64), [[i] for i in ints]),
        (pl.Array(pl.Int64, 2), [[i, 1] for i in ints]),
        (pl.Struct({"a": pl.Int64}), [{"a": i} for i in ints]),
        (pl.Object, [uuid.UUID(int=i) for i in ints]),
        (pl.Null, [None] * N),
    )
    for dtype, cells in pairs:
        yield pl.Series("x", cells, dtype=dtype)
        if dtype not in (pl.Object,):
            yield pl.Series("x", _gaps(cells, rng), dtype=dtype)


def _index(seed, rng):
    labels = rng.permutation(N)
    return [
        pd.RangeIndex(N),
        pd.Index(labels % 3, name="id"),  # some more than once
        pd.date_range("2024", periods=N)[labels],
        pd.MultiIndex.from_arrays([labels, labels % 2], names=["a", "b"]),
    ][seed % 4]


def _names(k, seed, rng):
    words = [f"column {i}" for i in range(k)]
    return [
        words,
        rng.permutation(words).tolist(),
        [f"column {i % 3}" for i in range(k)],  # some more than once
        list(range(k)),
        pd.MultiIndex.from_product([["a"], words]),
    ][seed % 5]


def _pandas_frame(columns, seed, rng):
    frame = pd.concat(columns, axis=1)
    frame.columns = _names(len(columns), seed, rng)
    frame.index = _index(seed, rng)
    frame.attrs["source"] = "walk"
    return frame


def _polars_frame(columns, seed, rng):
    return pl.DataFrame([c.alias(f"column {i}") for i, c in enumerate(columns)])


def _column(frame, j):
    return frame.iloc[:, j] if hasattr(frame, "iloc") else frame.to_series(j)


def _same_cell(a, b):
    if a is b:
        return True
    if isinstance(a, (np.ndarray, pd.Series)):
        return np.array_equal(a, b)
    if a is None or b is None or type(a) is not type(b):
        return False
    return a == b or (a != a and b != b)


def _same_column(a, b):
    if a.dtype != b.dtype or a.name != b.name:
        return False
    if isinstance(a, pd.Series):
        if not a.index.equals(b.index) or a.index.names != b.index.names:
            return False
        if isinstance(a.dtype, np.dtype) and a.dtype != object:
            return a.to_numpy().tobytes() == b.to_numpy().tobytes()
        pairs = zip(a.array, b.array, strict=True)
    else:
        if a.dtype != pl.Object:
            return a.equals(b, null_equal=True)
        pairs = zip(a.to_list(), b.to_list(), strict=True)
    return all(_same_cell(x, y) for x, y in pairs)


def _floats_of(dtype):
    """Return the float type that integers of a library become, by the stated rule."""
    if isinstance(dtype, np.dtype):
        return np.dtype(float)
    if isinstance(dtype, pd.SparseDtype):
        return pd.SparseDtype(float, dtype.fill_value)
    if isinstance(dtype, pl.DataType):
        return pl.Float64()
    name = str(dtype)
    return pd.ArrowDtype(_pa_float()) if "pyarrow" in name else pd.Float64Dtype()


def _pa_float():
    return pytest.importorskip("pyarrow").float64()


def _is_integer(dtype):
    if isinstance(dtype, pl.DataType):
        return dtype.is_integer()
    return getattr(dtype, "kind", "O") in "iu"


def _is_decimal(dtype):
    return str(dtype).lower().startswith("decimal")


def _type_may_be(old, new, p):
    """Return whether a selected column of one type may come back as another."""
    if old == new:
        return True
    if isinstance(p, MissingValues) or getattr(p, "fill", None) == "nan":
        if old == np.dtype(bool):
            return new == np.dtype(object)
        if isinstance(old, np.dtype) and old.kind in "iu":
            return new == np.dtype(float)
        if isinstance(old, pd.SparseDtype):
            return new == _floats_of(old)
        return str(new) == str(old).replace("int64", "float64")  # intervals
    if isinstance(old, pd.CategoricalDtype):  # it learns what it lacks, at the end
        return list(new.categories[: len(old.categories)]) == list(old.categories)
    if isinstance(old, pl.Enum):
        return new.categories.to_list()[: len(old.categories)] == list(old.categories)
    keeps = getattr(p, "keep_integer", False) or type(p)._keeps_integer
    if isinstance(p, ColumnSwap):  # a missing value may come from the other column
        keeps = keeps and not isinstance(old, (np.dtype, pd.SparseDtype))
    if _is_integer(old):
        return not keeps and new == _floats_of(old)
    return _is_decimal(old) and new == _floats_of(old)


def _selection(p, frame, rng):
    """Return some of the columns that a perturbation takes, or None."""
    try:
        p.fit(frame)
    except NoColumnsError:
        return None
    usable = p.columns_
    least = 2 if type(p).__name__ == "ColumnSwap" else 1
    if len(usable) < least:
        return None
    size = rng.integers(least, len(usable) + 1)
    return sorted(rng.choice(usable, size, replace=False).tolist())


def _as_mask(places, width):
    return [bool(j in places) for j in range(width)]


def _walk(law, frame, rng):
    params = dict(law.strong, **law.more)
    known = inspect.signature(law.cls).parameters
    if "keep_integer" in known:
        params["keep_integer"] = bool(rng.integers(2))
    if "plausible" in known:
        params["plausible"] = bool(rng.integers(2))
    chosen = _selection(law(**params), frame, rng)
    if chosen is None:
        return
    chosen = _as_mask(chosen, frame.shape[1])  # names may occur twice, or be numbers
    p = law(**{**params, "columns": chosen}).fit(frame)
    before = frame.copy() if hasattr(frame, "iloc") else frame.clone()
    out = p.perturb(None, frame)
    assert list(out.columns) == list(frame.columns)
    if hasattr(frame, "iloc"):
        assert out.attrs == frame.attrs
        assert out.index.equals(frame.index)
    for j in range(frame.shape[1]):
        old, new = _column(frame, j), _column(out, j)
        assert _same_column(_column(before, j), old), (p, old.dtype)
        if j not in p.columns_:
            assert _same_column(old, new), (p, old.dtype)
        else:
            assert _type_may_be(old.dtype, new.dtype, p), (p, old.dtype, new.dtype)
            assert new.name == old.name


KINDS = {
    "pandas": (_pandas_columns, _pandas_frame),
    "arrow": (_arrow_columns, _pandas_frame),
    "polars": (_polars_columns, _polars_frame),
}


@pytest.mark.parametrize("law", TABLES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:Series.values returning:DeprecationWarning")
def test_what_is_not_selected_comes_back_as_it_was(kind, law):
    columns, frame = KINDS[kind]
    for seed in range(5):  # each way to name the columns
        rng = np.random.default_rng(seed)
        some = list(columns(rng))
        some = [some[i] for i in rng.permutation(len(some))[:20]]
        _walk(law, frame(some, seed, rng), rng)


def test_new_numbers_have_the_type_of_the_stated_rule():
    frame = pd.DataFrame({"x": np.arange(8)})
    types = {"int32": "float64", "float32": "float32", "Int64": "Float64",
             "Float32": "Float32"}  # fmt: skip
    types |= {"Sparse[int64]": pd.SparseDtype(float, 0)}
    if _has_pyarrow():
        types |= {"int8[pyarrow]": "double[pyarrow]"}
    plain = FeatureNoise(sd=0.3, random_state=0).fit_transform(frame)["x"]
    for before, after in types.items():
        typed = frame.astype(before)
        noise = FeatureNoise(sd=0.3, random_state=0)
        out = noise.fit_transform(typed)["x"]
        assert out.dtype == pd.Series([0.0], dtype=after).dtype
        assert np.allclose(out.to_numpy(dtype=float), plain, rtol=1e-6)
        if "loat" not in before:
            whole = noise.set_params(keep_integer=True).fit_transform(typed)["x"]
            assert whole.dtype == typed["x"].dtype
            assert np.array_equal(whole.to_numpy(dtype=float), np.rint(plain))


def _has_pyarrow():
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def test_rounded_numbers_stay_in_the_limits_of_nullable_types():
    frame = pd.DataFrame({"x": pd.Series([-128, 0, 127, None], dtype="Int8")})
    noise = FeatureNoise(sd=50.0, keep_integer=True, random_state=0).fit(frame)
    out = noise.transform(frame)["x"]
    assert out.dtype == "Int8"
    assert out.isna().tolist() == [False, False, False, True]
    assert set(out[:3]) & {-128, 127}
    big = pd.DataFrame({"x": pd.Series([2**62 + 1, 5], dtype="Int64")})
    flip = SignFlip(share=0.0, keep_integer=True).perturb(None, big)
    assert flip["x"].tolist() == [2**62 + 1, 5]


@pytest.mark.parametrize("p", [FeatureNoise(columns=[1]), MissingValues(columns=[1])])
def test_an_array_of_integers_that_floats_would_round_is_refused(p):
    ids = np.array([[2**60 + 1, 1], [2**60 + 3, 2], [7, 4]])
    p = p.set_params(random_state=0).fit(ids)
    with pytest.raises(
        ValueError, match=r"would round column 0: it holds 115.*objects"
    ):
        p.perturb(None, ids)
    assert p.perturb(None, ids % 2**50).dtype == np.float64
    assert p.perturb(None, ids.astype(object))[:, 0].tolist() == ids[:, 0].tolist()
    frame = pd.DataFrame(ids)
    p.fit(frame)
    assert p.perturb(None, frame)[0].equals(frame[0])


def test_a_category_keeps_its_type_in_every_batch():
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b", "a", "b", None] * 4)})
    unseen = CategoryFlip(share=0.1, mode="unseen", random_state=0).fit(frame)
    parts = [unseen.perturb(None, frame.iloc[i : i + 2]) for i in range(0, 20, 2)]
    assert {tuple(part["c"].cat.categories) for part in parts} == {("a", "b", "unseen")}
    assert list(frame["c"].cat.categories) == ["a", "b"]
    sampler = PerturbationSampler(unseen)
    X, _ = sampler.fit_resample(frame, [0, 1] * 10)
    assert list(X["c"].cat.categories) == ["a", "b", "unseen"]
    assert X["c"].iloc[:20].tolist()[:4] == ["a", "b", "a", "b"]


def test_objects_stay_objects():
    # pandas makes text of objects that are all text, where nobody tells it not to.
    frame = pd.DataFrame({"c": pd.Series(["a", "b"] * 10, dtype=object)})
    for p in (
        MissingValues(share=0.3),
        MissingValues(share=0.3, missing_value="?"),
        CategoryFlip(share=0.5),
        StaleRows(share=0.5),
    ):
        out = p.set_params(random_state=0).fit(frame).perturb(None, frame)
        assert out["c"].dtype == object
        assert not out["c"].equals(frame["c"])


def test_columns_of_lists_are_no_categories():
    frame = pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"], "l": [[1], [2]]})
    flip = CategoryFlip(share=1.0, random_state=0).fit(frame)
    assert flip.columns_.tolist() == [1]
    with pytest.raises(ValueError, match=r"told apart by a look-up.*'l'"):
        CategoryFlip(columns=["l"]).fit(frame)
    for p in (MissingValues(share=1.0, mechanism="mnar"), FeatureLoss(share=1.0)):
        out = p.set_params(random_state=0).fit(frame).perturb(None, frame)
        assert out["l"].tolist() == [None, None]


def test_a_ramp_runs_along_periods_and_times_of_day():
    month = pd.period_range("2024-01", periods=3, freq="M")
    hour = pd.Series([datetime.time(h) for h in (0, 6, 12)], dtype=object)
    for along in (month, hour):
        frame = pd.DataFrame({"t": along, "x": [0.0, 1.0, 2.0]})
        drift = MeanDrift(size=1.0, shape="ramp", along="t").fit(frame)
        sd = np.std([0.0, 1.0, 2.0])
        moved = drift.transform(frame)["x"] - frame["x"]
        assert np.allclose(moved, [0, sd / 2, sd])


@pytest.mark.parametrize("p", [FeatureNoise(), MissingValues(), StaleRows()], ids=str)
def test_what_is_no_table_gets_a_sentence(p):
    fields = np.zeros(4, dtype=[("a", float), ("b", int)])
    with pytest.raises(ValueError, match=r"named fields.*DataFrame"):
        p.fit(fields)
    masked = np.ma.masked_less(np.arange(6.0).reshape(3, 2), 2)
    for call in (p.fit, lambda X: p.fit(masked.data).perturb(None, X)):
        with pytest.raises(ValueError, match=r"mask.*filled"):
            call(masked)
    with pytest.raises(TypeError, match=r"Sparse data.*toarray"):
        p.fit(csr_array(np.eye(3)))


def test_every_kind_takes_a_random_state():
    for law in LAWS:
        assert "random_state" in inspect.signature(law.cls).parameters, law


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 2, 3], "b": [4, None, 6]}, dtype="Int64"),
        pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4, None, 6]}, dtype="Float32"),
        pl.DataFrame({"a": [1, 2, 3], "b": [4, None, 6]}),
        pl.DataFrame({"a": [1.0, 2, 3], "b": [4, None, 6]}).cast(pl.Float32),
    ],
    ids=["Int64", "Float32", "polars", "polars Float32"],
)  # fmt: skip
def test_series_in_frames_follow_the_same_rule(frame):
    out = SeriesScaling(std=0.5, random_state=0).perturb(None, frame)
    types = [FeatureNoise(random_state=0).fit_transform(frame)[c].dtype for c in "ab"]
    assert [out[c].dtype for c in "ab"] == types
    gone = out["b"].isna() if hasattr(out, "iloc") else out["b"].is_null()
    assert gone.to_list() == [False, True, False]


def test_columns_of_other_rows_keep_their_types():
    for X, other in (
        (np.array([[1, 2], [3, 4]]), np.array([[1.5, 2.5], [3.5, 4.5]])),
        (np.array([["a", "b"]]), np.array([["longer", "words"]])),
        (np.array([[1, 2]]), np.array([["a", None]], dtype=object)),
    ):
        out = columns_from(X, other, [1])
        assert out[:, 1].tolist() == other[:, 1].tolist()
        assert out[:, 0].tolist() == X[:, 0].tolist()
    frame = pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": ["x", "y"]})
    other = frame.assign(b=pd.Categorical(["x", "z"]))
    mixed = columns_from(frame, other.set_axis([5, 6]), [1])
    assert mixed.dtypes.tolist() == [frame["a"].dtype, other["b"].dtype]
    assert mixed["b"].tolist() == ["x", "z"]
    assert mixed.index.equals(frame.index)


def test_cells_of_series_and_lists_can_be_compared():
    frame = pd.DataFrame({"l": [[1, [2]], ["a"], [3]], "x": [1.0, 2.0, 3.0]})
    frame["s"] = pd.Series([pd.Series([1.0, np.nan]), np.arange(3), None], dtype=object)
    lost = MissingValues(share=1.0, columns=["l"]).fit(frame)
    assert lost.describe(frame).words == "100 % of the cells of 1 column go missing"
    assert lost.describe(frame).touched == ("l",)
    assert FeatureNoise(columns=["x"]).fit(frame).describe(frame).touched == ("x",)


@pytest.mark.parametrize("library", ["pandas", "nullable", "polars"])
def test_a_missing_value_that_moves_into_integers_stays_missing(library):
    ints = {"pandas": "int64", "nullable": "Int64"}
    if library == "polars":
        frame = pl.DataFrame({"n": [1, 2, 3], "x": [0.5, None, 2.5]})
    else:
        n = pd.Series([1, 2, 3], dtype=ints[library])
        frame = pd.DataFrame({"n": n, "x": [0.5, np.nan, 2.5]})
    swap = ColumnSwap(share=1.0, columns=["n", "x"], keep_integer=True, random_state=0)
    out = swap.perturb(None, frame)
    gone = out["n"].is_null() if library == "polars" else out["n"].isna()
    assert gone.to_list() == [False, True, False]
    expected = [0, 2] if library != "pandas" else [0.5, 2.5]
    assert [out["n"][0], out["n"][2]] == expected
    assert [float(v) for v in out["x"]] == [1, 2, 3]
