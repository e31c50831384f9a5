"""Robust accuracy from both sides, scorers of either end, and their messages."""

import json
import pickle
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from problems import linear_problem
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import FGSM, PGD, ExactLinear, ExactTree
from skrobust.evaluation import (
    make_bounds_scorer,
    robust_accuracy_bounds,
    robust_ratio_bounds,
)
from skrobust.evaluation.attacked.proved_rows import bracket_of
from skrobust.evaluation.core.argument_checks import model_classes
from skrobust.report.core.strict_json import to_plain

MODEL, X, Y = linear_problem(80)
BOX = (0, 1)


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
def test_an_exact_attack_closes_the_gap(norm):
    attack = ExactLinear(0.07, norm=norm, data_range=BOX)
    r = robust_accuracy_bounds(MODEL, X, Y, attack)
    norms = attack.minimal_norms(MODEL, X, Y)
    np.testing.assert_array_equal(r.per_sample.lower, norms > 0.07)
    np.testing.assert_array_equal(r.per_sample.upper, norms > 0.07)
    assert r.is_exact
    assert (r.eps, r.norm, r.data_range) == (0.07, norm, BOX)
    assert r.low <= r.lower == r.upper <= r.high


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        DecisionTreeClassifier(max_depth=3),
        GaussianNB(),
        KNeighborsClassifier(3),
    ],
)
def test_the_attack_that_suits_the_model(model):
    r = robust_accuracy_bounds(model.fit(X, Y), X, Y, eps=0.05, random_state=0)
    assert r.attacks == ["StrongestAttack(eps=0.05, random_state=0)"]
    assert 0 < r.lower <= r.upper <= r.clean_accuracy
    assert (r.per_sample.lower <= r.per_sample.upper).all()
    again = robust_accuracy_bounds(model, X, Y, eps=0.05, random_state=0)
    assert str(to_plain(r)) == str(to_plain(again))
    json.dumps(to_plain(r), allow_nan=False)


@pytest.mark.parametrize("norm", [np.inf, 2])
def test_trees_are_exact(norm):
    attack = ExactTree(0.05, norm=norm, data_range=BOX)
    single = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, Y)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, Y)
    for model in (single, forest):
        r = robust_accuracy_bounds(model, X, Y, attack)
        norms = attack.minimal_norms(model, X, Y)
        np.testing.assert_array_equal(r.per_sample.lower, norms > 0.05)
        assert r.is_exact
        assert r.certificate == "exact for trees"


def test_rows_that_are_wrong_are_neither_proved_nor_standing():
    y = np.where(np.arange(80) < 10, 1 - Y, Y)
    r = robust_accuracy_bounds(MODEL, X, y, eps=0.01)
    assert not r.per_sample.upper[:10].any()
    assert not r.per_sample.lower[:10].any()
    r = robust_accuracy_bounds(MODEL, X, y, eps=0.0)
    assert r.lower == r.upper == r.clean_accuracy == 70 / 80


def test_text_labels_frames_and_checkpoints(tmp_path):
    pandas = pytest.importorskip("pandas")
    y = np.array(["no", "yes"])[Y]
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = LogisticRegression(C=100, max_iter=5000).fit(frame, y)
    plain = robust_accuracy_bounds(MODEL, X, Y, eps=0.05)
    options = {"eps": 0.05, "checkpoint": tmp_path, "clusters": np.arange(80) // 2}
    r = robust_accuracy_bounds(model, frame, y, **options)
    again = robust_accuracy_bounds(model, frame, y, **options)
    for one in (r, again):
        np.testing.assert_array_equal(one.per_sample.lower, plain.per_sample.lower)
    assert r.n_clusters == 40
    assert list(r.per_sample.to_frame().columns) == ["lower", "upper", "clean"]


class Liar(LogisticRegression):
    """Predicts otherwise than its weights say, far from the rows of its fit."""

    def predict(self, X):
        moved = np.abs(X - np.round(X, 3)).max(axis=1) > 1e-9
        return np.where(moved, 1 - super().predict(X), super().predict(X))


class Nudge:
    def perturb(self, estimator, X, y):
        return X + 0.00012


def test_a_broken_certificate_is_reported():
    rows = np.round(X, 3)
    model = Liar().fit(rows, Y)
    with pytest.warns(UserWarning, match="that the certificate .* calls robust"):
        r = robust_accuracy_bounds(model, rows, Y, [Nudge()], eps=0.001, norm=np.inf)
    assert r.lower <= r.upper == 0


@pytest.mark.parametrize("metric", ["robust_accuracy", "robust_ratio"])
def test_scorers_are_the_ends(metric):
    settings = {"eps": 0.03, "data_range": BOX, "random_state": 0}
    if metric == "robust_accuracy":
        r = robust_accuracy_bounds(MODEL, X, Y, **settings)
    else:
        r = robust_ratio_bounds(MODEL, X, Y, tolerances=[0.1], **settings)
        settings["tolerance"] = 0.1
    for end in ("lower", "upper"):
        scorer = make_bounds_scorer(metric, end=end, **settings)
        assert scorer(MODEL, X, Y) == pytest.approx(np.mean(r[end]))
        again = pickle.loads(pickle.dumps(clone(scorer)))
        assert again(MODEL, X, Y) == scorer(MODEL, X, Y)
        w = np.arange(80.0)
        half = scorer(MODEL, X, Y, sample_weight=np.where(w < 40, 1.0, 0.0))
        assert half == pytest.approx(scorer(MODEL, X[:40], Y[:40]))
    assert 0 < r["lower"] <= r["upper"]


def test_a_search_by_the_lower_end():
    scorer = make_bounds_scorer(eps=0.05, floor=0.7)
    grid = {"C": [1e-4, 1.0, 100.0]}
    search = GridSearchCV(LogisticRegression(max_iter=999), grid, scoring=scorer, cv=2)
    search.fit(X, Y)
    assert search.best_score_ > 0.3
    scorer = make_bounds_scorer(attacks=PGD(0.05, n_steps=3), end="lower")
    assert scorer(MODEL, X, Y) == make_bounds_scorer(eps=0.05)(MODEL, X, Y)
    assert str(make_bounds_scorer(eps=1.0, end="upper").__name__) == (
        "attacked_robust_accuracy"
    )


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: robust_accuracy_bounds(MODEL, X, Y), "'eps' parameter of robust_acc"),
        (lambda: robust_accuracy_bounds(MODEL, X, Y, []), "'attacks' parameter"),
        (lambda: robust_accuracy_bounds(MODEL, X, Y, eps=1, norm=3), "'norm' param"),
        (lambda: robust_accuracy_bounds(MODEL, X[:5], Y, eps=1), "equal length"),
        (
            lambda: robust_accuracy_bounds(MODEL, X, Y, [FGSM(0.1), FGSM(0.2)]),
            "these attacks differ in eps",
        ),
        (
            lambda: robust_accuracy_bounds(
                MODEL, X, Y, FGSM(objective="probability_shift")
            ),
            "needs an attack on the label",
        ),
        (lambda: make_bounds_scorer("accuracy"), "'metric' parameter of make_bounds"),
        (lambda: make_bounds_scorer("robust_ratio", eps=1)(MODEL, X, Y), "a tolerance"),
        (lambda: make_bounds_scorer(end="both")(MODEL, X, Y), "'end' parameter"),
    ],
)
def test_messages(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_classes_are_asked_of_the_model_and_not_of_the_rows():
    """Rows of classes 0 and 2 alone: column 1 is not that of class 2."""

    class Bare:
        def predict_proba(self, X):
            return np.tile([0.2, 0.3, 0.5], (len(X), 1))

        def predict(self, X):
            return np.full(len(X), 2)

    rows, y = np.zeros((4, 2)), np.array([0, 2, 2, 0])
    assert model_classes(Bare(), rows, y, "test").tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="3 probabilities"):
        model_classes(Bare(), rows, np.array([7, 7, 7, 7]), "test")
    Bare.classes_ = np.array([5, 6, 7])
    assert model_classes(Bare(), rows, y, "test").tolist() == [5, 6, 7]


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("name", ["intervals", "trivial: nothing"])
def test_a_bracket_is_exact_where_all_that_stand_are_proved(name, is_exact):
    samples = SimpleNamespace(interval=lambda rows: ("interval", rows.mean()))
    for states in product(("fell", "stands", "proved"), repeat=3):
        proved = np.array([one == "proved" for one in states])
        stands = np.array([one != "fell" for one in states])
        found = bracket_of("", proved, name, is_exact, stands, samples)
        upper = 1 - states.count("fell") / 3
        assert found["robust_accuracy_upper"] == pytest.approx(upper)
        if name.startswith("trivial") and "proved" not in states:
            assert found["not_certified"] == name
            continue
        lower = states.count("proved") / 3
        assert found["robust_accuracy_lower"] == pytest.approx(lower)
        assert found["robust_accuracy_lower_interval"] == ("interval", lower)
        assert found["is_exact"] is (is_exact or "stands" not in states)
        assert found["certificate"] == name
        why = bracket_of("none", proved, name, is_exact, stands, samples)
        assert why == {"robust_accuracy_upper": stands.mean(), "not_certified": "none"}
