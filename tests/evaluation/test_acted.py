"""A condition or an attack that changes nothing is never scored in silence."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from skrobust.attacks import FGSM, PGD
from skrobust.base.changed_rows import changed_rows, is_clean, row_distortion
from skrobust.evaluation import (
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_curve,
    robust_ratio_bounds,
)
from skrobust.metrics import make_asi_scorer, make_robust_scorer
from skrobust.perturbations import (
    GaussianNoise,
    PerturbationSequence,
    SaltAndPepper,
    get_preset,
)

IDLE = "changed no row"


class First:
    """Move the first rows by 2, the others not at all."""

    def __init__(self, n, name="first"):
        self.n, self.name = n, name

    def perturb(self, estimator, X, y=None):
        moved = np.array(X, dtype=float)
        moved[: self.n] += 2
        return moved


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    return (
        LogisticRegression(max_iter=300).fit(X[:300], y[:300]),
        X[300:360],
        y[300:360],
    )


def frame(**columns):
    return pd.DataFrame(columns)


TABLE = frame(a=[1.0, 2.0, np.nan], b=["x", None, "z"])
PAIRS = {
    "array": (np.zeros((3, 4)), np.eye(3, 4), [1, 1, 1], [0.5] * 3),
    "integers": (np.uint8([[3], [4]]), np.uint8([[1], [4]]), [1, 0], [2, 0]),
    "images": (np.zeros((2, 2, 2)), np.ones((2, 2, 2)), [1, 1], [1, 1]),
    "nan stays nan": (np.array([[np.nan, 1]]), np.array([[np.nan, 1]]), [0], [0]),
    "nan comes": (np.array([[0.0, 1]]), np.array([[np.nan, 1]]), [1], [0]),
    "texts": (["a b b", "c"], ["a b x", "c"], [1, 0], [1, 0]),
    "array of texts": (np.array(["a b"]), np.array(["y z"]), [1], [2]),
    "series of texts": (pd.Series(["a b"]), pd.Series(["b a"]), [1], [0]),
    "no spaces": (["不是的"], ["不好的"], [1], [1]),
    "no spaces, swapped": (["不是的"], ["是不的"], [1], [0]),
    "ragged": (
        [np.zeros(3), np.zeros(2), np.zeros(4)],
        [np.zeros(3), np.ones(2), np.zeros(3)],
        [0, 1, 1],
        [0, 1, np.nan],
    ),
    "frame": (frame(a=[1.0, 2.0]), frame(a=[1.0, 5.0]), [0, 1], [0, 3]),
    "mixed frame": (TABLE, TABLE.assign(b=["y", None, "z"]), [1, 0, 0], [1, 0, 0]),
    "same mixed frame": (TABLE, TABLE.copy(), [0, 0, 0], [0, 0, 0]),
    "sparse": (csr_array(np.eye(2)), csr_array([[1, 2], [0, 1]]), [1, 0], [2**0.5, 0]),
    "one is sparse": (
        csr_array(np.eye(2)),
        np.array([[1, 2], [0, 1]]),
        [1, 0],
        [2**0.5, 0],
    ),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_changed_rows_and_how_far(kind):
    X, moved, changed, size = PAIRS[kind]
    assert changed_rows(X, moved).tolist() == [bool(c) for c in changed]
    assert np.allclose(row_distortion(X, moved)[0], size, equal_nan=True)


def test_units():
    named = {"texts": "words", "ragged": "root mean square", "mixed frame": "cells"}
    for kind, unit in named.items():
        assert row_distortion(*PAIRS[kind][:2])[1] == unit


def test_what_is_meant_to_change_nothing():
    nothing = GaussianNoise(std=0.0), GaussianNoise(severity=0), FGSM(0)
    for one in (*nothing, PerturbationSequence([]), PerturbationSequence([nothing[0]])):
        assert is_clean(one)
    for one in (GaussianNoise(std=0.1), FGSM(0.1), First(0), GaussianNoise()):
        assert not is_clean(one)


def test_table_reports_what_each_condition_did(digits):
    model, X, y = digits
    conditions = [GaussianNoise(severity=0), First(15), First(60)]
    found = evaluate_perturbations(model, X, y, conditions)
    assert found.changed.tolist() == [0, 0.25, 1]
    assert np.isnan(found.distortion[0])
    assert np.allclose(found.distortion[1:], 2)
    assert found.distortion_unit == "root mean square"
    assert {"changed", "distortion"} <= set(found.columns)
    noise = GaussianNoise(std=0.1, random_state=0)
    found = evaluate_perturbations(model, X, y, [noise])
    change = noise.perturb(None, X) - X
    assert found.distortion == pytest.approx(np.sqrt((change**2).mean(axis=1)).mean())


@pytest.mark.parametrize("scoring", [None, "f1_macro"])
def test_conditions_that_do_nothing_are_named(digits, scoring, tmp_path):
    model, X, y = digits
    conditions = [First(0, f"idle {i}") for i in range(5)] + [First(3)]
    calls = {"scoring": scoring, "checkpoint": tmp_path}
    for _ in range(2):  # read from the checkpoint, too
        with pytest.warns(UserWarning, match="5 of 6 .*'idle 0'.*'idle 2' and 2 more"):
            found = evaluate_perturbations(model, X, y, conditions, **calls)
        assert found.changed.tolist() == [0] * 5 + [0.05]
        assert (found.score[:5] == found.clean_score).all()  # kept, and marked


def test_cross_validation_reports_and_names(digits):
    model, X, y = digits
    conditions = [First(0), GaussianNoise(std=0.1, random_state=0)]
    with pytest.warns(UserWarning, match="1 of 2 conditions changed no row.*'first'"):
        found = cross_validate_perturbations(model, X, y % 2, conditions, cv=3)
    assert found.changed.tolist() == [0] * 3 + [1] * 3
    assert found.conditions.changed.tolist() == [0, 1]
    assert found.conditions.distortion[1] == pytest.approx(found.distortion[3:].mean())
    assert 0 < found.conditions.distortion[1] < 0.1  # clipped to the range of images
    assert np.isnan(found.conditions.distortion[0])


def test_text_conditions_that_cannot_act_on_chinese():
    texts = ["这部电影很好看", "这部电影不好看", "我喜欢这本书", "我讨厌这本书"] * 10
    labels = [1, 0, 1, 0] * 10
    model = make_pipeline(CountVectorizer(analyzer="char"), MultinomialNB())
    model.fit(texts, labels)
    conditions = get_preset("text", random_state=0)
    with pytest.warns(UserWarning, match=IDLE):
        found = evaluate_perturbations(model, texts, labels, conditions)
    # One that says so is one that left every document alone.
    still = [c.perturb(None, texts) == texts for c in conditions]
    assert np.array_equal(found.changed == 0, still)
    assert (found.score[still] == found.clean_score).all()
    assert found.distortion_unit == "words"


def test_attack_reports_what_it_did(digits):
    model, X, y = digits
    attack = PGD(0.05, data_range=(0, 1), random_state=0)
    found = evaluate_attack(model, X, y, attack)
    rows = attack.set_params(objective="misclassification").perturb(model, X, y)
    changed = (rows != X).any(axis=1)
    assert found.changed == changed.mean()
    size = np.sqrt(((rows - X) ** 2).mean(axis=1))
    assert found.distortion == pytest.approx(size[changed].mean())
    assert np.array_equal(found.per_sample.changed, changed)
    assert np.allclose(found.per_sample.distortion, size)


def test_attack_that_does_nothing_is_named(digits):
    model, X, y = digits
    with pytest.warns(UserWarning, match="evaluate_attack: First changed no row"):
        found = evaluate_attack(model, X, y, First(0))
    assert (found.changed, found.robust_accuracy) == (0, found.clean_accuracy)
    assert evaluate_attack(model, X, y, FGSM(0)).changed == 0


class Blocked(FGSM):
    """A step of a masked gradient: every row comes back as it was."""

    def _attack_batch(self, oracle, x, rng):
        return x


def test_curve_reports_what_its_runs_changed(digits):
    model, X, y = digits
    attack = FGSM(data_range=(0, 1))
    found = robust_accuracy_curve(model, X, y, attack, [0.05, 0.1], tighten=False)
    changed = np.zeros(len(X), dtype=bool)
    for eps in (0.05, 0.1):
        moved = attack.set_params(eps=eps).perturb(model, X, y)
        changed |= (moved != X).any(axis=1)
    assert 0.5 < found.changed <= changed.mean() < 1  # wrong rows are left alone
    still = Blocked(eps=0)  # its own radius is not used
    with pytest.warns(UserWarning, match="robust_accuracy_curve: Blocked changed no"):
        found = robust_accuracy_curve(model, X, y, still, [0.05, 0.1], tighten=False)
    assert found.changed == 0
    assert (found.robust_accuracy == found.clean_accuracy).all()


def test_bounds_report_what_each_attack_did(digits, tmp_path):
    model, X, y = digits
    ball = {"eps": 3.0, "norm": np.inf, "data_range": None}
    calls = {**ball, "checkpoint": tmp_path}
    attacks = [FGSM(3.0), First(0)]
    for _ in range(2):  # read from the checkpoint, too
        with pytest.warns(UserWarning, match=IDLE) as caught:
            found = robust_ratio_bounds(model, X, y, attacks, **calls)
        assert len(caught) == 1
        assert "robust_ratio_bounds: First" in str(caught[0].message)
        assert found.changed.tolist() == [1, 0]
        assert found.distortion[0] == pytest.approx(3.0, rel=0.1)  # nearly all pixels
        assert np.isnan(found.distortion[1])
    with pytest.warns(UserWarning, match="did not change at all"):
        found = robust_ratio_bounds(model, X, y, First(15), **ball)
    assert (found.changed, found.distortion) == (0.25, pytest.approx(2))
    found = robust_ratio_bounds(model, X, y, First(60), **{**ball, "eps": 0.0})
    assert found.changed == 0  # put back, and meant


def test_unknown_attack_that_leaves_rows_clean_is_named(digits):
    model, X, y = digits
    with pytest.warns(UserWarning, match="did not change at all") as caught:
        evaluate_attack(model, X, y, First(40))
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate_attack(model, X, y, SaltAndPepper(0.001, random_state=0))


def agreement_score(y, p):
    return (y == p).mean()


@pytest.mark.parametrize(
    "scorer",
    [
        make_robust_scorer(First(0)),
        make_robust_scorer(First(0), agreement_score),
        make_asi_scorer([First(60), First(0)]),
    ],
)
def test_scorers_name_what_does_nothing(digits, scorer):
    model, X, y = digits
    with pytest.warns(UserWarning, match=f"Scorer: first {IDLE}"):
        scorer(model, X, y)
    make_robust_scorer(GaussianNoise(std=0.0))(model, X, y)
    make_asi_scorer([First(60), PerturbationSequence([])])(model, X, y)
