"""Metrics over batches have the sizes, the options and the periods of the whole."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import r2_score

from skrobust.metrics import (
    StreamingMetric,
    accuracy_stability_index,
    gini_stability,
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
    stability_index,
)
from skrobust.metrics.normalized import streamed_scores
from skrobust.metrics.stability import streamed_periods
from skrobust.metrics.streaming.score_cells import ScoreCells

RNG = np.random.default_rng(0)
N = 36
BATCHES = np.split(np.arange(N), [5, 11, 30])
Y = RNG.integers(0, 3, N)
PREDICTED = np.where(RNG.random(N) < 0.8, Y, 0)
TARGET = RNG.normal(5, 2, N)
ANSWER = TARGET + RNG.normal(0, 1, N)


def over_batches(name, *data, **options):
    """Return the metric of the batches, of which two go to another one first."""
    pair = [StreamingMetric(name, **options) for _ in range(2)]
    for k, rows in enumerate(BATCHES):
        pair[k % 2].partial_update(*(array[rows] for array in data))
    return pair[0].merge(pair[1])


NORMALIZED = {
    "normalized_accuracy": (normalized_accuracy_score, (Y, PREDICTED)),
    "normalized_r2": (normalized_r2_score, (TARGET, ANSWER)),
    "normalized_clustering": (normalized_clustering_score, (Y, PREDICTED)),
}


@pytest.mark.parametrize("name", NORMALIZED)
@pytest.mark.filterwarnings("ignore:.*took the 36 rows")
def test_without_a_size_that_of_all_batches_counts(name):
    function, data = NORMALIZED[name]
    expected = function(*data, n_features=3)
    assert expected != pytest.approx(function(*data, n_features=3, n_samples=9 * N))
    found = over_batches(name, *data, n_features=3)
    assert found.compute() == pytest.approx(expected, rel=1e-12)


OPTIONS = [
    (streamed_scores._of_pairs, normalized_accuracy_score),
    (streamed_scores._score, normalized_r2_score),
    (streamed_periods._options, stability_index),
    (streamed_periods._gini_options, gini_stability),
]


@pytest.mark.parametrize(("of_batches", "function"), OPTIONS)
def test_options_that_are_not_given_are_those_of_the_function(of_batches, function):
    known = inspect.signature(function).parameters
    shared = 0
    for name, parameter in inspect.signature(of_batches).parameters.items():
        if parameter.default is not parameter.empty and name in known:
            assert parameter.default == known[name].default, name
            shared += 1
    assert shared >= 1


@pytest.mark.parametrize("clip", [{}, {"clip": True}, {"clip": False}])
@pytest.mark.filterwarnings("ignore:.*clip=False keeps the order")
def test_scores_are_cut_at_one_unless_they_shall_not(clip):
    options = {"n_features": 3, "n_samples": 500, "signal": lambda ratio: 40.0}
    for name in ("normalized_accuracy", "normalized_r2"):
        function, data = NORMALIZED[name]
        expected = function(*data, **options, **clip)
        assert (expected > 1) == (clip == {"clip": False})
        found = over_batches(name, *data, **options, **clip)
        assert found.compute() == pytest.approx(expected, rel=1e-12)


def test_the_index_of_batches_is_that_of_the_shares():
    correct = np.random.default_rng(3).random((N, 4)) < [0.9, 0.8, 0.6, 0.7]
    found = over_batches("accuracy_stability_index", correct)
    expected = accuracy_stability_index(correct.mean(axis=0))
    assert found.compute() == pytest.approx(expected, rel=1e-12)
    one = StreamingMetric("accuracy_stability_index").partial_update(correct[:7])
    expected = accuracy_stability_index(correct[:7].mean(axis=0))
    assert one.compute() == pytest.approx(expected, rel=1e-12)


WEEK = np.arange(240) % 8
SEEN = np.random.default_rng(1).random(240) < 0.4
SCORE = SEEN + np.random.default_rng(2).normal(size=240) * (1 + WEEK / 8)


def of_weeks(score, seen=SEEN):
    metric = StreamingMetric("stability_index", score=score)
    return metric.partial_update(seen, SCORE, periods=WEEK)


def interval_of(metric):
    """Return the interval, its warnings aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return metric.interval(random_state=0)


def test_the_interval_of_gini_is_twice_that_of_the_area_less_one():
    """Level, slope, scatter and noise of 2 a - 1 are those of a, twice."""
    area, gini = (interval_of(of_weeks(score)) for score in ("roc_auc", "gini"))
    for name in ("value", "low", "high", "plug_in"):
        expected = 2 * getattr(area, name) - 1
        assert getattr(gini, name) == pytest.approx(expected, rel=1e-6), name
    assert gini.std_error == pytest.approx(2 * area.std_error, rel=1e-6)


@pytest.mark.parametrize("score", ["roc_auc", "gini"])
def test_periods_without_a_score_are_named_and_left_out(score):
    every = of_weeks(score)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        every.compute()
    assert not any("left out" in text for text in interval_of(every).warnings)
    some = of_weeks(score, SEEN & ~np.isin(WEEK, (2, 5)))
    with pytest.warns(
        UndefinedMetricWarning, match="leaves out 2 of 8 periods"
    ) as told:
        value = some.compute()
    assert len(told) == 1
    assert "the first is 2" in str(told[0].message)
    there = ~np.isin(WEEK, (2, 5))
    alone = StreamingMetric("stability_index", score=score)
    alone.partial_update(SEEN[there], SCORE[there], periods=WEEK[there])
    assert value == pytest.approx(alone.compute())
    found, wanted = interval_of(some), interval_of(alone)
    assert tuple(found) == pytest.approx(tuple(wanted))
    first, *others = found.warnings
    assert first == "2 of 8 periods have no score; left out."
    assert others == list(wanted.warnings)


def test_periods_without_a_score_are_refused_where_that_is_asked():
    metric = StreamingMetric("gini_stability", undefined="raise")
    metric.partial_update(SEEN & (WEEK != 3), SCORE, WEEK)
    with pytest.raises(ValueError, match="1 of 8 periods"):
        metric.compute()
    metric = StreamingMetric("gini_stability", undefined="raise")
    assert metric.partial_update(SEEN, SCORE, WEEK).compute() < 1


@pytest.mark.parametrize("answer", [TARGET, np.full(N, 7.0), np.full(N, 7.5), ANSWER])
@pytest.mark.parametrize("target", [TARGET, np.full(N, 7.0)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_unvaried_target_is_met_or_missed_as_in_scikit_learn(target, answer):
    expected = normalized_r2_score(target, answer, n_features=3, n_samples=N)
    found = over_batches("normalized_r2", target, answer, n_features=3, n_samples=N)
    assert found.compute() == pytest.approx(expected, abs=1e-9)
    errors = float(((target - answer) ** 2).sum())
    centred = float(((target - target.mean()) ** 2).sum())
    raw = streamed_scores._r2(errors, centred, N)
    assert raw == pytest.approx(max(0.0, r2_score(target, answer)))


def test_the_bound_of_an_index_follows_from_those_of_its_areas():
    """Level, slope and scatter of areas that are off by at most their bounds."""
    found = {}
    for score, scale in (("roc_auc", 1), ("gini", 2)):
        metric = StreamingMetric(
            "stability_index", score=score, max_cells=8, falling_rate_weight=3,
            variability_weight=0.7,
        )  # fmt: skip
        metric.partial_update(SEEN, SCORE, periods=WEEK)
        cells = [ScoreCells(8) for _ in range(8)]
        for week, one in enumerate(cells):
            one.update(SEEN[week == WEEK].astype(int), SCORE[week == WEEK], None)
        bound = scale * np.array([one.area_bound() for one in cells])
        x = np.arange(8) - 3.5
        slope = (abs(x) * bound).sum() / (x**2).sum()
        expected = bound.mean() + 3 * slope + 0.7 * np.sqrt((bound**2).mean())
        found[score] = metric.error_bound
        assert found[score] == pytest.approx(expected)
    assert found["roc_auc"] > 0
    assert found["gini"] == pytest.approx(2 * found["roc_auc"])
