"""Doubts about gradients that point nowhere, and about attacks that cannot run."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, minmax_scale

from skrobust.attacks import FGSM, PGD, Constraints
from skrobust.evaluation import check_evaluation
from skrobust.evaluation.attacked.attack_checks import AttackCase, check_radii
from skrobust.evaluation.attacked.transfer_check import stays_under_transfer

FEW = {"n_samples": 32, "n_queries": 30}


def net_and_rows(module, **settings):
    from nets_for_tests import make_net

    X, y = load_iris(return_X_y=True)
    X = minmax_scale(np.hstack([X, X[:, :2]])).astype(np.float32)
    return make_net(module, **settings).fit(X, y.astype(np.int64)), X, y


def found(*arguments):
    return {d.code: d for d in check_evaluation(*arguments, **FEW)}


@pytest.mark.slow
@pytest.mark.torch
def test_decoy_gradients_on_some_rows_are_seen():
    from nets_for_tests import Decoy, Net

    attack = PGD(0.3, data_range=(0, 1), random_state=0)
    net, X, y = net_and_rows(Decoy, epochs=30)
    doubts = found(net, X, y, attack)
    share = doubts["WRONG_GRADIENT"].numbers["share"]
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:32])
    assert share == pytest.approx(np.mean(X[rows, 0] > 0.5), abs=0.1)
    assert "does not rise along its own gradient" in str(doubts["WRONG_GRADIENT"])
    honest, X, y = net_and_rows(Net, epochs=30)
    assert "WRONG_GRADIENT" not in found(honest, X, y, attack)


@pytest.mark.torch
@pytest.mark.parametrize("name", ["Blind", "Argmax"])
def test_attacks_that_cannot_run_are_reported(name):
    import nets_for_tests

    net, X, y = net_and_rows(getattr(nets_for_tests, name), epochs=1)
    doubts = found(net, X, y, PGD(0.3, data_range=(0, 1)))
    assert doubts["ZERO_GRADIENT"].numbers["share"] == 1
    assert "no gradient reaches the input" in str(doubts["ATTACK_RAISES"])


@pytest.mark.slow
def test_models_of_scikit_learn_have_their_own_gradients():
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X)
    attack = PGD(0.05, data_range=(0, 1), random_state=0)
    assert found(LogisticRegression().fit(X, y), X, y, attack) == {}
    votes = AdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(X, y)
    alone = clone(attack).set_params(finish=None)
    assert "WRONG_GRADIENT" in found(votes, X, y, alone)  # of smooth votes
    # An attack that knows of them goes on with a search.
    assert "WRONG_GRADIENT" not in found(votes, X, y, attack)


@pytest.mark.parametrize("finish", [None, "auto", 5])
def test_slopes_that_stand_in_are_a_doubt_where_no_search_finishes(finish):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = minmax_scale(X)[:60], y[:60]
    votes = AdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(X, y)
    attack = PGD(0.05, n_steps=2, data_range=(0, 1), finish=finish, random_state=0)
    doubts = check_evaluation(votes, X, y, attack, n_samples=60, n_queries=2)
    assert ("WRONG_GRADIENT" in {d.code for d in doubts}) == (finish is None)


class AllButSome(BaseEstimator):
    """Fools every row but the first ones, whatever eps is."""

    norm, data_range = np.inf, None

    def __init__(self, n_left, eps=0.1):
        self.n_left = n_left
        self.eps = eps

    def perturb(self, estimator, X, y):
        return np.vstack([X[: self.n_left], -X[self.n_left :]])


@pytest.mark.parametrize("n_left", [20, 21, 22, 40])
def test_one_row_above_chance_is_no_doubt_and_two_are(n_left):
    X = np.where(np.arange(40) % 2, 1.0, -1.0)[:, None]
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    case = AttackCase(AllButSome(n_left), model, X, y, (-1.0, 1.0))
    doubts = {d.code: d for d in check_radii(case)}
    assert ("UNBOUNDED" in doubts) == (n_left > 21)  # chance is 20 of 40
    if n_left > 21:
        assert doubts["UNBOUNDED"].numbers["accuracy"] == n_left / 40


def test_examples_for_an_imitation_fool_the_model():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(X, y)
    case = AttackCase(FGSM(0.8), model, X, y, (X.min(), X.max()))
    stays = stays_under_transfer(case, X, 0)
    own = model.predict(FGSM(0.8).perturb(model, X, y)) == y
    assert stays.mean() < case.correct.mean() - 0.3
    assert stays.mean() >= own.mean() - 1e-9


class Asked(LogisticRegression):
    """Counts the rows of each question."""

    def predict(self, X):
        self.counts.append(len(X))
        return super().predict(X)


@pytest.mark.parametrize("n", [60, 499, 500, 501, 900])
def test_an_imitation_learns_from_no_more_than_500_rows(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] > 0).astype(int)
    model = Asked().fit(X, y)
    model.counts = []
    case = AttackCase(FGSM(0.2), model, X[:20], y[:20], (-3.0, 3.0))
    found = []
    for rest in (X[500:], 9 - X[500:]):  # which have no part in it
        model.counts.clear()
        rows = np.vstack([X[:500], rest])
        found.append(stays_under_transfer(case, rows, 0).tolist())
        assert model.counts == [min(n, 500), 20]
    assert found[0] == found[1]


@pytest.mark.slow
def test_frames_with_text_and_frozen_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    X["kind"] = rng.choice(["x", "y"], 60)
    y = (X["a"] + X["b"] > 0).astype(int).to_numpy()
    parts = [("n", StandardScaler(), list("abc")), ("k", OneHotEncoder(), ["kind"])]
    model = make_pipeline(ColumnTransformer(parts), LogisticRegression()).fit(X, y)
    for rules in (None, Constraints(frozen=["a"])):
        attack = PGD(0.3, constraints=rules, random_state=0)
        codes = found(model, X, y, attack).keys()
        assert codes <= {"INPUT_SCALE", "UNBOUNDED"}  # normal columns; one is frozen
