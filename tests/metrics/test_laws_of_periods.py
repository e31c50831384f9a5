"""Laws of metrics over time: rows in any order, by any name, periods of any weight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import fewer, seeds
from sklearn.metrics import accuracy_score, roc_auc_score

from skrobust.metrics import (
    period_stability_index,
    stability_index,
    stability_pattern,
)
from skrobust.metrics.stability.autoregressive_trend import trend_draws

MADE = ("accuracy", "gini", "roc_auc")


def rows_in_time(seed, n_periods=4):
    """Labels, predictions or scores, weeks and weights; both classes in each week."""
    rng = np.random.default_rng(seed)
    n = 8 * n_periods
    week = np.arange(n) % n_periods
    y = rng.integers(0, 2, n)
    y[:n_periods], y[n_periods : 2 * n_periods] = 0, 1
    scores = rng.integers(0, 9, n) / 8
    weight = rng.choice([0, 1, 2, 5], n)
    weight[: 2 * n_periods] = 1
    return rng, y, scores, week, weight


@fewer
@given(seeds, st.sampled_from(MADE), st.floats(0, 50), st.floats(0, 2))
def test_index_of_rows_is_that_of_the_periods(seed, metric, fall, scatter):
    rng, y, scores, week, weight = rows_in_time(seed)
    answers = (scores > 0.5).astype(int) if metric == "accuracy" else scores
    rule = accuracy_score if metric == "accuracy" else roc_auc_score
    values = np.array(
        [
            rule(y[week == w], answers[week == w], sample_weight=weight[week == w])
            for w in range(4)
        ]
    )
    values = 2 * values - 1 if metric == "gini" else values
    factors = {"falling_rate_weight": fall, "variability_weight": scatter}
    options = {"metric": metric, **factors}
    index, table = period_stability_index(
        y, answers, week, sample_weight=weight, return_periods=True, **options
    )
    assert table.score == pytest.approx(values)
    assert index == pytest.approx(stability_index(values, **factors))
    # A period has the same weight whatever its rows weigh.
    rows = rng.permutation(np.repeat(np.arange(32), weight))
    again = period_stability_index(y[rows], answers[rows], week[rows], **options)
    assert again == pytest.approx(index, abs=1e-9)
    unit = np.array([1, 1e-3, 7, 100])[week]
    again = period_stability_index(
        y, answers, week, sample_weight=weight * unit, **options
    )
    assert again == pytest.approx(index, abs=1e-9)
    # Other names: of classes (in their order) and of periods.
    names = np.array(["no", "yes"])
    named = names[answers] if metric == "accuracy" else answers
    months = np.array(["2025-12", "2026-01", "2026-02", "2026-11"])[week]
    again = period_stability_index(
        names[y], named, months, sample_weight=weight, **options
    )
    assert again == pytest.approx(index, abs=1e-9)


@fewer
@given(seeds, st.integers(0, 3))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_period_without_a_score_is_as_absent(seed, gone):
    _, y, scores, week, _ = rows_in_time(seed)
    y[week == gone] = 1
    there = week != gone
    for slope_per in ("period", "time"):
        options = {"metric": "gini", "slope_per": slope_per}
        found = period_stability_index(y, scores, week, **options)
        absent = period_stability_index(y[there], scores[there], week[there], **options)
        assert found == pytest.approx(absent, abs=1e-12)


series = st.lists(st.integers(0, 32).map(lambda v: v / 32), min_size=4, max_size=9)


@fewer
@given(series, seeds)
def test_patterns_have_no_unit_and_only_the_order_of_time(scores, seed):
    rng = np.random.default_rng(seed)
    scores = (
        np.array(scores) + np.array([0, 0.011, 0.003, 0.02, *[0] * 5])[: len(scores)]
    )
    times = np.arange(len(scores))
    found = stability_pattern(scores, high=0.5)
    p = found.probability
    assert ((p >= 0) & (p <= 1)).all()
    assert p.sum() == pytest.approx(1)
    assert p[found.pattern == found.most_probable][0] == p.max()
    chosen = np.isin(found.pattern, found.confidence_set)
    assert p[chosen].sum() >= 0.95 - 1e-12
    assert found.confidence_set[0] == found.most_probable
    if chosen.sum() > 1:  # the smallest list
        assert p[chosen].sum() - p[chosen].min() < 0.95
    order = rng.permutation(len(scores))
    mixed = stability_pattern(scores[order], times=times[order], high=0.5)
    assert mixed.probability == pytest.approx(p, abs=1e-9)
    percent = stability_pattern(128 * scores, high=64, tolerance=128 * 0.05)
    assert percent.probability == pytest.approx(p, abs=0.02)  # draws, rounded
    later = stability_pattern(scores, times=times + 100, high=0.5)
    assert later.probability == pytest.approx(p, abs=0.02)
    # What counts as high moves no series in or out of the stable ones.
    strict = stability_pattern(scores, high=0.8)
    assert strict.probability[[1, 2]] == pytest.approx(p[[1, 2]])
    assert strict.probability[0] <= p[0] + 1e-12
    # The more is tolerated, the more is stable.
    mild = stability_pattern(scores, high=0.5, tolerance=0.2)
    assert mild.probability[[0, 3]].sum() >= p[[0, 3]].sum() - 1e-12


def test_a_long_walk_is_told_from_a_line():
    """Likelihoods of correlations are a thousand powers of e apart."""
    walk = np.cumsum(np.random.default_rng(0).normal(size=800))
    x = np.arange(800) - 399.5
    found = trend_draws(walk, x)
    assert found.correlation.min() > 0.9
    for part in (found.level, found.slope, found.spread):
        assert np.isfinite(part).all()
        assert part.std() > 0
    # As the walk is turned around, so is its slope.
    back = trend_draws(walk[::-1].copy(), x)
    assert np.sort(back.correlation) == pytest.approx(np.sort(found.correlation))
    assert back.slope.mean() == pytest.approx(-found.slope.mean(), rel=1e-2)
    assert back.slope.std() == pytest.approx(found.slope.std(), rel=1e-2)
