"""Levels of an index that hold times: the last one is the time, where any does."""

import numpy as np
import pandas as pd
import pytest

from skrobust.perturbations import TimeWarp
from skrobust.perturbations.time_series.long_panels import _is_of_times

N, LENGTH = 3, 12
VALUES = np.random.default_rng(0).normal(size=(N * LENGTH, 2)).cumsum(axis=0)
START = pd.Timestamp("2024-02-01")


def arrow(index):
    pytest.importorskip("pyarrow")
    unit = "duration[ns]" if index.dtype.kind == "m" else "timestamp[ns]"
    return pd.Index(index, dtype=f"{unit}[pyarrow]")


TIMES = {
    "dates": lambda n: pd.date_range(START, periods=n),
    "dates of no frequency": lambda n: START + pd.to_timedelta(np.arange(n) ** 2, "h"),
    "dates with a zone": lambda n: pd.date_range(START, periods=n, tz="Europe/Rome"),
    "durations": lambda n: pd.timedelta_range(0, periods=n, freq="h"),
    "periods": lambda n: pd.period_range("2024-02", periods=n, freq="M"),
    "dates of pyarrow": lambda n: arrow(pd.date_range(START, periods=n)),
    "durations of pyarrow": lambda n: arrow(pd.timedelta_range(0, periods=n, freq="D")),
}
OTHERS = {
    "whole numbers": lambda n: pd.RangeIndex(n),
    "floats": lambda n: pd.Index(np.arange(n) / 4),
    "text": lambda n: pd.Index([f"case {i}" for i in range(n)]),
    "kinds": lambda n: pd.CategoricalIndex([f"case {i}" for i in range(n)]),
}


def frame(outer, inner):
    index = pd.MultiIndex.from_product([outer(N), inner(LENGTH)], names=["a", "b"])
    return pd.DataFrame(VALUES, index=index, columns=["x", "y"])


@pytest.mark.parametrize("name", [*TIMES, *OTHERS])
def test_an_index_is_of_times_or_not(name):
    make = TIMES.get(name) or OTHERS[name]
    assert bool(_is_of_times(make(5))) == (name in TIMES)
    level = frame(make, OTHERS["text"]).index.get_level_values(0)
    assert bool(_is_of_times(level)) == (name in TIMES)


@pytest.mark.parametrize("outer", TIMES)
@pytest.mark.parametrize("inner", ["whole numbers", "floats"])
def test_times_before_numbers_are_refused(outer, inner):
    with pytest.raises(ValueError, match="bring the time to the end"):
        TimeWarp(5, random_state=0).fit(frame(TIMES[outer], OTHERS[inner]))


@pytest.mark.parametrize("outer", [*TIMES, *OTHERS])
@pytest.mark.parametrize("inner", TIMES)
def test_times_at_the_end_are_read_whatever_comes_before(outer, inner):
    given = frame(TIMES.get(outer) or OTHERS[outer], TIMES[inner])
    out = TimeWarp(5, random_state=0).fit(given).transform(given)
    pd.testing.assert_index_equal(out.index, given.index)
    series = given.set_axis(
        pd.MultiIndex.from_product([range(N), TIMES[inner](LENGTH)], names=["a", "b"])
    )
    wanted = TimeWarp(5, random_state=0).fit(series).transform(series)
    assert np.array_equal(out.to_numpy(), wanted.to_numpy())
    assert (out.to_numpy() != VALUES).mean() > 0.5
