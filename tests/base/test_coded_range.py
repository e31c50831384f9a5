"""Bounds of the columns of a frame as those of its coded rows."""

from types import SimpleNamespace

import numpy as np
import pytest

from skrobust.base.coded_constraints import coded_range

# Columns b and d hold numbers; then two indicators and the code of other cells.
FRAME = SimpleNamespace(
    names=list("abcd"),
    coded=[1, 3],
    values=np.array([[0.5, 0.1, 1, 0, 7.0], [0.2, 0.9, 0, 1, 3.0]]),
)


def test_bounds_of_columns_become_those_of_coded_rows():
    low, high = coded_range(FRAME, (-1, 2), "PGD")
    assert low.tolist() == [-1, -1, 0, 0, 3]
    assert high.tolist() == [2, 2, 1, 1, 8]
    low, high = coded_range(FRAME, ([0, 1, 2, 3], [10, 11, 12, 13]), "PGD")
    assert low.tolist() == [1, 3, 0, 0, 3]
    assert high.tolist() == [11, 13, 1, 1, 8]


def test_what_is_no_pair_of_bounds_is_left_to_the_attack():
    assert coded_range(FRAME, "all", "PGD") == "all"
    assert coded_range(FRAME, (0,), "PGD") == (0,)
    with pytest.raises(ValueError, match=r"one bound per column, of shape \(4,\)"):
        coded_range(FRAME, ([0, 0], [1, 1]), "PGD")
