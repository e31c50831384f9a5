"""Two nets with the same weights that answer differently are two models."""

import copy
import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from skrobust._responses import unwrap  # noqa: E402
from skrobust.evaluation import evaluate_perturbations  # noqa: E402
from skrobust.evaluation.core.checkpoint import fingerprint  # noqa: E402
from skrobust.perturbations import GaussianNoise  # noqa: E402
from skrobust.wrappers import wrap  # noqa: E402

X = np.random.default_rng(0).random((40, 3, 12, 12)).astype(np.float32)
Y = np.arange(40) % 4
NOISE = [GaussianNoise(std=0.1, random_state=0, data_range=(0, 1))]


def core():
    torch.manual_seed(0)
    layers = nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(1), nn.Flatten()
    return nn.Sequential(*layers, nn.Linear(6, 4))


class Resized(nn.Module):
    """Sees pictures of another size; no weight tells it."""

    def __init__(self, net, side):
        super().__init__()
        self.net, self.side = net, side

    def forward(self, x):
        return self.net(F.interpolate(x, (self.side,) * 2, mode="bilinear"))


class Scaled(nn.Module):
    """Keeps what it multiplies by in a place of its own."""

    def __init__(self, net, how):
        super().__init__()
        self.net = net
        by = torch.tensor([1.0, 5.0, 1.0, 1.0])
        if how == "tensor":
            self.by = by
        elif how == "buffer":
            self.register_buffer("by", by, persistent=False)
        elif how == "lambda":
            self.scale = lambda x: x * 5.0
        elif how == "closure":
            self.scale = scaled_by(5.0)
        elif how == "hidden":  # in a list, torch does not know of it
            self.parts = [Resized(nn.Identity(), 5)]
        elif how == "hook":
            self.register_forward_hook(negative)

    def forward(self, x):
        return self.net(x)


def scaled_by(number):
    return lambda x: x * number


def negative(module, inputs, output):
    return -output


class Twice(nn.Module):
    """The same part once or twice."""

    def __init__(self, net, times):
        super().__init__()
        middle = nn.Linear(4, 4)
        self.parts = nn.Sequential(net, *[middle] * times)

    def forward(self, x):
        return self.parts(x)


def wrapped(net):
    return wrap(net.eval(), sample=X[:4], classes=range(4), response="logits")


def test_finished_parts_are_those_of_the_same_net(tmp_path):
    net = core()
    for side in (12, 4, 24):
        model = wrapped(Resized(net, side))
        kept, fresh = (
            evaluate_perturbations(model, X, Y, NOISE, checkpoint=folder)
            for folder in (tmp_path, None)
        )
        assert np.array_equal(kept.correct, fresh.correct)
    assert len(list(tmp_path.glob("*.part"))) == 3


def nets():
    net = core()
    yield net
    for side in (12, 4):
        yield Resized(net, side)
    for how in ("none", "tensor", "buffer", "lambda", "closure", "hidden", "hook"):
        yield Scaled(net, how)
    other = Scaled(net, "tensor")
    other.by = other.by * 2
    yield other
    other = Scaled(net, "closure")
    other.scale = scaled_by(6.0)
    yield other
    other = Scaled(net, "hidden")
    other.parts[0].side = 6
    yield other
    for times in (1, 2):
        torch.manual_seed(1)
        yield Twice(net, times)


def test_settings_tell_nets_of_the_same_weights_apart():
    found = [fingerprint(wrapped(net)) for net in nets()]
    assert len(set(found)) == len(found)


def test_copies_are_the_same_net():
    model = wrapped(Resized(core(), 4))
    known = fingerprint(model)
    for other in (
        wrapped(copy.deepcopy(Resized(core(), 4))),
        pickle.loads(pickle.dumps(model)),
    ):
        assert fingerprint(other) == known
    model.predict(X)
    assert fingerprint(model) == known


def test_settings_that_cannot_be_known_are_refused(tmp_path):
    model = wrapped(Resized(core(), 4))
    unwrap(model)[1].module_.log = (line for line in ())
    with pytest.raises(ValueError, match=r"'checkpoint'.*None here"):
        evaluate_perturbations(model, X, Y, NOISE, checkpoint=tmp_path)
