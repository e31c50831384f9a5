"""Bounds of rates and differences beside what their formulas give, term by term."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2, norm

from skrobust.metrics.intervals.proportion import wilson_bounds
from skrobust.sampling import (
    AccuracyGate,
    DeepESTSampler,
    SimpleRandomSampler,
    simulate,
)
from skrobust.sampling.annotators._class_noise import _Likelihood
from skrobust.sampling.core.estimates import within_estimate
from skrobust.sampling.core.operation_interval import operation_difference_ends
from skrobust.sampling.core.rate_estimator import RateEstimator
from skrobust.sampling.core.rate_interval import (
    bootstrap_ends,
    rare_bound,
    score_bounds,
    unvaried_bounds,
)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.8])
def test_score_bounds_are_wilsons_where_the_curves_know_the_variance(rate):
    n = 80
    expected = rate * (1 - rate) / n
    found = score_bounds(rate, rate, 0.0, expected, 1.96)
    assert found == pytest.approx(wilson_bounds(rate, n, 1.96), abs=1e-12)
    # A larger variance of the outcomes counts, at the rate closer to a half.
    low, high = score_bounds(rate, 0.4, 2 * expected, 0.24 / n, 1.96)
    spread = max(0.24, rate * (1 - rate)) / (2 * expected)
    wilson = wilson_bounds(rate, min(n, spread), 1.96)
    half = 1.96 * np.sqrt(2 * expected)
    assert low == pytest.approx(min(wilson[0], rate - half), abs=1e-12)
    assert high == pytest.approx(max(wilson[1], rate + half), abs=1e-12)


def test_difference_in_operation_adds_the_variance_of_new_inputs():
    value, low, high, n = 0.1, 0.04, 0.15, 400
    half = norm.ppf(0.95) * np.sqrt((0.2 - value**2) / n)
    found = operation_difference_ends(value, (low, high), 0.2, n, 0.9)
    expected = value - np.hypot(0.06, half), value + np.hypot(0.05, half)
    assert found == pytest.approx(expected, abs=1e-12)
    assert operation_difference_ends(0.9, (0.5, 1.0), 1.0, 1, 0.99)[1] == 1
    assert operation_difference_ends(-1.0, (-1.0, -1.0), 1.0, 4, 0.95) == (-1, -1)
    assert operation_difference_ends(-0.9, (-1.0, 1.0), 1.0, 1, 0.99)[0] == -1
    assert operation_difference_ends(np.nan, (0, 0), 0.5, 9, 0.9) == (-1, 1)


@pytest.mark.parametrize("seen", [0, 1, 3])
def test_rare_failures_are_bounded_by_poisson_and_others_counted(seen):
    # 20 draws at the lowest probability and 10 at a high one, 4 of these mispredicted.
    n_pool, floor = 500, 0.001
    y = np.r_[np.arange(20) < seen, np.arange(10) < 4].astype(float)
    answered = SimpleNamespace(
        n=30, n_pool=n_pool, y=y, graded=False, sizes=np.ones(30, dtype=int),
        pi=np.r_[np.full(20, floor), np.full(10, 0.05)],
    )  # fmt: skip
    design = SimpleNamespace(_floor=lambda n: np.full(n, floor))
    query = SimpleNamespace(estimator="default", tail=0.025)
    hidden = chi2.ppf(0.975, 2 * seen + 2) / 2 / (30 * floor)
    bound, note = rare_bound(design, answered, query)
    assert bound == pytest.approx(min((4 + hidden) / n_pool, 1), rel=1e-6)
    met = "1 misprediction was" if seen == 1 else f"{seen} mispredictions were"
    assert note.startswith(f"{met} met in what amounts to 15 uniform draws")
    design = SimpleNamespace(_floor=np.zeros)
    assert rare_bound(design, answered, query) == (0.0, "")


def test_without_variation_only_outcomes_that_agree_are_bounded():
    design = SimpleNamespace(_floor=lambda n: np.full(n, 0.005))
    bounds = {}
    for name, y in (("none", [0.0] * 50), ("all", [1.0] * 50), ("both", [0.0, 1.0])):
        answered = SimpleNamespace(y=np.array(y), n=len(y), n_pool=200, graded=False)
        bounds[name] = unvaried_bounds(design, answered, 0.05)[:2]
    assert bounds["both"] == (0, 1)
    assert bounds["none"][0] == 0
    # With K of 200 left, 50 misses keep a chance of (1 - K / 200)^50 > 5 %.
    assert bounds["none"][1] == pytest.approx(1 - 0.05 ** (1 / 50), abs=0.01)
    assert bounds["all"] == pytest.approx((1 - bounds["none"][1], 1))


def test_rounds_without_weight_need_no_variance():
    # Of the last round, which alone has weight, variance and freedom are known.
    answered = SimpleNamespace(
        n=4, starts=np.array([0, 2]), ends=np.array([2, 4]), pi=np.full(4, 0.5),
        residuals=np.array([0.0, 1.0, 1.0, 0.2]), designs={},
    )  # fmt: skip
    variances = iter([(np.nan, 0.0), (0.04, 7.0)])
    found = within_estimate(
        answered, np.array([0.9, 0.3]), np.array([0.0, 1.0]), lambda *_: next(variances)
    )
    assert found.rate == pytest.approx(0.3)
    assert found.std_error == pytest.approx(0.2)
    assert found.df == pytest.approx(7)


@pytest.mark.parametrize("confidence", [0.9, 0.5, 0.3])
def test_bootstrap_is_that_of_the_values_by_a_plain_loop(confidence):
    rng = np.random.default_rng(0)
    sampler = DeepESTSampler(threshold=0.2, random_state=0).fit(rng.random(60))
    failed = rng.random(60) < 0.4
    sampler.sample(12, lambda ids: failed[ids])
    answered = sampler._answered()[0]
    query = RateEstimator(sampler, answered, method="bootstrap", confidence=confidence)
    estimate = query.estimate(query.answered)
    value = estimate.weights * 12 * (estimate.z - estimate.z.mean())
    ends = bootstrap_ends(sampler, answered, estimate, query)
    rng = np.random.default_rng(answered.ids.tolist())
    drawn = rng.integers(12, size=(2000, 12))
    means = np.array([sum(value[k] for k in row) / 12 for row in drawn])
    expected = np.quantile(
        estimate.rate + means, [(1 - confidence) / 2, (1 + confidence) / 2]
    )
    assert ends == pytest.approx(expected, abs=1e-12)


def test_bootstrap_of_distinct_losses_is_that_of_2000_means():
    losses = np.random.default_rng(0).random(60)
    sampler = SimpleRandomSampler(loss_range=(0, 1), random_state=0).fit(np.zeros(60))
    ids = sampler.ask(15)
    sampler.tell(ids, loss=losses[ids])
    result = sampler.result(method="bootstrap", confidence=0.8)
    rows = np.random.default_rng(ids.tolist()).integers(15, size=(2000, 15))
    expected = np.quantile(losses[ids][rows].mean(axis=1), [0.1, 0.9])
    assert tuple(result.interval) == pytest.approx(expected, abs=1e-12)


def test_likelihood_of_two_errors_is_the_mixture_of_binomials():
    m, f, counts = np.array([1, 3, 3]), np.array([0, 2, 1]), np.array([4.0, 2.0, 5.0])
    theta, miss, alarm = 0.3, 0.2, 0.1
    expected = 0.0
    for n, k, count in zip(m, f, counts, strict=True):
        wrong = (1 - miss) ** k * miss ** (n - k)
        right = alarm**k * (1 - alarm) ** (n - k)
        expected += count * np.log(theta * wrong + (1 - theta) * right)
    found = _Likelihood(m, f, counts).value(theta, (miss, alarm))
    assert found == pytest.approx(expected, rel=1e-12)


def test_losses_are_simulated_alike_with_and_without_predictions():
    rng = np.random.default_rng(0)
    scores, losses = rng.random(80), rng.random(80)
    runs = [
        simulate({"u": SimpleRandomSampler()}, scores, losses, n_labels=20,
                 n_repeats=3, random_state=0, **more)
        for more in ({}, {"y_pred": np.arange(80)})
    ]  # fmt: skip
    assert runs[0].rmse.tolist() == runs[1].rmse.tolist()


def test_all_labels_told_need_no_more():
    failed = np.arange(12) < 3
    sampler = SimpleRandomSampler(random_state=0).fit(np.zeros(12))
    result = sampler.sample(12, lambda ids: failed[ids])
    assert result.labels_for(0.1) == 12


def test_a_skipped_answer_is_not_known_to_the_gate():
    gate = AccuracyGate(threshold=0.8, margin=0.1, n_pool=60)
    failed = np.arange(60) % 5 == 0
    found = []
    for skip in (False, True):
        sampler = SimpleRandomSampler(random_state=0).fit(np.zeros(60))
        ids = sampler.ask(30)
        answers = [bool(failed[i]) for i in ids]
        if skip:
            answers[3] = None
        sampler.tell(ids, failed=answers)
        before = sampler.result().accuracy_bounds
        found.append(gate.decide(sampler))
        assert sampler.result().accuracy_bounds == before
    assert found[0].n_labels == 30


def test_skipped_labels_of_weighted_draws_are_no_failures_of_the_gate():
    gate = AccuracyGate(threshold=0.8, margin=0.1)
    scores = np.random.default_rng(0).beta(0.5, 2, 200)
    sampler = DeepESTSampler(random_state=0).fit(scores)
    ids = sampler.ask(40)
    answers = [None if k % 10 == 3 else k % 5 == 0 for k in range(40)]
    sampler.tell(ids, failed=answers)
    for _ in range(2):  # looking changes nothing
        found = gate.decide(sampler)
        assert (found.n_labels, found.n_failures) == (40, 8)


GATE = AccuracyGate(threshold=0.8, margin=0.1)


@pytest.mark.parametrize("n_failures", [0, 3, 12, 25])
@pytest.mark.parametrize("n_skipped", [0, 5, 25])
def test_skipped_labels_pass_as_the_worst_and_fail_as_the_best(n_failures, n_skipped):
    answers = [True] * n_failures + [None] * n_skipped
    answers += [False] * (60 - len(answers))
    answers = np.array(answers, dtype=object)[np.random.default_rng(1).permutation(60)]
    sampler = SimpleRandomSampler(random_state=0).fit(np.zeros(500))
    sampler.tell(sampler.ask(60), failed=answers.tolist())
    worst, best = answers != False, answers == True  # noqa: E712 (of each element)
    verdicts = {GATE.decide(worst).verdict, GATE.decide(best).verdict}
    expected = verdicts.pop() if len(verdicts) == 1 else "undecided"
    assert GATE.decide(sampler).verdict == expected
