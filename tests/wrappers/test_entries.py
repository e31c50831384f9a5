"""Wrapped models in all places, and what bare ones are told there."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import skrobust
from skrobust.attacks import PGD, HopSkipJump, Square
from skrobust.evaluation import (
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_curve,
)
from skrobust.metrics import make_asi_scorer, make_robust_scorer
from skrobust.perturbations import FeatureNoise
from skrobust.plots import NormalizedScoreDisplay
from skrobust.report import create_report
from skrobust.sampling import ConfidenceStratifiedSampler, DeepESTSampler

X, Y = load_iris(return_X_y=True)
X, Y = X[::3], Y[::3]
MODEL = LogisticRegression(max_iter=1000).fit(X, Y)
NOISE = FeatureNoise(severity=3, random_state=0).fit(X)
SQUARE = Square(0.5, max_queries=10, random_state=0)


def probabilities(rows):
    return MODEL.predict_proba(rows)


class Bare:
    """No estimator, and all that an evaluation needs."""

    classes_ = MODEL.classes_

    def predict(self, rows):
        return MODEL.predict(rows)

    def predict_proba(self, rows):
        return MODEL.predict_proba(rows)


ENTRIES = {
    "gradient attack": lambda m: PGD(0.1).perturb(m, X, Y),
    "black-box attack": lambda m: SQUARE.run(m, X, Y),
    "label attack": lambda m: HopSkipJump(max_queries=20).run(m, X, Y),
    "evaluate_attack": lambda m: evaluate_attack(m, X, Y, SQUARE),
    "evaluate_perturbations": lambda m: evaluate_perturbations(m, X, Y, [NOISE]),
    "cross_validate": lambda m: cross_validate_perturbations(m, X, Y, [NOISE]),
    "curve": lambda m: robust_accuracy_curve(m, X, Y, SQUARE, [0.1]),
    "robust scorer": lambda m: make_robust_scorer(SQUARE)(m, X, Y),
    "stability scorer": lambda m: make_asi_scorer([NOISE])(m, X, Y),
    "sampler": lambda m: ConfidenceStratifiedSampler(m).fit(X),
    "display": lambda m: NormalizedScoreDisplay.from_estimator(m, X, Y, n_samples=150),
    "report": lambda m: create_report({"m": m}, X, Y, out="unused.html"),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_function_is_told_of_wrap(entry):
    with pytest.raises(ValueError, match=r"skrobust\.wrap\(") as error:
        ENTRIES[entry](probabilities)
    assert "\n" not in str(error.value)


@pytest.mark.torch
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_torch_module_is_told_of_wrap(entry):
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"skrobust\.wrap\(") as error:
        ENTRIES[entry](torch.nn.Linear(4, 3))
    assert "\n" not in str(error.value)


NOT_BARE = {
    "gradient attack": (ValueError, "cannot differentiate Bare"),
    "cross_validate": (TypeError, "Cannot clone"),
    "report": (ValueError, "Wrap a model of another library"),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_object_that_is_no_estimator_works_or_is_told_why_not(entry):
    if entry not in NOT_BARE:
        ENTRIES[entry](Bare())
        return
    kind, sentence = NOT_BARE[entry]
    with pytest.raises(kind, match=sentence):
        ENTRIES[entry](Bare())


@pytest.fixture(scope="module")
def wrapped():
    return skrobust.wrap(probabilities, sample=X)


def test_scorers_in_cross_validation(wrapped):
    for scorer in (make_robust_scorer(SQUARE), make_asi_scorer([NOISE])):
        scores = [
            cross_val_score(FrozenEstimator(m), X, Y, scoring=scorer, cv=2)
            for m in (wrapped, skrobust.wrap(Bare()))
        ]
        np.testing.assert_array_equal(*scores)


def test_evaluations_agree_with_the_model_inside(wrapped):
    for evaluate in (
        lambda m: evaluate_perturbations(m, X, Y, [NOISE]).correct,
        lambda m: (
            cross_validate_perturbations(
                FrozenEstimator(m), X, Y, [NOISE], cv=2
            ).correct
        ),
    ):
        np.testing.assert_array_equal(evaluate(wrapped), evaluate(MODEL))
    results = evaluate_attack(wrapped, X, Y, SQUARE)
    assert results.robust_accuracy < results.clean_accuracy


def test_a_sampler_draws_by_its_confidence(wrapped):
    pools = [DeepESTSampler(m, random_state=0).fit(X) for m in (wrapped, MODEL)]
    first, second = (pool.ask(12) for pool in pools)
    np.testing.assert_array_equal(first, second)


@pytest.mark.slow
def test_a_report_of_a_function_and_a_module(wrapped, tmp_path):
    pytest.importorskip("jinja2")
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(4, 3)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(MODEL.coef_))
        layer.bias.copy_(torch.tensor(MODEL.intercept_))
    models = {"function": wrapped, "module": skrobust.wrap(layer)}
    report = create_report(models, X, Y, out=tmp_path / "report.html")
    page = report.to_html()
    assert "kind: function, answers: probabilities, gradients: no" in page
    assert "kind: torch module, answers: logits, gradients: yes" in page
