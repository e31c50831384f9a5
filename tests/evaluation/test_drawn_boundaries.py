"""Distances to the boundary and curves over radii of drawn linear models."""

import warnings

import numpy as np
import pytest
from drawn_models import Case, cases
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds

from skrobust.attacks import ExactLinear
from skrobust.evaluation import (
    boundary_steps,
    empirical_boundary_distance,
    robust_accuracy_curve,
)

SOME = settings(max_examples=20, deadline=None, derandomize=True)
WIDE = (-50, 50)  # a box that nothing meets; steps are shares of its width


def quietly(function, *args, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **params)


def rescaled(case, factor):
    """Return the same case in another unit of all features."""
    return Case(case.weights / factor, case.offset, case.X * factor, case.y, case.box)


@SOME
@given(cases(), st.floats(1e-4, 0.01), st.integers(1, 60), st.integers(1, 9))
def test_steps_are_counted_until_the_margin_is_gone(case, step, max_steps, size):
    settings = {"step": step, "max_steps": max_steps, "data_range": WIDE}
    found = quietly(boundary_steps, case.model, case.X, case.y, **settings)
    margin, rise = case.margin(case.X), step * 100 * np.abs(case.weights).sum()
    counted = np.isfinite(found.steps)
    near = 1e-9 * (1 + np.abs(margin))
    assert (margin - found.steps * rise <= near)[counted].all()
    before = found.steps > 0
    assert (margin - (found.steps - 1) * rise >= -near)[counted & before].all()
    assert (margin >= max_steps * rise - near)[~counted].all()
    assert found.n_dropped == (~counted).sum()
    assert found.n_wrong == (found.steps == 0).sum() <= (margin <= near).sum()
    parts = quietly(
        boundary_steps, case.model, case.X[::-1], case.y[::-1], batch_size=size,
        **settings,
    )  # fmt: skip
    # A step that ends on the border is decided by the last bits, which differ.
    clear = ~np.isclose(margin / rise, np.rint(margin / rise), rtol=0, atol=1e-9)
    steps = parts.steps[::-1]
    assert np.array_equal(steps[clear], found.steps[clear], equal_nan=True)


@SOME
@given(cases(), seeds, st.integers(1, 20), st.integers(-10, 10))
def test_distances_bound_the_true_ones_in_any_unit(case, seed, max_steps, exponent):
    d = case.X.shape[1]
    settings = {"step": 0.002, "max_steps": max_steps, "random_state": seed}
    settings["n_directions"] = d
    args = empirical_boundary_distance, case.model, case.X, case.y
    found = quietly(*args, data_range=WIDE, **settings)
    norm = np.linalg.norm(case.weights) * np.sqrt(d) * 100
    true = np.maximum(case.margin(case.X), 0) / norm
    assert (found.distance >= np.minimum(true, max_steps * 0.002) - 1e-12).all()
    steps = found.distance / 0.002
    assert steps == pytest.approx(np.rint(steps))
    assert (found.distance[~found.reached] == max_steps * 0.002).all()
    assert found.n_unreached == (~found.reached).sum()
    assert found.n_wrong == (found.distance == 0).sum()
    more = quietly(*args, data_range=WIDE, **{**settings, "n_directions": 3 * d})
    assert (more.distance <= found.distance).all()  # the first basis is the same
    factor = 2.0**exponent
    other = rescaled(case, factor)
    again = quietly(
        empirical_boundary_distance, other.model, other.X, case.y,
        data_range=(-50 * factor, 50 * factor), **settings,
    )  # fmt: skip
    assert again.distance == pytest.approx(found.distance)


@SOME
@given(
    cases(),
    st.lists(st.floats(1e-3, 2), min_size=1, max_size=6, unique=True).map(sorted),
    st.sampled_from([np.inf, 2, 1]),
)
def test_the_curve_of_the_exact_attack_is_that_of_its_norms(case, grid, norm):
    attack = ExactLinear(norm=norm, data_range=case.box)
    norms = attack.minimal_norms(case.model, case.X, case.y)
    curve = quietly(robust_accuracy_curve, case.model, case.X, case.y, attack, grid)
    radii = np.array([0, *grid, np.inf])
    wrong = case.model.predict(case.X) != case.y
    places = np.searchsorted(grid, norms)
    expected = np.where(wrong, 0, radii[1 + places])
    # A norm at a radius of the grid may be rounded to either side.
    clear = ~np.isclose(norms[:, None], grid, rtol=1e-6).any(axis=1)
    assert np.array_equal(curve.radius[clear], expected[clear])
    robust = [(curve.radius > eps).mean() for eps in grid]
    assert curve.robust_accuracy == pytest.approx(robust)
    assert curve.clean_accuracy == (~wrong).mean()
    assert (np.diff(curve.robust_accuracy) <= 0).all()
    assert (curve.robust_accuracy <= curve.clean_accuracy).all()
    for low, high in (("low", "high"), ("band_low", "band_high")):
        low, high = (curve[f"robust_accuracy_{end}"] for end in (low, high))
        assert ((low <= curve.robust_accuracy) & (curve.robust_accuracy <= high)).all()
