"""The interval of a proportion agrees with scipy and covers what it promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from skrobust.metrics.intervals.proportion import proportion_interval


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
    st.sampled_from(["wilson", "exact"]),
)
def test_equals_scipy(count_n, confidence, method):
    count, n = count_n
    low, high = proportion_interval(count, n, confidence=confidence, method=method)
    expected = binomtest(count, n).proportion_ci(confidence, method)
    assert (low, high) == pytest.approx(tuple(expected), abs=1e-10)
    assert 0 <= low <= count / n <= high <= 1
    assert type(low) is float
    assert type(high) is float
    mirrored = proportion_interval(n - count, n, confidence=confidence, method=method)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-10)


@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_ends_are_exact(method):
    assert proportion_interval(0, 7, method=method)[0] == 0.0
    assert proportion_interval(7, 7, method=method)[1] == 1.0
    assert proportion_interval(0, 0, method=method) == (0.0, 1.0)


def test_exact_is_never_below_its_confidence():
    n = 20
    bounds = np.array([proportion_interval(c, n, method="exact") for c in range(n + 1)])
    for share in np.linspace(0.01, 0.99, 25):
        inside = (bounds[:, 0] <= share) & (share <= bounds[:, 1])
        assert binom.pmf(np.arange(n + 1), n, share)[inside].sum() >= 0.95


def test_narrows_with_n_and_takes_effective_counts():
    widths = [np.diff(proportion_interval(0.8 * n, n)).item() for n in (10, 40, 160)]
    assert widths[0] > widths[1] > widths[2]
    low, high = proportion_interval(7.5, 12.25)
    assert proportion_interval(7, 12)[0] < low < 7.5 / 12.25 < high


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"count": -1, "n": 5}, "'count' .* non-negative"),
        ({"count": 6, "n": 5}, "at most n=5"),
        ({"count": 1, "n": -5}, "'n' .* non-negative"),
        ({"count": 1, "n": np.nan}, "'n'"),
        ({"count": 1, "n": 5, "confidence": 95}, "'confidence'"),
        ({"count": 1, "n": 5, "confidence": 1}, "number in \\(0, 1\\)"),
        ({"count": 1, "n": 5, "confidence": 0}, "'confidence'"),
        ({"count": 1, "n": 5, "method": "wald"}, "one of 'wilson', 'exact'"),
    ],
)
def test_refuses(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        proportion_interval(**arguments)
