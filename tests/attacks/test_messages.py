"""Messages of attacks: one clear sentence for each wrong call."""

import numpy as np
import pytest
from messages import check_one_sentence
from problems import linear_problem
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import FGSM, PGD

MODEL, X, Y = linear_problem()
NAN = X.copy()
NAN[3, 2] = np.nan


# (what is called, the sentence it must raise)
ROWS = {
    "eps negative": (
        lambda: FGSM(-1).perturb(MODEL, X, Y), "The 'eps' parameter of FGSM must be a"),
    "rows of several lengths": (
        lambda: FGSM(0.1).perturb(MODEL, [[1.0, 2.0], [3.0]], [0, 1]),
        r"FGSM needs rows of one shape, and those of X have \(2,\) and \(1,\): cut"),
    "eps text": (lambda: PGD("big").perturb(MODEL, X, Y), "'eps' parameter of PGD"),
    "eps nan": (lambda: PGD(np.nan).perturb(MODEL, X, Y), "'eps' parameter of PGD"),
    "norm": (lambda: FGSM(norm=3).perturb(MODEL, X, Y), "numpy.inf, 2 or 1"),
    "objective": (
        lambda: FGSM(objective="max").perturb(MODEL, X, Y), "'probability_shift'"),
    "n_steps": (lambda: PGD(n_steps=0).perturb(MODEL, X, Y), "at least 1"),
    "step_size": (lambda: PGD(step_size=0).perturb(MODEL, X, Y), "a positive float"),
    "restarts": (
        lambda: PGD(n_restarts=2, random_start=False).perturb(MODEL, X, Y),
        "'n_restarts' parameter"),
    "batch_size": (lambda: FGSM(batch_size=0).perturb(MODEL, X, Y), "'batch_size'"),
    "attack range": (
        lambda: FGSM(data_range=(0, 0.5)).perturb(MODEL, X, Y), "outside data_range"),
    "attack range order": (
        lambda: FGSM(data_range=(1, 0)).perturb(MODEL, X, Y), "low < high"),
    "attack range shape": (
        lambda: FGSM(data_range=(np.zeros(3), np.ones(3))).perturb(MODEL, X, Y),
        "one bound per feature"),
    "attack NaN": (lambda: FGSM().perturb(MODEL, NAN, Y), "contains NaN"),
    "attack lengths": (lambda: FGSM().perturb(MODEL, X, Y[:5]), "equal length"),
    "attack one-hot": (lambda: FGSM().perturb(MODEL, X, np.eye(2)[Y]), "1-D labels"),
    "attack other labels": (
        lambda: FGSM().perturb(MODEL, X, np.array(["a", "b"])[Y]),
        "none of the model's"),
    "attack width": (lambda: FGSM().perturb(MODEL, X[:, :3], Y), "takes 6 features"),
    "attack a tree": (
        lambda: FGSM().perturb(DecisionTreeClassifier().fit(X, Y), X, Y),
        "cannot differentiate DecisionTreeClassifier"),
    "attack unfitted": (
        lambda: FGSM().perturb(LogisticRegression(), X, Y), "not fitted"),
    "attack clusterer": (
        lambda: FGSM().perturb(KMeans(2, n_init=1).fit(X), X, Y),
        "cannot differentiate"),
    "attack sparse": (
        lambda: FGSM().perturb(MODEL, OneHotEncoder().fit_transform(X), Y),
        "the model takes"),
    "targets that are text": (
        lambda: FGSM(objective="prediction_error").run(
            Ridge().fit(X, Y), X, np.array(["a", "b"])[Y]), "FGSM needs numbers"),
    "targets left out": (
        lambda: FGSM(objective="prediction_error").run(Ridge().fit(X, Y), X),
        "FGSM needs y for objective='prediction_error'"),
    "objective of a regressor": (
        lambda: FGSM(objective="misclassification").run(Ridge().fit(X, Y), X, Y),
        "'prediction_error' for a regressor"),
    "target of a regressor": (
        lambda: FGSM(target=1).run(Ridge().fit(X, Y), X, Y), "None for a regressor"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_wrong_calls_of_attacks_get_one_clear_sentence(row):
    check_one_sentence(*ROWS[row])
