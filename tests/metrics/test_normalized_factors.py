"""Factors of the normalized scores: dimensionality, signal, imbalance, noise."""

import math

import numpy as np
import pandas as pd
import pytest
from confusion_tables import BALANCED, POINTS, SKEWED, THREE, VALUES
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import confusion_matrix, r2_score

from skrobust import metrics as m
from skrobust.metrics.normalized.factors import (
    dimensionality_factor,
    imbalance_factor,
    signal_factor,
)
from skrobust.metrics.normalized.signal_to_noise import signal_to_noise_ratio

few = settings(max_examples=40, deadline=None, derandomize=True)


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
        ({"y_true": [0, np.nan]}, "y_true without missing"),
        ({"class_counts": [3, -1]}, "non-negative with a positive sum"),
        ({"class_counts": [0, 0]}, "non-negative with a positive sum"),
        ({"class_counts": [np.nan, 1]}, "finite class_counts"),
        ({"class_counts": []}, "at least 1"),
    ],
)
def test_imbalance_refuses(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        imbalance_factor(**arguments)


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
        ({"y_pred": [0.0, np.nan]}, "y_pred without missing"),
        ({"y_pred": [0.0, np.nan], "task": "regression"}, "needs finite y_pred"),
        ({"y_pred": [[0, 1], [1, 0]], "task": "regression"}, "1-D array of numbers"),
    ],
)
def test_snr_refuses(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        signal_to_noise_ratio(**{"y_true": [0, 1], "y_pred": [0, 1], **arguments})


def test_imbalance_factor_of_one_class_warns():
    with pytest.warns(UserWarning, match="class"):
        assert m.imbalance_factor([1, 1, 1]) == 1


def test_a_weight_in_a_soft_matrix_is_a_row_given_so_often():
    rng = np.random.default_rng(0)
    y, weight = rng.permutation(np.arange(40) % 3), rng.integers(1, 6, 40)
    p = rng.dirichlet(np.ones(3), 40)
    for kind in ("linear", "squared"):
        found = signal_to_noise_ratio(
            y, None, y_prob=p, sample_weight=weight, kind=kind
        )
        rows = np.repeat(np.arange(40), weight)
        often = signal_to_noise_ratio(y[rows], None, y_prob=p[rows], kind=kind)
        assert found == pytest.approx(often)
