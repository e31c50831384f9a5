"""Evaluations score the metrics of the registry by name."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from skrobust.evaluation import (
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
)
from skrobust.metrics import Interval, confidence_interval, get_scorer
from skrobust.metrics import registry as metric_registry
from skrobust.metrics.registry import MetricSpec, register
from skrobust.perturbations import FeatureNoise

X, Y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=500).fit(X[::2], Y[::2])
NOISE = [FeatureNoise(severity=s, random_state=0).fit(X) for s in (1, 3, 5)]


def never_second(y_true, y_pred, sample_weight=None):
    """Return the share of predictions that are not the second class."""
    return float(np.average(np.asarray(y_pred) != 1, weights=sample_weight))


def largest_doubt(y_true, y_prob):
    """Return the mean probability that is missing to certainty."""
    return float(1 - np.max(y_prob, axis=1).mean())


@pytest.fixture
def registered(monkeypatch):
    """Register metrics for one test."""
    monkeypatch.setattr(metric_registry, "_SPECS", dict(metric_registry._SPECS))
    register(MetricSpec("never_second", never_second))
    register(
        MetricSpec(
            "largest_doubt",
            largest_doubt,
            needs={"probabilities"},
            greater_is_better=False,
        )
    )


def test_a_registered_metric_is_scored_under_each_condition(registered):
    for scoring in ("never_second", "never_second_score", never_second):
        results = evaluate_perturbations(MODEL, X, Y, NOISE, scoring=scoring)
        wanted = [never_second(Y, MODEL.predict(c.perturb(MODEL, X, Y))) for c in NOISE]
        assert results.score.tolist() == wanted
        assert results.clean_score == never_second(Y, MODEL.predict(X))
        assert "correct" not in results


def test_a_metric_of_probabilities_where_less_is_better_is_negated(registered):
    results = evaluate_perturbations(MODEL, X, Y, NOISE, scoring="largest_doubt")
    wanted = [
        -largest_doubt(Y, MODEL.predict_proba(c.perturb(MODEL, X, Y))) for c in NOISE
    ]
    assert results.score.tolist() == wanted


def test_a_registered_metric_is_cross_validated(registered, tmp_path):
    settings = {"scoring": "never_second", "cv": 3}
    model = LogisticRegression(max_iter=500)
    results = cross_validate_perturbations(model, X, Y, NOISE, **settings)
    assert results.score.shape == (9,)
    assert results.conditions.score_low.shape == (3,)
    for _ in range(2):
        kept = cross_validate_perturbations(
            model, X, Y, NOISE, checkpoint=tmp_path, **settings
        )
        assert kept.score.tolist() == results.score.tolist()


def test_names_of_accuracy_keep_the_correctness():
    plain = evaluate_perturbations(MODEL, X, Y, NOISE)
    for scoring in ("accuracy", "robust_accuracy", "robust_accuracy_score"):
        results = evaluate_perturbations(MODEL, X, Y, NOISE, scoring=scoring)
        assert np.array_equal(results.correct, plain.correct)


def test_a_metric_with_its_own_scorer_is_that_scorer():
    results = evaluate_perturbations(MODEL, X, Y, NOISE, scoring="normalized_accuracy")
    assert results.clean_score == get_scorer("normalized_accuracy")(MODEL, X, Y)


def test_scikit_learn_keeps_its_own_names():
    results = evaluate_perturbations(MODEL, X, Y, NOISE, scoring="balanced_accuracy")
    assert results.clean_score == balanced_accuracy_score(Y, MODEL.predict(X))


@pytest.mark.parametrize(
    "evaluate", [evaluate_perturbations, cross_validate_perturbations]
)
@pytest.mark.parametrize(
    ("scoring", "needs"),
    [
        ("robust_ratio", "clean and tolerance"),
        ("regression_robust_ratio", "clean and tolerance"),
        ("accuracy_stability_index", "conditions"),
    ],
)
def test_metrics_of_more_than_one_condition_are_refused(evaluate, scoring, needs):
    sentence = f"^{evaluate.__name__} scores .*{scoring}' needs {needs}"
    with pytest.raises(ValueError, match=sentence):
        evaluate(MODEL, X, Y, NOISE, scoring=scoring)


@pytest.mark.parametrize(
    "evaluate", [evaluate_perturbations, cross_validate_perturbations]
)
@pytest.mark.parametrize(
    ("scoring", "end"),
    [
        ("acuracy", "Got 'acuracy' instead. Did you mean 'accuracy'?"),
        ("balanced_acuracy", "Did you mean 'balanced_accuracy'?"),
        ("robust_acuracy", "Did you mean 'robust_accuracy'?"),
        ("zzz", "Got 'zzz' instead."),
        (["accuracy", "f1"], "Got ['accuracy', 'f1'] instead."),
        (3, "Got 3 instead."),
    ],
)
def test_unknown_scorings_name_the_nearest_scorer(evaluate, scoring, end):
    with pytest.raises(ValueError, match="'scoring' parameter") as caught:
        evaluate(MODEL, X, Y, NOISE, scoring=scoring)
    text = str(caught.value)
    assert text.startswith(f"The 'scoring' parameter of {evaluate.__name__} must be ")
    assert text.endswith(end)
    assert len(text) < 220


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda **options: evaluate_perturbations(MODEL, X, Y, NOISE, **options),
        lambda **options: cross_validate_perturbations(MODEL, X, Y, NOISE, **options),
        lambda **options: evaluate_attack(MODEL, X, Y, NOISE[1], **options),
    ],
)
def test_confidence_is_any_real_number(evaluate):
    exact, plain = (evaluate(confidence=c) for c in (Fraction(19, 20), 0.95))
    assert exact.confidence == 0.95
    assert isinstance(exact.confidence, float)
    for name in plain:
        if "interval" in name:
            assert exact[name] == plain[name]


def test_intervals_are_one_type():
    results = evaluate_attack(MODEL, X, Y, NOISE[1], tolerances=[0.05])
    correct = MODEL.predict(NOISE[1].perturb(MODEL, X, Y)) == Y
    assert isinstance(results.clean_accuracy_interval, Interval)
    assert results.robust_accuracy_interval == confidence_interval(
        "robust_accuracy", correct
    )
    low, high = results.robust_accuracy_interval
    assert (low, high) == (
        results.robust_accuracy_interval.low,
        results.robust_accuracy_interval[1],
    )
    assert results.robust_accuracy_interval.value == results.robust_accuracy
    assert len(results.robust_accuracy_interval) == 2
