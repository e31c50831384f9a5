"""Weights by observed severities, and severities of drift, by what cannot matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cases import seeds

from skrobust.perturbations import MissingValues, calibrate_severity, severity_weights

LEVELS = st.lists(
    st.integers(0, 5) | st.floats(0, 5) | st.just(np.nan), min_size=1, max_size=9
).filter(lambda levels: not np.isnan(levels).all())
OBSERVED = st.lists(st.floats(0, 1e9) | st.just(np.inf), min_size=1, max_size=9)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(LEVELS, OBSERVED, st.data())
def test_weights_give_the_mean_of_the_curve(levels, observed, data):
    levels = np.array(levels, dtype=float)
    weights = severity_weights(levels, observed)
    assert weights.shape == levels.shape
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    assert (weights[np.isnan(levels)] == 0).all()
    scores = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(levels),
                                         max_size=len(levels))))  # fmt: skip
    known = np.unique(levels[~np.isnan(levels)])
    curve = [scores[levels == level].mean() for level in known]
    wanted = np.interp(np.minimum(observed, known[-1]), known, curve).mean()
    assert weights @ scores == pytest.approx(wanted, abs=1e-9)
    order = data.draw(st.permutations(range(len(levels))))
    assert severity_weights(levels[order], observed[::-1]) == pytest.approx(
        weights[order]
    )
    each = np.mean([severity_weights(levels, one) for one in observed], axis=0)
    assert weights == pytest.approx(each)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(seeds, st.floats(0, 1), st.data())
def test_drift_is_that_of_any_units_and_order(seed, size, data):
    rng = np.random.default_rng(seed)
    before, after = rng.normal(size=(30, 2)), rng.normal(size=(20, 2)) + size

    def drift(first, second):
        return calibrate_severity(first, second, n_resamples=20, random_state=seed)

    units = 2.0 ** np.array(data.draw(st.tuples(*[st.integers(-20, 20)] * 2)))
    found = drift(before, after)
    rows = data.draw(st.permutations(range(20)))
    other = drift(before[::-1] * units, after[rows] * units)
    for name in ("severity", "interval", "distance", "noise_floor", "p_value"):
        assert other[name] == pytest.approx(found[name]), name
    low, high = found.interval
    assert low <= high
    assert 0 < found.p_value <= 1
    assert found.severity == 0 or low <= found.severity <= high
    turned = drift(after, before)
    assert turned.n_reference == 20
    assert found.distance_of_column == pytest.approx(
        turned.distance_of_column * after.std(axis=0) / before.std(axis=0)
    )


@settings(max_examples=12, deadline=None, derandomize=True)
@given(seeds, st.integers(1, 14), st.integers(0, 14))
def test_missing_values_differ_by_their_shares(seed, n_before, n_after):
    rng = np.random.default_rng(seed)
    before, after = rng.normal(size=(30, 1)), 100 * rng.normal(size=(15, 1))
    before[:n_before], after[:n_after] = np.nan, np.nan
    kind = MissingValues()
    found = calibrate_severity(before, after, kind, n_resamples=20, random_state=0)
    assert found.distance == pytest.approx(abs(n_before / 30 - n_after / 15))


@settings(max_examples=12, deadline=None, derandomize=True)
@given(seeds, st.integers(2, 40))
def test_the_same_rows_have_no_drift(seed, n):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    found = calibrate_severity(X, X[::-1], n_resamples=20, random_state=0)
    assert found.distance == pytest.approx(0, abs=1e-12)
    assert found.severity == found.interval[0] == 0
    assert found.p_value == 1
