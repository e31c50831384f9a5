"""The same attacks on a CUDA device; skipped where there is none."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import Net, make_net  # noqa: E402
from problems import linear_problem  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from torch import nn  # noqa: E402

from skrobust.attacks import FGSM, PGD  # noqa: E402
from skrobust.evaluation import evaluate_attack  # noqa: E402
from skrobust.nets import ToNetInput, small_cnn_classifier  # noqa: E402
from skrobust.testing import check_attack  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here"),
]

ATTACKS = [
    FGSM(0.1),
    PGD(0.1, n_steps=10, random_state=0),
    PGD(0.3, norm=2, n_steps=10, random_state=0, data_range=(0, 1)),
    PGD(0.1, n_steps=10, random_state=0, objective="probability_shift"),
]


def on_both(**settings):
    _, X, y = linear_problem(300, classes=3)
    X, y = X.astype(np.float32), y.astype(np.int64)
    host = make_net(Net, **settings).fit(X, y)
    device = make_net(Net, device="cuda", **settings).initialize()
    device.module_.load_state_dict(host.module_.state_dict())
    device.classes_inferred_ = np.unique(y)
    return host, device, X, y


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_device_and_host_agree(attack):
    host, device, X, y = on_both()
    a, b = attack.perturb(host, X, y), attack.perturb(device, X, y)
    assert isinstance(b, np.ndarray)
    moved = [(z != X).any(axis=1) for z in (a, b)]
    assert (moved[0] != moved[1]).mean() <= 0.01
    # A sample that leaves later may keep a later iterate, and the sign of a slope that
    # is nearly zero is anybody's guess; what was achieved agrees.
    achieved = [(host.predict(z) == y).mean() for z in (a, b)]
    assert achieved[0] < (host.predict(X) == y).mean() - 0.05
    assert abs(achieved[0] - achieved[1]) <= 0.01
    assert np.abs(b - X).max() <= attack.eps * (1 + 1e-5) or attack.norm == 2
    assert all(p.grad is None for p in device.module_.parameters())


def test_promises_on_the_device():
    _, device, X, y = on_both()
    check_attack(PGD(0.1, n_steps=5, data_range=(0, 1)), device, X, y)


def test_probabilities_on_the_device():
    _, device, X, y = on_both(criterion=nn.NLLLoss, module__ending="softmax")
    out = FGSM(0.1).perturb(device, X, y)
    clean, attacked = ((device.predict(z) == y).mean() for z in (X, out))
    assert attacked < clean - 0.05


def test_tensor_stays_on_its_device():
    _, device, X, y = on_both()
    tensor = torch.from_numpy(X).cuda()
    out = FGSM(0.1).perturb(device, tensor, y)
    assert out.device == tensor.device
    assert np.allclose(out.cpu().numpy(), FGSM(0.1).perturb(device, X, y))


def test_whole_pipeline_on_the_device():
    rng = np.random.default_rng(0)
    X = rng.random((200, 64))
    y = (X[:, :32].sum(1) > X[:, 32:].sum(1)).astype(int)
    # Moving each of 64 pixels by 0.3 moves the difference of the halves by 19, and its
    # standard deviation is 2.3: whatever a net has learnt of it, it is fooled.
    cnn = small_cnn_classifier((8, 8), 2, epochs=10, device="cuda").fit(X, y)
    r = evaluate_attack(cnn, X, y, PGD(0.3, n_steps=10, random_state=0))
    assert r.clean_accuracy > 0.7
    assert r.robust_accuracy < 0.5
    net = make_net(Net, device="cuda", module__d=64, module__k=2)
    pipe = make_pipeline(StandardScaler(), ToNetInput(), net).fit(X, y)
    out = FGSM(0.3).perturb(pipe, X, y)
    assert pipe.score(X, y) > 0.8
    assert pipe.score(out, y) < 0.5


@pytest.mark.parametrize("precision", ["tf32", "bfloat16"])
@pytest.mark.parametrize("objective", [None, "loss", "probability_shift"])
def test_precisions_on_the_device(precision, objective):
    _, device, X, y = on_both()
    before = {k: v.clone() for k, v in device.module_.state_dict().items()}
    flags = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    plain = PGD(0.1, n_steps=10, random_state=0, objective=objective)
    quick = PGD(**{**plain.get_params(), "precision": precision})
    a, b = plain.run(device, X, y), quick.run(device, X, y)
    assert ((device.predict(b.X_adv) != y) == b.success).all()
    assert b.success.mean() >= a.success.mean() - 0.02
    now = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    assert now == flags
    assert not torch.is_autocast_enabled("cuda")
    for name, value in device.module_.state_dict().items():
        assert torch.equal(value, before[name])


def test_flags_come_back_after_an_error():
    _, device, X, y = on_both()
    flags = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    with pytest.raises(ValueError, match="could not pass rows"):
        PGD(0.1, precision="tf32").perturb(device, X[:, :5], y)
    now = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    assert now == flags
