"""Black-box attacks towards a label, or one label a row."""

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from skrobust.attacks import PGD, ZOO, HopSkipJump, RandomSearch, Square
from skrobust.testing import check_attack

SCORED = [
    RandomSearch(0.4, n_steps=30, random_state=0),
    Square(0.4, n_steps=300, random_state=0),
    ZOO(0.4, n_steps=40, random_state=0),
]
ALL = [*SCORED, HopSkipJump(norm=2, starts="rows", n_steps=5, random_state=0)]


@pytest.mark.parametrize("a", ALL, ids=lambda a: type(a).__name__)
def test_one_label_for_all(a):
    model, X, _ = linear_problem(120, classes=4)
    clean = model.predict(X)
    for target in range(4):
        result = clone(a).set_params(target=target).run(model, X)
        predicted = model.predict(result.X_adv)
        assert np.array_equal(result.success, predicted == target)
        # What was there already, or did not get there, comes back as it was.
        still = (result.X_adv == X).all(axis=1)
        assert np.array_equal(still, (clean == target) | (predicted != target))
        reference = PGD(0.4, target=target, random_state=0).run(model, X)
        assert result.success.mean() >= reference.success.mean() - 0.1


@pytest.mark.parametrize("a", ALL, ids=lambda a: type(a).__name__)
def test_one_label_a_row_whatever_the_batch(a):
    model, X, _ = linear_problem(60, classes=4)
    target = (model.predict(X) + 1 + np.arange(60) % 3) % 4
    a = clone(a).set_params(target=target)
    if isinstance(a, HopSkipJump):
        a.set_params(starts=X)
    whole = a.perturb(model, X)
    assert (model.predict(whole) == target).mean() > 0.2
    order = np.arange(60)[::-1]
    turned = clone(a).set_params(target=target[order]).perturb(model, X[order])
    assert np.array_equal(turned[order], whole)
    part = clone(a).set_params(target=target[:7]).perturb(model, X[:7])
    assert np.array_equal(part, whole[:7])


@pytest.mark.parametrize("a", SCORED, ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
def test_loss_raises_the_probability_of_the_target(a, response):
    # Two classes and a linear model: the largest rise has a closed form.
    model, X, _ = linear_problem()
    a = clone(a).set_params(target=1, objective="loss", response=response, eps=0.2)
    out = a.perturb(model, X)
    rise = model.decision_function(out) - model.decision_function(X)
    best = 0.2 * np.abs(model.coef_).sum()
    assert (rise >= 0).all()
    assert (rise <= best * (1 + 1e-9)).all()
    assert np.median(rise) > 0.95 * best


def test_the_nearest_row_of_the_target_is_the_start():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(30, random_state=0).fit(X, y)
    labels = model.predict(X)
    rows = X[labels == 0]
    a = HopSkipJump(norm=2, target=2, starts=X, n_steps=1, random_state=0)
    out = a.perturb(model, rows)
    assert (model.predict(out) == 2).all()
    gaps = np.linalg.norm(rows[:, None] - X[labels == 2], axis=2).min(axis=1)
    assert (np.linalg.norm(out - rows, axis=1) <= gaps + 1e-12).all()
    # The nearest row of any other class is of class 1, and not good enough.
    other = np.linalg.norm(rows[:, None] - X[labels == 1], axis=2).min(axis=1)
    assert (other < gaps).mean() > 0.9


def test_distance_to_the_target_in_closed_form():
    model, X, _ = linear_problem()
    clean = model.predict(X)
    out = HopSkipJump(norm=2, target=1, starts=X, random_state=0).perturb(model, X)
    exact = np.abs(model.decision_function(X)) / np.linalg.norm(model.coef_)
    size = np.linalg.norm(out - X, axis=1)
    assert (size[clean == 1] == 0).all()
    assert (size[clean == 0] >= exact[clean == 0] * (1 - 1e-9)).all()
    assert np.median((size / exact)[clean == 0]) < 1.05


@pytest.mark.slow
def test_strings_frames_and_the_evaluation():
    X, y = load_iris(return_X_y=True)
    names = np.array(["red", "green", "blue"], dtype=object)[y]
    frame = pd.DataFrame(X, columns=list("abcd"))
    for model in (LogisticRegression(max_iter=999), SVC()):
        model.fit(frame, names)
        for a in ALL:
            a = clone(a).set_params(target="green", eps=1.0)
            out = a.perturb(model, frame, names)
            assert list(out.columns) == list("abcd")
            predicted = model.predict(out)
            assert (predicted == "green").mean() > (
                model.predict(frame) == "green"
            ).mean()


class LabelsAlone:
    """A model that lists no classes and answers with labels."""

    def predict(self, X):
        return np.where(X[:, 0] > 0.6, "far", "near")


def test_models_that_list_no_classes():
    X = np.full((5, 2), 0.5)
    X[:, 1] = np.arange(5) / 10
    for a in (RandomSearch(0.3, target="far"), HopSkipJump(target="far", norm=2)):
        out = a.set_params(random_state=0).perturb(LabelsAlone(), X)
        assert (out[:, 0] > 0.6).all()


@pytest.mark.slow
@pytest.mark.parametrize("a", SCORED, ids=lambda a: type(a).__name__)
def test_promises_with_a_target(a):
    check_attack(clone(a).set_params(eps=0.2, target=1, objective="loss"))


@pytest.mark.parametrize("a", ALL, ids=lambda a: type(a).__name__)
def test_budgets_hold_with_a_target(a):
    model, X, _ = linear_problem(40, classes=4)
    a = clone(a).set_params(target=0, max_queries=60)
    assert (a.run(model, X).queries <= 60).all()


@pytest.mark.parametrize("a", ALL, ids=lambda a: type(a).__name__)
def test_bad_targets(a):
    model, X, y = linear_problem()
    for target, sentence in (
        (7, "'target' parameter of .* must be a label that the model knows"),
        ("a", "'target' parameter of .* must be a label that the model knows"),
        ([0, 1], "one label for each of the 80 samples"),
        (np.zeros((80, 2)), "one label for each of the 80 samples"),
    ):
        with pytest.raises(ValueError, match=sentence):
            clone(a).set_params(target=target).perturb(model, X, y)
    if not isinstance(a, HopSkipJump):
        a = clone(a).set_params(target=1, objective="probability_shift")
        with pytest.raises(ValueError, match="with a target cannot have"):
            a.perturb(model, X, y)
