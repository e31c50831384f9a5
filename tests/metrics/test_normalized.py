"""The normalized scores keep their values and laws."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from confusion_tables import BALANCED, POINTS, SKEWED, THREE, VALUES, labels_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    make_scorer,
    normalized_mutual_info_score,
    r2_score,
)
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.metrics.normalized.factors import (
    dimensionality_factor,
    imbalance_factor,
)
from skrobust.metrics.normalized.parts import normalized_score_parts
from skrobust.metrics.normalized.scores import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)

# A perfect classifier scores little on class sizes such as 90 and 10.
low_ceiling = pytest.mark.filterwarnings("ignore:.*divides by the imbalance factor")
few = settings(max_examples=40, deadline=None, derandomize=True)


# Normalized scores: worked values ----------------------------------------------------


@low_ceiling
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


@low_ceiling
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


@low_ceiling
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


@low_ceiling
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
