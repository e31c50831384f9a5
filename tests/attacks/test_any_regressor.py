"""Black-box attacks on regressors: known optima, budgets, objectives."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from skrobust.attacks import (
    DDN,
    FMN,
    ZOO,
    DeepFool,
    ExactTree,
    HopSkipJump,
    RandomSearch,
    Square,
)
from skrobust.metrics import make_robust_scorer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * RNG.normal(size=30)
LINEAR = Ridge().fit(X, Y)
ATTACKS = [
    RandomSearch(0.3, n_steps=10, random_state=0),
    Square(0.3, n_steps=60, random_state=0),
    ZOO(0.3, n_steps=5, n_features=4, random_state=0),
]


def shift(model, attack):
    return np.abs(model.predict(attack.perturb(model, X, Y)) - model.predict(X))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_linear_models_move_as_far_as_they_can(attack):
    best = 0.3 * np.abs(LINEAR.coef_).sum()
    found = shift(LINEAR, attack)
    assert (found <= best * (1 + 1e-9)).all()
    assert found.mean() > 0.97 * best


@pytest.mark.parametrize("attack", ATTACKS[:2], ids=lambda a: type(a).__name__)
@pytest.mark.parametrize(
    "model", [RandomForestRegressor(5, random_state=0), KNeighborsRegressor()], ids=str
)
def test_any_regressor_moves_more_than_by_noise(attack, model):
    model.fit(X, Y)
    corners = [X + 0.3 * RNG.choice([-1, 1], X.shape) for _ in range(5)]
    noise = [np.abs(model.predict(z) - model.predict(X)).mean() for z in corners]
    result = attack.run(model, X, Y)
    assert np.abs(result.X_adv - X).max() <= 0.3 * (1 + 1e-9)
    assert shift(model, attack).mean() > np.mean(noise)
    assert result.objective in (None, "prediction_shift")
    assert result.queries.min() > 0


def test_no_search_beats_the_exact_attack_on_a_tree():
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, Y)
    best = shift(model, ExactTree(0.3))
    found = shift(model, RandomSearch(0.3, n_steps=20, random_state=0))
    assert (found <= best + 1e-9).all()
    assert found.mean() > 0.9 * best.mean()


def test_errors_are_from_the_target_and_never_shrink():
    attack = Square(0.3, n_steps=40, objective="prediction_error", random_state=0)
    moved = attack.perturb(LINEAR, X, Y)
    error = np.abs(LINEAR.predict(moved) - Y)
    clean = np.abs(LINEAR.predict(X) - Y)
    assert (error >= clean - 1e-9).all()
    best = clean + 0.3 * np.abs(LINEAR.coef_).sum()
    assert error.mean() > 0.95 * best.mean()


def test_scorers_and_budgets():
    model = RandomForestRegressor(5, random_state=0).fit(X, Y)
    attack = Square(0.3, max_queries=21, random_state=0)
    assert attack.run(model, X, Y).queries.max() <= 21
    scorer = make_robust_scorer(attack, "regression_robust_ratio", tolerance=0.2)
    assert scorer(model, X, Y) == np.mean(shift(model, attack) <= 0.2)


def test_one_clear_sentence():
    model = RandomForestRegressor(2).fit(X, Y)
    with pytest.raises(ValueError, match=r"HopSkipJump .* is a regressor. For a regr"):
        HopSkipJump().perturb(model, X, Y)
    for objective in ("prediction_shift", "prediction_error"):
        with pytest.raises(
            ValueError, match="regressor's prediction use RandomSearch, "
        ):
            HopSkipJump(objective=objective).perturb(model, X, Y)
    scorer = make_robust_scorer(
        HopSkipJump(0.1), "regression_robust_ratio", tolerance=0.1
    )
    with pytest.raises(
        ValueError, match="regressor's prediction use RandomSearch, Squ"
    ):
        scorer(model, X, Y)
    for attack in (DDN(), FMN(), DeepFool()):
        with pytest.raises(ValueError, match=r"is a regressor\. Use PGD, AutoPGD"):
            attack.perturb(LINEAR, X, Y)
    with pytest.raises(ValueError, match="'prediction_error' for a regressor"):
        Square(objective="probability_shift").perturb(model, X, Y)
    with pytest.raises(ValueError, match="'target'"):
        Square(target=1).perturb(model, X, Y)
    both = RandomForestRegressor(2).fit(X, np.c_[Y, Y])
    with pytest.raises(ValueError, match=r"one number a row, .*, \(30, 2\)"):
        RandomSearch().perturb(both, X, Y)
