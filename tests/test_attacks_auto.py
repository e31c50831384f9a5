"""AutoPGD, the probability shift, and the ensemble of attacks."""

import numpy as np
import pytest
from problems import linear_problem

from skrobust.attacks import PGD, AutoPGD
from skrobust.attacks._auto_pgd import checkpoints
from skrobust.testing import check_attack

QUICK = [
    AutoPGD(0.1, n_steps=10),
    AutoPGD(0.3, norm=2, n_steps=10, data_range=(0, 1)),
    AutoPGD(0.1, n_steps=10, loss="dlr", n_restarts=2),
    AutoPGD(0.1, n_steps=10, loss="targeted_dlr", data_range=(0, 1)),
    AutoPGD(0.1, n_steps=5, loss="targeted_dlr", objective="loss"),
    AutoPGD(0.1, n_steps=5, objective="probability_shift"),
    AutoPGD(0.1, n_steps=5, target=1, loss="dlr"),
]


@pytest.mark.parametrize("attack", QUICK, ids=str)
def test_promises(attack):
    if attack.target is None:
        check_attack(attack)
    model, X, y = linear_problem(classes=5)
    check_attack(attack, model, X, y)


def test_checkpoints_are_the_published_ones():
    # Croce and Hein: gaps of 22, 19, 16, 13, 10, 7, 6, 6 % of 100 steps.
    assert checkpoints(100) == [0, 22, 41, 57, 70, 80, 87, 93, 99]
    assert checkpoints(1) == [0, 1]


@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
def test_closed_form_optimum(norm, dual):
    model, X, y = linear_problem()
    sign = np.where(y == 1, -1, 1)
    best = sign * 0.07 * np.linalg.norm(model.coef_[0], dual)
    for loss in ("log_odds", "margin", "dlr", "targeted_dlr", "cross_entropy"):
        a = AutoPGD(0.07, norm=norm, loss=loss, objective="loss", random_state=0)
        moved = model.decision_function(a.perturb(model, X, y))
        assert np.allclose(moved - model.decision_function(X), best, rtol=1e-3)


def test_multiclass_meets_the_exact_answer():
    model, X, y = linear_problem(200, classes=4)
    z = model.decision_function(X)
    gap = z[np.arange(200), y][:, None] - z
    reach = 0.1 * np.abs(model.coef_[y][:, None] - model.coef_[None]).sum(axis=2)
    gap[np.arange(200), y] = np.inf
    exact = (gap > reach).all(axis=1)
    # One run per class cannot miss: each pair of classes is a linear problem.
    result = AutoPGD(0.1, loss="targeted_dlr", random_state=0).run(model, X, y)
    assert np.array_equal(~result.success, exact)
    two = AutoPGD(0.1, loss="targeted_dlr", n_target_classes=1, random_state=0)
    assert two.run(model, X, y).n_successes <= result.n_successes


def test_not_weaker_than_pgd_at_equal_steps():
    model, X, y = linear_problem(300, classes=6)
    for norm, eps in ((np.inf, 0.06), (2, 0.15)):
        settings = {"norm": norm, "n_steps": 40, "random_state": 0}
        pgd = PGD(eps, **settings).run(model, X, y).n_successes
        auto = AutoPGD(eps, **settings).run(model, X, y).n_successes
        assert auto >= pgd - 1


@pytest.mark.parametrize(
    "change, message",
    [
        ({"n_steps": 0}, "The 'n_steps' parameter of AutoPGD must be an integer"),
        ({"n_restarts": 0}, "The 'n_restarts' parameter of AutoPGD must be"),
        ({"n_target_classes": 0}, "The 'n_target_classes' parameter of AutoPGD must"),
        ({"loss": "hinge"}, "The 'loss' parameter of AutoPGD must be one of"),
        ({"loss": "targeted_dlr", "target": 1}, "The 'target' parameter of AutoPGD"),
        ({"eps": -1}, "The 'eps' parameter of AutoPGD must be"),
        ({"norm": 3}, "The 'norm' parameter of AutoPGD must be"),
    ],
)
def test_bad_parameters_of_auto_pgd(change, message):
    model, X, y = linear_problem()
    with pytest.raises(ValueError, match=message):
        AutoPGD().set_params(**change).perturb(model, X, y)
