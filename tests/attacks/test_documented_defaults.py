"""What every attack promises: None means what is written, results say what changed."""

import re

import numpy as np
import pytest
from families import public_classes
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import minmax_scale
from sklearn.tree import DecisionTreeClassifier

import skrobust.attacks as family
from skrobust.attacks import (
    BIM,
    FAB,
    PGD,
    ExactTree,
    HopSkipJump,
    MomentumPGD,
    Square,
    WordSubstitution,
)
from skrobust.base import BaseAttack
from skrobust.testing import instances_for_checks

X, Y = load_iris(return_X_y=True)
X, Y = minmax_scale(X)[::4], Y[::4]
LINEAR = LogisticRegression().fit(X, Y)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
CLASSES = public_classes(family, BaseAttack)

DEFAULTS = [
    (BIM(0.1, n_steps=7), {"step_size": 0.1 / 7}),
    (MomentumPGD(0.1, n_steps=7), {"step_size": 0.1 / 7}),
    (PGD(0.1, n_steps=7, random_state=0), {"step_size": 2.5 * 0.1 / 7}),
    (PGD(0.1, n_steps=3, random_state=0), {"step_size": 2.5 * 0.1 / 3}),
    (HopSkipJump(0.2, n_directions=4, random_state=0), {"n_steps": 10}),
    (HopSkipJump(n_directions=4, norm=2, random_state=0), {"n_steps": 10}),
    (Square(0.1, max_queries=40, random_state=0), {"n_steps": 40}),
    (Square(0.1, random_state=0), {"n_steps": 500}),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("attack", "meant"), DEFAULTS, ids=repr)
def test_none_is_the_number_that_the_docstring_says(attack, meant):
    (name, value), *_ = meant.items()
    assert getattr(attack, name) is None
    given = clone(attack).set_params(**meant).run(LINEAR, X, Y)
    found = attack.run(LINEAR, X, Y)
    np.testing.assert_allclose(found.X_adv, given.X_adv, atol=1e-12)
    for counted in ("queries", "forward", "iterations"):
        if getattr(given, counted) is not None:
            np.testing.assert_array_equal(
                getattr(found, counted), getattr(given, counted)
            )
    other = clone(attack).set_params(**{name: type(value)(1.5 * value)})
    other = other.run(LINEAR, X, Y)
    same_count = np.array_equal(found.queries, other.queries)
    assert not (same_count and np.allclose(found.X_adv, other.X_adv))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_no_radius_is_no_attack(kind):
    model = TREE if kind is ExactTree else LINEAR
    asked = []

    class Counted(type(model)):
        def predict(self, X):
            asked.append(len(X))
            return super().predict(X)

    counted = Counted()
    vars(counted).update(vars(model))
    for attack in instances_for_checks(kind):
        asked.clear()
        result = clone(attack).set_params(eps=0.0).run(counted, X, Y)
        wrong = model.predict(X) != Y
        assert (result.X_adv == X).all()
        assert (result.success == wrong).all()
        assert not result.changed.any()
        assert (result.norm[wrong] == 0).all()
        if kind is not ExactTree:  # which proves that nothing else is in reach
            assert result.n_passes is None
            assert sum(asked) <= 2 * len(X)  # labels before and after alone


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_results_say_which_rows_changed_by_how_much_and_with_what_success(kind):
    model = TREE if kind is ExactTree else LINEAR
    for attack in instances_for_checks(kind):
        result = clone(attack).set_params(eps=0.3).run(model, X, Y)
        moved = result.X_adv - X
        norm = attack.get_params().get("norm", np.inf)
        size = np.linalg.norm(moved, norm, axis=1)
        assert (result.changed == (moved != 0).any(axis=1)).all()
        assert (result.success == (model.predict(result.X_adv) != Y)).all()
        told = np.isfinite(result.norm)
        assert told[result.success].all()
        np.testing.assert_allclose(result.norm[told], size[told], atol=1e-12)
        assert (size <= 0.3 * (1 + 1e-9)).all()


class Stubborn(ClassifierMixin, BaseEstimator):
    """Always of one opinion, whatever its scores say."""

    def __init__(self, model):
        self.model, self.classes_ = model, model.classes_

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return self.model.predict_proba(X)


def test_texts_that_do_not_fool_come_back_and_nothing_says_that_they_changed():
    texts = ["good film", "good plot", "bad film", "bad plot"]
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, [0, 0, 1, 1])
    attack = WordSubstitution(n_words=1, substitutions={"good": ["bad"]})
    fooled = attack.run(model, texts[:2], [0, 0])
    assert fooled.success.all()
    assert fooled.changed.all()
    result = attack.run(Stubborn(model), texts[:2], [0, 0])
    assert list(result.X_adv) == texts[:2]
    assert not result.success.any()
    assert not result.changed.any()
    assert np.isnan(result.norm).all()
    assert not attack.proven_.any()


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
@pytest.mark.parametrize("box", [None, (-50.0, 50.0)])
def test_fab_steps_to_the_plane_from_either_side(norm, box):
    rng = np.random.default_rng(0)
    gradient, margin = rng.normal(size=(40, 5)), rng.normal(size=40)

    class Search:
        def room(self, z):
            return () if box is None else (box[0] - z, box[1] - z)

    z = rng.normal(size=(40, 5))
    step = FAB(norm=norm)._to_plane(Search(), z, margin, gradient)
    np.testing.assert_allclose(margin + (gradient * step).sum(axis=1), 0, atol=1e-9)
    dual = {np.inf: 1, 2: 2, 1: np.inf}[norm]
    shortest = np.abs(margin) / np.linalg.norm(gradient, dual, axis=1)
    np.testing.assert_allclose(np.linalg.norm(step, norm, axis=1), shortest)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("shape", [(3,), (5,), (2, 2), (4, 1)], ids=str)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_rows_of_another_shape_are_refused_by_a_sentence(kind, shape):
    rows = np.resize(X, (len(X), *shape))
    model, told = TREE if kind is ExactTree else LINEAR, re.escape(str(shape))
    ours = rf"{kind.__name__} got rows of shape {told}; the model takes 4 features"
    its = rf"X has {shape[0]} features, but|Found array with dim 3|rows of shape {told}"
    for attack in instances_for_checks(kind)[:1]:
        with pytest.raises(ValueError, match=f"{ours}|{its}"):
            attack.perturb(model, rows, Y)


@pytest.mark.parametrize("seed", range(3))
def test_walks_of_the_maximum_norm_come_near_the_corner_of_a_linear_model(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60, 12))
    model = LogisticRegression().fit(rows, rows @ rng.normal(size=12) > 0)
    shortest = np.abs(model.decision_function(rows)) / np.abs(model.coef_).sum()
    attack = HopSkipJump(n_steps=15, starts="rows", random_state=0)
    result = attack.run(model, rows)
    assert result.success.all()
    assert (result.norm >= shortest * (1 - 1e-9)).all()
    assert np.quantile(result.norm / shortest, 0.9) < 1.01
