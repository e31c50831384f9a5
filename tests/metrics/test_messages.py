"""Messages of metrics and scorers: one clear sentence for each wrong call."""

import numpy as np
import pytest
from messages import check_one_sentence
from problems import linear_problem
from sklearn.svm import LinearSVC

from skrobust import metrics as m
from skrobust.attacks import FGSM
from skrobust.perturbations import (
    SaltAndPepper,
)

MODEL, X, Y = linear_problem()
P = MODEL.predict_proba(X)


# (what is called, the sentence it must raise)
ROWS = {
    "asi percent": (lambda: m.accuracy_stability_index([90, 80]), "fractions in .0, 1"),
    "asi nan": (lambda: m.accuracy_stability_index([0.9, np.nan]), "found NaN"),
    "asi empty": (lambda: m.accuracy_stability_index([]), "at least 1"),
    "asi negative": (
        lambda: m.accuracy_stability_index([-0.2, 0.5]), "non-negative scores"),
    "asi 2-D": (lambda: m.accuracy_stability_index([[0.5, 0.6]]), "1-D"),
    "asi text": (
        lambda: m.accuracy_stability_index(["a", "b"]), "1-D array of numbers"),
    "asi name": (lambda: m.accuracy_stability_index("abc"), "Got 'abc' instead"),
    "asi one number": (lambda: m.accuracy_stability_index(0.5), "Got 0.5 instead"),
    "stability inf": (
        lambda: m.stability_index([0.5, np.inf]), "found NaN or infinity"),
    "stability times": (
        lambda: m.stability_index([0.5, 0.6], times=[1, 1]), "times"),
    "pattern errors": (
        lambda: m.stability_pattern(
            [0.5, 0.6, 0.7], high=0.5, std_errors=[0.1, -0.25, 0.2]
        ), r"must be non-negative.* -0\.25"),
    "flips of nothing": (
        lambda: m.flip_rate(np.empty((0, 3))), r"Got shape \(0, 3\)"),
    "flips of one frame": (lambda: m.flip_rate([[1], [2]]), r"Got shape \(2, 1\)"),
    "stability lengths": (
        lambda: m.stability_index([0.5, 0.6], times=[1, 2, 3]), "times"),
    "ra lengths": (lambda: m.robust_accuracy_score(Y, Y[:3]), "equal length|shape"),
    "ra one-hot": (
        lambda: m.robust_accuracy_score(np.eye(2)[Y], Y), r"argmax\(axis=1\)"),
    "ra empty": (lambda: m.robust_accuracy_score([], []), "at least one sample"),
    "ra text and numbers": (
        lambda: m.robust_accuracy_score(["a", "b"], [0, 1]), "of one kind"),
    "rr tolerance": (
        lambda: m.robust_ratio_score(P, P, tolerance=-0.1), "'tolerance' parameter"),
    "rr tolerance percent": (
        lambda: m.robust_ratio_score(P, P, tolerance=5), r"in \[0, 1\]"),
    "rr 1-D": (
        lambda: m.robust_ratio_score(P[:, 1], P[:, 1], tolerance=0.1), "column_stack"),
    "rr one column": (
        lambda: m.robust_ratio_score(P[:, :1], P[:, :1], tolerance=0.1),
        "column_stack"),
    "rr shapes": (lambda: m.robust_ratio_score(P, P[:5], tolerance=0.1), "shape"),
    "rr logits": (lambda: m.robust_ratio_score(9 * P, P, tolerance=0.1), "fractions"),
    "rr not summing": (
        lambda: m.robust_ratio_score(P / 2, P / 2, tolerance=0.1), "sum to 1"),
    "rr reference": (
        lambda: m.robust_ratio_score(P, P, tolerance=0.1, reference="best"),
        "'reference' parameter"),
    "rr true without y": (
        lambda: m.robust_ratio_score(P, P, tolerance=0.1, reference="true"), "y_true"),
    "normalized d": (
        lambda: m.normalized_accuracy_score(Y, Y, n_features=0), "at least 1"),
    "normalized d bool": (
        lambda: m.normalized_accuracy_score(Y, Y, n_features=True), "an integer"),
    "normalized N": (
        lambda: m.normalized_accuracy_score(Y, Y, n_features=3, n_samples=-1),
        "'n_samples' parameter"),
    "normalized task": (
        lambda: m.normalized_score_parts(Y, Y, task="ranking", n_features=3),
        "one of 'classification'"),
    "normalized r2 text": (
        lambda: m.normalized_r2_score(["a", "b"], [1.0, 2.0], n_features=1), "numbers"),
    "interval": (lambda: m.proportion_interval(5, 3), "count"),
    "get_scorer": (lambda: m.get_scorer("accuracy_index"), "known are"),
    "make_normalized": (lambda: m.make_normalized_scorer("auc"), "one of 'accuracy'"),
    "metric as scorer": (lambda: m.robust_accuracy_score(MODEL, X, Y), "not a scorer"),
    "scorer of nothing": (
        lambda: m.make_robust_scorer(None), r"perturb\(estimator, X, y\)"),
    "scorer of a class": (lambda: m.make_robust_scorer(FGSM), "'perturbation'"),
    "scorer metric": (
        lambda: m.make_robust_scorer(FGSM(), "auc")(MODEL, X, Y), "'robust_ratio'"),
    "ratio without tolerance": (
        lambda: m.make_robust_scorer(FGSM(), "robust_ratio")(MODEL, X, Y),
        "needs a tolerance"),
    "tolerance without ratio": (
        lambda: m.make_robust_scorer(FGSM(), tolerance=0.1)(MODEL, X, Y),
        "belongs to metric='robust_ratio'"),
    "ratio without probabilities": (
        lambda: m.make_robust_scorer(FGSM(), "robust_ratio", tolerance=0.1)(
            LinearSVC().fit(X, Y), X, Y), "needs predict_proba; LinearSVC has none"),
    "ratio stopped early": (
        lambda: m.make_robust_scorer(
            FGSM(objective="misclassification"), "robust_ratio", tolerance=0.1
        )(MODEL, X, Y), "full attack on every sample"),
    "unfitted perturbation": (
        lambda: m.make_robust_scorer(SaltAndPepper(0.1))(MODEL, X * 9, Y),
        "Fit it on training data"),
    "X_ref without fit": (
        lambda: m.make_robust_scorer(FGSM(), X_ref=X), "FGSM has no fit"),
    "scorer without y": (lambda: m.make_robust_scorer(FGSM())(MODEL, X), "needs y"),
    "conditions name": (
        lambda: m.make_asi_scorer("asi68"), "a list of conditions"),
    "conditions empty": (lambda: m.make_asi_scorer([]), "a list of conditions"),
    "conditions wrong": (lambda: m.make_asi_scorer([1, 2]), "'conditions'"),
    "periods": (
        lambda: m.make_stability_index_scorer(200)(MODEL, X, Y), "at most the number"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_wrong_calls_of_metrics_get_one_clear_sentence(row):
    check_one_sentence(*ROWS[row])


def test_the_table_of_metrics_is_long_enough():
    assert len(ROWS) >= 40
