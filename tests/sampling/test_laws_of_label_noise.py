"""Laws of answers that are wrong at times: whose, of what class, how often asked."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_cases import few, seeds
from scipy.optimize import minimize
from scipy.special import ndtri

from skrobust.sampling import (
    accuracy_with_class_noise,
    accuracy_with_label_noise,
    estimate_annotator_noise,
    estimate_label_noise,
    plan_repeats,
)

NAMES = np.array(["d", "a", "c", "b"], dtype=object)


def labelled(seed, k, n=40, rate=0.12):
    """Labels of n inputs by three annotators, some of them missing, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    wrong = rng.random((n, 3)) < rate
    answers = (truth[:, None] + wrong * rng.integers(1, k, (n, 3))) % k
    answers = answers.astype(object)
    answers[n // 2 :, 2] = None
    return rng, truth, answers


def named(answers):
    """The same labels by other names."""
    return [[None if a is None else NAMES[a] for a in row] for row in answers]


@few
@given(seeds, st.integers(2, 4))
def test_noise_by_the_pairs_that_differ(seed, k):
    rng, _, answers = labelled(seed, k)
    found = estimate_label_noise(answers, n_classes=k)
    pairs = [
        row[i] != row[j]
        for row in answers.tolist()
        for i in range(3)
        for j in range(i)
        if row[i] is not None and row[j] is not None
    ]
    part = (k - 1) / k
    expected = part * (1 - np.sqrt(max(0.0, 1 - np.mean(pairs) / part)))
    assert found.rate == pytest.approx(expected)
    low, high = found.interval
    assert 0 <= low <= found.rate <= high <= part
    wider = estimate_label_noise(answers, n_classes=k, confidence=0.99).interval
    assert wider[0] <= low <= high <= wider[1]
    mixed = answers[rng.permutation(40)][:, rng.permutation(3)]
    other = estimate_label_noise(named(mixed), n_classes=k)
    assert tuple(other.interval) == pytest.approx((low, high))


@few
@given(seeds, st.integers(2, 4), st.sampled_from([None, 200]))
def test_accuracy_by_the_formula_of_rogan_and_gladen(seed, k, n_pool):
    rng, truth, answers = labelled(seed, k)
    y_pred = np.where(rng.random(40) < 0.2, rng.integers(0, k, 40), truth)
    options = {"n_classes": k, "n_pool": n_pool}
    found = accuracy_with_label_noise(answers, y_pred=y_pred, **options)
    e = estimate_label_noise(answers, n_classes=k).rate
    shares = [
        np.mean([a == p for a in row if a is not None])
        for row, p in zip(answers.tolist(), y_pred.tolist(), strict=True)
    ]
    q = np.mean(shares)
    expected = (q - e / (k - 1)) / (1 - e * k / (k - 1))
    assert found.observed == pytest.approx(q)
    assert found.accuracy == pytest.approx(np.clip(expected, 0, 1))
    low, high = found.interval
    assert 0 <= low <= found.accuracy <= high <= 1
    order, columns = rng.permutation(40), rng.permutation(3)
    other = accuracy_with_label_noise(
        named(answers[order][:, columns]), y_pred=NAMES[y_pred[order]], **options
    )
    assert other.accuracy == pytest.approx(found.accuracy)
    assert tuple(other.interval) == pytest.approx((low, high))
    if k == 2:  # labels, or whether the prediction is called wrong
        outcomes = [
            [None if a is None else int(a != p) for a in row]
            for row, p in zip(answers.tolist(), y_pred.tolist(), strict=True)
        ]
        same = accuracy_with_label_noise(outcomes, n_pool=n_pool)
        assert same.accuracy == pytest.approx(found.accuracy)


GRID = list(product((0.05, 0.95), (0.02, 0.45), (0.02, 0.45)))


@settings(max_examples=2, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 12), min_size=4, max_size=6).filter(any), seeds)
@example([1, 1, 4, 6, 3, 0], 0)
@example([3, 5, 10, 13, 5, 4], 0)
@pytest.mark.filterwarnings("ignore:Only")
def test_no_other_rates_of_both_kinds_are_likelier(counts, seed):
    # So many inputs of which 0, 1, ... answers say "wrong".
    rng, m = np.random.default_rng(seed), len(counts) - 1
    f = np.repeat(np.arange(m + 1), counts)
    says = rng.permuted(np.arange(m) < f[:, None], axis=1)
    found = accuracy_with_class_noise(says)

    def loss(z):
        theta, miss, alarm = z
        both = theta * (1 - miss) ** f * miss ** (m - f)
        both = both + (1 - theta) * alarm**f * (1 - alarm) ** (m - f)
        return -np.log(np.maximum(both, 1e-300)).sum()

    rates = found.miss_rate, found.false_alarm_rate
    bounds = [(1e-6, 1 - 1e-6), *[(1e-6, 0.5 - 1e-6)] * 2]
    least = min(minimize(loss, start, bounds=bounds).fun for start in GRID)
    assert loss((1 - found.accuracy, *rates)) <= least + 1e-3  # where searches stop
    assert ((np.array(rates) >= 0) & (np.array(rates) <= 0.5)).all()
    low, high = found.interval
    assert 0 <= low <= found.accuracy <= high <= 1
    assert found.observed == pytest.approx(1 - says.mean())
    mixed = says[rng.permutation(len(says))][:, rng.permutation(m)]
    other = accuracy_with_class_noise(mixed)
    assert other.accuracy == found.accuracy


@few
@given(seeds, st.integers(2, 4))
@pytest.mark.filterwarnings("ignore")
def test_rates_of_annotators_go_with_them(seed, k):
    rng, _, answers = labelled(seed, k, n=60)
    found = estimate_annotator_noise(answers, n_classes=k, names=["x", "y", "z"])
    assert ((found.low >= 0) & (found.low <= found.rate)).all()
    assert ((found.rate <= found.high) & (found.high <= 1)).all()
    columns = rng.permutation(3)
    mixed = answers[rng.permutation(60)][:, columns]
    other = estimate_annotator_noise(
        named(mixed), n_classes=k, names=np.array(["x", "y", "z"])[columns]
    )
    for name in ("rate", "low", "high"):
        expected = pytest.approx(getattr(found, name)[columns], abs=1e-6)
        assert getattr(other, name) == expected, name


@few
@given(seeds, st.integers(2, 4))
def test_three_annotators_of_all_inputs_solve_three_equations(seed, k):
    rng, truth, answers = labelled(seed, k, n=80)
    answers[40:, 2] = (truth[40:] + (rng.random(40) < 0.1)) % k
    found = estimate_annotator_noise(answers, n_classes=k)
    scale = k / (k - 1)
    x = {
        (i, j): 1 - scale * np.mean(answers[:, i] != answers[:, j])
        for i, j in ((0, 1), (0, 2), (1, 2))
    }
    u = np.sqrt(
        [
            x[0, 1] * x[0, 2] / x[1, 2],
            x[0, 1] * x[1, 2] / x[0, 2],
            x[0, 2] * x[1, 2] / x[0, 1],
        ]
    )
    if (u <= 1).all():  # else a rate would be below 0
        assert found.rate == pytest.approx((1 - u) / scale, abs=1e-4)


@few
@given(
    st.integers(4, 400),
    st.floats(0.01, 0.45),
    st.floats(0, 1),
    st.sampled_from([None, 350]),
)
def test_repeats_are_planned_by_the_formula(n_answers, e, a, n_pool):
    options = {"noise": e, "expected_accuracy": a, "n_pool": n_pool}
    plan = plan_repeats(n_answers, **options)
    d, keep = 2 * e * (1 - e), (1 - 2 * e) ** 2

    def variance(r):
        n = n_answers - r
        draws = keep * a * (1 - a) * (1 / n - (1 / n_pool if n_pool else 0))
        noise = e * (1 - e) / n
        of_rate = d * (1 - d) / (4 * r * keep) - noise
        return (draws + noise * (1 - r / (2 * n)) + (2 * a - 1) ** 2 * of_rate) / keep

    tried = [
        variance(r)
        for r in range(1, n_answers // 2 + 1)
        if n_pool is None or n_answers - r <= n_pool
    ]
    assert plan.n_inputs + plan.n_repeated == n_answers
    assert plan.n_repeated <= plan.n_inputs
    half = ndtri(0.975) * np.sqrt(min(tried))
    assert plan.half_width == pytest.approx(half)
    assert plan.bias_uncorrected == pytest.approx(-e * (2 * a - 1))
    # What fails in place of what passes has the same plan; twice the answers are
    # at least as good as two such samples.
    mirrored = plan_repeats(n_answers, **{**options, "expected_accuracy": 1 - a})
    assert mirrored.half_width == pytest.approx(plan.half_width)
    if n_pool is None:
        twice = plan_repeats(2 * n_answers, **options)
        assert twice.half_width <= plan.half_width / np.sqrt(2) * (1 + 1e-9)
