"""Variance components, exact tests and draws, by textbook formulas."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import gammaln
from scipy.stats import binomtest, t

from skrobust.metrics import confidence_interval, prediction_shift, threshold_test
from skrobust.metrics.comparison.anytime_shares import log_e_of_difference
from skrobust.metrics.comparison.evidence import PosteriorDraws, StudentT
from skrobust.metrics.comparison.paired import from_draws, from_evidence
from skrobust.metrics.comparison.variance_components import Components


def two_way(rng, shape=(5, 4)):
    a, b = rng.normal(size=(shape[0], 1)), rng.normal(size=(1, shape[1]))
    return 3 + 2 * a + b + 0.3 * rng.normal(size=shape)


def test_components_of_a_crossed_table_are_those_of_the_textbook():
    values = two_way(np.random.default_rng(0))
    n_rows, n_columns = values.shape
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    rest = values - rows[:, None] - columns + values.mean()
    squares = np.array([
        n_columns * rows.var(ddof=1), n_rows * columns.var(ddof=1),
        (rest**2).sum() / ((n_rows - 1) * (n_columns - 1)),
    ])  # fmt: skip
    found = Components(values, ["row", "column"], {})
    assert found.mean_squares == pytest.approx(squares)
    variances = [
        (squares[0] - squares[2]) / n_columns, (squares[1] - squares[2]) / n_rows,
        squares[2],
    ]  # fmt: skip
    assert found.variances == pytest.approx(variances)
    # The mean has a part of each effect, by its number of levels.
    table = found.table(fixed=())
    parts = np.array(variances) / [n_rows, n_columns, n_rows * n_columns]
    assert table.share == pytest.approx(parts / parts.sum())
    assert table.component.tolist() == ["row", "column", "row x column"]
    error, _ = found.error({"row": n_rows, "column": n_columns}, ())
    assert error == pytest.approx(np.sqrt(parts.sum()))
    # Columns that are all in the table are no source of error.
    parts[1] = 0
    assert found.table(fixed={"column"}).share == pytest.approx(parts / parts.sum())
    error, df = found.error({"row": n_rows, "column": n_columns}, {"column"})
    assert error == pytest.approx(np.sqrt(rows.var(ddof=1) / n_rows))
    assert df == pytest.approx(n_rows - 1)
    flat = Components(np.ones((3, 2)), ["row", "column"], {})
    assert flat.table(fixed=()).share.tolist() == [0, 0, 0]
    assert flat.error({"row": 3, "column": 2}, ())[0] == 0


def test_error_of_seen_squares_has_satterthwaites_freedom():
    values = two_way(np.random.default_rng(1))
    found = Components(values, ["row", "column"], {})
    shape = dict(zip(("row", "column"), values.shape, strict=True))
    error, df = found.error(shape, (), planned=False)
    rows, columns, rest = found.mean_squares
    parts = np.array([rows, columns, -rest]) / values.size
    assert error == pytest.approx(np.sqrt(parts.sum()))
    counts = np.array([4, 3, 12])
    assert df == pytest.approx(parts.sum() ** 2 / (parts**2 / counts).sum())


def test_freedom_is_at_least_one_where_mean_squares_cancel():
    found = Components(two_way(np.random.default_rng(1)), ["row", "column"], {})
    found.mean_squares = np.array([1.0, 0.1, 1.05])
    error, df = found.error({"row": 5, "column": 4}, (), planned=False)
    assert error == pytest.approx(np.sqrt(0.05 / 20))
    assert df == 1


@pytest.mark.parametrize(("threshold", "p_value"), [(-0.5, 0.0), (1.5, 1.0)])
def test_a_share_is_sure_to_be_above_less_than_0_and_never_above_more_than_1(
    threshold, p_value
):
    correct = np.arange(40) < 30
    found = threshold_test("robust_accuracy", correct, threshold=threshold)
    assert found.p_value == p_value
    assert found.verdict == ("fails" if p_value else "passes")


@pytest.mark.parametrize("k", [0, 12, 20, 40])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_threshold_tests_of_shares_are_the_exact_binomial_test(k, threshold):
    correct = np.arange(40) < k
    found = threshold_test(
        "robust_accuracy", correct, threshold=threshold, confidence=0.9
    )
    exact = binomtest(k, 40, threshold, alternative="greater")
    assert found.p_value == pytest.approx(exact.pvalue, abs=1e-12)
    ends = (
        exact.proportion_ci(0.9).low,
        binomtest(k, 40, threshold, alternative="less").proportion_ci(0.9).high,
    )
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-12)


def test_a_one_sided_limit_is_an_end_of_the_interval_of_twice_the_error():
    rng = np.random.default_rng(0)
    correct, weight = rng.random(200) < 0.8, rng.uniform(0.5, 2, 200)
    found = threshold_test(
        "robust_accuracy", correct, threshold=0.5, confidence=0.95,
        sample_weight=weight, random_state=0,
    )  # fmt: skip
    both = confidence_interval(
        "robust_accuracy", correct, confidence=0.9, sample_weight=weight
    )
    assert (found.low, found.high) == pytest.approx((both.low, both.high), abs=1e-12)
    assert found.verdict == "passes"


@pytest.mark.parametrize("difference", [-0.6, -0.1, 0.0, 0.2, 0.7])
@pytest.mark.parametrize("counts", [(5, 3, 30), (0, 4, 10), (9, 0, 40), (3, 3, 6)])
def test_the_e_value_of_a_difference_takes_the_likeliest_shares(counts, difference):
    up, down, n = counts
    rest = n - up - down

    def log_likelihood(q):
        shares = np.maximum([q + difference, q, 1 - 2 * q - difference], 1e-300)
        return np.dot([up, down, rest], np.log(shares))

    low, high = max(0.0, -difference), (1 - difference) / 2
    grid = np.linspace(low, high, 4001)
    start = grid[np.argmax([log_likelihood(q) for q in grid])]
    step = (high - low) / 4000
    ends = max(low, start - step), min(high, start + step)
    best = -minimize_scalar(
        lambda q: -log_likelihood(q), bounds=ends, options={"xatol": 1e-13},
        method="bounded",
    ).fun  # fmt: skip
    best = max(best, log_likelihood(low), log_likelihood(high))
    mixture = gammaln([up + 0.5, down + 0.5, rest + 0.5]).sum() - gammaln(n + 1.5)
    mixture += gammaln(1.5) - 3 * gammaln(0.5)
    found = log_e_of_difference(*map(np.array, (up, down, n)), difference)
    assert found == pytest.approx(mixture - best, abs=1e-6)


def test_limits_of_draws_are_their_order_statistics():
    draws = np.arange(1.0, 100.0)
    one = PosteriorDraws(50.0, [draws])
    assert one.limits(0.05) == (5, 95)
    assert one.limits(0.01) == (1, 99)
    assert one.limits(0.001) == (-np.inf, np.inf)
    two = PosteriorDraws(50.0, [draws, draws + 10])
    assert two.limits(0.05) == (5, 105)
    assert PosteriorDraws(0.0, [draws]).limits(0.05) == (0, 95)
    assert one.p_at_most(10.0) == 0.11
    assert one.p_at_least(91.0) == 0.1
    assert two.p_at_most(10.0) == 0.11
    assert two.p_at_least(91.0) == 0.2


def test_limits_of_two_paired_differences():
    rng = np.random.default_rng(0)
    difference = np.array([0.3, -0.1])
    draws = difference + rng.normal(size=(999, 2)) * [0.1, 0.2]
    found = from_draws(difference, draws, 0.95, 50, False, stretch=(1.1, 1.3))
    moved = np.abs(draws - difference)
    half = 1.1 * np.quantile(moved, 0.95, axis=0, method="higher")
    assert found.low == pytest.approx(difference - half)
    assert found.high == pytest.approx(difference + half)
    error = draws.std(axis=0, ddof=1)
    largest = 1.3 * (moved / error).max(axis=1)
    wide = np.quantile(largest, 0.95, method="higher") * error
    assert found.band_low == pytest.approx(difference - wide)
    assert found.band_high == pytest.approx(difference + wide)
    p_value = (1 + (1.1 * moved >= np.abs(difference)).sum(axis=0)) / 1000
    assert found.p_value == pytest.approx(p_value)
    p_adjusted = 1 + (largest[:, None] >= np.abs(difference) / error).sum(axis=0)
    assert found.p_adjusted == pytest.approx(p_adjusted / 1000)


def test_shifts_from_the_truth_need_it():
    with pytest.raises(ValueError, match="needs y_true for reference='true'"):
        prediction_shift([1.0, 2.0], [[1.5, 2.0]], reference="true")


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_limits_of_some_differences_have_the_error_and_bands_that_of_all(
    size, confidence
):
    difference, error = np.array([0.3, -0.05, 0.0, -0.2])[:size], 0.1
    df = np.array([9.0, 4.0, 30.0, 2.5])[:size]
    evidence = [StudentT(d, error, f) for d, f in zip(difference, df, strict=True)]
    found = from_evidence(difference, evidence, confidence)
    for name, n in (("", 1), ("band_", size)):
        half = t.isf((1 - confidence) / 2 / n, df) * error
        assert getattr(found, f"{name}low") == pytest.approx(difference - half), name
        assert getattr(found, f"{name}high") == pytest.approx(difference + half), name
    assert found.p_value == pytest.approx(2 * t.sf(np.abs(difference) / error, df))
    steps = sorted(found.p_value) * np.arange(size, 0, -1)
    expected = np.minimum(1, np.maximum.accumulate(steps))
    assert sorted(found.p_adjusted) == pytest.approx(expected)
    # A difference that is turned around lies on the other side.
    turned = from_evidence(
        -difference, [StudentT(-one.difference, error, one.df) for one in evidence],
        confidence,
    )  # fmt: skip
    for one, two in zip(
        found.decided(confidence), turned.decided(confidence)[::-1], strict=True
    ):
        assert one.tolist() == two.tolist()
