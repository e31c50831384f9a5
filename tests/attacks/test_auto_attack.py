"""AutoPGD, the probability shift, and the ensemble of attacks."""

import warnings

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import Ridge

from skrobust.attacks import FGSM, PGD, AutoAttack, AutoPGD, ProbabilityShift
from skrobust.attacks._auto_pgd import checkpoints
from skrobust.evaluation import evaluate_attack
from skrobust.metrics import make_robust_scorer
from skrobust.perturbations import GaussianNoise
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


def shift_of(model, X, adversarial):
    p, q = model.predict_proba(X), model.predict_proba(adversarial)
    rows, column = np.arange(len(X)), p.argmax(axis=1)
    return np.abs(q[rows, column] - p[rows, column])


@pytest.mark.parametrize("norm, dual", [(np.inf, 1), (2, 2)])
def test_probability_shift_meets_the_closed_form(norm, dual):
    model, X, y = linear_problem()
    z = model.decision_function(X)
    reach = 0.05 * np.linalg.norm(model.coef_[0], dual)
    best = np.max([np.abs(expit(z + s * reach) - expit(z)) for s in (-1, 1)], axis=0)
    a = ProbabilityShift(0.05, norm=norm, n_steps=20, random_state=0)
    assert np.allclose(shift_of(model, X, a.perturb(model, X, y)), best, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("norm, eps", [(np.inf, 0.08), (2, 0.2)])
def test_probability_shift_is_never_above_its_starts(norm, eps):
    model, X, y = linear_problem(150, classes=4)
    settings = {"norm": norm, "data_range": (0, 1), "random_state": 0}
    starts = [
        FGSM(eps, **settings),
        PGD(eps, objective="loss", **settings),
        PGD(eps, n_steps=10, **settings),
        AutoPGD(eps, objective="misclassification", loss="targeted_dlr", **settings),
        GaussianNoise(std=0.1, random_state=0),
    ]
    # With one step it is its starts that carry it.
    a = ProbabilityShift(eps, starts=starts, n_steps=1, n_restarts=1, **settings)
    found = shift_of(model, X, a.perturb(model, X, y))
    for start in starts[:-1]:
        if start.objective is None:
            start = clone(start).set_params(objective="probability_shift")
        other = shift_of(model, X, start.perturb(model, X, y))
        assert (found >= other - 1e-12).all()
    alone = ProbabilityShift(eps, **settings).perturb(model, X, y)
    pgd = clone(starts[2]).set_params(objective="probability_shift", n_steps=40)
    strong = shift_of(model, X, alone)
    assert strong.mean() >= shift_of(model, X, pgd.perturb(model, X, y)).mean() - 1e-4
    for tolerance in (0.05, 0.2, 0.5):
        ratios = [
            make_robust_scorer(b, metric="robust_ratio", tolerance=tolerance)(
                model, X, y
            )
            for b in (a, starts[0], starts[1], starts[2])
        ]
        assert ratios[0] == min(ratios)


def test_probability_shift_keeps_its_promises_and_its_objective():
    attack = ProbabilityShift(0.1, n_steps=5, starts=[FGSM(0.1)], data_range=(0, 1))
    model, X, y = linear_problem(classes=3)
    check_attack(attack, model, X, y)
    check_attack(ProbabilityShift(0.3, norm=2, n_steps=5), model, X, y)
    with pytest.raises(ValueError, match="turns wrong rows right"):
        make_robust_scorer(attack)(model, X, y)
    results = evaluate_attack(model, X, y, attack)
    assert results.modes == ("probability_shift",)
    assert results.robust_accuracy <= results.clean_accuracy
    for starts in (FGSM(), ["fgsm"]):
        with pytest.raises(ValueError, match="The 'starts' parameter of Probab"):
            ProbabilityShift(starts=starts).perturb(model, X, y)
    for name in ("n_steps", "n_restarts"):
        with pytest.raises(ValueError, match=f"The '{name}' parameter of Probab"):
            ProbabilityShift(**{name: 0}).perturb(model, X, y)


class Guess:
    """A black-box attack of a user: random corners, and no parameters."""

    def perturb(self, estimator, X, y):
        rng = np.random.default_rng(0)
        return X + 5.0 * rng.choice([-1, 1], size=X.shape)


def test_ensemble_takes_the_first_that_fools():
    model, X, y = linear_problem(200, classes=5)
    members = [
        FGSM(),
        PGD(n_steps=10),
        AutoPGD(n_steps=20, loss="targeted_dlr"),
        Guess(),
    ]
    ensemble = AutoAttack(0.06, attacks=members, random_state=3)
    result = ensemble.run(model, X, y)
    alone = [
        clone(m).set_params(eps=0.06, random_state=3).run(model, X, y)
        for m in members[:3]
    ]
    # Per sample the worst case over its members, never an average.
    worst = np.logical_or.reduce([r.success for r in alone])
    assert (result.success >= worst).all()
    first = np.where(alone[0].success & (model.predict(X) == y))[0]
    assert (result.found_by[first] == "fgsm").all()
    assert np.array_equal(result.X_adv[first], alone[0].X_adv[first])
    assert (result.found_by[model.predict(X) != y] == "clean").all()
    assert np.array_equal(result.found_by == "", ~result.success)
    assert np.abs(result.X_adv - X).max() <= 0.06 + 1e-12
    # Only what FGSM left was seen by the others.
    assert (result.backward[first] == 1).all()
    assert members[0].eps == 0.1  # members are cloned


def test_ensemble_at_full_strength():
    model, X, y = linear_problem(150, classes=4)
    members = [FGSM(), PGD(n_steps=10)]
    ensemble = AutoAttack(
        0.06, attacks=members, random_state=0, objective="probability_shift"
    )
    found = shift_of(model, X, ensemble.perturb(model, X, y))
    for member in members:
        one = clone(member).set_params(
            eps=0.06, random_state=0, objective="probability_shift"
        )
        assert (found >= shift_of(model, X, one.perturb(model, X, y)) - 1e-12).all()


def test_ensemble_keeps_promises():
    model, X, y = linear_problem(classes=3)
    members = [FGSM(), AutoPGD(n_steps=5)]
    for settings in ({}, {"norm": 2, "data_range": (0, 1)}):
        check_attack(AutoAttack(0.1, attacks=members, **settings), model, X, y)
    twice = AutoAttack(0.05, attacks=[PGD(n_steps=1), PGD()], random_state=0)
    assert set(twice.run(model, X, y).found_by) <= {"", "clean", "pgd", "pgd-2"}
    frame = pd.DataFrame(X, columns=list("abcdef"))
    named = clone(model).fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = twice.perturb(named, frame, y)
    assert np.array_equal(out.to_numpy(), twice.perturb(model, X, y))
    for bad in (FGSM(), [], ["fgsm"]):
        with pytest.raises(ValueError, match="The 'attacks' parameter of AutoAttack"):
            AutoAttack(attacks=bad).perturb(model, X, y)
    with pytest.raises(ValueError, match="The 'version' parameter of AutoAttack"):
        AutoAttack(version="plus").perturb(model, X, y)


@pytest.mark.slow
def test_standard_ensemble():
    model, X, y = linear_problem(60, classes=4)
    result = AutoAttack(0.05, random_state=0).run(model, X, y)
    single = AutoPGD(0.05, random_state=0, loss="targeted_dlr").run(model, X, y)
    assert result.n_successes >= single.n_successes
    assert set(result.found_by) <= {"", "clean", "apgd-ce", "apgd-t", "fab-t", "square"}
    assert not any("without" in sentence for sentence in result.warnings)


@pytest.mark.slow
def test_standard_ensemble_in_the_norm_1():
    model, X, y = linear_problem(40, classes=3)
    result = AutoAttack(0.2, norm=1, random_state=0).run(model, X, y)
    pgd = AutoPGD(0.2, norm=1, n_steps=20, random_state=0).run(model, X, y)
    assert result.n_successes >= pgd.n_successes
    assert np.abs(result.X_adv - X).sum(axis=1).max() <= 0.2


@pytest.mark.slow
@pytest.mark.torch
def test_on_nets():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skorch")
    from nets_for_tests import make_net
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from skrobust.nets import ToNetInput

    _, X, y = linear_problem(120, classes=5)
    net = make_net(module__k=5).fit(X.astype(np.float32), y)
    pipe = make_pipeline(StandardScaler(), ToNetInput(), make_net(module__k=5))
    pipe.fit(X, y)
    double = make_net(module__k=5).fit(X.astype(np.float32), y)
    double.module_.double()
    members = [FGSM(), AutoPGD(n_steps=5, loss="dlr")]
    for model, rows in ((net, X.astype(np.float32)), (pipe, X), (double, X)):
        module = (model[-1] if model is pipe else model).module_
        module.train()
        state = {k: v.clone() for k, v in module.state_dict().items()}
        generator = torch.get_rng_state()
        for attack in (
            *QUICK,
            ProbabilityShift(0.1, n_steps=5, starts=[FGSM(0.1)]),
            AutoAttack(0.1, attacks=members),
        ):
            attack = clone(attack).set_params(random_state=0)
            out = attack.run(model, rows, y).X_adv
            assert out.dtype == rows.dtype
            reach = np.abs(out.astype(float) - rows)
            assert reach.max() <= attack.eps
            if hasattr(attack, "batch_size"):
                parts = clone(attack).set_params(batch_size=17)
                again = parts.perturb(model, rows, y)
                assert np.isclose(out, again, atol=1e-4).mean() > 0.99
            assert all(m.training for m in module.modules())
        assert torch.equal(torch.get_rng_state(), generator)
        for name, value in module.state_dict().items():
            assert torch.equal(value, state[name])
        module.eval()
        strong = AutoPGD(0.1, loss="targeted_dlr", n_steps=20, random_state=0)
        weak = PGD(0.1, n_steps=20, random_state=0).run(model, rows, y)
        assert strong.run(model, rows, y).n_successes >= weak.n_successes
        assert weak.success.mean() > (model.predict(rows) != y).mean() + 0.1


def test_auto_attack_refuses_a_regressor():
    # Every row would count as wrong from the start, and none would be attacked.
    X, y = np.arange(8.0).reshape(-1, 1), np.arange(8.0)
    model = Ridge().fit(X, y)
    with pytest.raises(ValueError, match="AutoAttack compares classes, and Ridge"):
        AutoAttack(0.1).run(model, X, y)


@pytest.mark.parametrize("target", ["rose", 7, np.full(150, 7)])
def test_auto_attack_refuses_a_target_unknown_to_the_model(target, iris):
    # The message must not come from a member, about an array that nobody gave.
    with pytest.raises(ValueError, match="'target' parameter of AutoAttack"):
        AutoAttack(0.1, target=target).run(*iris)
