"""Gradient attacks on whole numbers, levels and one-hot groups: judged as rounded."""

import numpy as np
import pytest
from problems import grid_problem
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

from skrobust._norms import length
from skrobust.attacks import (
    BIM,
    DDN,
    FGSM,
    PGD,
    AutoAttack,
    AutoPGD,
    Constraints,
    MomentumPGD,
    ProbabilityShift,
)

GRADIENT = [FGSM(), BIM(), MomentumPGD(), PGD(n_steps=20), AutoPGD(n_steps=20)]


def on_the_grid(out, every):
    return (out[:, None] == every).all(axis=2).any(axis=1)


def reachable(model, X, y, every, norm, eps):
    """Say which rows some allowed row of the ball fools."""
    gaps = length((every[None] - X[:, None]).reshape(-1, X.shape[1]), norm)
    inside = gaps.reshape(len(X), len(every)) <= eps
    return (inside & (model.predict(every) != y[:, None])).any(axis=1)


@pytest.mark.parametrize("a", GRADIENT, ids=str)
@pytest.mark.parametrize("norm, eps", [(np.inf, 1.0), (2, 1.5), (1, 2.0)])
def test_fooled_as_rounded_or_unchanged(a, norm, eps):
    model, X, rules, every, box = grid_problem()
    y = model.predict(X)
    possible = reachable(model, X, y, every, norm, eps)
    assert 0.2 < possible.mean() < 1
    a = clone(a).set_params(
        eps=eps, norm=norm, data_range=box, constraints=rules, random_state=0
    )
    result = a.run(model, X, y)
    out, fooled = result.X_adv, model.predict(result.X_adv) != y
    assert on_the_grid(out, every).all()
    assert np.array_equal(result.success, fooled)
    assert np.array_equal(out[~fooled], X[~fooled])
    assert (length(out - X, norm) <= eps).all()
    assert not fooled[~possible].any()
    if not isinstance(a, FGSM):
        assert fooled[possible].mean() > 0.75


def test_rounding_after_the_search_alone_would_unfool():
    model, X, rules, _, box = grid_problem()
    y = model.predict(X)
    a = PGD(1.4, norm=2, n_steps=10, step_size=0.35, data_range=box, random_state=0)
    free = a.perturb(model, X, y)
    late = clone(a).set_params(constraints=rules)._domain(X).put_back(free, X)
    inside = clone(a).set_params(constraints=rules).perturb(model, X, y)
    rate = [(model.predict(rows) != y).mean() for rows in (late, inside)]
    assert rate[1] > rate[0] + 0.05


@pytest.mark.parametrize("objective", ["loss", "probability_shift"])
def test_the_kept_row_is_the_best_of_those_allowed(objective):
    model, X, rules, every, box = grid_problem()
    p = model.predict_proba(every)
    clean = model.predict_proba(X)
    column = clean.argmax(axis=1)
    each = np.arange(len(X))
    gaps = length((every[None] - X[:, None]).reshape(-1, 6), np.inf)
    inside = gaps.reshape(len(X), -1) <= 1
    shift = np.abs(p[:, column].T - clean[each, column][:, None])
    best = np.where(inside, shift, 0).max(axis=1)
    a = PGD(1.0, n_steps=30, n_restarts=2, objective=objective, random_state=0)
    a = a.set_params(constraints=rules, data_range=box)
    attacks = [a, ProbabilityShift(1.0, constraints=rules, data_range=box)]
    for a in attacks[: 1 + (objective != "loss")]:
        out = a.perturb(model, X)
        assert on_the_grid(out, every).all()
        found = np.abs(model.predict_proba(out)[each, column] - clean[each, column])
        assert (found <= best + 1e-12).all()
        assert (found >= 0.98 * best).mean() > 0.8


def test_regressors_are_judged_as_rounded():
    _, X, rules, every, box = grid_problem()
    model = Ridge().fit(X, X @ [1.0, -0.7, 0.6, 1.5, -1.0, 0.3])
    gaps = length((every[None] - X[:, None]).reshape(-1, 6), np.inf)
    inside = gaps.reshape(len(X), -1) <= 1
    moved = np.abs(model.predict(every)[None] - model.predict(X)[:, None])
    best = np.where(inside, moved, 0).max(axis=1)
    a = PGD(1.0, n_steps=30, constraints=rules, data_range=box, random_state=0)
    out = a.perturb(model, X)
    assert on_the_grid(out, every).all()
    found = np.abs(model.predict(out) - model.predict(X))
    assert np.isclose(found, best).mean() > 0.8


@pytest.mark.slow
def test_a_net_is_judged_as_rounded():
    pytest.importorskip("skorch")
    from nets_for_tests import make_net

    model, X, rules, every, box = grid_problem()
    X, every = X.astype(np.float32), every.astype(np.float32)
    net = make_net(module__k=2).fit(X, model.predict(X).astype(np.int64))
    y = net.predict(X)
    ensemble = AutoAttack(1.0, attacks=[PGD(), AutoPGD()], random_state=0)
    for a in (PGD(1.0, random_state=0), ensemble):
        out = a.set_params(constraints=rules, data_range=box).perturb(net, X, y)
        fooled = net.predict(out) != y
        assert fooled.mean() > 0.2
        assert on_the_grid(out, every).all()
        assert np.array_equal(out[~fooled], X[~fooled])


def test_levels_that_the_working_precision_cannot_hold():
    rng = np.random.default_rng(0)
    levels = np.array([0.1, 0.2, 0.35, 0.7])
    X = rng.choice(levels, size=(50, 3))
    y = (X.sum(axis=1) > 1).astype(int)
    pytest.importorskip("skorch")
    from nets_for_tests import make_net

    net = make_net(module__d=3, module__k=2).fit(X.astype(np.float32), y)
    rules = Constraints(valid_values=dict.fromkeys(range(3), levels))
    for a in (PGD(0.4), DDN()):
        out = a.set_params(constraints=rules).perturb(net, X, y)
        assert np.isin(out, levels).all()
        assert out.dtype == np.float64
        assert (out != X).any()


def test_true_is_every_feature():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 17, size=(40, 6)).astype(float)
    y = (X.sum(axis=1) > 48).astype(int)
    model = LogisticRegression().fit(X, y)
    found = [
        PGD(3.5, constraints=Constraints(integer=spec), random_state=0).perturb(
            model, X, y
        )
        for spec in (True, np.ones(6, dtype=bool), False, None)
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[0].round())
    assert (found[0] != X).any()
    assert np.array_equal(found[2], found[3])
