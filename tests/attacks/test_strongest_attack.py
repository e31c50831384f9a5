"""Tests of the strongest attack: what it runs, and that nothing beats it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust.attacks import (
    FGSM,
    PGD,
    AutoAttack,
    Constraints,
    ExactLinear,
    ExactTree,
    HopSkipJump,
    RandomSearch,
    StrongestAttack,
    WordSubstitution,
)

X, Y = load_wine(return_X_y=True)
X_LEFT, Y_LEFT = X[1::2], Y[1::2]
X, Y = X[::2], Y[::2]
QUICK = {"max_queries": 60, "random_state": 0}
MODELS = {
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(5, max_depth=4, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5),
    "bayes": GaussianNB(),
    "kernel": make_pipeline(StandardScaler(), SVC()),
    "neighbours": KNeighborsClassifier(3),
}
MODELS = {name: model.fit(X, Y) for name, model in MODELS.items()}


class LabelsAlone(ClassifierMixin, BaseEstimator):
    """A model without scores."""

    def __init__(self, model):
        self.model = model
        self.classes_ = model.classes_

    def predict(self, X):
        return self.model.predict(X)


@pytest.mark.parametrize("name", MODELS)
def test_it_is_never_weaker_than_its_members_alone(name):
    model, ball = MODELS[name], {"eps": "0.4 std", "random_state": 0}
    left = ~StrongestAttack(**{**ball, **QUICK}).run(model, X, Y).success
    for other in (FGSM, PGD, ExactLinear, ExactTree, RandomSearch):
        try:
            rivals = ~other(**ball, **({"n_steps": 2} if other is RandomSearch else {})
                            ).run(model, X, Y).success  # fmt: skip
        except ValueError:  # another kind of model
            continue
        assert left.sum() <= rivals.sum(), other.__name__


@pytest.mark.parametrize(
    ("name", "member"), [("linear", "linear"), ("forest", "trees"), ("bayes", "fgsm")]
)
def test_what_is_run_follows_from_the_model(name, member):
    result = StrongestAttack("0.5 std", **QUICK).run(MODELS[name], X, Y)
    assert member in result.found_by
    if name == "linear":
        truth = ExactLinear("0.5 std").run(MODELS[name], X, Y)
        np.testing.assert_array_equal(result.success, truth.success)
        assert set(result.found_by) <= {"linear", "clean", ""}
        assert result.n_passes is None  # no member asked, or counted


def test_labels_guide_where_scores_are_flat():
    model = make_pipeline(StandardScaler(), NearestCentroid()).fit(X, Y)
    rows, labels = X_LEFT[:40], Y_LEFT[:40]
    ball = {"eps": "0.3 std", "max_queries": 200, "random_state": 0}
    ours = StrongestAttack(**ball).run(model, rows, labels)
    walk = HopSkipJump(**ball).run(model, rows, labels)
    assert "hopskipjump" in ours.found_by
    assert ours.success[walk.success].all()


def test_passes_and_queries_are_those_of_all_members():
    model = MODELS["bayes"]
    result = StrongestAttack("0.1 std", **QUICK).run(model, X, Y)
    stands = ~result.success
    assert (result.queries[stands] <= 3 * 60).all()
    assert (result.queries[stands] > 60).all()
    assert (result.forward[stands] > 0).all()
    assert (result.backward[stands] > 0).all()
    assert (result.queries[result.found_by == "clean"] == 0).all()


@pytest.mark.parametrize("name", ["kernel", "forest"])
def test_rows_do_not_depend_on_their_batch(name):
    attack = StrongestAttack(0.4, constraints=Constraints(scale=X.std(axis=0)), **QUICK)
    few, labels = X[::6], Y[::6]
    whole = attack.perturb(MODELS[name], few, labels)
    again = clone(attack).set_params(batch_size=7).perturb(MODELS[name], few, labels)
    parts = [
        clone(attack).perturb(MODELS[name], few[rows], labels[rows])
        for rows in (slice(0, 5), slice(5, None))
    ]
    np.testing.assert_allclose(again, whole, rtol=1e-9)
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-9)


def test_a_model_with_labels_alone_is_attacked():
    model = LabelsAlone(MODELS["neighbours"])
    result = StrongestAttack("1 std", **QUICK).run(model, X, Y)
    assert {"random", "hopskipjump"} & set(result.found_by)
    assert result.success.mean() > (model.predict(X) != Y).mean()


@pytest.mark.parametrize("name", ["linear", "forest", "kernel"])
def test_a_target_is_reached_or_the_row_stands(name):
    model = MODELS[name]
    result = StrongestAttack("1 std", target=1, **QUICK).run(model, X, Y)
    np.testing.assert_array_equal(result.success, model.predict(result.X_adv) == 1)
    assert result.success.sum() > (model.predict(X) == 1).sum()
    searches = {"random", "hopskipjump", "square"}
    assert set(result.found_by) <= {"", "clean", "fgsm", "apgd", "apgd-dlr", *searches}


@pytest.mark.parametrize("name", ["forest", "bayes", "linear"])
def test_probabilities_are_moved_at_least_as_far_as_by_a_search(name):
    model, rows = MODELS[name], np.arange(len(X))
    goal = {"objective": "probability_shift"}
    clean = model.predict_proba(X)
    own = clean.argmax(axis=1)

    def shift(attack):
        found = attack.perturb(model, X, Y)
        return np.abs(model.predict_proba(found) - clean)[rows, own]

    strong = shift(StrongestAttack("0.2 std", **goal, **QUICK))
    search = shift(RandomSearch("0.2 std", **goal, **QUICK))
    pgd = np.zeros(len(X)) if name == "forest" else shift(PGD("0.2 std", **goal))
    assert (strong.mean() >= search.mean() - 1e-12) & (
        strong.mean() >= pgd.mean() - 1e-3
    )


def test_regressors_are_moved_as_far_as_they_can_be():
    rows, y = load_diabetes(return_X_y=True)
    rows, y = rows[:40], y[:40]
    ridge = Ridge().fit(rows, y)
    moved = ridge.predict(StrongestAttack("0.1 std").perturb(ridge, rows, y))
    reach = 0.1 * np.abs(ridge.coef_) @ rows.std(axis=0)
    np.testing.assert_allclose(np.abs(moved - ridge.predict(rows)), reach)
    trees = GradientBoostingRegressor(n_estimators=5).fit(rows, y)
    shifts = [
        np.abs(trees.predict(attack.perturb(trees, rows, y)) - trees.predict(rows))
        for attack in (StrongestAttack("0.1 std"), ExactTree("0.1 std"))
    ]
    np.testing.assert_array_equal(*shifts)


def test_texts_are_attacked_by_words():
    texts = ["a good film", "a fine film", "a bad film", "a decent bore"]
    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(
        texts, [1, 1, 0, 0]
    )
    words = {"good": ["decent"], "fine": ["bad"], "film": ["bore"]}
    attack = StrongestAttack(n_words=1, substitutions=words)
    expected = WordSubstitution(1, substitutions=words).run(model, texts, [1, 1, 0, 0])
    found = attack.run(model, texts, [1, 1, 0, 0])
    assert found.X_adv == expected.X_adv
    assert attack.perturb(model, texts, [1, 1, 0, 0]) == expected.X_adv
    typos = StrongestAttack(n_words=1).perturb(model, texts, [1, 1, 0, 0])
    assert typos == WordSubstitution(1, typos=True).perturb(model, texts, [1, 1, 0, 0])


def test_constraints_hold_and_columns_of_a_frame_have_names():
    pandas = pytest.importorskip("pandas")
    rows, y = load_breast_cancer(return_X_y=True)
    frame = pandas.DataFrame(rows[:120, :4], columns=list("abcd"))
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y[:120])
    rules = Constraints(frozen=["b"], integer=None)
    found = StrongestAttack("0.5 std", constraints=rules).run(model, frame, y[:120])
    assert (found.X_adv["b"] == frame["b"]).all()
    assert found.success.any()
    assert set(found.found_by) <= {"linear", "clean", ""}


@pytest.mark.slow
def test_it_is_auto_attack_and_more():
    """On a model with gradients no row that AutoAttack fools is left."""
    model = MODELS["kernel"]
    few = X[::6], Y[::6]
    ours = StrongestAttack("0.3 std", random_state=0).run(model, *few).success
    theirs = AutoAttack("0.3 std", random_state=0).run(model, *few).success
    assert ours.sum() >= theirs.sum()


def test_trees_that_take_missing_values_are_attacked_with_them():
    rows, y = X[::4].copy(), Y[::4]
    rows[::3, 2] = np.nan
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5).fit(rows, y)
    attack = StrongestAttack("0.5 std", node_budget=1000, random_state=0)
    result = attack.run(model, rows, y)
    truth = ExactTree("0.5 std", node_budget=1000).run(model, rows, y)
    assert 0 < result.success.sum() < len(y)
    np.testing.assert_array_equal(result.success, truth.success)
    np.testing.assert_array_equal(np.isnan(result.X_adv), np.isnan(rows))
    np.testing.assert_array_equal(attack.perturb(model, rows, y), result.X_adv)
    with pytest.raises(ValueError, match="StrongestAttack needs finite X"):
        attack.perturb(MODELS["bayes"], rows, y)


def test_members_draw_other_numbers_for_every_seed():
    seeds = set()
    for seed in range(200):
        attack = StrongestAttack(random_state=seed)
        [(_, member)] = attack._set_up([("random", RandomSearch())])
        seeds.add(member.random_state)
    assert len(seeds) == 200
