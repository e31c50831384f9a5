"""Attacks of a few lines: what the base classes give to a new one."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from skrobust._norms import per_sample, steepest
from skrobust._parameters import Count
from skrobust.attacks import Constraints, GradientAttack, MinimalNormAttack
from skrobust.testing import check_attack


class SeveralSteps(GradientAttack):
    """Steps of equal length along the gradient."""

    _parameter_rules = {"n_steps": Count()}

    def __init__(self, eps=0.1, *, n_steps=3, **shared):
        super().__init__(eps, **shared)
        self.n_steps = n_steps

    def _attack_batch(self, oracle, x, rng):
        for _ in range(self.n_steps):
            x, gradient = oracle.gradient(x)
            x = oracle.project(oracle.step(x, gradient, self.eps))
        return x


class OneStep(GradientAttack):
    """One step; no parameter of its own, so that ``__init__`` is inherited."""

    def _attack_batch(self, oracle, x, rng):
        x, gradient = oracle.gradient(x)
        return oracle.project(oracle.step(x, gradient, self.eps))


class NewtonSteps(MinimalNormAttack):
    """Steps to where the boundary seems to be."""

    _parameter_rules = {"n_steps": Count()}

    def __init__(self, eps=np.inf, *, n_steps=20, **shared):
        super().__init__(eps, **shared)
        self.n_steps = n_steps

    def _minimize(self, search):
        z, gradient = search.x, search.gradient
        for _ in range(self.n_steps):
            step = per_sample(2 * search.reach / self.n_steps, z)
            z = search.clip(z + step * steepest(gradient, self.norm))
            _, gradient = search.evaluate(z)


ATTACKS = [SeveralSteps(0.4), OneStep(0.4), NewtonSteps(2.0)]
X, y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=1000).fit(X, y)


@pytest.mark.parametrize("attack", ATTACKS, ids=repr)
def test_contract(attack):
    check_attack(clone(attack))


@pytest.mark.parametrize("attack", ATTACKS, ids=repr)
def test_parameters_are_those_of_the_base_and_its_own(attack):
    base = GradientAttack if isinstance(attack, GradientAttack) else MinimalNormAttack
    own = {"n_steps"} if hasattr(attack, "n_steps") else set()
    names = set(inspect.signature(base.__init__).parameters) - {"self"} | own
    assert set(attack.get_params()) == names
    assert set(inspect.signature(type(attack)).parameters) == names
    changed = clone(attack).set_params(target=1, batch_size=7, norm=2)
    assert clone(changed).get_params() == changed.get_params()
    assert "target=1" in repr(changed)
    assert "constraints" not in repr(changed)
    with pytest.raises(TypeError, match="unexpected keyword argument 'bogus'"):
        type(attack)(bogus=1)


@pytest.mark.parametrize("attack", ATTACKS, ids=repr)
def test_target_constraints_and_batches(attack):
    rules = Constraints(frozen=[1], scale=X.std(axis=0))
    ours = clone(attack).set_params(target=2, constraints=rules, norm=2, eps=3.0)
    check_attack(clone(ours).set_params(target=None, constraints=None))
    result = ours.run(MODEL, X, y)
    moved = result.X_adv - X
    assert not moved[:, 1].any()
    assert (np.sqrt(((moved / X.std(axis=0)) ** 2).sum(axis=1)) <= 3 + 1e-9).all()
    assert result.success.mean() > (MODEL.predict(X) == 2).mean()
    assert (MODEL.predict(result.X_adv[result.success]) == 2).all()
    assert result.forward.min() >= 1
    assert result.backward.max() >= 1
    small = clone(ours).set_params(batch_size=7).run(MODEL, X, y)
    assert np.allclose(small.X_adv, result.X_adv, rtol=0, atol=1e-9)
    assert np.array_equal(small.success, result.success)


@pytest.mark.parametrize("attack", ATTACKS, ids=repr)
def test_rules_of_the_base_hold(attack):
    for name, value in (("batch_size", 0), ("norm", 3), ("constraints", "none")):
        bad = clone(attack).set_params(**{name: value})
        with pytest.raises(ValueError, match=f"{name}.*{type(attack).__name__}"):
            bad.perturb(MODEL, X, y)


def test_precision_and_compile_come_with_the_base():
    for name, value in (("precision", "bfloat16"), ("compile", True)):
        attack = clone(ATTACKS[0]).set_params(**{name: value})
        with pytest.raises(ValueError, match="precision and compile are for nets"):
            attack.perturb(MODEL, X, y)
    with pytest.raises(ValueError, match="'n_steps' parameter of SeveralSteps"):
        SeveralSteps(n_steps=0).perturb(MODEL, X, y)


def test_reduced_precision_on_a_net():
    pytest.importorskip("torch")
    pytest.importorskip("skorch")
    from nets_for_tests import make_net

    rows, labels = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y
    net = make_net(module__d=4).fit(rows, labels)
    full = SeveralSteps(0.1).run(net, rows, labels)
    quick = SeveralSteps(0.1, precision="bfloat16", batch_size=50)
    found = quick.run(net, rows, labels)
    assert ((net.predict(found.X_adv) != labels) == found.success).all()
    assert abs(found.success.mean() - full.success.mean()) < 0.1
