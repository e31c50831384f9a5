"""Moments of columns over batches, joined as those of all rows."""

import numpy as np
import pytest

from skrobust.base.column_moments import ColumnMoments, _joined, _moments
from skrobust.base.table_change import standard_deviation


@pytest.mark.parametrize("sizes", [(5, 7), (1, 30), (0, 4), (4, 0), (0, 0)])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_joined_moments_are_those_of_all_values(sizes, offset):
    rng = np.random.default_rng(0)
    first, second = (offset + rng.normal(size=size) for size in sizes)
    joined = _joined(_moments("numbers", first), _moments("numbers", second))
    whole = _moments("numbers", np.concatenate([first, second]))
    assert joined[0] == whole[0] == sum(sizes)
    assert joined == pytest.approx(whole, rel=1e-6)


def test_columns_have_the_deviation_of_their_finite_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * [1, 5, 0] + 1e6
    X[::7, 1] = np.nan
    moments = ColumnMoments()
    for rows in np.split(X, [1, 8, 20]):
        moments.update(rows)
    assert moments.sd == pytest.approx(np.nanstd(X, axis=0), rel=1e-6)
    assert moments.sd[2] == 0


def test_a_column_of_no_numbers_has_none():
    assert _moments("text", np.array(["a"])) is None
    assert _joined(None, (2, 1.0, 0.5)) == (2, 1.0, 0.5)
    assert _joined((2, 1.0, 0.5), None) == (2, 1.0, 0.5)
    assert _joined(None, None) is None
    assert _moments("numbers", np.array([np.nan, np.inf])) == (0, 0, 0)


@pytest.mark.parametrize("value", [0.1, 1 / 3, -1e9 / 7, 1e-300, 0.0])
@pytest.mark.parametrize("n", [1, 3, 7, 1000])
def test_equal_values_deviate_by_nothing_whatever_their_sum_rounds_to(value, n):
    same = np.full(n, value)
    assert standard_deviation(same) == 0
    assert standard_deviation(np.r_[np.nan, same, np.inf]) == 0
    other = np.r_[same, value + 1.0]
    assert standard_deviation(other) == pytest.approx(np.std(other))


@pytest.mark.parametrize("values", [[], [np.nan], [np.inf, -np.inf, np.nan]])
def test_a_column_without_a_finite_value_deviates_by_nothing(values):
    assert standard_deviation(np.array(values)) == 0
