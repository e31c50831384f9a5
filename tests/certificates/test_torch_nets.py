"""Proofs about nets of torch: every layer, against samples of the region."""

import ast
import copy
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
skorch = pytest.importorskip("skorch")

from nets_for_tests import Net  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from torch import nn  # noqa: E402

from skrobust.attacks import PGD  # noqa: E402
from skrobust.certificates import net_layers  # noqa: E402
from skrobust.certificates.find_proof import find_proof  # noqa: E402
from skrobust.certificates.net_layers import TorchAffine  # noqa: E402
from skrobust.certificates.region import Region  # noqa: E402
from skrobust.evaluation import (  # noqa: E402
    robust_accuracy_bounds,
    robust_ratio_bounds,
)
from skrobust.nets import ToNetInput  # noqa: E402

RNG = np.random.default_rng(0)
IMAGES = RNG.random((8, 1, 8, 8)).astype(np.float32)


class Residual(nn.Module):
    """A block with a shortcut, functional calls and a scale."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, padding=1)
        self.second = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.out = nn.Linear(4, 3)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = nn.functional.relu(self.norm(self.second(x)) + x)
        x = x.mean((2, 3)) * 2.0 - 0.5
        return self.out(x.view(x.size(0), -1))


class Branches(nn.Module):
    """Two branches side by side."""

    def __init__(self):
        super().__init__()
        self.left = nn.Conv2d(1, 2, 3, padding=1)
        self.right = nn.Conv2d(1, 3, 1)
        self.out = nn.Linear(5 * 16, 3)

    def forward(self, x):
        both = torch.cat([torch.relu(self.left(x)), self.right(x)], dim=1)
        both = nn.functional.elu(nn.functional.max_pool2d(both, 2))
        return self.out(both.flatten(1))


def modules():
    torch.manual_seed(0)
    return {
        "max pool": nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 6, 3, stride=2),
            nn.LeakyReLU(0.1),
            nn.Flatten(),
            nn.Dropout(0.5),
            nn.Linear(6, 3),
        ),
        "overlapping pool": nn.Sequential(
            nn.Conv2d(1, 3, 3),
            nn.BatchNorm2d(3),
            nn.Tanh(),
            nn.MaxPool2d(3, 2, padding=1),
            nn.Flatten(),
            nn.Linear(27, 3),
        ),
        "average pool": nn.Sequential(
            nn.Conv2d(1, 4, 3, groups=1, dilation=2),
            nn.Sigmoid(),
            nn.AvgPool2d(2),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(4, 8),
            nn.Softplus(),
            nn.Linear(8, 3),
        ),
        "residual": Residual(),
        "branches": Branches(),
    }


def fitted(module, k=3, criterion=nn.CrossEntropyLoss, kind=None, **settings):
    kind = kind or skorch.NeuralNetClassifier
    net = kind(module, criterion=criterion, train_split=None, verbose=0, **settings)
    net.initialize()
    if isinstance(net, skorch.classifier.NeuralNetBinaryClassifier):
        net.classes_inferred_ = np.arange(2)
    else:
        net.classes_inferred_ = np.arange(k)
    for part in net.module_.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.running_mean.normal_(generator=torch.Generator().manual_seed(1))
            part.running_var.uniform_(0.5, 2)
    return net


@pytest.mark.parametrize("name", modules())
@pytest.mark.parametrize("norm", [np.inf, 2])
def test_no_sample_is_below_the_bounds(name, norm):
    net = fitted(modules()[name])
    eps = 0.02 if norm == np.inf else 0.1
    rows = IMAGES.astype(np.float64)
    region = Region.of(rows, eps, norm, (0, 1))
    proof = find_proof(net, region, 3, None, "test", (1, 8, 8))
    assert proof.name.startswith("linear bounds"), proof.name
    p = net.predict_proba(IMAGES)
    own = p.argmax(axis=1)
    low, high = proof.differences(own)
    rng = np.random.default_rng(0)
    for i in range(len(IMAGES)):
        step = rng.choice([-1.0, 1.0], size=(200, 1, 8, 8))
        step /= 1 if norm == np.inf else 8
        tried = np.clip(rows[i] + eps * step, 0, 1).astype(np.float32)
        q = np.log(net.predict_proba(tried))
        gaps = q[:, own[i]][:, None] - q
        assert (low[i] <= gaps + 1e-6).all()
        assert (gaps <= high[i] + 1e-6).all()
    width = (high - low).sum(axis=1)
    spread = np.abs(low).sum(axis=1)
    assert (width < 4 * spread + 1).all()


def test_attacks_and_bounds_enclose_a_trained_net():
    X = RNG.random((80, 6)).astype(np.float32)
    y = (X[:, 0] > X[:, 1]).astype(int) + (X.sum(axis=1) > 3)
    torch.manual_seed(0)
    net = skorch.NeuralNetClassifier(
        Net, module__k=3, criterion=nn.CrossEntropyLoss, max_epochs=40, lr=0.2,
        train_split=None, verbose=0, batch_size=20,
    )  # fmt: skip
    model = make_pipeline(StandardScaler(), ToNetInput(), net).fit(X, y)
    attack = PGD(0.03, random_state=0)
    r = robust_accuracy_bounds(model, X, y, attack)
    assert 0.2 < r.lower <= r.upper < r.clean_accuracy
    assert r.upper - r.lower < 0.05
    ratio = robust_ratio_bounds(model, X, y, PGD(0.005, random_state=0))
    assert (ratio.lower <= ratio.upper).all()
    assert ratio.lower[-1] > 0.5
    gap = ratio.per_sample.certified - ratio.per_sample.found
    assert np.median(gap) < 0.2 * np.median(ratio.per_sample.found)


@pytest.mark.parametrize("ending", ["flat", "sigmoid"])
def test_nets_with_one_output(ending):
    criterion = nn.BCELoss if ending == "sigmoid" else nn.BCEWithLogitsLoss
    torch.manual_seed(0)
    kind = skorch.NeuralNetBinaryClassifier
    settings = {"module__k": 1, "module__ending": ending, "threshold": 0.6}
    net = fitted(Net, 2, criterion, kind, **settings)
    X = RNG.random((30, 6)).astype(np.float32)
    own = net.predict(X)
    region = Region.of(X, 0.05, np.inf, None)
    proof = find_proof(net, region, 2, net.predict_proba, "test", (6,))
    low, high = proof.probabilities(own)
    won = proof.wins(own)
    steps = np.random.default_rng(0).choice([-0.05, 0.05], size=(100, 6))
    for i in range(30):
        tried = (X[i] + steps).astype(np.float32)
        p = net.predict_proba(tried)[:, own[i]]
        assert (low[i, own[i]] - 1e-6 <= p).all()
        assert (p <= high[i, own[i]] + 1e-6).all()
        if won[i]:
            assert (net.predict(tried) == own[i]).all()
    assert won.any()


def test_softmax_before_nllloss():
    torch.manual_seed(0)
    net = fitted(Net, 3, nn.NLLLoss, module__k=3, module__ending="softmax")
    X = RNG.random((10, 6)).astype(np.float32)
    region = Region.of(X, 0.01, np.inf, None)
    proof = find_proof(net, region, 3, net.predict_proba, "test", (6,))
    low, high = proof.probabilities()
    p = net.predict_proba(X)
    assert (low <= p + 1e-6).all()
    assert (p <= high + 1e-6).all()
    assert (high - low).max() < 0.3


@pytest.mark.parametrize(
    ("layer", "text"),
    [(nn.GELU(), "the net has GELU"), (nn.Softmax(1), "softmax before the last layer")],
)
def test_an_unknown_layer_is_named(layer, text):
    net = fitted(nn.Sequential(nn.Linear(6, 4), layer, nn.Linear(4, 3)))
    X = RNG.random((10, 6)).astype(np.float32)
    r = robust_accuracy_bounds(net, X, net.predict(X), PGD(0.01, random_state=0))
    assert text in r.certificate
    assert r.lower == 0


def test_rounding_in_single_precision_is_enclosed():
    """Logits in float32 are within the error bound of the exact ones."""
    torch.manual_seed(0)
    net = fitted(modules()["max pool"])
    region = Region.of(IMAGES, 0.0, np.inf, None)
    proof = find_proof(net, region, 3, None, "test", (1, 8, 8))
    exact = proof.scores(region.rows)
    with torch.no_grad():
        net.module_.eval()
        single = net.module_(torch.as_tensor(IMAGES)).numpy()
    error = proof._least_slack(np.arange(8))
    assert (np.abs(single - exact) <= error).all()
    assert error.max() < 1e-3


def test_rounding_of_factors_is_enclosed():
    """TF32 keeps 10 bits of each factor: here they are cut off by hand."""

    def cut(x):
        bits = x.float().contiguous().view(torch.int32) & ~0x1FFF
        return bits.view(torch.float32).double()

    torch.manual_seed(0)
    layer = nn.Linear(40, 30).double()
    size_of = copy.deepcopy(layer)
    size_of.weight.data, size_of.bias = layer.weight.data.abs(), None
    x = torch.randn(50, 40).double()
    with torch.no_grad():
        off = cut(x) @ cut(layer.weight).T + layer.bias - layer(x)
        size, unit = x.abs(), 2.0**-24
        single = TorchAffine((0,), layer, size_of, 40)
        short = TorchAffine((0,), layer, size_of, 40, product=2.0**-9)
        assert (off.abs() > single.error(size, 0 * size, unit)).any()
        assert (off.abs() <= short.error(size, 0 * size, unit)).all()


@pytest.mark.parametrize(
    "name", ["net_bounds", "net_layers", "net_proof", "relaxations", "slope_search"]
)
def test_new_tensors_lie_where_the_others_do(name):
    """Tensors are made like others, or on a device that is given."""
    source = Path(net_layers.__file__).with_name(f"{name}.py")
    makers = {"zeros", "ones", "arange", "full", "eye", "empty", "tensor", "as_tensor"}
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = getattr(node.func.value, "id", "")
            if owner in ("xp", "torch") and node.func.attr in makers:
                given = [keyword.arg for keyword in node.keywords]
                assert "device" in given, f"{name}, line {node.lineno}"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("name", modules())
@pytest.mark.parametrize("norm", [np.inf, 2])
def test_device_and_host_prove_the_same(name, norm):
    nets = [fitted(modules()[name], device=device) for device in ("cpu", "cuda")]
    nets[1].module_.load_state_dict(nets[0].module_.state_dict())
    region = Region.of(IMAGES, 0.02 if norm == np.inf else 0.1, norm, (0, 1))
    proofs = [find_proof(net, region, 3, None, "test", (1, 8, 8)) for net in nets]
    own = nets[0].predict(IMAGES)
    for a, b in zip(*(proof.differences(own) for proof in proofs), strict=True):
        # On the device, TF32 may widen the bounds.
        assert np.allclose(a, b, rtol=0.05, atol=0.05)
    assert (nets[1].predict(IMAGES) == own).all()
