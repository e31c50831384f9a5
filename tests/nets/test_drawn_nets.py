"""Nets of any number of classes and channels: shapes, seeds and weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from skrobust.nets import (  # noqa: E402
    efficientnet_b0,
    efficientnet_b4,
    make_net_classifier,
    resnet34,
    resnet50,
    small_cnn_classifier,
    xception,
)

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.mark.parametrize(
    "make", [efficientnet_b0, efficientnet_b4, resnet34, resnet50, xception]
)
@settings(max_examples=2, deadline=None, derandomize=True)
@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 5))
def test_weights_carry_over_and_the_last_layer_starts_anew(make, k, channels, other):
    net = make(k, channels).eval()
    X = torch.rand(2, channels, 32, 32)
    with torch.no_grad():
        scores = net(X)
        assert scores.shape == (2, k)
        assert torch.equal(
            make(k, channels, weights=net.state_dict()).eval()(X), scores
        )
        tuned = make(other, channels, weights=net.state_dict())
        assert tuned.eval()(X).shape == (2, other)
    kept = zip(net.state_dict().values(), tuned.state_dict().values(), strict=True)
    same = [a.shape == b.shape and torch.equal(a, b) for a, b in kept]
    assert sum(not one for one in same) <= 2  # weight and bias of the last layer


@settings(max_examples=3, deadline=None, derandomize=True)
@given(st.integers(2, 4), st.integers(0, 2**31 - 1))
def test_equal_seeds_make_equal_nets(k, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.random((12, 64)).astype(np.float32), np.arange(12) % k
    first, second = (
        small_cnn_classifier((8, 8), k, epochs=1, random_state=seed).fit(X, y)
        for _ in range(2)
    )
    assert np.array_equal(first.predict_proba(X), second.predict_proba(X))
    assert first.predict_proba(X).sum(axis=1) == pytest.approx(1, abs=1e-5)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(st.permutations(["right", "<script>", "正确", "1"]), st.integers(0, 2**31 - 1))
def test_columns_are_sorted_whatever_the_order_of_the_outputs(classes, seed):
    torch.manual_seed(seed % 1000)
    module = torch.nn.Linear(3, 4)
    net = make_net_classifier(module, classes=classes, fitted=True, device="cpu")
    X = np.random.default_rng(seed).normal(size=(6, 3)).astype(np.float32)
    outputs = torch.softmax(module(torch.from_numpy(X)), dim=1).detach().numpy()
    assert net.classes_.tolist() == sorted(classes)
    order = [classes.index(label) for label in sorted(classes)]
    assert net.predict_proba(X) == pytest.approx(outputs[:, order], abs=1e-6)
    assert net.predict(X).tolist() == [classes[i] for i in outputs.argmax(axis=1)]
