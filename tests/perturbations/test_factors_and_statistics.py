"""Factors of a grid that are none, and statistics of columns that do not vary."""

import numpy as np
import pytest

from skrobust.perturbations import (
    Brightness,
    GaussianNoise,
    SeriesScaling,
    TimeShift,
    two_factor_grid,
)
from skrobust.perturbations.grid_factors import check_factor
from skrobust.perturbations.tables.column_statistics import _sd


@pytest.mark.parametrize(
    "factor",
    [(), "noise", ("noise",), (GaussianNoise(), "abc"), (GaussianNoise(), 3),
     (GaussianNoise(), b"abc"), (GaussianNoise(), "severity", 2.0),
     (GaussianNoise(), "severity", [1], [2])],
)  # fmt: skip
def test_what_is_no_factor(factor):
    with pytest.raises(ValueError, match="'first' parameter of two_factor_grid"):
        check_factor(factor, "first")


@pytest.mark.parametrize("levels", [[], [0, 1], [1, 1], [1, 1.0]])
def test_levels_are_different_and_not_0(levels):
    with pytest.raises(ValueError, match="must be different and not 0"):
        check_factor((Brightness(), levels), "first")


def test_factors_have_their_parameter_and_levels():
    assert check_factor(Brightness(), "first")[1:] == ("severity", [1, 2, 3, 4, 5])
    given = (Brightness(), "shift", np.array([0.1, 0.2]))
    assert check_factor(given, "first")[1:] == ("shift", [0.1, 0.2])
    with pytest.raises(ValueError, match="names 'light'; Brightness has no such"):
        check_factor((Brightness(), "light", [1]), "first")


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_standard_deviations_at_any_scale(unit):
    values = np.sort(np.random.default_rng(0).normal(size=30))
    assert _sd(values * unit) == pytest.approx(values.std() * unit)
    assert _sd(np.full(4, 3.0) * unit) == 0
    assert _sd(np.empty(0)) == 0


def test_levels_that_are_words_are_in_the_names_of_conditions():
    modes, widths = ["pad", "roll"], [0.5, 1]
    first = TimeShift(share=0.2), "mode", modes
    grid = two_factor_grid(first, (SeriesScaling(), "std", widths), include="pairs")
    assert [condition.name for condition in grid[1:]] == [
        *(f"TimeShift{m}SeriesScaling{w}" for m in modes for w in widths),
        *(f"SeriesScaling{w}TimeShift{m}" for w in widths for m in modes),
    ]
    for condition in grid[1:]:
        assert {step.mode for step in condition.steps if hasattr(step, "mode")} == {
            "pad" if "pad" in condition.name else "roll"
        }
