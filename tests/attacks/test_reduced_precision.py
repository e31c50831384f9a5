"""Searches in lower precision: what they claim holds, and nothing stays behind."""

import copy

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import Net, make_net  # noqa: E402
from problems import linear_problem  # noqa: E402

from skrobust._differentiable import differentiable_view  # noqa: E402
from skrobust._differentiable.reduced_precision import tensor_float  # noqa: E402
from skrobust.attacks import (  # noqa: E402
    BIM,
    PGD,
    AutoAttack,
    AutoPGD,
    MomentumPGD,
    ProbabilityShift,
)
from skrobust.testing import check_attack  # noqa: E402

pytestmark = pytest.mark.torch


def fitted(**settings):
    _, X, y = linear_problem(150, classes=3)
    X, y = X.astype(np.float32), y.astype(np.int64)
    return make_net(Net, **settings).fit(X, y), X, y


@pytest.mark.parametrize("attack", [PGD, AutoPGD, MomentumPGD, BIM])
@pytest.mark.parametrize("objective", [None, "loss", "probability_shift"])
def test_half_precision_finds_what_single_does(attack, objective):
    net, X, y = fitted()
    settings = {"eps": 0.1, "n_steps": 10, "random_state": 0, "objective": objective}
    plain = attack(**settings).run(net, X, y)
    quick = attack(**settings, precision="bfloat16").run(net, X, y)
    assert ((net.predict(quick.X_adv) != y) == quick.success).all()
    assert quick.success.sum() >= plain.success.sum() - 1
    assert np.abs(quick.X_adv - X).max() <= 0.1 * (1 + 1e-5)
    # Both precisions are counted.
    assert (quick.forward >= 2).all()


def test_probability_shift_in_half_precision():
    net, X, _ = fitted()
    attack = ProbabilityShift(0.05, n_steps=10, n_restarts=1, random_state=0)
    clean = net.predict_proba(X)
    each, column = np.arange(len(X)), clean.argmax(axis=1)
    shifts = []
    for precision in ("float32", "bfloat16"):
        found = attack.set_params(precision=precision).perturb(net, X)
        shift = net.predict_proba(found)[each, column] - clean[each, column]
        assert np.abs(found - X).max() <= 0.05 * (1 + 1e-5)
        shifts.append(np.abs(shift))
    np.testing.assert_allclose(shifts[1], shifts[0], atol=0.02)


def test_ensemble_hands_its_precision_to_those_that_take_it():
    asked = []

    class Noted(PGD):
        def perturb(self, estimator, X, y=None):
            asked.append((self.precision, self.compile))
            return super().perturb(estimator, X, y)

        def run(self, estimator, X, y=None, *, start=None):
            asked.append((self.precision, self.compile))
            return super().run(estimator, X, y, start=start)

    net, X, y = fitted()
    members = [Noted(n_steps=3), BIM(n_steps=2)]
    settings = {"attacks": members, "random_state": 0}
    result = AutoAttack(0.1, precision="bfloat16", **settings).run(net, X, y)
    assert asked == [("bfloat16", False)]
    assert ((net.predict(result.X_adv) != y) == result.success).all()
    members[0].set_params(precision="tf32")
    warned = AutoAttack(0.1, **settings).run(net, X, y).warnings
    assert any("tf32" in sentence for sentence in warned)
    assert asked[1] == ("tf32", False)
    with pytest.raises(ValueError, match="The 'precision' parameter of AutoAttack"):
        AutoAttack(0.1, precision="half").run(net, X, y)
    with pytest.raises(ValueError, match="The 'compile' parameter of AutoAttack"):
        AutoAttack(0.1, compile="yes").run(net, X, y)


def test_what_rounding_turns_gets_a_full_run(monkeypatch):
    # A replica that claims everything: no row is lost, nothing false is reported.
    net, X, y = fitted()
    plain = PGD(0.02, n_steps=10, random_state=0).run(net, X, y)
    import skrobust._differentiable.reduced_precision as fast

    class Liar(fast.FastNet):
        def __call__(self, z):
            return super().__call__(z) * -1.0

    monkeypatch.setattr("skrobust._differentiable.net.FastNet", Liar)
    quick = PGD(0.02, n_steps=10, random_state=0, precision="bfloat16").run(net, X, y)
    assert ((net.predict(quick.X_adv) != y) == quick.success).all()
    assert quick.success.sum() >= plain.success.sum()


def test_the_net_and_the_state_of_torch_stay():
    net, X, y = fitted()
    state = copy.deepcopy(net.module_.state_dict())
    kept = {k: v.data_ptr() for k, v in net.module_.state_dict().items()}
    modes = [m.training for m in net.module_.modules()]
    grads = [p.grad for p in net.module_.parameters()]
    generator = torch.get_rng_state()
    attack = PGD(0.1, n_steps=5, random_state=0, precision="bfloat16")
    attack.perturb(net, X, y)
    with pytest.raises(ValueError, match="could not pass rows"):
        attack.perturb(net, X[:, :5], y)
    for name, value in net.module_.state_dict().items():
        assert torch.equal(value, state[name])
        assert value.data_ptr() == kept[name]
    assert [m.training for m in net.module_.modules()] == modes
    assert all(p.requires_grad for p in net.module_.parameters())
    for p, grad in zip(net.module_.parameters(), grads, strict=True):
        assert p.grad is grad
    assert torch.equal(torch.get_rng_state(), generator)
    assert not torch.is_autocast_enabled("cpu")


def test_attack_in_half_precision_keeps_the_promises():
    net, X, y = fitted()
    attack = PGD(0.1, n_steps=5, data_range=(0, 1), precision="bfloat16")
    check_attack(attack, net, X, y)


def test_tf32_without_a_device_is_told():
    net, X, y = fitted()
    with pytest.warns(UserWarning, match="has precision='tf32', which the device"):
        PGD(0.1, n_steps=2, precision="tf32").perturb(net, X, y)


@pytest.mark.parametrize("allowed", [True, False])
def test_flags_of_tf32_come_back(allowed):
    backends = torch.backends
    before = backends.cuda.matmul.allow_tf32, backends.cudnn.allow_tf32
    context = tensor_float(torch, allowed)
    context.__enter__()
    assert backends.cuda.matmul.allow_tf32 is allowed
    assert backends.cudnn.allow_tf32 is allowed
    assert not context.__exit__(KeyError, KeyError("stop"), None)
    assert (backends.cuda.matmul.allow_tf32, backends.cudnn.allow_tf32) == before


def test_batches_are_padded_for_compiled_code(monkeypatch):
    net, X, y = fitted()
    sizes = set()

    def compile(module, dynamic):
        def run(z):
            sizes.add(len(z))
            return module(z)

        return run

    monkeypatch.setattr(torch, "compile", compile)
    settings = {"n_steps": 10, "random_state": 0, "batch_size": 100}
    plain = PGD(0.05, **settings).perturb(net, X, y)
    quick = PGD(0.05, **settings, compile=True).perturb(net, X, y)
    assert sizes == {100, 50}
    assert ((net.predict(plain) != y) == (net.predict(quick) != y)).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"precision": "half"}, "The 'precision' parameter of PGD must be"),
        ({"compile": 1}, "The 'compile' parameter of PGD must be True or False"),
    ],
)
def test_one_clear_sentence(settings, sentence):
    net, X, y = fitted(epochs=1)
    with pytest.raises(ValueError, match=sentence):
        PGD(0.1, **settings).perturb(net, X, y)


def test_models_in_numpy_refuse():
    _, X, y = linear_problem(50, classes=3)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="computes this model in numpy"):
        PGD(0.1, precision="bfloat16").perturb(model, X, y)
    with differentiable_view(model, "test") as view:
        assert not hasattr(view, "reduced_precision")


def test_compiled_code_is_kept_with_its_net_and_follows_its_weights(monkeypatch):
    import gc

    from skrobust._differentiable.reduced_precision import _COMPILED

    made = []

    def compile(module, dynamic):
        made.append(module)
        return module

    monkeypatch.setattr(torch, "compile", compile)
    net, X, y = fitted()
    settings = {"eps": 0.05, "n_steps": 5, "random_state": 0, "objective": "loss"}
    attack, plain = PGD(**settings, compile=True), PGD(**settings)
    for seed in range(3):
        assert np.array_equal(attack.perturb(net, X, y), plain.perturb(net, X, y))
        torch.manual_seed(seed)  # other weights, other examples
        for weights in net.module_.parameters():
            weights.data.normal_()
    assert len(made) == 1
    attack.set_params(batch_size=64).perturb(net, X, y)
    net.module_.slope = 2.0  # an attribute that a forward pass may read
    attack.perturb(net, X, y)
    assert len(made) == 3
    for setting in ([2.0], [3.0], torch.tensor([2.0]), torch.tensor([3.0])):
        net.module_.slope = setting  # whatever it is kept in
        attack.perturb(net, X, y)
    assert len(made) == 7
    n_kept = len(_COMPILED)
    del net, made[:]
    gc.collect()
    assert len(_COMPILED) == n_kept - 1
