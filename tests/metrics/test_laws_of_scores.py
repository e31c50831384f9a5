"""Laws of skill, sizes of samples, flips and quadrants: scores of few numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, fewer, seeds

from skrobust.metrics import (
    StreamingMetric,
    accuracy_skill_score,
    compare_models,
    confidence_interval,
    mean_flip_rate,
    sample_size_deviation,
    stability_quadrant,
    stable_sample_size,
)


def labels_and_weights(seed):
    """Labels of three classes, of which two at least occur, and weights."""
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, 3, (2, 14))
    y[:2] = [0, 1]
    weight = rng.choice([0, 1, 2, 5], 14)
    weight[:2] = [1, 2]
    return rng, y, predicted, weight


@few
@given(seeds)
def test_skill_is_the_accuracy_over_the_best_constant(seed):
    rng, y, predicted, weight = labels_and_weights(seed)
    skill = accuracy_skill_score(y, predicted, sample_weight=weight)
    accuracy = np.average(y == predicted, weights=weight)
    shares = [np.average(y == k, weights=weight) for k in range(3)]
    best = max(shares)
    assert skill == pytest.approx((accuracy - best) / (1 - best))
    assert skill <= 1
    constant = np.full(14, np.argmax(shares))
    assert accuracy_skill_score(y, constant, sample_weight=weight) == pytest.approx(
        0, abs=1e-12
    )
    assert accuracy_skill_score(y, y, sample_weight=weight) == 1
    # Weights are repetitions, have no unit, and classes have no order.
    rows = rng.permutation(np.repeat(np.arange(14), weight))
    assert accuracy_skill_score(y[rows], predicted[rows]) == pytest.approx(skill)
    names = np.array(["c", "a", "b"])
    again = accuracy_skill_score(
        names[y], names[predicted], sample_weight=weight * 1e-9
    )
    assert again == pytest.approx(skill)


@few
@given(seeds, st.integers(2, 300))
def test_skill_of_a_class_of_little_weight(seed, power):
    # The error of the best constant is the weight of the other classes, however small.
    _, y, predicted, _ = labels_and_weights(seed)
    weight = np.where(y == 0, 1.0, 10.0**-power)
    predicted[y == 0] = 0
    skill = accuracy_skill_score(y, predicted, sample_weight=weight)
    others = y != 0
    others_wrong = np.mean(predicted[others] != y[others])
    assert skill == pytest.approx(1 - others_wrong, rel=1e-9, abs=1e-12)


grid = st.integers(-64, 64).map(lambda v: v / 64)


@few
@given(st.lists(grid, min_size=1, max_size=8), st.integers(-2, 2), seeds)
def test_deviation_of_sizes_has_the_unit_of_the_score(scores, shift, seed):
    scores = np.array(scores)
    found = sample_size_deviation(scores)
    assert found == pytest.approx(np.mean(np.abs(scores - np.mean(scores))))
    assert 0 <= found <= np.ptp(scores) + 1e-12
    order = np.random.default_rng(seed).permutation(len(scores))
    assert sample_size_deviation(-3 * scores[order] + shift) == pytest.approx(3 * found)
    copies = np.column_stack([scores - 0.25, scores + 0.25])
    assert sample_size_deviation(copies) == pytest.approx(found)
    mean = abs(scores.mean())
    if mean > 0:
        relative = sample_size_deviation(scores, relative=True)
        assert relative == pytest.approx(found / mean)
        again = sample_size_deviation(-8 * scores[order], relative=True)
        assert again == pytest.approx(relative)


@few
@given(st.lists(st.integers(-99, 99), min_size=1, max_size=5), seeds)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_mean_of_0_is_0_in_any_order(cents, seed):
    scores = np.array([*cents, -sum(cents)]) / 100
    order = np.random.default_rng(seed).permutation(len(scores))
    assert np.isnan(sample_size_deviation(scores[order], relative=True))


@few
@given(
    st.lists(grid, min_size=1, max_size=8),
    st.integers(0, 32),
    st.integers(0, 32),
    seeds,
)
def test_stable_sizes_by_loop_and_the_larger_the_tolerance(scores, little, more, seed):
    rng = np.random.default_rng(seed)
    scores = np.array(scores)
    sizes = 10 * np.arange(1, len(scores) + 1)
    tolerance = little / 64
    found = stable_sample_size(sizes, scores, tolerance=tolerance)
    far = np.abs(scores - scores[-1]) > tolerance
    expected = next(n for i, n in enumerate(sizes) if not far[i:].any())
    assert found == expected
    order = rng.permutation(len(scores))
    again = stable_sample_size(sizes[order], scores[order], tolerance=tolerance)
    assert again == found
    moved = stable_sample_size(sizes, -4 * scores + 1, tolerance=4 * tolerance)
    assert moved == found
    wider = stable_sample_size(sizes, scores, tolerance=tolerance + more / 64)
    assert wider <= found
    # Relative, it is that of any unit.
    share = stable_sample_size(sizes, scores, tolerance=tolerance, relative=True)
    unit = stable_sample_size(sizes, 1024 * scores, tolerance=tolerance, relative=True)
    assert share == unit


rates = st.integers(1, 20).map(lambda v: v / 20)


@few
@given(st.lists(st.tuples(rates, rates), min_size=1, max_size=8), seeds)
def test_mean_flip_rates_are_means_of_quotients(pairs, seed):
    own, base = np.array(pairs).T
    found = mean_flip_rate(own, base, reference="AlexNet")
    assert found.value == pytest.approx(np.mean([a / b for a, b in pairs]))
    assert mean_flip_rate(base, base, reference="AlexNet").value == 1
    assert mean_flip_rate(own).value == pytest.approx(np.mean(own))
    order = np.random.default_rng(seed).permutation(len(own))
    again = mean_flip_rate(own[order], base[order], reference="AlexNet")
    assert again.value == pytest.approx(found.value)
    # Half as many flips of both models are the same quotient.
    halves = mean_flip_rate(own / 2, base / 2, reference="AlexNet")
    assert halves.value == pytest.approx(found.value)
    assert mean_flip_rate(own / 2, base, reference="AlexNet").value <= found.value


@few
@given(grid, grid.map(abs), grid, grid.map(abs))
def test_quadrants_are_those_of_the_plane(mean, cv, other_mean, other_cv):
    found = stability_quadrant(
        mean, cv, reference_mean=other_mean, reference_cv=other_cv
    )
    table = {(True, True): "I", (True, False): "II", (False, True): "III"}
    assert found == table.get((mean >= other_mean, cv <= other_cv), "IV")
    # In other units, and seen from the reference.
    percent = stability_quadrant(
        100 * mean,
        100 * cv,
        reference_mean=100 * other_mean,
        reference_cv=100 * other_cv,
    )
    assert percent == found
    back = stability_quadrant(
        other_mean, other_cv, reference_mean=mean, reference_cv=cv
    )
    if mean != other_mean and cv != other_cv:
        opposite = {"I": "IV", "II": "III", "III": "II", "IV": "I"}
        assert back == opposite[found]


@fewer
@given(seeds, st.integers(1, 3))
def test_under_several_conditions_a_sample_is_right_if_it_is_under_each(seed, k):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 12)
    predicted = np.where(rng.random((k, 12)) < 0.7, y, 1 - y)
    right = (predicted == y).all(axis=0)
    found = confidence_interval("accuracy", y, predicted)
    assert found == confidence_interval("accuracy", right)
    robust = confidence_interval("robust_accuracy", y, predicted)
    assert tuple(found) == tuple(robust)
    assert found.value == right.mean()
    streamed = StreamingMetric("accuracy").partial_update(y, predicted)
    assert streamed.compute() == pytest.approx(right.mean())
    models = {"one": predicted, "other": 1 - predicted}
    compared = compare_models(models, metric="accuracy", y_true=y)
    other = (predicted != y).all(axis=0)
    assert compared.difference[0] == pytest.approx(right.mean() - other.mean())
