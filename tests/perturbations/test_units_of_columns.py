"""Perturbations of tables in other units of the columns, or with columns elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds

import skrobust.perturbations as sp
from skrobust.perturbations import PerturbationSequence

FEW = settings(max_examples=15, deadline=None, derandomize=True)
# Those that speak in the spread, the ranks or the values of a column alone.
OF_ANY_UNIT = [
    *("FeatureLoss", "FeatureNoise", "MeanDrift", "MissingValues", "Outliers"),
    *("QuantileClipping", "QuantileNoise", "Rounding", "StaleRows"),
]
# Those that have a zero, which a shift would move.
OF_ANY_SCALE = [*OF_ANY_UNIT, "MultiplicativeNoise", "ScaleDrift", "SignFlip"]
SEVERITIES = st.floats(0.01, 5)


@st.composite
def numbers(draw):
    """Return rows of numbers, of which some columns have few values or gaps."""
    n, d = draw(st.integers(5, 40)), draw(st.integers(1, 4))
    X = np.random.default_rng(draw(seeds)).normal(size=(n, d))
    if draw(st.booleans()):
        X[:, 0] = np.round(X[:, 0] * 2) / 2
    if draw(st.booleans()):
        X[1:n:4, -1] = np.nan
    return X


def by_place(name, severity, seed, X, rows):
    """Return perturbed rows whose noise belongs to their place, whatever they hold."""
    step = getattr(sp, name)(severity)
    p = PerturbationSequence([step], noise_key="position", random_state=seed)
    return p.fit(X).perturb(None, rows)


@pytest.mark.parametrize("name", OF_ANY_SCALE)
@FEW
@given(numbers(), SEVERITIES, seeds, st.data())
def test_scales_of_columns_carry_over(name, X, severity, seed, data):
    exponents = [data.draw(st.integers(-30, 30)) for _ in X[0]]
    units = 2.0 ** np.array(exponents)  # exact, so that equal cells stay equal
    found = by_place(name, severity, seed, X * units, X * units)
    np.testing.assert_allclose(
        found, by_place(name, severity, seed, X, X) * units, rtol=1e-9, atol=0
    )


@pytest.mark.parametrize("name", OF_ANY_UNIT)
@FEW
@given(numbers(), SEVERITIES, seeds, st.data())
def test_zeros_of_columns_carry_over(name, X, severity, seed, data):
    X = np.round(X * 1024) / 1024  # exact with whole shifts
    shift = np.array([data.draw(st.integers(-1000, 1000)) for _ in X[0]], dtype=float)
    found = by_place(name, severity, seed, X + shift, X + shift)
    wanted = by_place(name, severity, seed, X, X) + shift
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["MeanDrift", "QuantileClipping", "Rounding"])
@FEW
@given(numbers(), SEVERITIES, st.data())
def test_the_order_of_columns_carries_over(name, X, severity, data):
    order = data.draw(st.permutations(range(X.shape[1])))
    found = by_place(name, severity, 0, X[:, order], X[:, order])
    assert np.array_equal(found, by_place(name, severity, 0, X, X)[:, order], True)


@pytest.mark.parametrize("name", sorted({*OF_ANY_SCALE, "ColumnSwap", "UnitError"}))
@FEW
@given(numbers(), SEVERITIES, seeds, st.data())
def test_columns_that_are_not_chosen_stay(name, X, severity, seed, data):
    X = np.column_stack([X, X[::-1], X.sum(axis=1)])
    d = X.shape[1]
    chosen = data.draw(st.lists(st.integers(0, d - 1), min_size=2, unique=True))
    p = getattr(sp, name)(severity, columns=chosen, random_state=seed)
    out = p.fit(X).transform(X)
    others = np.setdiff1d(np.arange(d), chosen)
    assert np.array_equal(out[:, others], X[:, others], equal_nan=True)


PLAUSIBLE = [n for n in OF_ANY_SCALE if "plausible" in getattr(sp, n)().get_params()]


@pytest.mark.parametrize("name", [*PLAUSIBLE, "UnitError"])
@FEW
@given(numbers(), SEVERITIES, seeds)
def test_plausible_values_stay_in_the_range_of_training(name, X, severity, seed):
    kind = getattr(sp, name)
    out = kind(severity, plausible=True, random_state=seed).fit(X).transform(X)
    assert np.array_equal(np.isnan(out), np.isnan(X))
    assert (np.nanmin(X, axis=0) <= np.nanmin(out, axis=0)).all()
    assert (np.nanmax(out, axis=0) <= np.nanmax(X, axis=0)).all()
