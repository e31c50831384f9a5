"""Activations are what the layer computes, and the model does not notice."""

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrobust.nets import ToNetInput
from skrobust.sampling import DistanceSurprise, extract_activations

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 6))
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
FUNCTIONS = ["identity", "logistic", "tanh", "relu"]


def mlp(kind=MLPClassifier, **kw):
    settings = {"max_iter": 50, "random_state": 0, "tol": 1.0, **kw}
    return kind(hidden_layer_sizes=(7, 5), **settings).fit(X, Y)


# MLPs of scikit-learn


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("activation", FUNCTIONS)
def test_the_last_layer_of_an_mlp_leads_to_its_output(kind, activation):
    model = mlp(kind, activation=activation)
    z = extract_activations(model, X) @ model.coefs_[-1] + model.intercepts_[-1]
    if kind is MLPRegressor:
        assert np.allclose(z[:, 0], model.predict(X))
    else:
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        assert np.allclose(p, model.predict_proba(X))


def test_layers_of_an_mlp_have_numbers():
    model = mlp()
    first, last = (extract_activations(model, X, layer=i) for i in (0, 1))
    assert first.shape == (90, 7)
    assert last.shape == (90, 5)
    assert np.allclose(
        np.maximum(first @ model.coefs_[1] + model.intercepts_[1], 0), last
    )
    for layer in (None, -1):
        assert np.array_equal(extract_activations(model, X, layer=layer), last)
    assert np.array_equal(extract_activations(model, X, layer=-2), first)
    small = extract_activations(model, X, batch_size=7)
    assert np.allclose(small, last, rtol=1e-12, atol=1e-12)


def test_wrappers_are_looked_through():
    pipe = make_pipeline(StandardScaler(), mlp()).fit(X, Y)
    expected = extract_activations(pipe[-1], pipe[0].transform(X))
    search = GridSearchCV(pipe, {"mlpclassifier__alpha": [1e-4]}, cv=2).fit(X, Y)
    search.best_estimator_ = pipe
    for wrapped in (pipe, FrozenEstimator(pipe), search):
        assert np.array_equal(extract_activations(wrapped, X), expected)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    pipe.fit(frame, Y)
    named = extract_activations(pipe[-1], pipe[0].transform(frame))
    assert np.array_equal(extract_activations(pipe, frame), named)


# Nets


@pytest.fixture(scope="module")
def net(nets):
    return nets.make_net(epochs=3).fit(X.astype(np.float32), Y)


def hidden(net, rows):
    """The penultimate layer of Net by its weights, in numpy."""
    w = {k: v.numpy() for k, v in net.module_.state_dict().items()}
    z = rows @ w["body.0.weight"].T + w["body.0.bias"]
    z = (z - w["body.1.running_mean"]) / np.sqrt(w["body.1.running_var"] + 1e-5)
    return np.maximum(z * w["body.1.weight"] + w["body.1.bias"], 0)


@pytest.mark.torch
def test_penultimate_and_named_layers_of_a_net(net):
    rows = X.astype(np.float32)
    last = extract_activations(net, rows)
    assert last.dtype == np.float32
    assert last.shape == (90, 16)
    assert np.allclose(last, hidden(net, rows), atol=1e-5)
    # Dropout does nothing in evaluation mode.
    for name in ("body.2", "body.3"):
        assert np.array_equal(extract_activations(net, rows, layer=name), last)
    logits = extract_activations(net, rows, layer="body.4")
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert np.allclose(p, net.predict_proba(rows), atol=1e-6)
    for size in (1, 7, 1000):
        again = extract_activations(net, rows, batch_size=size)
        assert np.allclose(again, last, atol=1e-6)


@pytest.mark.torch
def test_the_net_does_not_notice(net):
    import torch

    module = net.module_
    module.train()
    module.body[1].eval()
    modes = [m.training for m in module.modules()]
    before = {k: v.clone() for k, v in module.state_dict().items()}
    state = torch.get_rng_state()
    extract_activations(net, X.astype(np.float32))
    assert torch.equal(torch.get_rng_state(), state)
    assert [m.training for m in module.modules()] == modes
    assert all(torch.equal(v, before[k]) for k, v in module.state_dict().items())
    assert all(p.grad is None or p.requires_grad for p in module.parameters())
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in module.modules())
    with pytest.raises(ValueError, match="'layer' parameter"):
        extract_activations(net, X.astype(np.float32), layer="nothing")
    assert [m.training for m in module.modules()] == modes


@pytest.mark.torch
def test_a_net_in_a_pipeline(net):
    pipe = make_pipeline(StandardScaler().fit(X), ToNetInput().fit(X), net)
    rows = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    expected = extract_activations(net, rows)
    for data in (X, pd.DataFrame(X).to_numpy()):
        assert np.allclose(extract_activations(pipe, data), expected, atol=1e-5)
    surprise = DistanceSurprise(pipe).fit(X)
    given = DistanceSurprise().fit(expected, pipe.predict(X))
    scores = given.score_samples(expected * 1.1, pipe.predict(X))
    assert np.isfinite(scores).all()
    assert np.allclose(surprise.score_samples(X), 0, atol=1e-4)


@pytest.mark.torch
def test_maps_of_a_convolution(nets):
    import torch
    from torch import nn

    class Conv(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 3, 2)
            self.act = nn.ReLU(inplace=True)
            self.head = nn.Linear(12, 2)

        def forward(self, x):
            return self.head(self.act(self.conv(x)).flatten(1))

    images = RNG.normal(size=(20, 1, 3, 3)).astype(np.float32)
    net = nets.make_net(Conv, epochs=1).fit(images, np.arange(20) % 2)
    with torch.no_grad():
        maps = net.module_.conv(torch.from_numpy(images)).numpy()
    # The layer behind works in place and must not reach what was heard.
    assert (maps < 0).any()
    flat = extract_activations(net, images, layer="conv")
    assert np.allclose(flat, maps.reshape(20, -1), atol=1e-6)
    mean = extract_activations(net, images, layer="conv", pool="mean")
    assert np.allclose(mean, maps.mean(axis=(2, 3)), atol=1e-6)
    last = extract_activations(net, images)
    assert np.allclose(last, np.maximum(maps, 0).reshape(20, -1), atol=1e-6)
    known = r"conv, act, head"
    with pytest.raises(ValueError, match=known):
        extract_activations(net, images, layer="body")


@pytest.mark.torch
def test_layers_that_give_no_rows(nets):
    from torch import nn

    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.twice = nn.Tanh()
            self.unused = nn.Tanh()
            self.weight = nn.Bilinear(6, 6, 3)
            self.batch = nn.Flatten(0)

        def forward(self, x):
            self.batch(x)
            return self.weight(self.twice(x), self.twice(x))

    rows = X.astype(np.float32)
    net = nets.make_net(Odd, epochs=1).fit(rows, Y)
    for layer, sentence in (
        ("twice", "'twice' runs 2 times"),
        ("unused", "runs 0 times"),
        ("batch", "one row for each input"),
        (None, "no Linear in the net.*twice, unused, weight, batch"),
    ):
        with pytest.raises(ValueError, match=sentence):
            extract_activations(net, rows, layer=layer)


@pytest.mark.torch
def test_nets_of_one_output(nets):
    import torch

    rows, y = X.astype(np.float32), (X[:, 0] > 0).astype(np.float32)
    net = nets.make_net(
        epochs=1, module__k=1, binary=True, criterion=torch.nn.BCEWithLogitsLoss
    ).fit(rows, y)
    assert np.allclose(extract_activations(net, rows), hidden(net, rows), atol=1e-5)


# Bad input

ROWS = {
    "no layers": (lambda: (LogisticRegression().fit(X, Y), X, {}), "no layers in Log"),
    "not fitted": (lambda: (MLPClassifier(), X, {}), "not fitted"),
    "pool": (lambda: (mlp(), X, {"pool": "max"}), "'pool' parameter"),
    "batch_size": (lambda: (mlp(), X, {"batch_size": 0}), "'batch_size' parameter"),
    "layer": (lambda: (mlp(), X, {"layer": 2}), "hidden layer .*, 0 to 1"),
    "layer below": (lambda: (mlp(), X, {"layer": -3}), "hidden layer"),
    "layer name": (lambda: (mlp(), X, {"layer": "a"}), "hidden layer"),
    "layer bool": (lambda: (mlp(), X, {"layer": True}), "hidden layer"),
    "width": (lambda: (mlp(), X[:, :3], {}), "X has 3 features"),
    "nan": (lambda: (mlp(), np.where(X > 2, np.nan, X), {}), "NaN"),
}


@pytest.mark.parametrize("row", ROWS)
def test_extract_activations_refuses_wrong_calls(row):
    make, sentence = ROWS[row]
    estimator, rows, settings = make()
    with pytest.raises(ValueError, match=sentence):
        extract_activations(estimator, rows, **settings)


@pytest.mark.torch
def test_extract_activations_refuses_wrong_layers_of_nets(nets, net):
    with pytest.raises(ValueError, match="takes float32 arrays"):
        extract_activations(net, X)
    with pytest.raises(ValueError, match=r"'layer' .*body, body.0.*Got 1"):
        extract_activations(net, X.astype(np.float32), layer=1)
    with pytest.raises(Exception, match=r"not initialized|not fitted"):
        extract_activations(nets.make_net(), X.astype(np.float32))
    with pytest.raises(ValueError, match="at least one sample"):
        extract_activations(net, X[:0].astype(np.float32))
