"""Answers that are wrong at times are corrected for, and judges by experts."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from skrobust.sampling import (
    Annotations,
    OperationalSampler,
    SimpleRandomSampler,
    accuracy_with_class_noise,
    accuracy_with_label_noise,
    estimate_label_noise,
    plan_repeats,
    plan_two_phase,
    two_phase_accuracy,
)
from skrobust.sampling.annotators.noise_correction import error_rate, noise_moments


def floor_of_coverage(repeats, share=0.95):
    return share - 4 * np.sqrt(share * (1 - share) / repeats)


def answers_of(truth, noise, n_classes, rng):
    other = (truth + rng.integers(1, n_classes, len(truth))) % n_classes
    return np.where(rng.random(len(truth)) < noise, other, truth)


# Noise rate


@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize("noise", [0.0, 0.03, 0.2])
def test_rate_of_listed_answers(n_classes, noise):
    # Each pair of answers, with the chance that it has: the truth is class 0.
    chance = [1 - noise] + [noise / (n_classes - 1)] * (n_classes - 1)
    pairs = list(product(range(n_classes), repeat=2))
    weight = np.array([chance[a] * chance[b] for a, b in pairs])
    differ = np.array([a != b for a, b in pairs])
    assert error_rate(weight @ differ, n_classes) == pytest.approx(noise, abs=1e-9)
    # Moments of whether the first answer passes, for a right and a wrong prediction.
    for accuracy, predicted in [(1.0, 0), (0.0, 1)]:
        passes = np.array([a == predicted for a, _ in pairs])
        mean = weight @ passes
        flips, shared = noise_moments(accuracy, noise, n_classes)
        assert flips == pytest.approx(mean * (1 - mean), abs=1e-12)
        expected = weight @ (passes & differ) - mean * (weight @ differ)
        assert shared == pytest.approx(expected, abs=1e-12)


def test_rate_of_a_table():
    table = [["a", "a"]] * 45 + [["b", "a"]] * 5 + [["b", None]] * 30
    found = estimate_label_noise(table)
    assert found.disagreement == 0.1
    assert found.rate == pytest.approx((1 - np.sqrt(0.8)) / 2)
    assert (found.n_repeated, found.n_used) == (50, 100)
    assert found.interval.low < found.rate < found.interval.high
    three = estimate_label_noise([[0, 0, 1]] * 10 + [[0, 0, 0]] * 40)
    assert three.disagreement == pytest.approx(20 / 150)
    assert estimate_label_noise(np.zeros((20, 2))).rate == 0
    guess = estimate_label_noise([[0, 1], [0, 0]] * 30)
    assert "as seldom as guesses" in guess.warnings[0]


@pytest.mark.parametrize("n_answers", [2, 4])
def test_interval_of_the_rate_covers(n_answers):
    rng, repeats, covered = np.random.default_rng(0), 400, 0
    for _ in range(repeats):
        truth = rng.integers(0, 2, 60)
        table = [answers_of(truth, 0.08, 2, rng) for _ in range(n_answers)]
        low, high = estimate_label_noise(np.transpose(table)).interval
        covered += low <= 0.08 <= high
    assert covered / repeats >= floor_of_coverage(repeats)


# Corrected accuracy


@pytest.mark.parametrize(
    ("accuracy", "noise", "n_classes", "n", "twice", "n_pool"),
    [
        (0.73, 0.05, 2, 700, 120, 2000),
        (0.95, 0.05, 2, 200, 50, 1000),
        (0.8, 0.1, 5, 300, 100, 1000),
        (0.9, 0.05, 2, 300, 300, 300),  # a census, answered twice
    ],
)
def test_corrected_interval_covers(accuracy, noise, n_classes, n, twice, n_pool):
    rng, repeats = np.random.default_rng(1), 500
    truth = rng.integers(0, n_classes, n_pool)
    wrong = np.arange(n_pool) >= round(accuracy * n_pool)
    y_pred = np.where(wrong, (truth + 1) % n_classes, truth)
    values, errors, covered, covered_before = [], [], 0, 0
    for _ in range(repeats):
        ids = rng.choice(n_pool, n, replace=False)
        table = np.full((n, 2), None, dtype=object)
        table[:, 0] = answers_of(truth[ids], noise, n_classes, rng)
        table[:twice, 1] = answers_of(truth[ids[:twice]], noise, n_classes, rng)
        found = accuracy_with_label_noise(
            table, y_pred=y_pred[ids], n_classes=n_classes, n_pool=n_pool
        )
        low, high = found.interval
        covered += low <= accuracy <= high
        q = float((table[:, 0] == y_pred[ids]).mean())
        half = 1.96 * np.sqrt(q * (1 - q) / n * (1 - n / n_pool))
        covered_before += abs(q - accuracy) <= half
        values.append(found.accuracy)
        errors.append(found.std_error)
    assert covered / repeats >= floor_of_coverage(repeats)
    assert covered_before / repeats < 0.75
    error = np.std(values, ddof=1)
    assert abs(np.mean(values) - accuracy) < 4 * error / np.sqrt(repeats) + 0.003
    assert np.mean(errors) == pytest.approx(error, rel=0.15)


def test_outcomes_are_labels_of_two_classes():
    table = [[0, 1]] * 6 + [[0, 0]] * 44 + [[1, None]] * 30
    found = accuracy_with_label_noise(table, n_pool=400)
    named = [["b" if one else None if one is None else "a" for one in r] for r in table]
    by_label = accuracy_with_label_noise(named, y_pred=["a"] * 80, n_pool=400)
    assert by_label.accuracy == found.accuracy
    assert by_label.interval == found.interval
    e = found.noise.rate
    assert found.accuracy == pytest.approx((found.observed - e) / (1 - 2 * e))
    assert "corrected from 0.5875" in str(found)
    assert "<br>" in found._repr_html_()


def test_too_much_noise_tells_nothing():
    found = accuracy_with_label_noise([[0, 1], [0, 0], [1, 1]] * 6)
    assert tuple(found.interval) == (min(0, found.accuracy), max(1, found.accuracy))
    assert "cannot be told" in found.warnings[-1]


def test_plan_of_repeats_is_the_best_and_right():
    rng = np.random.default_rng(0)
    plan = plan_repeats(300, noise=0.08, expected_accuracy=0.85)
    assert plan.n_inputs + plan.n_repeated == 300
    assert plan.bias_uncorrected == pytest.approx(-0.08 * 0.7)

    def spread(n, r, repeats=1500):
        values = []
        for _ in range(repeats):
            truth = np.zeros(n, dtype=int)
            y_pred = (rng.random(n) >= 0.85).astype(int)
            table = np.full((n, 2), None, dtype=object)
            table[:, 0] = answers_of(truth, 0.08, 2, rng) != y_pred
            table[:r, 1] = answers_of(truth[:r], 0.08, 2, rng) != y_pred[:r]
            q, d = np.nanmean(table.astype(float), axis=1).mean(), 0.0
            d = (table[:r, 0] != table[:r, 1]).mean()
            e = error_rate(min(d, 0.45), 2)
            values.append((q - e) / (1 - 2 * e))
        return np.std(values)

    best = spread(plan.n_inputs, plan.n_repeated)
    assert 1.96 * best == pytest.approx(plan.half_width, rel=0.12)
    assert best < spread(280, 20)
    assert plan_repeats(300, noise=0.08, expected_accuracy=0.5).n_repeated == 1
    in_pool = plan_repeats(300, noise=0.08, expected_accuracy=0.85, n_pool=250)
    assert in_pool.n_inputs <= 250


# Misses and false alarms


def test_rates_of_both_kinds_are_found_and_the_interval_covers():
    rng, repeats, covered, values, plain = np.random.default_rng(0), 100, 0, [], []
    for _ in range(repeats):
        wrong = rng.random(300) < 0.2
        says_wrong = np.where(wrong, 0.7, 0.02)[:, None]
        table = (rng.random((300, 3)) < says_wrong).astype(float)
        table[150:, 1:] = np.nan
        found = accuracy_with_class_noise(table)
        low, high = found.interval
        covered += low <= 0.8 <= high
        values.append(found.accuracy)
        plain.append(found.observed)
    assert covered / repeats >= floor_of_coverage(repeats)
    assert abs(np.mean(values) - 0.8) < 0.02
    assert np.mean(plain) > 0.83
    # Expected counts of 3 answers give the rates themselves.
    chance = 0.2 * binom.pmf(np.arange(4), 3, 0.7)
    chance += 0.8 * binom.pmf(np.arange(4), 3, 0.02)
    rows = [
        [1] * f + [0] * (3 - f)
        for f, k in enumerate(np.round(chance * 1_000_000 / 100).astype(int))
        for _ in range(k)
    ]
    found = accuracy_with_class_noise(rows)
    assert found.accuracy == pytest.approx(0.8, abs=0.003)
    assert found.miss_rate == pytest.approx(0.3, abs=0.005)
    assert found.false_alarm_rate == pytest.approx(0.02, abs=0.002)
    assert (found.n_used, found.n_repeated) == (len(rows), len(rows))


def test_rates_of_both_kinds_at_the_edge():
    found = accuracy_with_class_noise(np.zeros((40, 3)))
    assert found.accuracy == pytest.approx(1, abs=1e-3)
    assert found.interval.high == pytest.approx(1, abs=1e-3)
    assert 0.85 < found.interval.low < 0.97  # about the rule of three
    few = accuracy_with_class_noise([[0, 0, 0], [0, 1, 0]] + [[0, None, None]] * 50)
    assert "Only 2 inputs have three answers" in few.warnings[0]


# Annotations beside a sampler


def session(sampler, y, y_pred, noise=0.1, n=300, twice=100, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    notes = Annotations(sampler, random_state=seed)
    for _ in range(3):
        ids = sampler.ask(n // 3)
        notes.tell(ids, answers_of(y[ids], noise, n_classes, rng), annotator="ann")
    again = notes.to_repeat(twice)
    notes.tell(again, answers_of(y[again], noise, n_classes, rng), annotator="bob")
    return notes


def pool(n=1000, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    scores, y = rng.beta(0.5, 2, n), rng.integers(0, n_classes, n)
    y_pred = np.where(rng.random(n) < scores, (y + 1) % n_classes, y)
    return scores, y, y_pred


@pytest.mark.parametrize("kind", [SimpleRandomSampler, OperationalSampler])
def test_the_result_of_a_sampler_is_corrected(kind):
    scores, y, y_pred = pool(n_classes=3)
    accuracy, repeats = float((y == y_pred).mean()), 150
    covered, plain, values = 0, 0, []
    for seed in range(repeats):
        sampler = kind(random_state=seed).fit(scores, y_pred=y_pred)
        notes = session(sampler, y, y_pred, seed=seed, n_classes=3)
        found = notes.result()
        low, high = found.interval
        covered += low <= accuracy <= high
        low, high = sampler.result().interval
        plain += low <= accuracy <= high
        values.append(found.accuracy)
    assert covered / repeats >= floor_of_coverage(repeats)
    assert plain / repeats < 0.6
    error = np.std(values) / np.sqrt(repeats)
    assert abs(np.mean(values) - accuracy) < 4 * error + 0.003


def test_first_answers_go_to_the_sampler_and_others_stay():
    scores, y, y_pred = pool()
    sampler = SimpleRandomSampler(random_state=0).fit(scores, y_pred=y_pred)
    notes = session(sampler, y, y_pred)
    plain = SimpleRandomSampler(random_state=0).fit(scores, y_pred=y_pred)
    rng = np.random.default_rng(0)
    for _ in range(3):
        ids = plain.ask(100)
        plain.tell(ids, answers_of(y[ids], 0.1, 2, rng))
    assert str(plain.result()) == str(sampler.result())
    table = notes.agreement()
    assert (table.first[0], table.second[0], table.n[0]) == ("ann", "bob", 100)
    assert 1 - table.agreement[0] == pytest.approx(notes.noise().disagreement)
    assert len(notes.disagreements()) == round(100 * notes.noise().disagreement)
    assert len(Annotations(sampler).agreement().n) == 0
    assert len(Annotations(sampler).disagreements()) == 0


def test_inputs_to_repeat_are_a_uniform_draw_of_those_with_one_answer():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(30))
    ids = sampler.ask(10)
    counts = np.zeros(30)
    for seed in range(400):
        notes = Annotations(sampler, random_state=seed)
        notes._answers = [(int(i), "ann", None, False) for i in ids]
        again = notes.to_repeat(3)
        assert len(set(again.tolist())) == 3
        counts[again] += 1
        notes.tell(again, failed=[False] * 3, annotator="bob")
        assert not set(notes.to_repeat(7).tolist()) & set(again.tolist())
    with pytest.raises(ValueError, match=r"7 inputs .* 9 asked; for third .* same ids"):
        notes.to_repeat(9)
    assert set(np.flatnonzero(counts)) == set(ids.tolist())
    assert abs(counts[ids] - 120).max() < 4 * np.sqrt(120 * 0.7)


def test_annotations_are_stored():
    scores, y, y_pred = pool()
    sampler = SimpleRandomSampler(random_state=0).fit(scores, y_pred=y_pred)
    notes = session(sampler, y, y_pred)
    there = SimpleRandomSampler.from_json(sampler.to_json())
    again = Annotations.from_json(notes.to_json(), there)
    assert str(again.result()) == str(notes.result())
    assert again.to_repeat(5).tolist() == notes.to_repeat(5).tolist()
    empty = SimpleRandomSampler(random_state=0).fit(scores, y_pred=y_pred)
    with pytest.raises(ValueError, match="belong to another sampler"):
        Annotations.from_json(notes.to_json(), empty)
    with pytest.raises(ValueError, match="the text that to_json returned"):
        Annotations.from_json("{}", sampler)


# Judge and expert


def test_difference_of_judge_and_expert_is_exactly_unbiased():
    # All 3 of 6 for the judge, and all 2 of 3 for the expert.
    from itertools import combinations

    y, f = np.array([1, 0, 1, 1, 0, 1]), np.array([1, 1, 0, 1, 1, 1])
    values, errors = [], []
    for ids in combinations(range(6), 3):
        for part in combinations(range(3), 2):
            expert = [y[i] if k in part else None for k, i in enumerate(ids)]
            found = two_phase_accuracy(f[list(ids)], expert, n_pool=6)
            values.append(found.accuracy)
            errors.append(found.std_error**2)
    assert np.mean(values) == pytest.approx(y.mean(), abs=1e-12)
    assert np.mean(errors) == pytest.approx(np.var(values), abs=1e-12)


@pytest.mark.parametrize("weight", ["difference", "tuned"])
@pytest.mark.parametrize(
    ("accuracy", "agreement", "n", "m"), [(0.8, 0.9, 800, 80), (0.95, 0.98, 800, 50)]
)
def test_interval_of_judge_and_expert_covers(weight, accuracy, agreement, n, m):
    rng, repeats = np.random.default_rng(0), 300
    y = np.arange(2000) < accuracy * 2000
    f = np.where(rng.random(2000) < 1 - agreement, True, y)  # a judge that is kind
    f[:40] = False
    covered = 0
    for _ in range(repeats):
        ids = rng.choice(2000, n, replace=False)
        expert = np.where(np.arange(n) < m, y[ids], np.nan)
        found = two_phase_accuracy(f[ids], expert, n_pool=2000, weight=weight)
        low, high = found.interval
        covered += low <= accuracy <= high
    assert covered / repeats >= floor_of_coverage(repeats)
    assert found.n_expert == m


def test_a_tuned_judge_is_never_much_worse_than_none():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.8
    noise = rng.random(400) < 0.5
    expert = np.where(np.arange(400) < 100, y, np.nan)
    useless = two_phase_accuracy(noise, expert, weight="tuned")
    assert useless.weight < 0.2
    assert useless.std_error < 1.05 * useless.expert_std_error
    plain = two_phase_accuracy(noise, expert)
    assert plain.weight == 1
    assert plain.std_error > 1.2 * plain.expert_std_error
    alone = two_phase_accuracy(np.full(400, 0.5), expert, weight="tuned")
    assert alone.accuracy == pytest.approx(y[:100].mean())
    judge = two_phase_accuracy(y, y.astype(float))
    assert (judge.accuracy, judge.agreement) == (y.mean(), 1)
    assert two_phase_accuracy(y, expert).interval.low < y.mean()


def test_plan_of_judge_and_expert():
    costs = {"judge_cost": 0.05, "expert_cost": 3.0, "expected_accuracy": 0.8}
    plan = plan_two_phase(300, agreement=0.95, **costs)
    ratio = np.sqrt((0.16 - 0.05) * 3 / (0.05 * 0.05))
    assert plan.n_judge / plan.n_expert == pytest.approx(ratio, rel=0.1)
    assert plan.cost <= 300
    assert plan.half_width < 0.8 * plan.half_width_expert_alone
    useless = plan_two_phase(300, agreement=0.8, **costs)
    assert (useless.n_judge, useless.n_expert) == (0, 100)
    assert useless.half_width == useless.half_width_expert_alone
    dear = plan_two_phase(300, agreement=0.9, **{**costs, "judge_cost": 3})
    assert dear.n_judge == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate_label_noise([[0, None], [None, 1]]), "two answers or more"),
        (lambda: estimate_label_noise([0, 1]), "shape .n_inputs, n_answers"),
        (lambda: estimate_label_noise([[0, 1], [0]]), "'answers'"),
        (lambda: estimate_label_noise([[0, 1]], n_classes=1), "'n_classes'"),
        (lambda: accuracy_with_class_noise([[0, 1]]), "three answers or more"),
        (lambda: accuracy_with_label_noise([["a", "b"]]), "labels with y_pred="),
        (lambda: accuracy_with_label_noise([[0, 1]], y_pred=[1, 2]), "equal length"),
        (lambda: accuracy_with_label_noise([[0, 1]] * 9, n_pool=4), "'n_pool'"),
        (lambda: plan_repeats(100, noise=0.6, expected_accuracy=0.9), "'noise'"),
        (lambda: plan_repeats(3, noise=0.1, expected_accuracy=0.9), "at least 4"),
        (
            lambda: plan_repeats(100, noise=0.1, expected_accuracy=0.9, n_pool=40),
            "more than two for each of the 40",
        ),
        (lambda: two_phase_accuracy([1, 0, 2], [1, 0, 1]), "'judge'"),
        (lambda: two_phase_accuracy([1, 0, 1], [1, 0]), "'expert'"),
        (lambda: two_phase_accuracy([1, 0, 1], [1, 0, 3]), "'expert'"),
        (lambda: two_phase_accuracy([1, 0, 1], ["a", 0, 1]), "'expert'"),
        (lambda: two_phase_accuracy([1, 0, 1], [1, None, None]), "two answers of the"),
        (lambda: two_phase_accuracy([1, 0], [1, 0], weight=1), "'weight'"),
        (
            lambda: plan_two_phase(
                5, judge_cost=1, expert_cost=3, agreement=0.9, expected_accuracy=0.8
            ),
            "two answers of the expert, 6",
        ),
        (lambda: Annotations(3), "a fitted sampler"),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_losses_are_no_labels_that_may_be_wrong():
    told = SimpleRandomSampler(random_state=0).fit(np.ones(20))
    ids = told.ask(4)
    notes = Annotations(told)
    told.tell(ids, loss=[0.1, 0.2, 0.3, 0.4])
    computed = SimpleRandomSampler(random_state=0, loss=np.subtract)
    computed.fit(np.ones(20), y_pred=np.zeros(20))
    for call in (
        lambda: notes.tell(ids, failed=[0, 1, 0, 1], annotator="ann"),
        lambda: notes.result(),
        lambda: Annotations(computed).tell(computed.ask(1), [1], annotator="ann"),
    ):
        with pytest.raises(ValueError, match="the answers of the sampler are losses"):
            call()
    assert len(computed.pending_) == 1
    assert notes._answers == []


def test_messages_of_annotations():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(20))
    ids = sampler.ask(4)
    notes = Annotations(sampler).tell(ids, failed=[0, 1, 0, None], annotator="ann")
    free = next(i for i in range(20) if i not in ids)
    for call, message in [
        (
            lambda: notes.tell(ids[:1], failed=[0], annotator="ann"),
            "'ann' has answered id .* a name of its own",
        ),
        (
            lambda: notes.tell([free], failed=[0], annotator="bob"),
            "Annotations.tell: id .* was never asked",
        ),
        (lambda: notes.tell(ids[:1], failed=[0], annotator=""), "'annotator'"),
        (lambda: notes.tell(ids[:1], failed=[7], annotator="bob"), "booleans"),
        (lambda: notes.to_repeat(4), "3 inputs have exactly one answer here, 4 asked"),
        (lambda: notes.result(), "two answers or more"),
        (lambda: Annotations(sampler).noise(), "there are none yet"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    assert len(notes._answers) == 3
    assert sampler.skipped_.tolist() == [ids[3]]
    notes.tell(ids[3:], failed=[1], annotator="bob")  # a skipped input has no answer
    assert sampler.result().n_failures == 2
