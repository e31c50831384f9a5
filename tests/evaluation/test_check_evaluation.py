"""Curves over radii, and the checks that an evaluation is honest."""

import numpy as np
import pandas as pd
import pytest
from problems import digit_rows, linear_problem
from sklearn.base import clone

from skrobust.attacks import FGSM, PGD, AutoAttack, GradientAttack
from skrobust.base import BaseAttack
from skrobust.evaluation import (
    EvaluationWarning,
    check_evaluation,
    evaluate_attack,
    robust_accuracy_curve,
)
from skrobust.evaluation.core.model_checks import check_input

GRID = np.linspace(0.02, 0.4, 20)


@pytest.fixture(scope="module")
def digits():
    pytest.importorskip("skorch")
    from skrobust.nets import small_cnn_classifier

    X, y = digit_rows()
    X = X / 16
    model = small_cnn_classifier((8, 8), 10, epochs=20).fit(X[:1000], y[:1000])
    return model, X[1000:1100], y[1000:1100]


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("norm, scale", [(np.inf, 1), (2, 5)])
def test_curve_of_a_net_takes_a_fifth_of_the_passes(digits, norm, scale):
    model, X, y = digits
    attack = PGD(norm=norm, data_range=(0, 1), random_state=0)
    grid = GRID * scale
    curve = robust_accuracy_curve(model, X, y, attack, grid)
    # Twenty independent runs of 40 steps, without leaving: as peers do it.
    full = 20 * (41 + 40) * len(X)
    assert curve.n_passes <= full / 5
    alone = [
        (~clone(attack).set_params(eps=eps).run(model, X, y).success).mean()
        for eps in grid
    ]
    assert (curve.robust_accuracy <= np.array(alone) + 1e-12).all()
    assert (np.diff(curve.robust_accuracy) <= 0).all()
    assert curve.clean_accuracy == model.score(X, y)


@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
def test_curve_of_a_linear_model_is_exact(norm, dual):
    model, X, y = linear_problem(150)
    sign = np.where(y == 1, 1, -1)
    margin = sign * model.decision_function(X) / np.linalg.norm(model.coef_[0], dual)
    curve = robust_accuracy_curve(model, X, y, PGD(norm=norm, random_state=0), GRID)
    exact = (margin[None] > GRID[:, None]).mean(axis=1)
    assert np.allclose(curve.robust_accuracy, exact)
    expected = np.r_[GRID, np.inf][np.searchsorted(GRID, margin)]
    assert np.array_equal(curve.radius, np.where(margin < 0, 0.0, expected))
    assert (curve.distance <= curve.radius).all()
    fell = np.isfinite(curve.distance) & (margin > 0)
    assert (curve.distance[fell] >= margin[fell] - 1e-9).all()
    assert (curve.robust_accuracy_low <= curve.robust_accuracy).all()
    assert (curve.robust_accuracy <= curve.robust_accuracy_high).all()
    assert (curve.robust_accuracy_band_low <= curve.robust_accuracy_low).all()
    assert (curve.robust_accuracy_band_high >= curve.robust_accuracy_high).all()
    assert list(curve.to_frame()["eps"]) == list(GRID)


def test_curves_of_frames_ensembles_and_targets():
    model, X, y = linear_problem(60, classes=3)
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(7, 67))
    named = clone(model).fit(frame, y)
    attack = PGD(n_steps=10, random_state=0)
    a, b = (
        robust_accuracy_curve(m, rows, y, attack, GRID[::4])
        for m, rows in ((model, X), (named, frame))
    )
    assert np.array_equal(a.radius, b.radius)
    ensemble = AutoAttack(attacks=[FGSM(), attack], random_state=0)
    both = robust_accuracy_curve(model, X, y, ensemble, GRID[::4], tighten=False)
    assert (np.diff(both.robust_accuracy) <= 0).all()
    assert both.n_passes > 0
    aimed = robust_accuracy_curve(
        model, X, y, PGD(n_steps=10, target=0, random_state=0), GRID[::4]
    )
    assert aimed.clean_accuracy == (model.predict(X) != 0).mean()
    assert (aimed.robust_accuracy >= a.robust_accuracy - (y == 0).mean()).all()


@pytest.mark.parametrize(
    "attack, grid, message",
    [
        ("pgd", GRID, "The 'attack' parameter of robust_accuracy_curve must be"),
        (PGD(target=[0, 1]), GRID, "one target for all samples"),
        (PGD(), GRID[::-1], "rising positive radii"),
        (PGD(), [0.0, 0.1], "rising positive radii"),
        (PGD(), [], "at least 1 values"),
        (PGD(), [np.nan], "finite eps_grid"),
    ],
)
def test_robust_accuracy_curve_refuses_wrong_radii(attack, grid, message):
    model, X, y = linear_problem()
    with pytest.raises(ValueError, match=message):
        robust_accuracy_curve(model, X, y, attack, grid)


PGD_BOX = PGD(0.1, data_range=(0, 1), random_state=0)
# For doubts about the model or its input, which no number of attacked rows changes.
FEW = {"n_samples": 20, "n_queries": 20}


def net_and_rows(module=None, *, n=120, classes=3, **settings):
    pytest.importorskip("skorch")
    from nets_for_tests import Net, make_net

    _, X, y = linear_problem(n, classes=classes)
    X = X.astype(np.float32)
    return make_net(module or Net, **settings).fit(X, y.astype(np.int64)), X, y


def codes(*arguments, **settings):
    return {doubt.code for doubt in check_evaluation(*arguments, **settings)}


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("norm, eps", [(np.inf, 0.1), (2, 0.3)])
def test_a_clean_net_raises_no_doubt(norm, eps):
    net, X, y = net_and_rows()
    attack = PGD(eps, norm=norm, data_range=(0, 1), random_state=0)
    assert check_evaluation(net, X, y, attack) == []
    results = evaluate_attack(net, X, y, attack, checks=True)
    assert results.warnings == []
    assert "warnings" not in evaluate_attack(net, X, y, attack)


@pytest.mark.slow
@pytest.mark.torch
def test_models_that_do_not_answer_alike():
    from nets_for_tests import BatchBound, Restless

    net, X, y = net_and_rows(Restless)
    (doubt,) = (
        d for d in check_evaluation(net, X, y, PGD_BOX) if d.code == "STOCHASTIC"
    )
    assert doubt.numbers["largest_difference"] > 1e-4
    assert "Two clean passes differ" in str(doubt)
    assert "BATCH_DEPENDENT" in codes(*net_and_rows(BatchBound), PGD_BOX)


@pytest.mark.slow
@pytest.mark.torch
def test_gradients_that_do_not_come():
    from nets_for_tests import Blind, Flat, Stairs

    for module in (Blind, Flat):
        net, X, y = net_and_rows(module, epochs=1)
        attack = PGD_BOX if module is Flat else Idle()
        assert "ZERO_GRADIENT" in codes(net, X, y, attack)
    net, X, y = net_and_rows(Stairs)
    # With its finish, PGD finds what a search finds.
    assert "BLACK_BOX_BEATS_ATTACK" not in codes(net, X, y, PGD_BOX)
    found = check_evaluation(net, X, y, clone(PGD_BOX).set_params(finish=None))
    assert {d.code for d in found} >= {"ZERO_GRADIENT", "BLACK_BOX_BEATS_ATTACK"}
    share = next(d.numbers["share"] for d in found if d.code == "ZERO_GRADIENT")
    assert share == 1


@pytest.mark.slow
@pytest.mark.torch
def test_probabilities_as_logits_and_saturated_losses():
    net, X, y = net_and_rows(module__ending="softmax")
    assert "PROBABILITIES_AS_LOGITS" in codes(net, X, y, PGD_BOX, **FEW)
    from torch import nn

    fine, X, y = net_and_rows(module__ending="softmax", criterion=nn.NLLLoss)
    assert "PROBABILITIES_AS_LOGITS" not in codes(fine, X, y, PGD_BOX, **FEW)
    net, X, y = net_and_rows()
    net.module_.scale = 1000.0
    doubts = check_evaluation(net, X, y, PGD_BOX)
    assert "SATURATED_LOSS" in {d.code for d in doubts}
    # The attack itself is not blinded by it.
    assert "BLACK_BOX_BEATS_ATTACK" not in {d.code for d in doubts}


@pytest.mark.slow
@pytest.mark.torch
def test_normalisation_in_the_wrong_place():
    net, X, y = net_and_rows()
    Z = ((X - X.mean(0)) / X.std(0)).astype(np.float32)
    net.fit(Z, y.astype(np.int64))
    assert "INPUT_SCALE" in codes(net, Z, y, PGD(0.1), **FEW)
    whole = np.round(X * 255).astype(np.float32)
    doubts = check_evaluation(net, whole, y, PGD(0.03), **FEW)
    assert any("eps=0.03 is less" in d.sentence for d in doubts)
    wide = PGD(0.1, data_range=(0, 255))
    doubts = check_evaluation(net, X, y, wide, **FEW)
    assert any("Was X scaled" in d.sentence for d in doubts)


@pytest.mark.torch
def test_accuracy_that_rises_with_eps():
    from nets_for_tests import Wave, make_net

    rng = np.random.default_rng(0)
    X = rng.random((150, 4)).astype(np.float32)
    X[:, 0] = 0.05 + np.round(X[:, 0] * 9) / 10  # at the crests
    X[:, 0] += np.float32(0.01) * (rng.random(150).astype(np.float32) - 0.5)
    y = (np.sin(np.pi * 10 * X[:, 0]) > 0).astype(np.int64)
    net = make_net(Wave, epochs=1).fit(X, y)
    found = codes(net, X, y, FGSM(0.1))
    assert "NOT_FALLING" in found
    assert "NOT_FALLING" not in codes(net, X, y, PGD(0.1, n_restarts=5, random_state=0))


class Idle(BaseAttack):
    """Does nothing at all."""

    def __init__(self, eps=0.1, norm=np.inf, data_range=(0, 1), objective=None,
                 random_state=None):  # fmt: skip
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.objective, self.random_state = objective, random_state

    def _attack(self, estimator, X, y, key):
        return X


class Timid(GradientAttack):
    """Many steps that are far too short."""

    def __init__(self, eps=0.1, norm=np.inf, data_range=(0, 1), objective=None,
                 random_state=None):  # fmt: skip
        self.eps, self.norm, self.data_range = eps, norm, data_range
        self.objective, self.random_state = objective, random_state

    def _attack_batch(self, oracle, x, rng):
        for _ in range(5):
            x, gradient = oracle.gradient(x)
            x = oracle.project(x + 1e-5 * oracle.steepest(gradient))
        return x


class Lost:
    """Leaves the ball and the box."""

    eps, norm, data_range = 0.1, np.inf, (0, 1)

    def perturb(self, estimator, X, y):
        return X + np.float32(0.5)


@pytest.mark.slow
@pytest.mark.torch
def test_attacks_that_are_too_weak():
    net, X, y = net_and_rows()
    weak = {"ONE_STEP_BEATS_ATTACK", "BLACK_BOX_BEATS_ATTACK", "UNBOUNDED"}
    weak |= {"TRANSFER_BEATS_ATTACK"}
    for attack in (Idle(), Timid()):
        assert codes(net, X, y, attack) == weak
    assert codes(net, X, y, Lost()) == {"OUT_OF_RANGE", "OUT_OF_BALL"}
    free = PGD(0.1, random_state=0)
    assert codes(net, X, y, free) == set()
    X[0, 0], X[1, 0] = 0, 1  # as pictures are
    assert codes(net, X, y, free) == {"OUT_OF_RANGE"}


@pytest.mark.slow
def test_checks_of_models_without_gradients():
    from sklearn.ensemble import RandomForestClassifier

    _, X, y = linear_problem(120, classes=3)
    names = np.array(["u", "v", "w"])[y]
    frame = pd.DataFrame(X, columns=list("abcdef"))
    forest = RandomForestClassifier(20, random_state=0).fit(frame, names)
    found = codes(forest, frame, names, Idle(0.2))
    beaten = {"BLACK_BOX_BEATS_ATTACK", "TRANSFER_BEATS_ATTACK"}
    assert found == {*beaten, "UNBOUNDED"}
    # A perturbation has no eps to vary, so little can be asked of it.
    from skrobust.perturbations import GaussianNoise

    assert check_evaluation(forest, frame, names, GaussianNoise(std=0.1)) == []
    before = frame.copy()
    check_evaluation(forest, frame, names, Idle())
    pd.testing.assert_frame_equal(frame, before)


def test_check_evaluation_refuses_wrong_parameters():
    model, X, y = linear_problem()
    assert isinstance(EvaluationWarning("A", "b", {}), EvaluationWarning)
    with pytest.raises(ValueError, match="The 'attack' parameter of check_evaluation"):
        check_evaluation(model, X, y, "pgd")
    with pytest.raises(ValueError, match="equal length"):
        check_evaluation(model, X, y[:3], PGD())
    for name in ("n_samples", "n_queries"):
        with pytest.raises(ValueError, match=f"The '{name}' parameter of check_eval"):
            check_evaluation(model, X, y, PGD(), **{name: 0})


@pytest.mark.parametrize(
    ("eps", "top", "doubted"),
    [(0.03, 255, True), (0.3, 16, True), (0.8, 16, False), (2.0, 255, False)],
)
def test_less_than_one_step_is_doubted_where_there_are_many(eps, top, doubted):
    values = np.arange(top + 1.0).reshape(-1, 1)
    doubts = [*check_input(values, eps, np.inf, (0, top))]
    assert [d.code for d in doubts] == ["INPUT_SCALE"] * doubted


def test_an_attack_with_a_target_passes_check_evaluation(iris):
    # Rows of the target stay right, which makes no attack blind; and checks of a part
    # of the rows take the targets of these rows.
    model, X, y = iris
    for target in (2, (y + 1) % 3):
        attack = PGD(0.5, target=target, random_state=0)
        assert check_evaluation(model, X, y, attack) == []
