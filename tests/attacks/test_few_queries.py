"""Attacks by queries: budgets to the last query, few features, units of the input."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC

from skrobust.attacks import ZOO, BlackBoxAttack, HopSkipJump, RandomSearch

RNG = np.random.default_rng(0)


class Rule(ClassifierMixin, BaseEstimator):
    """Says 1 where a function of the rows does; labels alone."""

    def __init__(self, function):
        self.function = function
        self.classes_ = np.array([0, 1])

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return self.function(np.asarray(X)).astype(int)


@pytest.mark.parametrize("max_queries", [3, 10, 37])
def test_rows_that_stand_ask_as_often_as_they_may(max_queries):
    model, X = Rule(lambda X: X[:, 0] > 1e9), RNG.normal(size=(4, 3))
    attack = RandomSearch(n_steps=100, n_candidates=7, max_queries=max_queries)
    result = attack.run(model, X)
    assert (result.queries == max_queries).all()
    assert not result.success.any()


@pytest.mark.parametrize("norm", [2, 1])
def test_features_that_are_not_needed_go_back_to_their_values(norm):
    # Both of two features must move, and none of the other six.
    model = Rule(lambda X: (X[:, 0] > 1) & (X[:, 3] > 1))
    X = RNG.uniform(0, 0.5, (5, 8))
    attack = HopSkipJump(norm=norm, n_steps=4, n_directions=30, random_state=0)
    result = attack.run(model, X)
    assert result.success.all()
    needed = np.isin(np.arange(8), [0, 3])
    assert (result.X_adv[:, ~needed] == X[:, ~needed]).all()
    shortest = np.linalg.norm(1 - X[:, needed], norm, axis=1)
    assert (result.norm <= 1.3 * shortest).all()


class Worse(BlackBoxAttack):
    """Asks about rows that the model is surer of, then about the clean ones."""

    def _search_rows(self, search):
        clean = search.value.copy()
        live = search.live()
        for share in (1.0, 0.5):
            away = search.x[live] + share * self.eps * np.sign(search.x[live])
            search.ask(live, away[:, None])
            assert np.array_equal(search.current, search.x)
            assert np.array_equal(search.value, clean)
        search.ask(live, search.x[live][:, None] * 0.9)
        assert (search.value[live] > clean[live]).all()


def test_a_search_goes_on_from_the_best_candidate_the_clean_row_among_them():
    X = np.array([[-2.0], [-1.5], [1.5], [2.0]])
    model = SVC(kernel="linear").fit(X, [0, 0, 1, 1])
    result = Worse(0.5).run(model, X, [0, 0, 1, 1])
    assert result.iterations.tolist() == [3, 3, 3, 3]


def test_half_of_the_flips_are_corners_of_the_ball():
    calls, x, eps = [], np.zeros((1, 5)), 0.25

    def beyond(X):
        calls.append(X.copy())
        return X[:, 0] > 5

    attack = HopSkipJump(eps, n_steps=3, n_directions=20, random_state=0)
    attack.perturb(Rule(beyond), x)
    flips = [rows for rows in calls if len(rows) == 4]  # blocks tried in one call
    assert len(flips) > 5
    for rows in flips:
        assert (np.abs(rows) == eps).all(axis=1).sum() == 2


@pytest.mark.parametrize("factor", [2.0**-10, 2.0**6])
def test_differences_of_zoo_are_in_units_of_eps(factor):
    X = RNG.normal(size=(20, 3))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] > 0).astype(int)
    attack = ZOO(0.5, n_steps=10, random_state=0)
    wide = ZOO(0.5 * factor, n_steps=10, random_state=0)
    moved = attack.perturb(SVC(gamma=1.0).fit(X, y), X, y)
    scaled = wide.perturb(SVC(gamma=factor**-2).fit(factor * X, y), factor * X, y)
    assert (moved != X).any()
    np.testing.assert_allclose(scaled / factor, moved, rtol=1e-6, atol=1e-9)
