"""Columns of frames of pandas and polars: which hold numbers, and more rows below."""

import datetime

import numpy as np
import pandas as pd
import pytest

from skrobust.base.frame_columns import columns_from, joined_frames, numbers_of

LIBRARIES = ["pandas", "polars"]
OBJECTS = {
    "numbers": ([1, 2.5, True], [1.0, 2.5, 1.0]),
    "numbers with gaps": ([1, None, pd.NA, np.nan, np.int8(3)], [1, *[np.nan] * 3, 3]),
    "digits": (["1", "2"], None),
    "digits as bytes": ([b"1", b"2"], None),
    "digits after numbers": ([1, 2.5, "3"], None),
    "text after a gap": ([None, "a"], None),
    "dates": ([datetime.date(2020, 1, 1)], None),
    "lists": ([[1], [2]], None),
}


@pytest.mark.parametrize("case", OBJECTS)
def test_cells_of_python_are_numbers_or_they_are_not(case):
    held, expected = OBJECTS[case]
    found = numbers_of(pd.Series(held, dtype=object))
    if expected is None:
        assert found is None
    else:
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == np.float64


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_of_one_type_are_numbers_or_they_are_not(library):
    frame = pytest.importorskip(library).DataFrame(
        {"n": [1, 2], "x": [0.5, 1.5], "b": [True, False], "t": ["1", "2"]}
    )
    found = {name: numbers_of(frame[name]) for name in frame.columns}
    assert found["n"].tolist() == [1, 2]
    assert found["x"].tolist() == [0.5, 1.5]
    assert found["b"].tolist() == [1, 0]
    assert found["t"] is None
    kind = (
        "category" if library == "pandas" else pytest.importorskip("polars").Categorical
    )
    column = frame["t"].astype(kind) if library == "pandas" else frame["t"].cast(kind)
    assert numbers_of(column) is None


@pytest.mark.parametrize("library", LIBRARIES)
def test_rows_of_a_second_frame_stand_below_those_of_the_first(library):
    make = pytest.importorskip(library).DataFrame
    first = make({"n": [1, 2], "t": ["a", "b"]})
    for numbers in ([3, 4, 5], [0.5, 1.5, 2.5]):
        joined = joined_frames(first, make({"n": numbers, "t": ["c", "d", "e"]}))
        assert type(joined) is type(first)
        assert joined["n"].to_list() == [1, 2, *numbers]
        assert joined["t"].to_list() == list("abcde")
        assert list(joined.columns) == ["n", "t"]
        if library == "pandas":
            assert list(joined.index) == list(range(5))
    assert first.shape == (2, 2)


@pytest.mark.parametrize("library", ["numpy", *LIBRARIES])
def test_some_columns_of_other_rows(library):
    make = np.array
    if library != "numpy":
        kind = pytest.importorskip(library).DataFrame

        def make(rows):
            return kind(dict(zip("abc", np.array(rows).T, strict=True)))

    rows, others = make([[1, 2, 3], [4, 5, 6]]), make([[7.5, 8, 9], [0.5, 1, 2]])
    found = columns_from(rows, others, [0, 2])
    assert type(found) is type(rows)
    assert np.asarray(found).tolist() == [[7.5, 2, 9], [0.5, 5, 2]]
    assert np.asarray(rows).tolist() == [[1, 2, 3], [4, 5, 6]]
