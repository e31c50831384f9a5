"""Perturbations of one kind of rows on another: a sentence before any fit."""

import numpy as np
import pandas as pd
import pytest
from perturbation_table import DATA, LAWS, at
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from skrobust.base.row_kind import check_row_kind
from skrobust.evaluation import cross_validate_perturbations, evaluate_perturbations
from skrobust.metrics import make_asi_scorer
from skrobust.perturbations import (
    FeatureNoise,
    GaussianBlur,
    GaussianNoise,
    Jitter,
    PerturbationSequence,
    Typos,
    tabular,
)


class NeverFitted(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise AssertionError("fitted")


Y = np.arange(12) % 2
MIXED = pd.DataFrame({"size": np.arange(12.0), "Brand": ["a", "b", "c"] * 4})
NUMBERS = np.random.default_rng(0).permutation(np.arange(48.0)).reshape(12, 4)
WRONG = {
    "image on a mixed frame": (GaussianNoise(std=0.1), MIXED, "images.*'Brand'"),
    "image on a table": (GaussianBlur(1), NUMBERS, "images.*4 columns; .*image_shape"),
    "noise on a table": (GaussianNoise(1), NUMBERS, "images.*; .*image_shape"),
    "image on text": (GaussianBlur(1), ["a b"] * 12, "takes images.*list of texts"),
    "table on images": (FeatureNoise(1), np.zeros((12, 4, 4)), r"tables.*\(12, 4, 4\)"),
    "table on text": (FeatureNoise(1), ["a b"] * 12, "takes tables.*list of texts"),
    "text on numbers": (Typos(1), NUMBERS, "takes text.*a table of 4 columns"),
    "text on a mixed frame": (Typos(1), MIXED, "takes text.*'size'.*'columns'"),
    "series on a mixed frame": (Jitter(1), MIXED, "takes series.*'Brand'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_one_sentence_before_any_fit(case):
    condition, X, sentence = WRONG[case]
    name = type(condition).__name__
    for wrong in (condition, PerturbationSequence([condition], name=name)):
        start = f"cross_validate_perturbations cannot use {name} on these rows: it "
        with pytest.raises(ValueError, match=start + ".*" + sentence) as raised:
            cross_validate_perturbations(NeverFitted(), X, Y, [wrong])
        assert raised.value.__cause__ is None
        model = DummyClassifier().fit(np.zeros((12, 1)), Y)
        with pytest.raises(ValueError, match="evaluate_perturbations cannot use"):
            evaluate_perturbations(model, X, Y, [wrong], X_ref=X)
        with pytest.raises(ValueError, match="Scorer cannot use"):
            make_asi_scorer([wrong])(model, X, Y)


def test_flat_images_and_text_columns_are_taken():
    model = DummyClassifier().fit(np.zeros((12, 1)), Y)
    blur = GaussianBlur(1, image_shape=(2, 2), data_range=(0, 48))
    typos = Typos(rate=1.0, columns=["Brand"], random_state=0)
    cases = (NUMBERS, blur), (pd.DataFrame(NUMBERS), blur), (MIXED, typos)
    for X, condition in cases:
        results = evaluate_perturbations(model, X, Y, [condition])
        # A single letter cannot change places, so that some typos leave it.
        assert results.changed[0] == (0.75 if condition is typos else 1.0)
        assert results.score.tolist() == [results.clean_score] == [0.5]


def test_conditions_without_a_column_are_left_out():
    model = DummyClassifier().fit(NUMBERS, Y)
    grid = tabular((5,), random_state=0)
    results = evaluate_perturbations(model, NUMBERS, Y, grid, X_ref=NUMBERS)
    assert "category_flip-5" in results.left_out
    assert len(results.name) == 1 + 11
    assert set(results.name) | set(results.left_out) == {c.name for c in grid}
    folds = cross_validate_perturbations(DummyClassifier(), NUMBERS, Y, grid, cv=2)
    assert folds.left_out == results.left_out
    fitted = [c.fit(NUMBERS) for c in tabular((5,), random_state=0)]
    again = evaluate_perturbations(model, NUMBERS, Y, fitted)
    assert again.left_out == results.left_out
    flips = [c for c in grid if c.name.startswith(("CLEAN", "category"))]
    with pytest.raises(ValueError, match="found no column that any of the conditions"):
        evaluate_perturbations(model, NUMBERS, Y, flips, X_ref=NUMBERS)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_rows_of_the_own_kind_are_taken_and_others_refused(law):
    condition = at(law, 1)
    for X in DATA[law.kind].values():
        check_row_kind(condition, X, "here")
        check_row_kind(PerturbationSequence([condition]), X, "here")
    others = {"text": ["table", "series", "images"], "images": ["text"]}
    for other in others.get(law.kind, ["text", "images"]):
        if law.kind == "numbers" and other == "images":
            continue
        for X in DATA[other].values():
            with pytest.raises(ValueError, match=f"here cannot use {law} on these"):
                check_row_kind(condition, X, "here")


def test_severity_0_leaves_flat_images_without_a_shape():
    model = DummyClassifier().fit(np.zeros((12, 1)), Y)
    images = [at(law, 0) for law in LAWS if law.kind == "images"]
    assert len(images) > 30
    flat = NUMBERS / 48
    results = evaluate_perturbations(model, flat, Y, images)
    assert not results.changed.any()
    needed = [one for one in images if one._needs_geometry]
    for condition in needed:
        with pytest.raises(ValueError, match="flat images need image_shape"):
            evaluate_perturbations(model, flat, Y, [condition.set_params(severity=1)])
