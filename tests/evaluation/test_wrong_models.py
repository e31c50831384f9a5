"""Evaluations of labels refuse regressors and models that are not wrapped."""

import numpy as np
import pytest
from problems import linear_problem
from sklearn.linear_model import LinearRegression

from skrobust.attacks import FGSM
from skrobust.evaluation import (
    check_evaluation,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_bounds,
    robust_accuracy_curve,
    robust_ratio_bounds,
    suggest_repairs,
)
from skrobust.perturbations import FeatureNoise

MODEL, X, Y = linear_problem()
RESULTS = evaluate_perturbations(MODEL, X, Y, [FeatureNoise(1).fit(X)])
CALLS = {
    "check_evaluation": lambda model: check_evaluation(model, X, Y, FGSM(0.1)),
    "robust_accuracy_bounds": lambda model: robust_accuracy_bounds(
        model, X, Y, eps=0.1
    ),
    "robust_accuracy_curve": lambda model: robust_accuracy_curve(
        model, X, Y, FGSM(), [0.1]
    ),
    "robust_ratio_bounds": lambda model: robust_ratio_bounds(model, X, Y, eps=0.1),
    "suggest_repairs": lambda model: suggest_repairs(model, X, Y, RESULTS),
}


@pytest.mark.parametrize("caller", CALLS)
def test_regressors_are_refused(caller):
    sentence = f"{caller} compares classes, and LinearRegression is a regressor"
    with pytest.raises(ValueError, match=sentence):
        CALLS[caller](LinearRegression().fit(X, Y))


@pytest.mark.parametrize("caller", [*CALLS, "evaluate_attack"])
def test_functions_are_not_models(caller):
    call = CALLS.get(caller) or (lambda f: evaluate_attack(f, X, Y, FGSM(0.1)))

    def response(rows):
        return np.zeros(len(rows))

    with pytest.raises(ValueError, match=f"{caller} takes estimators of scikit-learn"):
        call(response)
