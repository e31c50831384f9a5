"""Attacks that follow a stand-in for a gradient finish with a search by queries."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust._differentiable import differentiable_view
from skrobust.attacks import BIM, FGSM, PGD, AutoPGD, Square
from skrobust.base import Constraints
from tests.problems import digit_rows, linear_problem

BUDGET = {"eps": 0.03, "data_range": (0, 1), "random_state": 0}


@pytest.fixture(scope="module")
def votes():
    """Return a model whose label is that of votes and sums, and rows it gets right."""
    X, y = digit_rows()
    X = X / 16
    model = make_pipeline(StandardScaler(), SVC(gamma=0.01, break_ties=True))
    model.fit(X[:500], y[:500])
    rows = np.arange(1000, 1060)
    rows = rows[model.predict(X[rows]) == y[rows]]
    return model, X[rows], y[rows]


@pytest.mark.parametrize("kind", [PGD, AutoPGD, BIM])
def test_no_more_rows_stand_than_after_the_search_alone(votes, kind):
    model, X, y = votes
    assert "votes" in differentiable_view(model, "PGD").stand_in
    alone = Square(n_steps=98, **BUDGET).run(model, X, y)
    plain = kind(n_steps=5, finish=None, **BUDGET).run(model, X, y)
    full = kind(n_steps=5, **BUDGET).run(model, X, y)
    assert (full.success >= plain.success).all()
    assert full.n_successes >= alone.n_successes - 1
    assert full.n_successes > plain.n_successes
    assert np.abs(full.X_adv - X).max() <= 0.03 + 1e-12
    # What was done is said and counted.
    assert "followed smooth votes" in full.finish
    assert "at most 100 queries" in full.finish
    assert (full.queries[plain.success] == 1).all()
    assert (full.queries[~plain.success] > 1).all()
    assert full.queries.max() <= 101
    by = full.found_by
    assert set(by[plain.success]) == {kind.__name__.lower()}
    assert set(by[full.success & ~plain.success]) == {"square"}
    assert set(by[~full.success]) <= {""}
    assert plain.finish is None
    assert plain.found_by is None


def test_a_budget_finishes_any_model_and_none_never_does():
    model, X, y = linear_problem(classes=3)
    assert PGD(0.05, random_state=0).run(model, X, y).finish is None
    result = PGD(0.05, random_state=0, finish=7).run(model, X, y)
    assert result.finish.startswith("Square, with at most 7 queries a row,")
    assert result.queries.max() <= 8
    assert set(result.found_by) == {"clean", "pgd", ""}
    with pytest.raises(ValueError, match="'finish' parameter of PGD must be"):
        PGD(finish="always").run(model, X, y)
    assert "finish" not in FGSM().get_params()


def test_rounded_rows_are_finished_and_stay_allowed():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(60, 5)).astype(float)
    y = (X @ [1, -1, 2, -2, 1] + rng.normal(size=60) > 2).astype(int)
    model = LogisticRegression().fit(X, y)
    rules = Constraints(integer=[0, 1, 2, 3, 4])
    result = PGD(1.0, constraints=rules, random_state=0).run(model, X, y)
    assert "rounded rows" in result.finish
    assert np.array_equal(result.X_adv, np.round(result.X_adv))
    shift = PGD(1.0, constraints=rules, objective="probability_shift")
    assert shift.run(model, X, y).finish is None


def test_models_with_labels_alone_are_finished_by_labels(votes):
    X, y = votes[1:]
    model = SVC(decision_function_shape="ovo").fit(X, y)
    result = PGD(0.1, n_steps=2, finish=40, random_state=0).run(model, X, y)
    assert result.finish.startswith("HopSkipJump, with at most 40 queries")
    assert result.queries.max() <= 41


def test_targets_are_finished(votes):
    model, X, y = votes
    attack = PGD(n_steps=3, target=3, **BUDGET)
    result = attack.run(model, X, y)
    assert np.array_equal(result.success, model.predict(result.X_adv) == 3)
    assert (
        result.success >= attack.set_params(finish=None).run(model, X, y).success
    ).all()
