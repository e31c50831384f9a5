"""Robust accuracy, robust ratio and probability shift keep their values and laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import accuracy_score

from skrobust.metrics import robust_ratio_band
from skrobust.metrics.robust.accuracy_and_ratio import (
    robust_accuracy_score,
    robust_ratio_curve,
    robust_ratio_score,
)
from skrobust.metrics.robust.probability_shift import probability_shift

few = settings(max_examples=40, deadline=None, derandomize=True)


def two_columns(p):
    return np.stack([1 - np.asarray(p), np.asarray(p)], axis=-1)


Y = np.array([1, 0, 1, 1, 0])
CLEAN = two_columns([0.9, 0.2, 0.6, 0.55, 0.1])
MOVED = two_columns([0.85, 0.25, 0.45, 0.6, 0.1])

ONE_CLEAN = [[0.6, 0.3, 0.1]]
ONE_MOVED = [[0.35, 0.05, 0.60]]


def random_probabilities(rng, *shape):
    return rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])


# Robust accuracy ---------------------------------------------------------------------


def test_robust_accuracy_worked_value():
    result = robust_accuracy_score(Y, MOVED.argmax(axis=1))
    assert type(result) is float
    assert result == 0.8


def test_robust_accuracy_is_accuracy_for_one_perturbation():
    rng = np.random.default_rng(0)
    y, predicted, weight = (
        rng.integers(0, 3, 50),
        rng.integers(0, 3, 50),
        rng.random(50),
    )
    assert robust_accuracy_score(y, predicted) == accuracy_score(y, predicted)
    assert robust_accuracy_score(y, predicted, sample_weight=weight) == pytest.approx(
        accuracy_score(y, predicted, sample_weight=weight)
    )


def test_worst_case_is_the_logical_and():
    y = [0, 1, 1, 0]
    first, second = [0, 1, 1, 1], [0, 0, 1, 0]
    assert robust_accuracy_score(y, first) == 0.75
    assert robust_accuracy_score(y, second) == 0.75
    assert robust_accuracy_score(y, [first, second]) == 0.5


@few
@given(arrays(int, (3, 6), elements=st.integers(0, 2)), st.permutations(range(3)))
def test_worst_case_is_at_most_each(labels, order):
    y = np.array([0, 1, 2, 0, 1, 2])
    worst = robust_accuracy_score(y, labels)
    assert worst <= min(robust_accuracy_score(y, row) for row in labels)
    assert robust_accuracy_score(y, labels[list(order)]) == worst
    # Renaming the classes changes nothing.
    names = np.array(["u", "w", "v"])
    assert robust_accuracy_score(names[y], names[labels]) == worst


@pytest.mark.parametrize("several", [False, True])
def test_six_kinds_of_labels_give_one_number(several):
    rng = np.random.default_rng(1)
    y, predicted = rng.integers(0, 3, 40), rng.integers(0, 3, (2, 40))
    predicted[:, :25] = y[:25]
    predicted = predicted if several else predicted[0]
    names = np.array(["u", "v", "w"])
    kinds = [
        (y, predicted),
        (names[y], names[predicted]),
        (10 * y + 7, 10 * predicted + 7),
        (y.astype(float), predicted.astype(float)),
        (list(y), predicted.tolist()),
        (pd.Series(y, index=range(200, 240)), predicted),
        (pd.Series(names[y], index=range(200, 240)), names[predicted].astype(object)),
        (pd.Series(names[y], dtype="category"), names[predicted]),
        (pd.array(y, dtype="Int64"), predicted),
        (y, predicted.astype(float)),
    ]
    numbers = {robust_accuracy_score(*kind) for kind in kinds}
    assert len(numbers) == 1
    assert 0.5 < numbers.pop() < 1


def test_a_series_is_matched_by_position_not_by_index():
    y = pd.Series([0, 1, 1], index=[2, 1, 0])
    predicted = pd.Series([0, 1, 1], index=[0, 1, 2])
    assert robust_accuracy_score(y, predicted) == 1


def test_a_label_the_model_never_saw_counts_as_wrong():
    assert robust_accuracy_score(["a", "b", "anew"], ["a", "b", "a"]) == 2 / 3


@pytest.mark.parametrize(
    "y, predicted, sentence",
    [
        ([0, 1], [0, 1, 1], "shape .* Got shape \\(3,\\) for 2 samples"),
        ([0, 1], [[0], [1]], "Got shape \\(2, 1\\) for 2 samples"),
        ([0, 1], [[[0, 1]]], "shape .n_samples,"),
        ([], [], "at least one sample"),
        ([0, 1], np.zeros((0, 2)), "at least one sample"),
        (np.eye(3), [0, 1, 2], "one-hot columns into labels"),
        ([0, 1], ["0", "1"], "y_true holds numbers and y_pred_perturbed holds text"),
        ([0.0, np.nan], [0, 1], "y_true without missing"),
        (["a", None], ["a", "b"], "without missing values; 1 of 2"),
        (np.array([1, "a"], dtype=object), [1, 2], "found int, str"),
    ],
)
def test_robust_accuracy_refuses(y, predicted, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        robust_accuracy_score(y, predicted)
    assert "robust_accuracy_score" in str(error.value)


@pytest.mark.parametrize("weight", [[1, -1], [0, 0], [1], [1, np.nan]])
def test_bad_weights(weight):
    with pytest.raises(ValueError, match="weight"):
        robust_accuracy_score([0, 1], [0, 1], sample_weight=weight)


# Probability shift -------------------------------------------------------------------


def test_shift_worked_values():
    expected = [0.05, 0.05, 0.15, 0.05, 0]
    shift = probability_shift(CLEAN, MOVED)
    assert shift.dtype == np.float64
    np.testing.assert_allclose(shift, expected, atol=1e-12)


@pytest.mark.parametrize(
    "reference, expected", [("predicted", 0.25), ("true", 0.25), ("max", 0.50)]
)
def test_shift_of_three_classes(reference, expected):
    shift = probability_shift(ONE_CLEAN, ONE_MOVED, reference=reference, y_true=[1])
    np.testing.assert_allclose(shift, [expected])


def test_shift_of_the_true_class_takes_labels():
    rng = np.random.default_rng(2)
    clean, moved = random_probabilities(rng, 2, 20, 3)
    y = rng.integers(0, 3, 20)
    expected = np.abs(moved - clean)[np.arange(20), y]
    # Columns need not be sorted by label.
    for labels in (["w", "u", "v"], [17, 7, 27], [2.5, 0.5, 1.5]):
        shift = probability_shift(
            clean, moved, reference="true", y_true=np.array(labels)[y], labels=labels
        )
        np.testing.assert_allclose(shift, expected)
    by_number = probability_shift(
        clean, moved, reference="true", y_true=y.astype(float)
    )
    np.testing.assert_allclose(by_number, expected)


@pytest.mark.filterwarnings("ignore:.*no row changed")
@few
@given(arrays(float, (2, 6), elements=st.floats(0, 1)))
def test_two_classes_move_alike(p):
    clean, moved = two_columns(p)
    kinds = [
        probability_shift(clean, moved),
        probability_shift(clean, moved, reference="max"),
        probability_shift(clean, moved, reference="true", y_true=[0] * 6),
        probability_shift(clean, moved, reference="true", y_true=[1] * 6),
    ]
    for shift in kinds:
        np.testing.assert_allclose(shift, np.abs(p[1] - p[0]), atol=1e-12)
    # A sample whose margin is wider than its shift keeps its class.
    kept = np.abs(p[0] - 0.5) > kinds[0] + 1e-9
    assert ((p[0] > 0.5) == (p[1] > 0.5))[kept].all()


def test_shift_takes_the_worst_perturbation():
    rng = np.random.default_rng(3)
    clean, moved = random_probabilities(rng, 9, 4), random_probabilities(rng, 5, 9, 4)
    for reference in ("predicted", "max"):
        each = [probability_shift(clean, one, reference=reference) for one in moved]
        worst = probability_shift(clean, moved, reference=reference)
        np.testing.assert_array_equal(worst, np.max(each, axis=0))


# Robust ratio ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tolerance, expected",
    [
        (0, 0.2),
        (0.04, 0.2),
        (0.05, 0.8),
        (0.14, 0.8),
        (0.15, 1.0),
        (0.2, 1.0),
        (1, 1.0),
    ],
)
def test_ratio_worked_values(tolerance, expected):
    result = robust_ratio_score(CLEAN, MOVED, tolerance=tolerance)
    assert type(result) is float
    assert result == expected
    single = robust_ratio_score(
        CLEAN.astype(np.float32), MOVED.astype(np.float32), tolerance=tolerance
    )
    assert single == expected
    mixed = robust_ratio_score(CLEAN, MOVED.astype(np.float32), tolerance=tolerance)
    assert mixed == expected


def test_curve_worked_values():
    tolerances, ratios = robust_ratio_curve(CLEAN, MOVED)
    np.testing.assert_array_equal(tolerances, [round(0.01 * i, 2) for i in range(21)])
    np.testing.assert_array_equal(ratios, [0.2] * 5 + [0.8] * 10 + [1.0] * 6)
    assert ratios.mean() == pytest.approx(0.714285714, abs=5e-10)
    assert np.trapezoid(ratios, tolerances) / 0.2 == pytest.approx(0.72)


def test_rounding_that_counts_as_equal():
    clean = two_columns([0.5])
    inside, outside = two_columns([0.55 + 5e-10]), two_columns([0.55 + 5e-8])
    assert robust_ratio_score(clean, inside, tolerance=0.05) == 1
    assert robust_ratio_score(clean, outside, tolerance=0.05) == 0
    # Single precision of either input is the coarser one.
    assert robust_ratio_score(clean.astype(np.float32), outside, tolerance=0.05) == 1


def test_worst_case_of_two_perturbations():
    clean = two_columns([0.5, 0.5])
    moved = two_columns([[0.7, 0.5], [0.5, 0.3]])
    for one in moved:
        assert robust_ratio_score(clean, one, tolerance=0.1) == 0.5
    assert robust_ratio_score(clean, moved, tolerance=0.1) == 0


@pytest.mark.filterwarnings("ignore:.*no row changed")
@few
@given(st.integers(0, 10_000), st.integers(2, 4), st.booleans())
def test_ratio_laws(seed, n_classes, weighted):
    rng = np.random.default_rng(seed)
    clean, moved = (
        random_probabilities(rng, 7, n_classes),
        random_probabilities(rng, 3, 7, n_classes),
    )
    weight = rng.random(7) if weighted else None
    grid = np.linspace(0, 1, 11)
    _, worst = robust_ratio_curve(clean, moved, tolerances=grid, sample_weight=weight)
    assert (np.diff(worst) >= 0).all()
    assert worst[-1] == 1
    shift = probability_shift(clean, moved)
    for tolerance, ratio in zip(grid, worst, strict=True):
        expected = np.average(shift <= tolerance, weights=weight)
        assert ratio == pytest.approx(expected)
        score = robust_ratio_score(
            clean, moved, tolerance=tolerance, sample_weight=weight
        )
        assert score == ratio
    for one in moved:
        _, each = robust_ratio_curve(clean, one, tolerances=grid, sample_weight=weight)
        assert (worst <= each).all()
    for reference in ("predicted", "max"):
        same = robust_ratio_score(clean, clean, tolerance=0, reference=reference)
        assert same == 1


def test_curve_keeps_the_given_order():
    given_tolerances = [0.2, 0.0, 0.05]
    tolerances, ratios = robust_ratio_curve(CLEAN, MOVED, tolerances=given_tolerances)
    assert tolerances.tolist() == given_tolerances
    assert ratios.tolist() == [1.0, 0.2, 0.8]


def test_weights_are_repetitions():
    repeated = np.repeat(np.arange(5), [3, 0, 1, 2, 1])
    plain = robust_ratio_curve(CLEAN[repeated], MOVED[repeated])[1]
    weighted = robust_ratio_curve(CLEAN, MOVED, sample_weight=[3, 0, 1, 2, 1])[1]
    np.testing.assert_allclose(weighted, plain)


@pytest.mark.parametrize(
    "clean, moved, arguments, sentence",
    [
        ([0.1, 0.9], [0.2, 0.8], {}, "np.column_stack"),
        (
            CLEAN,
            MOVED[:4],
            {},
            "shape of y_prob.* \\(4, 2\\) against \\(5, 2\\)",
        ),
        (CLEAN, ONE_MOVED * 5, {}, "\\(5, 3\\) against \\(5, 2\\)"),
        (CLEAN, np.zeros((0, 5, 2)), {}, "at least one sample"),
        (100 * CLEAN, 100 * MOVED, {}, "y_prob.* Divide percent by 100"),
        (CLEAN, MOVED + [[-1, 1]], {}, "y_prob_perturbed.* fractions"),
        (CLEAN, 0 * MOVED + 0.4, {}, "sum to 1"),
        (CLEAN, np.nan * MOVED, {}, "NaN or infinity"),
        (CLEAN, MOVED, {"tolerance": 5}, "'tolerance' .* \\[0, 1\\]"),
        (CLEAN, MOVED, {"tolerance": -0.1}, "'tolerance'"),
        (CLEAN, MOVED, {"tolerance": np.nan}, "'tolerance'"),
        (CLEAN, MOVED, {"reference": "clean"}, "one of 'predicted', 'true', 'max'"),
        (CLEAN, MOVED, {"reference": "true"}, "needs y_true"),
        (CLEAN, MOVED, {"reference": "true", "y_true": [0, 1]}, "y_true has 2"),
        (CLEAN, MOVED, {"reference": "true", "y_true": Y + 1}, "column numbers 0 to 1"),
        (CLEAN, MOVED, {"reference": "true", "y_true": list("abbba")}, "classes_"),
        (
            CLEAN,
            MOVED,
            {"reference": "true", "y_true": list("abbbc"), "labels": ["a", "b"]},
            "'c' is not",
        ),
        (
            CLEAN,
            MOVED,
            {"reference": "true", "y_true": list("abbba"), "labels": ["a", "a"]},
            "2 different labels",
        ),
        (
            CLEAN,
            MOVED,
            {"reference": "true", "y_true": Y, "labels": ["a", "b"]},
            "y_true holds numbers and labels holds text",
        ),
    ],
)
def test_ratio_refuses(clean, moved, arguments, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        robust_ratio_score(clean, moved, **{"tolerance": 0.1, **arguments})
    assert "robust_ratio_score" in str(error.value)


@pytest.mark.parametrize(
    "tolerances, sentence",
    [([5, 10], "Divide percent"), ([], "at least 1"), (0.1, "1-D"), ([np.nan], "NaN")],
)
def test_curve_refuses(tolerances, sentence):
    with pytest.raises(ValueError, match=sentence):
        robust_ratio_curve(CLEAN, MOVED, tolerances=tolerances)


def test_single_precision_shifts_keep_their_tolerance():
    p = np.linspace(0.3, 0.9, 61).astype(np.float32)
    step = np.float32(0.05)
    P, Q = np.c_[p, 1 - p], np.c_[p - step, 1 - p + step]
    both = robust_ratio_band(P, Q, tolerances=[0.05]).ratio
    shift = robust_ratio_band(probability_shift(P, Q), tolerances=[0.05]).ratio
    assert both[0] == shift[0] == 1
