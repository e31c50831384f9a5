"""New cells in columns whose type cannot hold them: nothing is cast in silence."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrobust.perturbations import FeatureNoise, MissingValues, SignFlip
from skrobust.perturbations.tables.column_cells import pandas_cells, polars_cells

DAYS = pd.Series(pd.date_range("2024-01-01", periods=3, unit="s"))
HALF = pd.Timestamp("2024-05-05 13:30:00.5")
ROWS = np.array([True, False, True])


def arrow(dtype):
    pytest.importorskip("pyarrow")
    return dtype


@pytest.mark.parametrize("dtype", ["int64", "Int64", "int64[pyarrow]"])
def test_what_is_not_whole_is_not_cut_off(dtype):
    frame = pd.DataFrame({"n": pd.Series([1, 2, 3], dtype=arrow(dtype))})
    out = MissingValues(share=1.0, missing_value=-0.5).fit_transform(frame)["n"]
    assert out.tolist() == [-0.5, -0.5, -0.5]
    assert out.dtype.kind == "f"
    assert frame["n"].tolist() == [1, 2, 3]
    assert str(frame["n"].dtype) == dtype
    whole = MissingValues(share=1.0, missing_value=-5).fit_transform(frame)["n"]
    assert str(whole.dtype) == dtype


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]"])
def test_numbers_are_no_booleans(dtype):
    column = pd.Series([True, False, True], dtype=arrow(dtype))
    out = MissingValues(share=1.0, missing_value=2).fit_transform(column.to_frame("b"))
    assert out["b"].tolist() == [2, 2, 2]
    assert not isinstance(out["b"][0], bool)
    assert str(pandas_cells(column, ROWS, [False, True]).dtype) == dtype


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        ("date32[pyarrow]", HALF, "timestamp[us][pyarrow]"),
        ("date32[pyarrow]", datetime.date(2024, 5, 5), "date32[day][pyarrow]"),
        ("timestamp[s][pyarrow]", HALF, "timestamp[us][pyarrow]"),
        ("timestamp[s][pyarrow]", DAYS[1], "timestamp[s][pyarrow]"),
        ("datetime64[s, UTC]", HALF.tz_localize("UTC"), "datetime64[us, UTC]"),
        (
            "datetime64[s, UTC]",
            pd.Timestamp(HALF.as_unit("ns").value + 1, tz="UTC"),
            "datetime64[ns, UTC]",
        ),
        ("datetime64[s, UTC]", DAYS[1].tz_localize("UTC"), "datetime64[s, UTC]"),
    ],
)
def test_times_get_a_finer_unit_where_they_need_it(old, value, new):
    if "pyarrow" in old:
        pytest.importorskip("pyarrow")
    column = DAYS.dt.tz_localize("UTC") if "UTC" in old else DAYS
    column = column.astype(old)
    out = pandas_cells(column, ROWS, [value, value])
    assert str(out.dtype) == new
    assert out[0] == out[2] == value
    assert str(out[1])[:10] == "2024-01-02"
    assert str(column[0])[:10] == "2024-01-01"


def test_times_of_polars_keep_their_microseconds():
    start, step = datetime.datetime(2024, 1, 1), datetime.timedelta(microseconds=1)
    column = pl.Series("t", [start] * 3, dtype=pl.Datetime("ms"))
    out = polars_cells(column, ROWS, [start + step, None])
    assert out.to_list() == [start + step, start, None]
    assert out.dtype == pl.Datetime("us")
    assert polars_cells(column, ROWS, [start, None]).dtype == pl.Datetime("ms")
    column = pl.Series("t", [step * 5000] * 3, dtype=pl.Duration("ms"))
    out = polars_cells(column, ROWS, [step, step])
    assert out.to_list() == [step, step * 5000, step]


BIG = [2**53 + 3, 2**53 + 1, 5, 6] * 20
REFUSED = r"would round column 'n': it holds 900719925474099\d, .* objects"


@pytest.mark.parametrize(
    "library", ["int64", "uint64", "Int64", "int64[pyarrow]", "pl"]
)
@pytest.mark.parametrize("value", [-0.5, None])
def test_integers_of_frames_that_floats_would_round_are_refused(library, value):
    if library == "pl":
        frame = pl.DataFrame({"n": BIG})
    else:
        frame = pd.DataFrame({"n": pd.Series(BIG, dtype=arrow(library))})
    p = MissingValues(share=0.5, missing_value=value, random_state=0).fit(frame)
    if value is None and library not in {"int64", "uint64"}:  # has a mark for it
        assert set(p.transform(frame)["n"].drop_nulls() if library == "pl"
                   else p.transform(frame)["n"].dropna()) <= set(BIG)  # fmt: skip
        return
    with pytest.raises(ValueError, match=REFUSED):
        p.transform(frame)
    if library != "pl":  # what the message says
        objects = frame.astype(object)
        out = p.fit(objects).transform(objects)["n"]
        kept = [v for v in out if v is not None and v != value]
        assert 0 < len(kept) < len(BIG)
        assert set(kept) <= set(BIG)


@pytest.mark.parametrize("library", ["int64", "Int64", "pl", "array"])
def test_numbers_that_are_not_selected_are_not_rounded(library):
    frame = pd.DataFrame({"n": pd.Series(BIG, dtype="int64")})
    if library == "array":
        X = frame.to_numpy()
    else:
        X = pl.DataFrame({"n": BIG}) if library == "pl" else frame.astype(library)
    p = SignFlip(share=0.5, random_state=0).fit(X)
    with pytest.raises(ValueError, match="would round column"):
        p.transform(X)
    if library == "pl":  # what the message says
        objects = pl.DataFrame({"n": pl.Series(BIG, dtype=pl.Object)})
        found = p.fit(objects).transform(objects)["n"].to_list()
        kept = [v for v in found if v > 0]
        assert 0 < len(kept) < len(BIG)
        assert set(kept) == set(BIG)
    small = X[2:4]
    assert p.transform(small).shape == (2, 1)


def test_the_first_integer_that_is_no_double_is_refused():
    ids = np.array([[2**53 + 1, 1], [3, 4]])
    with pytest.raises(
        ValueError, match="would round column 0: it holds 9007199254740993"
    ):
        MissingValues(share=1.0, columns=[1]).fit(ids).perturb(None, ids)
    exact = np.array([[2**63, 1], [3, 4]], dtype=np.uint64)
    out = MissingValues(share=1.0, columns=[1]).fit(exact).perturb(None, exact)
    assert out[:, 0].tolist() == [2.0**63, 3.0]


def narrow(cells, dtype):
    """Return cells as a column of narrow floats."""
    if dtype == "array":
        return np.array(cells, dtype=np.float32)[:, None]
    if "polars" in dtype:
        return pl.DataFrame({"x": pl.Series(cells, dtype=pl.Float32)})
    return pd.DataFrame({"x": pd.Series(cells, dtype=arrow(dtype))})


@pytest.mark.parametrize(
    "dtype",
    ["float16", "float32", "Float32", "float[pyarrow]", "halffloat[pyarrow]"]
    + ["array", "Float32 of polars"],
)
def test_what_does_not_fit_in_narrow_floats_is_refused(dtype):
    cells = [1.0, -2.0, np.nan, 5.0]
    X = narrow(cells, dtype)
    p = MissingValues(share=1.0, missing_value=1e300).fit(X)
    with pytest.raises(
        ValueError, match=r"makes 1e\+300, which is too large for float"
    ):
        p.transform(X)
    infinite = p.set_params(missing_value=-np.inf).transform(X)  # asked for
    assert np.isneginf(np.asarray(infinite, dtype=float)).all()
    assert p.set_params(missing_value=0.1).transform(X).shape == (4, 1)
    factor = 1 if dtype in ("float16", "halffloat[pyarrow]") else 1e36
    large = narrow([cell * factor for cell in cells], dtype)
    noise = FeatureNoise(sd=1e12, random_state=0).fit(large)
    with pytest.raises(ValueError, match="too large for float"):
        noise.transform(large)


def test_fractions_in_nested_columns_are_kept():
    kinds = [
        (pl.Struct({"a": pl.Int64}), pl.Struct({"a": pl.Float64}), lambda v: {"a": v}),
        (pl.List(pl.Int8), pl.List(pl.Float64), lambda v: [v]),
        (pl.Array(pl.Int64, 1), pl.Array(pl.Float64, 1), lambda v: [v]),
        (
            pl.List(pl.Struct({"a": pl.List(pl.Int32)})),
            pl.List(pl.Struct({"a": pl.List(pl.Float64)})),
            lambda v: [{"a": [v]}],
        ),
        (pl.Decimal(10, 2), pl.Float64(), lambda v: v),
    ]
    for old, new, cell in kinds:
        column = pl.Series("x", [cell(1), cell(2), None], dtype=old)
        out = polars_cells(column, ROWS, [cell(2.125), None])
        assert out.to_list() == [cell(2.125), cell(2.0), None]
        assert out.dtype == new
        whole = polars_cells(column, ROWS, [cell(7), cell(8)])
        assert whole.to_list() == [cell(7), cell(2), cell(8)]
        assert whole.dtype == old


def test_nested_cells_that_no_type_holds_are_refused():
    column = pl.Series("x", [{"a": 2**60 + 1, "b": "u"}] * 3)
    for value in ({"a": 2.5}, {"a": "text"}, {"c": 1}):
        with pytest.raises(ValueError, match=r"'x' of Struct.*cannot hold"):
            polars_cells(column, ROWS, [value, value])
    narrow = pl.Series("x", [[1.0]] * 3, dtype=pl.List(pl.Float32))
    assert polars_cells(narrow, ROWS, [[0.1], None]).dtype == narrow.dtype
    with pytest.raises(ValueError, match="cannot hold"):
        polars_cells(narrow, ROWS, [[1e300], None])


def test_fractions_in_nested_columns_of_arrow_are_kept():
    pa = pytest.importorskip("pyarrow")
    column = pd.Series([{"a": 1}] * 3, dtype=pd.ArrowDtype(pa.struct({"a": pa.int8()})))
    assert list(pandas_cells(column, ROWS, [{"a": 2.5}] * 2)) == [
        {"a": 2.5}, {"a": 1}, {"a": 2.5},
    ]  # fmt: skip
