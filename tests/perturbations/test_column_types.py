"""New cells in columns whose type cannot hold them: nothing is cast in silence."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrobust.perturbations import MissingValues
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
