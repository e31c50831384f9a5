"""The errors of the gate are those that all paths add up to."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from skrobust.sampling import (
    AccuracyGate,
    GateDecision,
    OperationalSampler,
    SimpleRandomSampler,
)
from skrobust.sampling.gates.path_chances import TwoRates


@pytest.mark.parametrize(("n_pool", "alpha", "beta"), [(11, 0.2, 0.1), (12, 0.1, 0.3)])
def test_errors_and_labels_by_listing_every_order(n_pool, alpha, beta):
    gate = AccuracyGate(0.6, margin=0.25, alpha=alpha, beta=beta, n_pool=n_pool)
    wrong_passes, wrong_fails = [], []
    for n_failed in range(n_pool + 1):
        accuracy, passes, labels = 1 - n_failed / n_pool, 0, 0
        for places in combinations(range(n_pool), n_failed):
            outcomes = np.isin(np.arange(n_pool), places)
            found = gate.decide(outcomes)
            assert found.verdict != "undecided"  # of a whole pool all is known
            passes += found.verdict == "passes"
            labels += found.decided_at
        total = comb(n_pool, n_failed)
        stated = gate.expected_labels(accuracy)
        assert stated.pass_probability == pytest.approx(passes / total, abs=1e-12)
        assert stated.expected == pytest.approx(labels / total, abs=1e-9)
        if accuracy < 0.6 - 1e-9:
            wrong_passes.append(passes / total)
        if accuracy >= 0.85 - 1e-9:
            wrong_fails.append(1 - passes / total)
    assert 0 < max(wrong_passes) <= alpha
    assert max(wrong_fails) <= beta


@pytest.mark.parametrize("n_pool", [None, 50, 300, 2000])
@pytest.mark.parametrize(("threshold", "margin"), [(0.9, 0.07), (0.6, 0.15)])
def test_errors_hold_for_every_accuracy(n_pool, threshold, margin):
    gate = AccuracyGate(threshold, margin=margin, n_pool=n_pool)
    accuracies = np.linspace(0.4, 1, 61 if n_pool is None else n_pool // 5 + 1)
    if n_pool is not None:
        accuracies = np.unique(np.round(accuracies * n_pool) / n_pool)
    chance = np.array([gate.pass_probability(a) for a in accuracies])
    assert (np.diff(chance) >= -1e-9).all()
    bad, good = accuracies < threshold - 1e-9, accuracies >= threshold + margin - 1e-9
    assert chance[bad].max() <= 0.05
    assert chance[good].min() >= 0.95
    if n_pool != 50:  # a small pool has few possible errors
        nearest = gate.pass_probability(threshold - 1 / (n_pool or 1e9))
        assert nearest > 0.04  # the error is used up


@pytest.mark.parametrize(
    ("threshold", "margin", "n_pool", "share"),
    [(0.95, 0.03, None, 0.6), (0.95, 0.03, 2000, 0.63), (0.9, 0.05, 500, 0.65)],
)
def test_far_fewer_labels_than_a_test_of_fixed_size(threshold, margin, n_pool, share):
    gate = AccuracyGate(threshold, margin=margin, n_pool=n_pool)
    for accuracy in (threshold - margin, threshold, threshold + margin):
        found = gate.expected_labels(accuracy)
        assert found.expected < share * found.fixed_size
        assert found.median <= found.expected <= found.q95


@pytest.mark.parametrize("n_pool", [None, 120])
def test_the_test_of_fixed_size_is_the_smallest(n_pool):
    gate = AccuracyGate(0.8, margin=0.1, n_pool=n_pool)

    def exists(n):
        good, bad = binom(n, 0.1), binom(n, 0.2)
        if n_pool:
            good, bad = hypergeom(n_pool, 12, n), hypergeom(n_pool, 25, n)
        c = np.arange(n + 1)
        return bool(((bad.cdf(c) <= 0.05) & (good.sf(c) <= 0.05)).any())

    smallest = next(n for n in range(1, 1000) if exists(n))
    assert gate.expected_labels(0.9).fixed_size == smallest


def test_ratio_is_that_of_the_likelihoods():
    n, f = np.meshgrid(np.arange(40), np.arange(40))
    n, f = n[f <= n], f[f <= n]
    found = TwoRates(40, 10, 4).log_ratio(n, f)
    with np.errstate(all="ignore"):
        good, bad = hypergeom.logpmf(f, 40, 4, n), hypergeom.logpmf(f, 40, 10, n)
        expected = good - bad
    possible = np.isfinite(good) & np.isfinite(bad)
    np.testing.assert_allclose(found[possible], expected[possible], atol=1e-9)
    assert (found[f > 4][(n - f <= 30)[f > 4]] == -np.inf).all()
    assert (found[(n - f > 30)] == np.inf).all()
    free = TwoRates(None, 0.2, 0.1).log_ratio(n, f)
    expected = binom.logpmf(f, n, 0.1) - binom.logpmf(f, n, 0.2)
    np.testing.assert_allclose(free, expected, atol=1e-9)
    assert TwoRates(None, 0.2, 0.0).log_ratio(5, 1) == -np.inf


def test_labels_needed_in_simulated_draws():
    gate, rng = AccuracyGate(0.9, margin=0.06), np.random.default_rng(0)
    stops = [gate.decide(rng.random(700) < 0.1).decided_at for _ in range(400)]
    error = np.std(stops, ddof=1) / 20
    assert abs(np.mean(stops) - gate.expected_labels(0.9).expected) < 4 * error


def test_the_first_verdict_stays():
    gate = AccuracyGate(0.9, margin=0.08)
    right = gate.decide([0] * 60)
    assert (right.verdict, right.decided_at) == ("passes", 35)
    assert gate.decide([0] * 35 + [1] * 60).verdict == "passes"
    wrong = gate.decide([1] * 10 + [0] * 500)
    assert (wrong.verdict, wrong.n_failures) == ("fails", 10)
    assert "fails: accuracy below 0.98 (error 0.05), decided after" in str(wrong)
    early = gate.decide([])
    assert (early.verdict, early.can_pass_at) == ("undecided", 35)
    later = gate.decide([0, 1, 0])
    assert gate.decide([0, 1] + [0] * (later.can_pass_at - 2)).verdict == "passes"
    one_less = gate.decide([0, 1] + [0] * (later.can_pass_at - 3))
    assert one_less.verdict == "undecided"
    assert isinstance(early, GateDecision)
    assert "<p>undecided" in early._repr_html_()


def test_a_sampler_with_uniform_draws():
    failed = np.arange(800) % 40 == 0
    gate = AccuracyGate(0.9, margin=0.06, n_pool=800)
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(800))
    ids = sampler.ask(400)
    sampler.tell(ids, failed=failed[ids])
    found = gate.decide(sampler)
    assert found == gate.decide(failed[ids])
    assert found.verdict == "passes"
    at = found.decided_at
    # A skipped answer may be wrong: no pass rests on its being right.
    sampler.correct(ids[:20], failed=[None] * 20)
    skipped = gate.decide(sampler)
    assert skipped.verdict != "passes"
    assert skipped.n_failures == 20 + failed[ids[20:]].sum()
    sampler.correct(ids[:20], failed=failed[ids[:20]])
    again = SimpleRandomSampler(random_state=0).fit(np.ones(800))
    order = again.ask(400)
    again.tell(order[5:], failed=failed[order[5:]])
    waiting = gate.decide(again)  # an open answer may be wrong as well
    assert waiting.n_failures == 5 + failed[order[5:]].sum()
    again.tell(order[:5], failed=failed[order[:5]])
    assert gate.decide(again).decided_at == at


@pytest.mark.slow
def test_a_sampler_with_weighted_draws():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 8, 2000)
    failed = rng.random(2000) < scores
    accuracy = 1 - failed.mean()
    for threshold, verdict in [(accuracy - 0.1, "passes"), (accuracy + 0.03, "fails")]:
        gate = AccuracyGate(threshold, margin=0.01, n_pool=2000)
        sampler = OperationalSampler(exploration=0.5, random_state=0).fit(scores)
        assert gate.decide(sampler).verdict == "undecided"
        for _ in range(60):
            ids = sampler.ask(20)
            sampler.tell(ids, failed=failed[ids])
        found = gate.decide(sampler)
        assert (found.verdict, found.method) == (verdict, "anytime")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AccuracyGate(1.2, margin=0.1), "'threshold' parameter of AccuracyG"),
        (lambda: AccuracyGate(0.95, margin=0.1), "at most 1 - threshold = 0.05"),
        (lambda: AccuracyGate(0.95, margin=0), "'margin'"),
        (lambda: AccuracyGate(0.9, margin=0.1, alpha=0.5), "'alpha'"),
        (lambda: AccuracyGate(0.9, margin=0.1, n_pool=1.5), "'n_pool'"),
        (lambda: AccuracyGate(0.9, margin=0.1).decide([0, 2]), "booleans, or 0 and 1"),
        (lambda: AccuracyGate(0.9, margin=0.1, n_pool=3).decide([0] * 4), "at most 3"),
        (lambda: AccuracyGate(0.9, margin=0.1).expected_labels(2), "'accuracy'"),
        (
            lambda: AccuracyGate(0.9, margin=0.1, n_pool=3).decide(
                SimpleRandomSampler().fit(np.ones(5))
            ),
            "5, the size of the pool of the sampler",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()
