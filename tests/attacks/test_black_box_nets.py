"""Black-box attacks on skorch nets: they leave no trace, and judge any output."""

import numpy as np
import pytest
from problems import linear_problem
from sklearn.pipeline import make_pipeline

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import Linear, make_net  # noqa: E402
from torch import nn  # noqa: E402

from skrobust.attacks import ZOO, HopSkipJump, RandomSearch, Square  # noqa: E402
from skrobust.nets import ToNetInput  # noqa: E402

EVERY = [
    RandomSearch(0.2, n_steps=8, random_state=0),
    Square(0.2, n_steps=40, random_state=0),
    ZOO(0.2, n_steps=10, random_state=0),
    HopSkipJump(0.5, norm=2, n_steps=3, random_state=0),
]


def fitted(net, classes=3):
    _, X, y = linear_problem(classes=classes)
    return make_pipeline(ToNetInput(), net).fit(X, y), X, y


@pytest.mark.parametrize("attack", EVERY, ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("fails", [False, True])
def test_the_net_is_left_bit_for_bit(attack, fails):
    model, X, y = fitted(make_net())
    module = model[-1].module_
    module.train()
    module.body[1].eval()  # frozen batch normalisation
    module.body[0].weight.requires_grad_(False)
    module.body[4].weight.grad = torch.ones_like(module.body[4].weight)

    def state():
        tensors = [*module.state_dict().values(), module.body[4].weight.grad]
        return (
            [t.numpy().tobytes() for t in tensors],
            [m.training for m in module.modules()],
            [p.requires_grad for p in module.parameters()],
            torch.get_rng_state().numpy().tobytes(),
        )

    before = state()
    if fails:  # the model breaks in the middle of the search
        calls = []
        inner = model[-1].predict

        def broken(Z):
            calls.append(len(Z))
            if len(calls) > 1:
                raise RuntimeError("out of order")
            return inner(Z)

        model[-1].predict = broken
        with pytest.raises(RuntimeError, match="out of order"):
            attack.perturb(model, X, y)
    else:
        out = attack.perturb(model, X, y)
    assert state() == before
    if not fails:
        assert model.score(out, y) < model.score(X, y)
        assert state() != before  # so the modes and the random state were at stake


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*to the last digit:UserWarning")
@pytest.mark.parametrize("attack", EVERY, ids=lambda a: type(a).__name__)
def test_outputs_of_all_kinds(attack):
    double = {"module__k": 3, "iterator_train__shuffle": False}
    nets = [
        make_net(module__ending="softmax", criterion=nn.NLLLoss),
        make_net(module__scale=1000.0, epochs=5),
        make_net(Linear, **double),
    ]
    for net in nets:
        model, X, y = fitted(net)
        out = attack.perturb(model, X, y)
        fooled = model.predict(out) != y
        assert np.array_equal(out[~fooled], X[~fooled])
        assert model.score(out, y) <= model.score(X, y)
    one = make_net(
        module__ending="flat", module__k=1, binary=True, criterion=nn.BCEWithLogitsLoss
    )
    _, X, y = linear_problem()
    model = make_pipeline(ToNetInput(), one).fit(X, y.astype(np.float32))
    assert model.score(attack.perturb(model, X, y), y) < model.score(X, y)


@pytest.mark.slow
def test_a_bare_net_takes_float32():
    _, X, y = linear_problem(classes=3)
    X = X.astype(np.float32)
    net = make_net().fit(X, y)
    for attack in EVERY:
        out = attack.perturb(net, X, y)
        assert out.dtype == np.float32
        assert net.score(out, y) < net.score(X, y)
        with pytest.raises(ValueError, match="takes float32 arrays"):
            attack.perturb(net, X.astype(float), y)
    tensor = EVERY[0].perturb(net, torch.from_numpy(X), y)
    assert np.array_equal(tensor.numpy(), EVERY[0].perturb(net, X, y))
