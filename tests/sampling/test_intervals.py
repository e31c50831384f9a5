"""Intervals of sampling results: they hold the estimate and never have width 0."""

import warnings

import numpy as np
import pytest

from skrobust.sampling import (
    ConfidenceStratifiedSampler,
    DeepESTSampler,
    OperationalSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    TwoStageSampler,
    simulate,
)

WEIGHTED = (
    DeepESTSampler,
    OperationalSampler,
    TwoStageSampler,
    ProportionalSampler,
    RaoHartleyCochranSampler,
)


def told(sampler, scores, failed, *sizes):
    sampler.fit(scores)
    for n in sizes:
        ids = sampler.ask(n)
        sampler.tell(ids, failed=failed[ids])
    return sampler


def test_rounding_is_no_spread():
    # Two equal residuals may differ by a rounding, which must not count as spread.
    failed = np.arange(60) % 4 == 0
    sampler = OperationalSampler(random_state=0)
    told(sampler, np.full(60, 0.2), np.zeros(60), 2)
    for estimator in ("default", "difference"):
        low, high = sampler.result(method="t", estimator=estimator).interval
        assert low < 1 - failed.mean() < high


@pytest.mark.parametrize("Sampler", WEIGHTED)
def test_rounding_is_no_estimate_outside_of_all_accuracies(Sampler):
    for n in range(2, 30, 3):
        sampler = Sampler(random_state=n).fit(np.full(40, 0.3))
        result = sampler.sample(n, lambda ids: np.ones(len(ids), dtype=bool))
        for value in (result.accuracy, *result.interval):
            assert not -1e-9 < value < 0
            assert not 1 < value < 1 + 1e-9


@pytest.mark.parametrize("outcome", [0, 1])
@pytest.mark.parametrize("Sampler", [SimpleRandomSampler, StratifiedSampler])
def test_default_interval_holds_what_was_seen_alone(Sampler, outcome):
    # With a predictor, residuals vary though outcomes do not.
    scores = np.random.default_rng(1).beta(0.3, 3, 60)
    for n in (2, 5, 30):
        sampler = told(Sampler(random_state=0), scores, np.full(60, outcome), n)
        low, high = sampler.result(estimator="difference").interval
        assert low <= 1 - outcome <= high


def test_bootstrap_of_the_published_proportional_estimate():
    # Its z are of draws and not of rounds.
    scores = np.random.default_rng(1).beta(0.3, 3, 60)
    sampler = told(ProportionalSampler(random_state=0), scores, scores > 0.05, 15, 15)
    low, high = sampler.result(method="bootstrap", estimator="published").interval
    assert low < high


@pytest.mark.parametrize("Sampler", [ProportionalSampler, RaoHartleyCochranSampler])
def test_bootstrap_of_rounds_of_one(Sampler):
    # One unit has no spread of its own.
    scores, failed = np.linspace(0.1, 0.9, 60), np.arange(60) % 2 == 0
    sampler = told(Sampler(random_state=0), scores, failed, *[1] * 10)
    low, high = sampler.result(method="bootstrap").interval
    assert high - low > 0.1


def test_interval_beside_the_counts():
    # An interval outside the count bounds must not be cut to one of them.
    scores = np.random.default_rng(1).beta(0.3, 3, 60)
    scores[3] = 1e300
    sampler = told(ProportionalSampler(random_state=0), scores, np.arange(60) > 20, 30)
    result = sampler.result(method="t", estimator="published")
    assert result.interval[0] < result.interval[1]


@pytest.mark.parametrize("method", ["wilson", "hypergeometric"])
def test_published_interval_of_a_pool_of_one(method):
    sampler = told(SimpleRandomSampler(random_state=0), [0.3], np.ones(1), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = sampler.result(method=method, estimator="published")
    assert result.accuracy == 0


@pytest.mark.parametrize(
    "sampler",
    [
        StratifiedSampler(random_state=0),
        ConfidenceStratifiedSampler(random_state=0),
        DeepESTSampler(random_state=0),
        DeepESTSampler(threshold="mean+var", random_state=0),
    ],
)
def test_one_huge_score(sampler):
    # Its square overflows.
    scores = np.linspace(0.1, 0.9, 60)
    scores[3] = 1e300
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told(sampler, scores, np.arange(60) % 5 == 0, 20)
    assert sampler.result().n_labels == 20


@pytest.mark.slow
@pytest.mark.parametrize("kind", [StratifiedSampler, ConfidenceStratifiedSampler])
def test_strata_without_a_failure_are_not_taken_for_certain(kind):
    rng = np.random.default_rng(0)
    scores = rng.beta(1, 4, 1079)
    failed = rng.random(1079) < scores * 0.6
    found = simulate(
        kind(), scores, failed, n_labels=(50, 120), n_repeats=100, random_state=0
    )
    assert found.coverage.min() >= 0.85  # it was .51 at 50 labels


def test_the_interval_never_collapses_before_a_census():
    scores = np.r_[np.full(6, 0.5), np.full(94, 0.02)]
    failed = np.r_[np.arange(6) % 2 == 0, np.arange(94) < 2]
    covered = []
    for seed in range(100):
        sampler = DeepESTSampler(random_state=seed).fit(scores)
        low, high = sampler.sample(50, lambda ids: failed[ids]).interval
        assert high - low > 0.01
        covered.append(low - 1e-12 <= 0.95 <= high + 1e-12)
    assert np.mean(covered) >= 0.95


def test_rare_draws_without_failures_keep_the_interval_wide():
    # All failures met are suspicious ones; a t interval would be narrow, and wrong.
    scores = np.r_[np.full(60, 0.5), np.full(940, 0.1)]
    failed = np.r_[np.arange(60) % 2 == 0, np.arange(940) % 47 == 0]
    covered = []
    for seed in range(100):
        sampler = DeepESTSampler(rule="released", random_state=seed).fit(scores)
        result = sampler.sample(100, lambda ids: failed[ids])
        covered.append(result.interval[0] <= 0.95 <= result.interval[1] + 1e-12)
    assert np.mean(covered) >= 0.95


@pytest.mark.parametrize("estimator", ["default", "difference", "lure", "ppi"])
@pytest.mark.parametrize("method", ["default", "anytime", "bootstrap"])
def test_an_estimate_lies_within_its_interval(method, estimator):
    """Unbiased estimates leave what the counts allow; what is shown does not."""
    scores = np.r_[np.full(12, 0.5), np.full(88, 0.02)]
    failed = np.arange(100) < 9
    beyond = n_found = 0
    for kind in (*WEIGHTED, SimpleRandomSampler, StratifiedSampler):
        for seed in range(12):
            sampler = kind(random_state=seed).fit(scores)
            sampler.sample(40, lambda ids: failed[ids])
            try:
                result = sampler.result(method=method, estimator=estimator)
            except ValueError:  # the pair is not valid for these draws
                break
            low, high = result.interval
            assert low <= result.accuracy <= high
            most = 1 - result.n_failures / 100
            assert (40 - result.n_failures) / 100 - 1e-12 <= low
            assert high <= most + 1e-12
            beyond += result.unbiased_value > most
            if result.unbiased_value <= most:
                assert result.accuracy == result.unbiased_value
            n_found += 1
    if method == estimator == "default":
        assert n_found == 84
        assert beyond > 0  # without the rule these were outside


@pytest.mark.parametrize("name", ["accuracy", "precision", "recall", "f1"])
def test_a_metric_of_the_pool_lies_within_its_interval(name):
    truth = np.arange(80) % 2
    predicted = np.where(np.arange(80) < 8, 1 - truth, truth)
    scores = np.r_[np.full(10, 0.5), np.full(70, 0.02)]
    for seed in range(20):
        sampler = DeepESTSampler(random_state=seed).fit(scores, y_pred=predicted)
        sampler.sample(30, lambda ids: truth[ids])
        label = None if name == "accuracy" else 1
        found = sampler.metric(name, label=label)
        assert found.interval[0] <= found.value <= found.interval[1]
