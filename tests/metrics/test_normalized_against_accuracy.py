"""The normalized score against accuracy: what it does, and what it warns of."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from skrobust.metrics import (
    accuracy_skill_score,
    confidence_interval,
    make_normalized_scorer,
    normalized_accuracy_score,
    normalized_score_parts,
    signal_to_noise_ratio,
)

SIZE = {"n_features": 1, "n_samples": 9999}


def silent(function, *args, **options):
    """Return the value of a function whose warnings are not the subject."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def test_a_perfect_classifier_scores_as_a_coin_flip_does():
    skewed, even = [0] * 95 + [1] * 5, [0, 0, 1, 1] * 25
    perfect = silent(normalized_accuracy_score, skewed, skewed, **SIZE)
    flip = normalized_accuracy_score(even, [0, 1] * 50, **SIZE)
    assert perfect == pytest.approx(1 / (1 + np.log(19)))
    assert flip == 0.25
    assert abs(perfect - flip) < 0.005
    # What compares across data sets tells the two apart.
    for skill in (accuracy_skill_score, matthews_corrcoef):
        assert skill(skewed, skewed) == 1
        assert skill(even, [0, 1] * 50) == pytest.approx(0)
    assert balanced_accuracy_score(even, [0, 1] * 50) == 0.5


def test_noise_columns_raise_the_score_while_the_accuracy_falls():
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    tree = DecisionTreeClassifier(max_features=2, random_state=0)
    scores, accuracies = [], []
    for d in (30, 120):
        noise = rng.normal(size=(len(X), d - 30))
        predicted = cross_val_predict(tree, np.hstack([X, noise]), y, cv=5)
        accuracies.append(np.mean(predicted == y))
        size = {"n_features": d, "n_samples": len(X)}
        scores.append(normalized_accuracy_score(y, predicted, **size))
    assert accuracies[1] < accuracies[0] - 0.03
    assert scores[1] > scores[0] + 0.03


def test_within_a_fold_it_rises_with_accuracy():
    y = np.repeat([0, 1], [60, 40])
    rng = np.random.default_rng(0)
    models = [np.where(rng.random(100) < p, y, 1 - y) for p in np.linspace(0, 1, 40)]
    accuracy = np.array([np.mean(p == y) for p in models])
    score = np.array([normalized_accuracy_score(y, p, **SIZE) for p in models])
    order = np.argsort(accuracy, kind="stable")
    steps = np.diff(accuracy[order]) > 0
    assert (np.diff(score[order])[steps] > 0).all()


def test_a_low_ceiling_warns_with_its_numbers():
    y = [0] * 95 + [1] * 5
    with pytest.warns(UserWarning, match=r"imbalance factor 3.94: .* scores 0.254"):
        normalized_accuracy_score(y, y, **SIZE)
    fair = [0] * 60 + [1] * 40  # h = 1.41
    normalized_accuracy_score(fair, fair, **SIZE)


def test_an_order_against_accuracy_warns_with_its_numbers():
    # Three classes, 40 : 30 : 30. The model errs always in one way, so that the square
    # of its noise is large: it is ahead of the constant by accuracy, not by the score.
    y = np.repeat([0, 1, 2], [40, 30, 30])
    predicted = y.copy()
    predicted[40:] = 1  # class 2 is called 1
    predicted[:28] = 1  # so are 28 of class 0
    accuracy, constant = np.mean(predicted == y), 0.4
    assert accuracy == 0.42
    share = {
        name: ratio / (1 + ratio)
        for name, ratio in (
            ("model", signal_to_noise_ratio(y, predicted)),
            ("constant", signal_to_noise_ratio(y, 0 * y)),
        )
    }
    assert share["model"] == pytest.approx(1044 / (1044 + 28**2 + 30**2))
    assert accuracy * share["model"] < constant * share["constant"]
    with pytest.warns(UserWarning, match=r"0.42 times .* 0.383 against 0.4 times 0.47"):
        normalized_accuracy_score(y, predicted, **SIZE)
    normalized_accuracy_score(y, predicted, snr="linear", **SIZE)


def test_a_fold_without_a_class_keeps_the_formula_of_the_model():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=999).fit(X[:, :1], y)
    scorer = make_normalized_scorer(n_samples=len(X))
    fold = np.flatnonzero(y < 2)
    seen = model.predict(X[fold, :1])
    fold = fold[seen < 2]  # neither labels nor predictions tell the third class
    alone = normalized_accuracy_score(
        y[fold], model.predict(X[fold, :1]), n_features=1, n_samples=len(X)
    )
    with pytest.warns(UserWarning, match="has 2 of 3 classes") as caught:
        told = scorer(model, X[fold, :1], y[fold])
    assert len(caught) == 1
    parts = {
        kind: signal_to_noise_ratio(y[fold], model.predict(X[fold, :1]), kind=kind)
        for kind in ("linear", "squared")
    }
    g = {kind: ratio / (1 + ratio) for kind, ratio in parts.items()}
    assert told / alone == pytest.approx(g["squared"] / g["linear"])
    assert told > alone
    # With the class sizes nothing is missing.
    full = make_normalized_scorer(n_samples=len(X), class_counts=[50, 50, 50])
    full(model, X[fold, :1], y[fold])


def test_labels_count_as_classes_and_missing_ones_warn():
    y, predicted = np.repeat([0, 1], 20), np.repeat([0, 1], [25, 15])
    counts = {0: 20, 1: 20, 2: 20}
    known = normalized_score_parts(
        y, predicted, task="classification", class_counts=counts, **SIZE
    )
    with pytest.warns(UserWarning, match="has 2 of 3 classes"):
        told = normalized_score_parts(
            y, predicted, task="classification", labels=[0, 1, 2], **SIZE
        )
    assert told.snr == known.snr == pytest.approx((20**2 + 15**2) / 5**2)
    with pytest.raises(ValueError, match="labels"):
        normalized_accuracy_score(y, predicted, labels=[[0, 1], [1, 0]], **SIZE)


def test_skill_over_the_best_constant():
    y = np.repeat(["a", "b", "c"], [6, 3, 1])
    assert accuracy_skill_score(y, y) == 1
    assert accuracy_skill_score(y, ["a"] * 10) == 0
    one_wrong = y.copy()
    one_wrong[0] = "b"
    assert accuracy_skill_score(y, one_wrong) == 0.75
    assert accuracy_skill_score(y, ["c"] * 10) == -1.25
    weight = np.repeat([1.0, 2.0, 6.0], [6, 3, 1])  # three classes of weight 6
    assert accuracy_skill_score(y, ["c"] * 10, sample_weight=weight) == 0
    with pytest.warns(UserWarning, match="single class"):
        assert np.isnan(accuracy_skill_score([1, 1], [1, 0]))


def test_skill_has_an_interval():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    predicted = np.where(rng.random(400) < 0.8, y, 1 - y)
    interval = confidence_interval(
        "accuracy_skill", y, predicted, random_state=0, n_resamples=300
    )
    assert interval.low < 0.6 < interval.high
    assert interval.value == accuracy_skill_score(y, predicted)
