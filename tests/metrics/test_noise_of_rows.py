"""Noise of rows behind a trend, curves of tolerances, and sizes of data sets."""

import numpy as np
import pytest

from skrobust.metrics import (
    StreamingMetric,
    compare_models,
    confidence_interval,
    normalized_accuracy_score,
    rr_linearity,
)
from skrobust.metrics.stability.trend_interval import RowNoise


@pytest.mark.parametrize(
    ("data", "highest"),
    [([0.0, 1.0], 1), ([0.2, 0.9], 1), ([0.5, 3.0], np.inf), ([-0.1, 0.5], np.inf)],
)
def test_scores_in_the_unit_interval_have_a_highest_one(data, highest):
    draws = np.random.default_rng(0).normal(size=(400, 3))
    sizes = np.array([10, 20, 40])
    noise = RowNoise.of_periods(draws, sizes, np.array(data), None)
    assert noise.highest == highest
    pooled = (draws.var(axis=0) * sizes).mean()
    assert noise.variance == pytest.approx(pooled / sizes)
    assert RowNoise.of_periods(draws, sizes, np.array(data), len).highest == np.inf


def test_units_that_never_differ_hide_a_share_of_others():
    # A share of others that 95 % of samples of 70 units would have shown.
    sizes = np.array([30, 40])
    noise = RowNoise.of_periods(np.zeros((9, 2)), sizes, np.ones(70), None)
    hidden = 1 - 0.05 ** (1 / 70)
    assert noise.variance == pytest.approx(hidden * (1 - hidden) / sizes)


@pytest.mark.parametrize("first", [0.0, 0.1, 0.5])
def test_a_line_is_a_line_wherever_its_tolerances_begin(first):
    tolerances = first + np.array([0.0, 0.1, 0.3, 0.4])
    line = rr_linearity(tolerances, 0.2 + 0.5 * tolerances)
    assert line.max_deviation == pytest.approx(0, abs=1e-12)
    assert line.r_squared == pytest.approx(1)
    bent = rr_linearity(tolerances, [0.2, 0.5, 0.6, 0.6])
    assert bent.max_deviation == pytest.approx(0.2)
    assert bent.at == pytest.approx(first + 0.1)


def test_models_are_compared_with_the_classes_of_the_truth():
    # One model never predicts the rare class: the sizes are those of the truth.
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(80), np.ones(60), np.full(10, 2)].astype(int)
    half = np.where(rng.random(150) < 0.8, y, 0)
    never = np.where(y == 2, 1, half)
    data = {"half": (y, half), "never": (y, never)}
    result = compare_models(
        data, metric="normalized_accuracy", n_features=4, n_resamples=100,
        random_state=0,
    )  # fmt: skip
    expected = [
        normalized_accuracy_score(y, one, n_features=4) for one in (half, never)
    ]
    gap = expected[0] - expected[1]
    assert result.difference[0] == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("n_samples", [None, 500])
@pytest.mark.filterwarnings("ignore:.*took the 120 rows")
def test_resamples_of_batches_keep_the_size_of_the_whole(n_samples):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=120)
    found = np.where(rng.random(120) < 0.8, truth, 0)
    sizes = {"n_features": 40, "n_samples": n_samples}
    metric = StreamingMetric("normalized_clustering", **sizes)
    for rows in np.split(np.arange(120), 3):
        metric.partial_update(truth[rows], found[rows])
    ours = metric.interval(random_state=0, n_resamples=300)
    whole = confidence_interval(
        "normalized_clustering", truth, found, random_state=0, n_resamples=300, **sizes
    )
    assert ours.value == pytest.approx(whole.value)
    assert ours.low == pytest.approx(whole.low, abs=0.1 * abs(whole.value))
    assert ours.high == pytest.approx(whole.high, abs=0.1 * abs(whole.value))
