"""Attacks that drive a model to a label of the user's choice."""

import numpy as np
import pytest
from problems import linear_problem
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from skrobust.attacks import (
    BIM,
    DDN,
    FMN,
    PGD,
    AutoAttack,
    AutoPGD,
    CarliniWagner,
    MomentumPGD,
    Square,
)

MINIMAL = [DDN(n_steps=200), FMN(norm=2, n_steps=200), CarliniWagner(n_steps=200)]


def three_classes(n=40):
    _, X, y = linear_problem(n, classes=3)
    X = np.asarray(X, dtype=np.float64)
    names = np.array(["ash", "birch", "cedar"])[y.astype(int)]
    return LogisticRegression(C=50.0, max_iter=5000).fit(X, names), X, names


def distance_to_class(model, x, column):
    """Return the distance of a row from the polytope where a linear model says so."""
    gap = model.coef_[column] - np.delete(model.coef_, column, axis=0)
    offset = model.intercept_[column] - np.delete(model.intercept_, column)
    rule = {"type": "ineq", "fun": lambda d: gap @ (x + d) + offset}
    rule["jac"] = lambda d: gap
    found = minimize(
        lambda d: d @ d,
        0 * x,
        jac=lambda d: 2 * d,
        constraints=[rule],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return np.sqrt(found.fun)


@pytest.mark.parametrize("attack", MINIMAL, ids=lambda a: type(a).__name__)
def test_smallest_change_to_a_class_of_a_linear_model(attack):
    model, X, _ = three_classes()
    norms = clone(attack).set_params(target="birch").minimal_norms(model, X)
    there = model.predict(X) == "birch"
    assert 0 < there.mean() < 1
    assert (norms[there] == 0).all()
    best = np.array([distance_to_class(model, x, 1) for x in X[~there]])
    ratio = norms[~there] / best
    assert ratio.min() > 1 - 1e-6
    assert np.median(ratio) < 1.01
    assert ratio.max() < 1.1


@pytest.mark.parametrize("attack", MINIMAL, ids=lambda a: type(a).__name__)
def test_of_two_classes_the_target_is_the_other_one(attack):
    _, X, y = linear_problem(40)
    model = SVC().fit(X, y)
    predicted = model.predict(X)
    other = np.where(predicted == model.classes_[0], *model.classes_[::-1])
    free = clone(attack).perturb(model, X)
    aimed = clone(attack).set_params(target=other).perturb(model, X)
    reached = model.predict(aimed) == other
    assert reached.mean() > 0.5  # far out, an SVC says one class alone
    assert np.array_equal(reached, model.predict(free) == other)
    np.testing.assert_allclose(aimed, free, atol=1e-6)


@pytest.mark.parametrize(
    "attack",
    [BIM(), MomentumPGD(), PGD(), AutoPGD(n_steps=20)],
    ids=lambda a: type(a).__name__,
)
@pytest.mark.parametrize("loss", ["log_odds", "margin", "dlr", "cross_entropy"])
def test_steps_go_to_the_target(attack, loss):
    model, X, _ = three_classes()
    attack = clone(attack).set_params(eps=5.0, norm=2, target="cedar", loss=loss)
    attack.set_params(random_state=0)
    result = attack.run(model, X)
    assert np.array_equal(result.success, model.predict(result.X_adv) == "cedar")
    reach = np.array([distance_to_class(model, x, 2) for x in X])
    assert not result.success[reach > 5.0].any()
    assert result.success[reach < 3.0].all()
    still = model.predict(X) == "cedar"
    np.testing.assert_array_equal(result.X_adv[still], X[still])


def test_objective_minimal_aims_too_and_stays_in_the_ball():
    model, X, _ = three_classes()
    attack = DDN(eps=0.3, objective="minimal", target="ash")
    far = model.predict(X) != "ash"
    found = attack.perturb(model, X)
    size = np.linalg.norm(found - X, axis=1)
    assert (size <= 0.3 * (1 + 1e-9)).all()
    assert (size[far] > 0).all()
    column = list(model.classes_).index("ash")
    before, after = (model.predict_proba(rows)[:, column] for rows in (X, found))
    assert (after[far] > before[far]).all()


def test_ensemble_aims_and_is_no_weaker_than_its_members():
    model, X, y = three_classes()
    target = np.roll(model.classes_, 1)[np.searchsorted(model.classes_, y)]
    settings = {"data_range": (X.min(), X.max()), "random_state": 0}
    members = [AutoPGD(n_steps=10), Square(max_queries=200)]
    ensemble = AutoAttack(2.0, norm=2, attacks=members, target=target, **settings)
    result = ensemble.run(model, X)
    assert np.array_equal(result.success, model.predict(result.X_adv) == target)
    for member in members:
        alone = clone(member).set_params(eps=2.0, norm=2, target=target, **settings)
        assert not (alone.run(model, X).success & ~result.success).any()
    standard = clone(ensemble).set_params(attacks=None).run(model, X)
    assert not (result.success & ~standard.success).any()
    assert set(standard.found_by) <= {"", "clean", "apgd-ce", "apgd-dlr", "square"}


@pytest.mark.slow
def test_a_net_is_driven_to_a_label_for_each_row():
    pytest.importorskip("skorch")
    from nets_for_tests import Net, make_net

    _, X, y = linear_problem(60, classes=3)
    X, y = X.astype(np.float32), y.astype(np.int64)
    net = make_net(Net).fit(X, y)
    target = (net.predict(X) + 1) % 3
    for attack in (DDN(), FMN(), CarliniWagner(), BIM(2.0, norm=2, n_steps=40)):
        result = attack.set_params(target=target).run(net, X)
        assert np.array_equal(result.success, net.predict(result.X_adv) == target)
        assert result.success.mean() > 0.9
    with pytest.raises(ValueError, match="The 'target' parameter of DDN must be a"):
        DDN(target=3).perturb(net, X)


@pytest.mark.parametrize(
    ("attack", "sentence"),
    [
        (DDN(target="oak"), "The 'target' parameter of DDN must be a label that"),
        (
            FMN(norm=2, target=["ash"]),
            "The 'target' parameter of FMN must be None, a label",
        ),
        (
            CarliniWagner(target="ash", objective="probability_shift"),
            "CarliniWagner with a target cannot have objective='probability_shift'",
        ),
        (BIM(target="oak"), "The 'target' parameter of BIM must be a label that"),
        (
            AutoAttack(target="ash", objective="loss"),
            "The 'objective' parameter of AutoAttack must be None or 'miscl",
        ),
        (AutoAttack(target=["ash"]), "The 'target' parameter of AutoAttack must be"),
    ],
)
def test_one_clear_sentence(attack, sentence):
    model, X, _ = three_classes()
    with pytest.raises(ValueError, match=sentence):
        attack.perturb(model, X)


def test_ensembles_of_ensembles_aim():
    model, X, _ = three_classes()
    inner = AutoAttack(attacks=[PGD(n_steps=10)])
    attack = AutoAttack(2.0, norm=2, target="ash", attacks=[FMN(), inner])
    result = attack.set_params(random_state=0).run(model, X)
    assert np.array_equal(result.success, model.predict(result.X_adv) == "ash")


def test_a_member_that_cannot_aim_is_named():
    from skrobust.attacks import FAB

    model, X, _ = three_classes()
    with pytest.raises(ValueError, match="its member 'fab' cannot aim at"):
        AutoAttack(target="ash", attacks=[FAB()]).perturb(model, X)
