"""Certificates and surprise take tensors on a device, and find what arrays give."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from nets_for_tests import Net, make_net  # noqa: E402
from pretended_device import pretend  # noqa: E402
from problems import linear_problem  # noqa: E402

from skrobust.attacks import PGD  # noqa: E402
from skrobust.evaluation import robust_accuracy_bounds  # noqa: E402
from skrobust.sampling import (  # noqa: E402
    DistanceSurprise,
    MahalanobisSurprise,
    extract_activations,
)

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def problem():
    _, X, y = linear_problem(120, classes=3)
    X = X.astype(np.float32)
    return make_net(Net, epochs=5).fit(X, y.astype(np.int64)), X, y


def test_certificates(problem, monkeypatch):
    net, X, y = problem
    attack = PGD(0.02, n_steps=3, random_state=0)
    expected = robust_accuracy_bounds(net, X[:20], y[:20], attack)
    pretend(monkeypatch)
    found = robust_accuracy_bounds(net, torch.from_numpy(X[:20]), y[:20], attack)
    assert (found.lower, found.upper) == (expected.lower, expected.upper)
    assert found.certificate == expected.certificate
    assert 0 < found.lower < 1


@pytest.mark.parametrize("kind", [DistanceSurprise, MahalanobisSurprise])
def test_surprise(problem, kind, monkeypatch):
    net, X, _ = problem
    expected = kind(net).fit(X[:80]).score_samples(X[80:])
    activations, labels = extract_activations(net, X), net.predict(X)
    pretend(monkeypatch)
    tensor = torch.from_numpy(X)
    found = kind(net).fit(tensor[:80]).score_samples(tensor[80:])
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    rows = torch.from_numpy(activations)
    surprise = kind().fit(rows[:80], labels[:80])
    found = surprise.score_samples(rows[80:], labels[80:])
    np.testing.assert_allclose(found, expected, rtol=1e-6)
