"""Messages of evaluations: one clear sentence for each wrong call."""

import numpy as np
import pytest
from messages import check_one_sentence
from problems import linear_problem

from skrobust.attacks import FGSM
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.perturbations import (
    Rotation,
)

MODEL, X, Y = linear_problem()


# (what is called, the sentence it must raise)
ROWS = {
    "evaluate nothing": (
        lambda: evaluate_perturbations(MODEL, X, Y, []), "non-empty list"),
    "evaluate a name": (
        lambda: evaluate_perturbations(MODEL, X, Y, "asi68"), "non-empty list"),
    "evaluate lengths": (
        lambda: evaluate_perturbations(MODEL, X, Y[:4], [Rotation(3)]), "equal length"),
    "evaluate attack": (
        lambda: evaluate_attack(MODEL, X, Y, "fgsm"), r"perturb\(estimator, X, y\)"),
    "evaluate tolerances": (
        lambda: evaluate_attack(MODEL, X, Y, FGSM(), tolerances=[2]), "toleranc"),
    "evaluate one-hot": (
        lambda: evaluate_attack(MODEL, X, np.eye(2)[Y], FGSM()), "1-D labels"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_wrong_calls_of_evaluations_get_one_clear_sentence(row):
    check_one_sentence(*ROWS[row])
