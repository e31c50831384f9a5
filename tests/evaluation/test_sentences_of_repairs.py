"""Sentences of evaluations and repairs where little was tried."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation.conditions.untouched import _takes_tables, units_for
from skrobust.evaluation.core.score_summary import check_reference_model
from skrobust.evaluation.core.verdict import verdict_on_perturbations
from skrobust.evaluation.repairs.fragile_columns import fragile_columns
from skrobust.evaluation.repairs.repair_parts import fit_candidate, one_sentence
from skrobust.evaluation.repairs.repair_verdict import verdict_of
from skrobust.perturbations import (
    FeatureNoise,
    GaussianNoise,
    PerturbationSequence,
)


def columns_of(n):
    names = np.array(["original", *"abc"[:n]])
    return {"name": names, "clean": np.full(n + 1, 0.9)}


@pytest.mark.parametrize(
    ("n", "sentence"),
    [
        (0, "none suits this model"),
        (1, "the one kind that was tried"),
        (3, "of 3 kinds"),
    ],
)
def test_no_repair(n, sentence):
    text = verdict_of(
        columns_of(n), name=None, criterion="mean", n_rows=9, confidence=0.95,
        clean_loss=None, helps=False,
    )  # fmt: skip
    assert text.startswith("No repair helps: ")
    assert sentence in text


@pytest.mark.parametrize("n", [0, 1, 3])
def test_conditions_are_counted_in_the_verdict(n):
    results = {
        "name": np.array(["CLEAN", *"abc"[:n]]), "clean_score": 0.9, "mean": 0.7,
        "worst_score": 0.6, "worst_condition": "a", "correct": None,
    }  # fmt: skip
    text = verdict_on_perturbations(results)
    if n:
        assert text.startswith("Accuracy 0.900 on clean rows")
        del results["correct"]
        assert verdict_on_perturbations(results).startswith("Score 0.900 on clean rows")
    if n == 0:
        assert text == "Score 0.900; no condition changes the rows."
    elif n == 1:
        assert "0.700 under the condition, 0.600 under the worst, a." in text
    else:
        assert "0.700 on average over 3 conditions, 0.600 under the worst" in text


def test_the_column_that_a_model_needs_is_fragile():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 1] > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    noise = [FeatureNoise(5, random_state=0).fit(X)]
    found = fragile_columns(model, noise, X, y, "here")
    assert found[0][0] == 1
    moved = X.copy()
    moved[:, 1] = noise[0].transform(X)[:, 1]
    lost = model.score(X, y) - model.score(moved, y)
    assert found[0][1] == pytest.approx(lost)
    assert all(loss > 0 for _, loss in found)
    one = LogisticRegression().fit(X[:, 1:2], y)
    assert fragile_columns(one, noise, X[:, 1:2], y, "here") == []
    texts = np.array(["a", "b"] * 150)
    assert fragile_columns(model, noise, texts, y, "here") == []


def test_sequences_of_which_one_step_is_of_tables_are_of_tables():
    table, image = FeatureNoise(1), GaussianNoise(1)
    assert _takes_tables(table)
    assert not _takes_tables(image)
    assert _takes_tables(PerturbationSequence([image, table]))
    assert not _takes_tables(PerturbationSequence([image, image]))
    X = np.zeros((4, 3))
    assert units_for([image], X) is None
    assert units_for([image, table], X) is not None


def test_a_reference_is_for_accuracy_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    model = LogisticRegression().fit(StandardScaler().fit_transform(X), y)
    conditions = [FeatureNoise(severity).fit(X) for severity in (1, 2)]
    results = evaluate_perturbations(model, X, y, conditions)
    table = {
        name: results[name] for name in ("number", "name", "corruption", "severity")
    }
    name, *_ = check_reference_model({"other": results}, table, None, "here")
    assert name == "other"
    with pytest.raises(ValueError, match="with a reference for accuracy only"):
        check_reference_model({"other": results}, table, object(), "here")
    assert check_reference_model(None, table, object(), "here") is None


@pytest.mark.parametrize("n", [1, 10, 199, 200, 201, 203, 5000])
def test_a_reason_has_200_characters_at_most(n):
    text = "".join(chr(97 + i % 26) for i in range(n))
    for error in (text, ValueError(text), UserWarning(f"  {text}\n")):
        found = one_sentence(error)
        assert len(found) == min(n, 200)
        if n <= 200:
            assert found == text
        else:
            assert found == text[:197] + "..."


class Talkative(ClassifierMixin, BaseEstimator):
    """Its fit fails, or warns, in many words."""

    def __init__(self, words="", fails=True):
        self.words, self.fails = words, fails

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.fails:
            raise RuntimeError(self.words)
        warnings.warn(self.words, UserWarning, stacklevel=2)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


@pytest.mark.parametrize("n", [5, 200, 300])
def test_a_fit_is_told_in_one_short_sentence(n):
    words = "x" * n
    shown = words if n <= 200 else "x" * 197 + "..."
    rows, y = np.zeros((4, 2)), np.arange(4) % 2
    failed = fit_candidate(Talkative(words), rows, y)
    assert (failed.model, failed.error, failed.warnings) == (None, shown, ())
    warned = fit_candidate(Talkative(words, fails=False), rows, y)
    assert (warned.error, warned.warnings) == (None, (shown,))
