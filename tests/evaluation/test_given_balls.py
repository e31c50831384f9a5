"""Balls of attacks that are given: ranges that do not hold the rows, and units."""

import numpy as np
import pytest

from skrobust.attacks import PGD
from skrobust.evaluation.attacks_in_ball import shared_ball
from skrobust.evaluation.model_checks import check_input

VALUES = np.random.default_rng(0).random((20, 3))


@pytest.mark.parametrize("place", [(0, 0), (19, 2)])
@pytest.mark.parametrize("value", [-0.01, 1.01])
def test_one_value_outside_of_the_range_is_told(place, value):
    values = VALUES.copy()
    values[place] = value
    with pytest.raises(ValueError, match="found input outside data_range"):
        shared_ball([PGD(0.1)], values, None, None, (0, 1), "here")
    ball = shared_ball([PGD(0.1, norm=2)], VALUES, None, None, (0, 1), "here")
    assert ball == {"eps": 0.1, "norm": 2, "data_range": (0, 1)}


@pytest.mark.parametrize(
    "data_range",
    [(1, 0), (0, np.inf), (0,), "all", ([0, 0], [1, 1]), (0, "a"), (np.nan, 1)],
)
def test_ranges_that_are_none(data_range):
    with pytest.raises(ValueError, match="'data_range' parameter of here"):
        shared_ball([PGD(0.1)], VALUES, None, None, data_range, "here")


@pytest.mark.parametrize("norm", [3, "l2", [2]])
def test_norms_that_are_none(norm):
    with pytest.raises(ValueError, match="'norm' parameter of here"):
        shared_ball([PGD(0.1)], VALUES, None, norm, None, "here")
    found = shared_ball([PGD(0.1)], VALUES, 0.3, 0, None, "here")
    assert found == {"eps": 0.3, "norm": 0, "data_range": None}


def test_rows_without_any_spread_say_nothing_of_a_range():
    assert not list(check_input(np.full((20, 2), 0.5), None, np.inf, (0, 255)))
