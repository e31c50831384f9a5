"""Layers of torch that proofs read by attribute or argument, and those they name."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
skorch = pytest.importorskip("skorch")

from nets_for_tests import Net, Restless  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.kernel_approximation import Nystroem  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import PolynomialFeatures  # noqa: E402
from torch import nn  # noqa: E402

from skrobust.certificates.find_proof import find_proof  # noqa: E402
from skrobust.certificates.region import Region  # noqa: E402
from skrobust.nets import ToNetInput  # noqa: E402

X = np.random.default_rng(0).random((8, 6)).astype(np.float32)
Y = np.arange(8) % 3
functional = nn.functional


class Between(nn.Module):
    """A function between two dense layers."""

    def __init__(self, function):
        super().__init__()
        self.first, self.last = nn.Linear(6, 4), nn.Linear(4, 3)
        self.scale = nn.Parameter(torch.tensor([1.0, -2.0, 0.5, 3.0]))
        self.function = function

    def forward(self, x):
        return self.last(self.function(self, self.first(x)))


def between(*layers):
    return nn.Sequential(nn.Linear(6, 4), *layers, nn.Linear(4, 3))


class Pair(Net):
    """An output with another beside it."""

    def forward(self, x):
        z = super().forward(x)
        return z, z


class Idle(Net):
    """A layer after the output, for nothing."""

    def forward(self, x):
        z = super().forward(x)
        torch.relu(z)
        return z


class Second(Net):
    """A second input that nobody gives."""

    def forward(self, x, other=None):
        return super().forward(x)


class Forked(Net):
    """A path that depends on the rows."""

    def forward(self, x):
        z = super().forward(x)
        return z if z.sum() > 0 else z + 1.0


def hooked():
    net = between(nn.ReLU())
    net.register_forward_hook(lambda module, inputs, output: 2 * output)
    return net


def fitted(module, criterion=nn.CrossEntropyLoss, kind=skorch.NeuralNetClassifier):
    net = kind(module, criterion=criterion, train_split=None, verbose=0).initialize()
    is_binary = kind is skorch.classifier.NeuralNetBinaryClassifier
    net.classes_inferred_ = np.arange(2 if is_binary else 3)
    return net


def proof_of(model, eps=0.03, k=3):
    region = Region.of(X.astype(np.float64), eps, np.inf, None)
    return find_proof(model, region, k, model.predict_proba, "test", (6,))


READ = {
    "parameter": lambda: Between(lambda net, z: torch.relu(z * net.scale)),
    "slope by place": lambda: Between(lambda net, z: functional.leaky_relu(z, 0.3)),
    "slope by name": lambda: Between(
        lambda net, z: functional.leaky_relu(z, negative_slope=0.3)
    ),
    "circular": lambda: nn.Sequential(
        nn.Unflatten(1, (1, 6)),
        nn.Conv1d(1, 2, 3, padding=1, padding_mode="circular"),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(12, 3),
    ),
    "same": lambda: nn.Sequential(
        nn.Unflatten(1, (1, 6)),
        nn.Conv1d(1, 2, 3, padding="same"),
        nn.Tanh(),
        nn.Flatten(),
        nn.Linear(12, 3),
    ),
}


def check_samples(model, proof, eps=0.03):
    """No sample of the ball is below the bounds of differences of scores."""
    assert not proof.name.startswith("trivial"), proof.name
    own = model.predict(X)
    low, high = proof.differences(own)
    rng = np.random.default_rng(1)
    for i, row in enumerate(X):
        tried = row + eps * rng.choice([-1.0, 1.0], size=(64, 6))
        q = np.log(model.predict_proba(tried.astype(np.float32)))
        gaps = q[:, own[i]][:, None] - q
        assert (low[i] <= gaps + 1e-5).all()
        assert (gaps <= high[i] + 1e-5).all()
    assert (high - low).max() < 1


@pytest.mark.parametrize("name", READ)
def test_no_sample_is_below_the_bounds_of_what_is_read(name):
    torch.manual_seed(0)
    net = fitted(READ[name]())
    check_samples(net, proof_of(net))


def test_affine_steps_before_a_net_are_read():
    torch.manual_seed(0)
    steps = PCA(4).fit(X), ToNetInput().fit(X[:, :4])
    model = make_pipeline(*steps, fitted(nn.Sequential(nn.Linear(4, 5), nn.Tanh(),
                                                       nn.Linear(5, 3))))  # fmt: skip
    check_samples(model, proof_of(model))


NAMED = {
    "ELU with another alpha": lambda: between(nn.ELU(2.0)),
    "elu with another alpha|ELU with another alpha": lambda: Between(
        lambda net, z: functional.elu(z, alpha=0.5)
    ),
    "LeakyReLU with negative_slope=-0.1": lambda: between(nn.LeakyReLU(-0.1)),
    "Softmax inside of the net": lambda: between(
        nn.Unflatten(1, (2, 2)), nn.Softmax(1), nn.Flatten()
    ),
    "sum of tensors of different shapes": lambda: Between(
        lambda net, z: z + z.mean(1, keepdim=True)
    ),
    "cat of other things": lambda: Between(
        lambda net, z: torch.cat([z, z], dim=1)[:, :4]
    ),
    "the net has mul": lambda: Between(lambda net, z: z * torch.sigmoid(z)),
    "the net has mean": lambda: Between(lambda net, z: z - z.mean()),
    "reshape that mixes rows": lambda: Between(
        lambda net, z: z.reshape(-1).reshape(-1, 4)
    ),
    "MaxPool with ceil_mode": lambda: nn.Sequential(
        nn.Unflatten(1, (1, 6)), nn.MaxPool1d(4, ceil_mode=True), nn.Flatten(),
        nn.Linear(2, 3),
    ),
    "dropout that is active": Restless,
    "a forward that cannot be traced": Forked,
    "an output that is not a tensor": Pair,
    "layers after the output": Idle,
    "a second input": Second,
    "read otherwise than they compute": hooked,
}  # fmt: skip


@pytest.mark.parametrize("text", NAMED)
def test_what_cannot_be_read_is_named_and_nothing_is_certified(text):
    torch.manual_seed(0)
    net = fitted(NAMED[text]())
    proof = proof_of(net)
    assert any(part in proof.name for part in text.split("|")), proof.name
    assert not proof.wins(net.predict(X)).any()


@pytest.mark.parametrize(
    ("ending", "criterion", "text"),
    [
        ("logits", nn.NLLLoss, "NLLLoss without a final Softmax"),
        ("flat", nn.BCELoss, "BCELoss without a final Sigmoid"),
        ("softmax", nn.CrossEntropyLoss, "a final Softmax before CrossEntropyLoss"),
    ],
)
def test_endings_that_do_not_go_with_the_criterion_are_named(ending, criterion, text):
    torch.manual_seed(0)
    binary = criterion is nn.BCELoss
    kind = skorch.classifier.NeuralNetBinaryClassifier if binary else None
    kind = kind or skorch.NeuralNetClassifier
    net = fitted(Net(k=1 if binary else 3, ending=ending), criterion, kind)
    assert text in proof_of(net, k=2 if binary else 3).name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "step", [PolynomialFeatures(2), Nystroem("laplacian", n_components=4)], ids=str
)
@pytest.mark.parametrize("kind", ["torch", "scikit-learn"])
def test_steps_that_are_not_affine_are_named(step, kind):
    Z = step.fit_transform(X)
    model = MLPClassifier((3,), max_iter=5).fit(Z, Y)
    if kind == "torch":
        model = fitted(nn.Linear(Z.shape[1], 3))
        model = make_pipeline(step, ToNetInput().fit(Z), model)
    else:
        model = make_pipeline(step, model)
    proof = proof_of(model)
    assert f"the step '{model.steps[0][0]}' before it" in proof.name
    assert not proof.wins(model.predict(X)).any()
