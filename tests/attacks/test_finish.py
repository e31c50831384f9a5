"""Attacks that follow a stand-in for a gradient finish with a search by queries."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from skrobust._differentiable import differentiable_view
from skrobust.attacks import (
    BIM,
    FGSM,
    PGD,
    AutoPGD,
    ExactLinear,
    ProbabilityShift,
    Square,
)
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


@pytest.mark.parametrize("kind", [PGD, AutoPGD, BIM, FGSM])
def test_no_more_rows_stand_than_after_the_search_alone(votes, kind):
    model, X, y = votes
    assert "votes" in differentiable_view(model, "PGD").stand_in
    alone = Square(n_steps=98, **BUDGET).run(model, X, y)
    steps = {} if kind is FGSM else {"n_steps": 5}
    plain = kind(finish=None, **steps, **BUDGET).run(model, X, y)
    full = kind(**steps, **BUDGET).run(model, X, y)
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


def test_rounded_rows_are_finished_and_stay_allowed():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(60, 5)).astype(float)
    y = (X @ [1, -1, 2, -2, 1] + rng.normal(size=60) > 2).astype(int)
    model = LogisticRegression().fit(X, y)
    rules = Constraints(integer=[0, 1, 2, 3, 4])
    result = PGD(1.0, constraints=rules, random_state=0).run(model, X, y)
    assert "rounded rows" in result.finish
    assert np.array_equal(result.X_adv, np.round(result.X_adv))
    loss = PGD(1.0, constraints=rules, objective="loss")
    assert loss.run(model, X, y).finish is None


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


@pytest.mark.parametrize("kind", [FGSM, ProbabilityShift])
def test_smooth_models_are_not_finished(kind):
    model, X, y = linear_problem(classes=3)
    result = kind(0.05, random_state=0).run(model, X, y)
    assert result.finish is None
    alone = kind(0.05, random_state=0, finish=None).perturb(model, X, y)
    np.testing.assert_array_equal(result.X_adv, alone)


def shift(model, X, Z):
    p, q = model.predict_proba(X), model.predict_proba(Z)
    rows, own = np.arange(len(X)), p.argmax(axis=1)
    return np.abs(q[rows, own] - p[rows, own])


@pytest.mark.parametrize(
    "attack",
    [
        ProbabilityShift(n_steps=5, n_restarts=1),
        PGD(n_steps=5, objective="probability_shift"),
    ],
    ids=lambda a: type(a).__name__,
)
def test_probabilities_move_as_far_as_without_a_search_and_further(attack):
    X, y = linear_problem(40, 3)[1:]
    rounds = FunctionTransformer(lambda Z: np.round(8 * Z) / 8)
    model = make_pipeline(rounds, LogisticRegression(C=100)).fit(X, y)
    attack.set_params(eps=0.1, data_range=(0, 1), random_state=0)
    full = attack.run(model, X, y)
    plain = attack.set_params(finish=None).run(model, X, y)
    gain = shift(model, X, full.X_adv) - shift(model, X, plain.X_adv)
    assert (gain >= 0).all()
    assert gain.max() > 0
    # The score is monotone in each rounded feature: a corner is best.
    signs = np.array(np.meshgrid(*[[-0.1, 0, 0.1]] * 3)).reshape(3, -1).T
    corners = [shift(model, X, np.clip(X + s, 0, 1)) for s in signs]
    best = np.max(corners, axis=0)
    assert (shift(model, X, full.X_adv) <= best + 1e-12).all()
    assert np.mean(shift(model, X, full.X_adv) > best - 1e-9) > 0.9
    assert (
        "Square, with at most 100 queries a row, went on with all 40 rows"
        in full.finish
    )
    assert full.queries.max() <= 100
    by = full.found_by
    assert set(by[gain > 0]) == {"square"}
    assert set(by) <= {"square", type(attack).__name__.lower()}
    assert plain.finish is None
    assert np.abs(full.X_adv - X).max() <= 0.1 + 1e-12


def test_the_smallest_budget_loses_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(60, 5)).astype(float)
    model = LogisticRegression().fit(X, X @ [1, -1, 2, -2, 1] > 2)
    rules = Constraints(integer=[0, 1, 2, 3, 4])
    found = {}
    for budget in (None, 3, "auto"):
        attack = ProbabilityShift(1.0, n_steps=5, constraints=rules, finish=budget)
        result = attack.set_params(random_state=0).run(model, X)
        found[budget] = shift(model, X, result.X_adv)
        np.testing.assert_array_equal(result.X_adv, np.round(result.X_adv))
    assert found[None].min() > 0
    assert (found[3] >= found[None]).all()
    assert (found["auto"] >= found[None]).all()


def test_square_begins_where_it_is_told():
    """A start in the ball is asked about first, and is never lost."""
    model, X, y = linear_problem(30)
    for objective in ("misclassification", "probability_shift"):
        best = ExactLinear(0.1, objective=objective).perturb(model, X, y)
        attack = Square(0.1, objective=objective, n_steps=2, random_state=0)
        found = attack.run(model, X, y, start=best)
        if objective == "probability_shift":
            reached, most = shift(model, X, found.X_adv), shift(model, X, best)
            np.testing.assert_allclose(reached, most, atol=1e-12)
        else:
            wrong = model.predict(best) != y
            np.testing.assert_array_equal(found.success, wrong)
        assert np.abs(found.X_adv - X).max() <= 0.1 + 1e-12
