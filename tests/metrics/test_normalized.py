"""The normalized scores and their factors keep their values and laws."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    confusion_matrix,
    make_scorer,
    normalized_mutual_info_score,
    r2_score,
)
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust import metrics as m
from skrobust.metrics.normalized.factors import (
    dimensionality_factor,
    imbalance_factor,
    signal_factor,
)
from skrobust.metrics.normalized.parts import normalized_score_parts
from skrobust.metrics.normalized.scores import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)
from skrobust.metrics.normalized.signal_to_noise import signal_to_noise_ratio

few = settings(max_examples=40, deadline=None, derandomize=True)


def labels_of(matrix):
    """True and predicted labels whose confusion matrix is ``matrix``."""
    matrix = np.asarray(matrix)
    true, predicted = np.indices(matrix.shape).reshape(2, -1)
    return np.repeat(true, matrix.ravel()), np.repeat(predicted, matrix.ravel())


BALANCED = labels_of([[45, 5], [10, 40]])
SKEWED = labels_of([[88, 2], [4, 6]])
THREE = labels_of([[45, 3, 2], [4, 24, 2], [1, 3, 16]])
VALUES = [3, 5, 2, 7], [2.5, 5, 2, 8]
POINTS = np.array([[0.0], [1.0], [10.0], [11.0]])


# Factors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ratio, expected",
    [
        (0.5, 1),
        (1, 1),
        (1.5, 1.122459),
        (2, 1.231059),
        (3, 1.380797),
        (5, 1.482014),
        (10, 1.499877),
    ],
)
def test_dimensionality_worked_values(ratio, expected):
    # 20 d / N is the ratio, so N = 40 and d = 2 * ratio.
    result = dimensionality_factor(int(2 * ratio), 40)
    assert result == pytest.approx(expected, abs=5e-7)


@few
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**6))
def test_dimensionality_laws(n_features, n_samples, more):
    f = dimensionality_factor(n_features, n_samples)
    assert 1 <= f <= 1.5
    assert dimensionality_factor(n_features + more, n_samples) >= f
    assert dimensionality_factor(n_features, n_samples + more) <= f
    assert dimensionality_factor(n_features, 20 * n_features) == 1
    assert dimensionality_factor(n_features, 20 * n_features + more) == 1
    assert dimensionality_factor(2 * n_features, 20 * n_features) > 1.2
    assert dimensionality_factor(1000 * n_features, n_features) == 1.5


@pytest.mark.parametrize("bad", [0, -1, 2.0, True, "3", None])
def test_dimensionality_refuses(bad):
    with pytest.raises(ValueError, match=r"'n_features' .* at least 1"):
        dimensionality_factor(bad, 10)
    with pytest.raises(ValueError, match=r"'n_samples' .* at least 1"):
        dimensionality_factor(10, bad)


@few
@given(st.floats(0, 1e6), st.floats(1e-3, 1e3))
def test_signal_factor_is_the_share_of_the_signal(snr, more):
    g = signal_factor(snr)
    assert 0 <= g < 1
    assert g == pytest.approx(1 - 1 / (1 + snr), abs=1e-12)
    assert signal_factor(snr + more) > g


def test_signal_factor_at_its_ends():
    assert signal_factor(0) == 0
    assert signal_factor(math.inf) == 1
    for bad in (-1, math.nan, "1", None, True):
        with pytest.raises(ValueError, match="non-negative float"):
            signal_factor(bad)


def test_imbalance_worked_values():
    acir_a = imbalance_factor(class_counts=[50, 30, 20])
    assert acir_a == pytest.approx(1.693147, abs=5e-7)
    # Other readings of ACIR (all pairs, all classes) and of the logarithm.
    for other in (1.587787, 1.405465):
        assert acir_a != pytest.approx(other, abs=1e-3)
    nine = imbalance_factor(class_counts=[90, 10])
    assert nine == pytest.approx(3.1972245773, abs=5e-11)
    assert imbalance_factor(class_counts=(7, 7, 7)) == 1
    # Ties for the largest contribute the ratio 1.
    assert imbalance_factor(class_counts=[8, 8, 4]) == 1 + math.log(1 / 0.75)


@few
@given(st.lists(st.integers(1, 500), min_size=2, max_size=6))
def test_imbalance_laws(counts):
    h = imbalance_factor(class_counts=counts)
    assert h >= 1
    if len(counts) == 2:
        assert h == pytest.approx(1 + math.log(max(counts) / min(counts)))
    assert imbalance_factor(class_counts=[0, *counts[::-1]]) == pytest.approx(h)
    tenfold = imbalance_factor(class_counts=[10 * n for n in counts])
    assert tenfold == pytest.approx(h)
    y = np.repeat(np.arange(len(counts)), counts)
    assert imbalance_factor(y) == h
    assert imbalance_factor(np.array(list("abcdef"))[y]) == h
    weights = np.array(counts)
    once = np.arange(len(counts))
    assert imbalance_factor(once, sample_weight=weights) == pytest.approx(h)


def test_imbalance_takes_labels_and_counts_of_any_kind():
    y = [0] * 9 + [1] * 3
    expected = 1 + math.log(3)
    for kind in (
        y,
        ["n" if v else "m" for v in y],
        pd.Series(y, index=range(50, 62)),
        np.array(y, dtype=bool),
        np.array(y, dtype=object),
        np.array(y) + 0.5,
    ):
        assert imbalance_factor(kind) == pytest.approx(expected)
    assert imbalance_factor(class_counts={"m": 9, "n": 3}) == pytest.approx(expected)
    counts = pd.Series(y).value_counts()
    assert imbalance_factor(class_counts=counts) == pytest.approx(expected)


def test_imbalance_of_a_single_class():
    with pytest.warns(UndefinedMetricWarning, match="single class is undefined"):
        assert imbalance_factor(["a", "a"]) == 1
    with pytest.warns(UndefinedMetricWarning):
        assert imbalance_factor(class_counts=[5, 0]) == 1


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({}, "either y_true or class_counts"),
        ({"y_true": [0, 1], "class_counts": [1, 1]}, "either y_true or class_counts"),
        ({"y_true": []}, "at least one sample"),
        ({"y_true": np.eye(2)}, "one-hot"),
        ({"y_true": [0, np.nan]}, "finite y_true"),
        ({"class_counts": [3, -1]}, "non-negative with a positive sum"),
        ({"class_counts": [0, 0]}, "non-negative with a positive sum"),
        ({"class_counts": [np.nan, 1]}, "finite class_counts"),
        ({"class_counts": []}, "at least 1"),
    ],
)
def test_imbalance_refuses(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        imbalance_factor(**arguments)


# Signal-to-noise ratio ---------------------------------------------------------------


@pytest.mark.parametrize(
    "pair, kind, expected",
    [
        (BALANCED, "linear", 5.666667),
        (BALANCED, "auto", 5.666667),
        (BALANCED, "squared", 29),
        (SKEWED, "linear", 15.666667),
        (SKEWED, "squared", 389),
        (THREE, "auto", 66.4418604651),
        (THREE, "squared", 66.4418604651),
        (THREE, "linear", 85 / 15),
    ],
)
def test_snr_worked_values(pair, kind, expected):
    assert signal_to_noise_ratio(*pair, kind=kind) == pytest.approx(expected, abs=5e-7)


def test_snr_of_balanced_weights():
    y, predicted = THREE
    weight = 1 / np.bincount(y)[y]
    ratio = signal_to_noise_ratio(y, predicted, sample_weight=weight)
    assert ratio == pytest.approx(39.87, abs=5e-3)


@few
@given(st.lists(st.integers(0, 3), min_size=2, max_size=30), st.integers(0, 99))
def test_snr_is_that_of_the_confusion_matrix(y, seed):
    rng = np.random.default_rng(seed)
    predicted = rng.integers(0, 4, len(y))
    weight = rng.integers(1, 5, len(y))
    c = confusion_matrix(y, predicted, sample_weight=weight).astype(float)
    for kind, power in (("linear", 1), ("squared", 2)):
        signal = (np.diag(c) ** power).sum()
        noise = (c**power).sum() - signal
        ratio = signal_to_noise_ratio(y, predicted, kind=kind, sample_weight=weight)
        if signal == 0:
            assert ratio == 0
        elif noise == 0:
            assert ratio == math.inf
        else:
            assert ratio == pytest.approx(signal / noise)
        # Neither more of the same data nor the scale of the weights matters.
        doubled = signal_to_noise_ratio(
            y * 2,
            np.tile(predicted, 2),
            kind=kind,
            sample_weight=np.tile(weight, 2) / 7,
        )
        assert doubled == pytest.approx(ratio)


def test_snr_of_regression_worked_values():
    assert signal_to_noise_ratio(*VALUES, task="regression") == pytest.approx(69.6)
    shifted = [np.add(v, 100) for v in VALUES]
    # Not shift invariant, unless it is centred.
    moved = signal_to_noise_ratio(*shifted, task="regression")
    assert moved == pytest.approx(34789.6)
    centred = 1 / (1 - r2_score(*VALUES))
    for pair in (VALUES, shifted):
        ratio = signal_to_noise_ratio(*pair, task="regression", center=True)
        assert ratio == pytest.approx(centred)


@few
@given(st.floats(1e-200, 1e200), st.sampled_from([-1, 1]), st.booleans())
def test_snr_of_regression_has_no_unit(scale, sign, center):
    y, predicted = (sign * scale * np.array(v) for v in VALUES)
    ratio = signal_to_noise_ratio(y, predicted, task="regression", center=center)
    plain = signal_to_noise_ratio(*VALUES, task="regression", center=center)
    assert ratio == pytest.approx(plain)


def test_centre_of_weighted_values():
    y, predicted = np.array(VALUES)
    weight = np.array([1, 3, 0, 2])
    ratio = signal_to_noise_ratio(
        y, predicted, task="regression", center=True, sample_weight=weight
    )
    assert ratio == pytest.approx(
        1 / (1 - r2_score(y, predicted, sample_weight=weight))
    )


def test_snr_at_its_ends():
    for task in ("classification", "regression"):
        assert signal_to_noise_ratio([1, 2, 3], [1, 2, 3], task=task) == math.inf
    assert signal_to_noise_ratio([0, 1], [1, 0]) == 0
    assert signal_to_noise_ratio([0, 0], [1, 2], task="regression") == 0
    assert signal_to_noise_ratio([0, 0], [0, 0], task="regression") == 0
    flat = signal_to_noise_ratio([0.1] * 3, [1, 2, 3], task="regression", center=True)
    assert flat == 0


def test_snr_of_a_soft_matrix():
    y, predicted = THREE
    hard = np.eye(3)[predicted]
    ratio = signal_to_noise_ratio(y, None, y_prob=hard)
    assert ratio == pytest.approx(66.4418604651)
    soft = 0.8 * hard + 0.2 / 3
    c = np.array([soft[y == k].sum(axis=0) for k in range(3)])
    expected = (np.diag(c) ** 2).sum() / ((c**2).sum() - (np.diag(c) ** 2).sum())
    names = np.array(["z", "x", "y"])
    ratio = signal_to_noise_ratio(names[y], None, y_prob=soft, labels=names)
    assert ratio == pytest.approx(expected)
    with pytest.raises(ValueError, match="4 different labels, one per column"):
        signal_to_noise_ratio(y, None, y_prob=np.full((100, 4), 0.25))


def test_snr_of_clusters():
    ratio = signal_to_noise_ratio(None, [0, 0, 1, 1], task="clustering", X=POINTS)
    assert ratio == pytest.approx(100)
    one = signal_to_noise_ratio(None, [0, 0, 0, 0], task="clustering", X=POINTS)
    assert one == 0
    alone = signal_to_noise_ratio(None, [0, 1, 2, 3], task="clustering", X=POINTS)
    assert signal_factor(alone) == pytest.approx(1)
    X = np.random.default_rng(0).normal(size=(9, 3))
    assert signal_to_noise_ratio(None, ["a"] * 9, task="clustering", X=X) == 0
    # The mean of three times .1 is not .1.
    same = np.full((3, 2), 0.1)
    assert signal_to_noise_ratio(None, [0, 0, 1], task="clustering", X=same) == 0


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"task": "ranking"}, "one of 'classification', 'regression', 'clustering'"),
        ({"kind": "cubic"}, "one of 'auto', 'linear', 'squared'"),
        ({"task": "clustering"}, "needs X"),
        ({"y_pred": [0, 1, 1]}, "y_true has 2, y_pred has 3"),
        ({"y_pred": ["0", "1"]}, "y_true holds numbers and y_pred holds text"),
        ({"y_true": np.eye(2)}, "one-hot"),
        ({"y_pred": [0.0, np.nan]}, "finite y_pred"),
        ({"y_pred": [0.0, np.nan], "task": "regression"}, "finite y_pred"),
        ({"y_pred": [[0, 1], [1, 0]], "task": "regression"}, "1-D array of numbers"),
    ],
)
def test_snr_refuses(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        signal_to_noise_ratio(**{"y_true": [0, 1], "y_pred": [0, 1], **arguments})


# Normalized scores: worked values ----------------------------------------------------


@pytest.mark.parametrize(
    "pair, n_features, snr, expected",
    [
        (BALANCED, 10, "auto", 0.889439823),
        (SKEWED, 5, "auto", 0.276364697),
        (SKEWED, 5, "squared", 0.293251137),
        (THREE, 8, "auto", 0.566618574),
    ],
)
def test_accuracy_worked_values(pair, n_features, snr, expected):
    score = normalized_accuracy_score(
        *pair, n_features=n_features, n_samples=100, snr=snr
    )
    assert type(score) is float
    assert score == pytest.approx(expected, abs=5e-10)


def test_accuracy_parts():
    parts = normalized_score_parts(
        *THREE, task="classification", n_features=8, n_samples=100
    )
    expected = {
        "raw": 0.85,
        "dimensionality": 1.1456563062,
        "snr": 66.4418604651,
        "signal": 0.9851724138,
        "imbalance": 1.693147,
        "n_samples": 100,
        "n_features": 8,
        "unclipped": 0.566618574,
        "score": 0.566618574,
    }
    assert dict(parts) == pytest.approx(expected, abs=5e-7)


def test_bound_clamp_is_told():
    arguments = {"n_features": 10, "n_samples": 100, "snr": "squared"}
    with pytest.warns(UserWarning, match="was 1.012 and is clipped to 1"):
        assert normalized_accuracy_score(*BALANCED, **arguments) == 1.0
    free = normalized_accuracy_score(*BALANCED, clip=False, **arguments)
    assert free == pytest.approx(1.011520, abs=5e-7)
    with pytest.warns(UserWarning, match="clipped"):
        parts = normalized_score_parts(*BALANCED, task="classification", **arguments)
    assert parts.signal == pytest.approx(0.966667, abs=5e-7)
    assert (parts.score, parts.unclipped) == (1.0, free)


def test_imbalanced_classifiers():
    y = [0] * 90 + [1] * 10
    perfect = normalized_accuracy_score(y, y, n_features=5, n_samples=100)
    majority = normalized_accuracy_score(y, [0] * 100, n_features=5, n_samples=100)
    assert perfect == pytest.approx(0.312771, abs=5e-7)
    assert majority == pytest.approx(0.253345, abs=5e-7)


def test_r2_worked_values():
    score = normalized_r2_score(*VALUES, n_features=1, n_samples=100)
    assert score == pytest.approx(0.902290296, abs=5e-10)
    parts = normalized_score_parts(
        *VALUES, task="regression", n_features=1, n_samples=100
    )
    assert parts.raw == pytest.approx(0.9152542373, abs=5e-11)
    assert parts.signal == pytest.approx(0.9858356941, abs=5e-11)
    assert (parts.dimensionality, parts.imbalance) == (1, 1)
    with pytest.warns(UserWarning, match="was 1.337 and is clipped"):
        assert normalized_r2_score(*VALUES, n_features=1, n_samples=4) == 1
    free = normalized_r2_score(*VALUES, n_features=1, n_samples=4, clip=False)
    assert free == pytest.approx(1.337207, abs=5e-7)


def test_clustering_worked_values():
    y = [0, 0, 1, 1]
    score = normalized_clustering_score(y, y, n_features=1, n_samples=100, X=POINTS)
    assert score == pytest.approx(0.990099010, abs=5e-10)
    other = normalized_clustering_score(y, [0, 1, 1, 1], n_features=1, n_samples=100)
    assert other == pytest.approx(0.343711018, abs=5e-10)
    parts = normalized_score_parts(
        y, [0, 1, 1, 1], task="clustering", n_features=1, n_samples=100
    )
    assert math.isnan(parts.snr)
    assert parts.signal == 1


# Normalized scores: laws -------------------------------------------------------------


def test_size_of_the_data_set():
    y = [0, 1] * 20
    with pytest.warns(UserWarning, match="40 rows scored.*n_samples=len") as caught:
        score = normalized_accuracy_score(y, y[::-1], n_features=64)
    assert len(caught) == 1
    assert score == 0
    # A small data set, said to be so, is no fold: no warning.
    f = dimensionality_factor(64, 40)
    with pytest.warns(UserWarning, match="clipped") as caught:
        normalized_accuracy_score(y, y, n_features=64, n_samples=40)
    assert len(caught) == 1
    free = normalized_accuracy_score(y, y, n_features=64, n_samples=40, clip=False)
    assert free == f
    # Rows enough for f = 1 need no warning either.
    assert normalized_accuracy_score(y, y, n_features=2) == 1
    parts = normalized_score_parts(y, y, task="classification", n_features=2)
    assert parts.n_samples == 40


def test_warnings_name_the_line_of_the_caller():
    with pytest.warns(UserWarning, match="rows scored") as caught:
        normalized_accuracy_score([0, 1], [1, 0], n_features=9)
    assert caught[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning) as caught:
        normalized_accuracy_score([0, 0], [0, 1], n_features=1, n_samples=99)
    assert caught[0].filename == __file__


def test_a_fold_with_one_class():
    # It is judged as binary, with no imbalance: right in all, it scores f.
    with pytest.warns(UndefinedMetricWarning, match="normalized_accuracy_score"):
        assert (
            normalized_accuracy_score([1, 1], [1, 1], n_features=1, n_samples=99) == 1
        )
    with pytest.warns(UndefinedMetricWarning):
        score = normalized_accuracy_score(
            [1] * 4, [1, 1, 1, 0], n_features=1, n_samples=99
        )
    assert score == 0.75**2
    # The class sizes of the data set remove the doubt.
    score = normalized_accuracy_score(
        [1, 1], [1, 1], n_features=1, n_samples=99, class_counts=[90, 9]
    )
    assert score == pytest.approx(1 / (1 + math.log(10)))


def test_a_fold_with_two_classes_of_three():
    y, predicted = labels_of([[6, 2], [1, 5]])
    arguments = {"task": "classification", "n_features": 1, "n_samples": 99}
    alone = normalized_score_parts(y, predicted, **arguments)
    assert alone.snr == 11 / 3
    known = normalized_score_parts(
        y, predicted, class_counts={0: 40, 1: 40, 2: 19}, **arguments
    )
    assert known.snr == pytest.approx(61 / 5)
    assert known.imbalance == imbalance_factor(class_counts=[40, 40, 19])


def test_binary_score_ranks_as_accuracy_does():
    y = np.repeat([0, 1], [70, 30])
    scores = []
    for wrong in range(100):
        predicted = y.copy()
        predicted[:wrong] = 1 - predicted[:wrong]
        scores.append(normalized_accuracy_score(y, predicted, n_features=2))
    assert (np.diff(scores) < 0).all()


def test_six_kinds_of_labels_give_one_number():
    y, predicted = THREE
    names = np.array(["u", "v", "w"])
    scores = {
        normalized_accuracy_score(a, b, n_features=8, n_samples=100)
        for a, b in (
            (y, predicted),
            (names[y], names[predicted]),
            (10 * y + 7, 10 * predicted + 7),
            (y.astype(float), predicted),
            (list(y), list(predicted)),
            (pd.Series(names[y], index=range(200, 300)), names[predicted]),
        )
    }
    assert len(scores) == 1


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    y, predicted = rng.integers(0, 3, (2, 60))
    weight = rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    arguments = {"n_features": 4, "n_samples": 500}
    for score in (normalized_accuracy_score, normalized_r2_score):
        a, b = (
            (y, predicted)
            if score is normalized_accuracy_score
            else (y, y + predicted / 5)
        )
        weighted = score(a, b, sample_weight=weight, **arguments)
        repeated = score(a[rows], b[rows], **arguments)
        assert weighted == pytest.approx(repeated)
        assert weighted != pytest.approx(score(a, b, **arguments), abs=1e-6)


def test_a_row_of_weight_zero_is_absent():
    y, predicted = [0, 1, 0, 1, 2], [0, 1, 1, 1, 0]
    parts = normalized_score_parts(
        y,
        predicted,
        task="classification",
        n_features=1,
        sample_weight=[1, 1, 1, 1, 0],
        clip=False,
        n_samples=100,
    )
    rest = normalized_score_parts(
        y[:4], predicted[:4], task="classification", n_features=1, n_samples=100
    )
    assert dict(parts) == pytest.approx(dict(rest))
    with pytest.warns(UserWarning, match="took the 2 rows"):
        score = normalized_accuracy_score(
            [0, 1, 1], [1, 0, 1], n_features=1, sample_weight=[1, 1, 0]
        )
    assert score == 0


def test_signal_may_be_a_function_of_the_user():
    seen = []

    def root(snr):
        seen.append(snr)
        return math.sqrt(snr / (1 + snr))

    score = normalized_accuracy_score(
        *BALANCED, n_features=5, n_samples=100, signal=root
    )
    assert seen == [pytest.approx(85 / 15)]
    assert score == pytest.approx(0.85**1.5)
    with pytest.warns(UserWarning, match="was inf"):
        unbounded = normalized_accuracy_score(
            [0, 1], [0, 1], n_features=1, n_samples=99, signal=np.log1p
        )
    assert unbounded == 1
    nothing = normalized_accuracy_score(
        [0, 1], [1, 0], n_features=1, n_samples=99, signal=lambda snr: -math.inf
    )
    assert nothing == 0
    for bad, sentence in (
        (0.5, "callable or None"),
        (lambda s: "x", "returns a number"),
    ):
        with pytest.raises(ValueError, match=sentence):
            normalized_accuracy_score(
                [0, 1], [0, 1], n_features=1, n_samples=99, signal=bad
            )


def test_r2_below_zero_and_centring():
    assert normalized_r2_score([1, 2, 3], [9, 9, 0], n_features=1, n_samples=99) == 0
    y, predicted = np.array(VALUES)
    r2 = r2_score(y, predicted)
    for shift in (0, 100):
        score = normalized_r2_score(
            y + shift, predicted + shift, n_features=1, n_samples=99, center=True
        )
        assert score == pytest.approx(r2 / (2 - r2))
    plain = normalized_r2_score(y, predicted, n_features=1, n_samples=99)
    shifted = normalized_r2_score(y + 100, predicted + 100, n_features=1, n_samples=99)
    assert shifted > plain + 0.01
    column = normalized_r2_score(
        y[:, None], predicted[:, None], n_features=1, n_samples=99
    )
    assert column == plain


def test_r2_of_one_sample():
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(normalized_r2_score([1.0], [2.0], n_features=1, n_samples=99))


@few
@given(st.integers(0, 1000), st.floats(1e-3, 1e3), st.floats(-100, 100))
def test_clustering_ignores_place_turn_and_scale(seed, scale, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    true, predicted = rng.integers(0, 3, (2, 12))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    arguments = {"n_features": 3, "n_samples": 500}
    score = normalized_clustering_score(true, predicted, X=X, **arguments)
    moved = normalized_clustering_score(
        true, predicted, X=scale * (X @ turn) + shift, **arguments
    )
    assert moved == pytest.approx(score, abs=1e-9)
    names = np.array(["c", "a", "b"])
    renamed = normalized_clustering_score(true, names[predicted], X=X, **arguments)
    assert renamed == pytest.approx(score)


def test_clustering_factors():
    rng = np.random.default_rng(5)
    X, true, predicted = rng.normal(size=(30, 2, 2)), *rng.integers(0, 4, (2, 30))
    parts = normalized_score_parts(
        true, predicted, task="clustering", n_features=4, n_samples=900, X=X
    )
    assert parts.raw == pytest.approx(normalized_mutual_info_score(true, predicted))
    flat = X.reshape(30, 4)
    means = np.array([flat[predicted == k].mean(axis=0) for k in range(4)])
    within = ((flat - means[predicted]) ** 2).sum()
    total = ((flat - flat.mean(axis=0)) ** 2).sum()
    assert parts.signal == pytest.approx(1 - within / total)


def test_make_scorer_and_one_f_for_every_number_of_folds():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    scorer = make_scorer(normalized_accuracy_score, n_features=30, n_samples=569)
    fitted = model.fit(X, y)
    expected = normalized_accuracy_score(
        y, fitted.predict(X), n_features=30, n_samples=569
    )
    assert scorer(fitted, X, y) == expected
    for folds in (5, 10):
        scores = cross_val_score(model, X, y, cv=folds, scoring=scorer)
        assert ((scores > 0.4) & (scores < 0.8)).all()
    f = {
        normalized_score_parts(
            y[:n],
            y[:n],
            task="classification",
            n_features=30,
            n_samples=569,
            clip=False,
        ).dimensionality
        for n in (57, 114)
    }
    assert f == {dimensionality_factor(30, 569)}


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"n_features": 0}, "'n_features' .* integer of at least 1"),
        ({"n_features": 2.5}, "'n_features'"),
        ({"n_samples": 0}, "'n_samples'"),
        ({"snr": "cubic"}, "'snr' .* one of 'auto', 'linear', 'squared'"),
        ({"class_counts": [-1, 3]}, "'class_counts'"),
        ({"y_pred": [0, 1, 1]}, "y_true has 2, y_pred has 3"),
        ({"y_pred": ["0", "1"]}, "y_true holds numbers and y_pred holds text"),
        ({"y_true": [], "y_pred": []}, "at least one sample"),
        ({"y_true": np.eye(2)}, "one-hot"),
        ({"sample_weight": [1, -1]}, "sample_weight"),
    ],
)
def test_accuracy_refuses(arguments, sentence):
    call = {"y_true": [0, 1], "y_pred": [0, 1], "n_features": 1, "n_samples": 99}
    with pytest.raises(ValueError, match=sentence) as error:
        normalized_accuracy_score(**{**call, **arguments})
    assert "normalized_accuracy_score" in str(error.value)


def test_other_tasks_refuse():
    with pytest.raises(ValueError, match="1-D array of numbers"):
        normalized_r2_score(np.eye(2), np.eye(2), n_features=1)
    with pytest.raises(ValueError, match="finite y_true"):
        normalized_r2_score([1, np.inf], [1, 2], n_features=1)
    with pytest.raises(ValueError, match="labels_true has 2, labels_pred has 3"):
        normalized_clustering_score([0, 1], [0, 1, 1], n_features=1)
    with pytest.raises(ValueError, match="X has 4, y_pred has 2"):
        normalized_clustering_score([0, 1], [0, 1], n_features=1, X=POINTS)
    with pytest.raises(ValueError, match="no sample_weight"):
        normalized_score_parts(
            [0, 1], [0, 1], task="clustering", n_features=1, sample_weight=[1, 1]
        )
    with pytest.raises(ValueError, match="one of 'classification'"):
        normalized_score_parts([0, 1], [0, 1], task="binary", n_features=1)


def test_no_warning_for_a_perfect_score_that_rounds():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(100):
            rng = np.random.default_rng(seed)
            y = rng.integers(0, rng.integers(2, 9), rng.integers(20, 200))
            # For some of these scikit-learn's NMI is 1.0000000000000002.
            score = normalized_clustering_score(y, y, n_features=1)
            assert score == pytest.approx(1)
            assert score <= 1


def test_n_samples_is_at_least_the_rows_scored():
    with pytest.raises(ValueError, match="at least the 100 rows scored"):
        normalized_accuracy_score([0, 1] * 50, [0, 1] * 50, n_features=10, n_samples=1)


def test_imbalance_factor_of_one_class_warns():
    with pytest.warns(UserWarning, match="class"):
        assert m.imbalance_factor([1, 1, 1]) == 1
