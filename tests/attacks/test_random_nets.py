"""Minimal-norm attacks on a net that draws noise, whose mean is known."""

import numpy as np
import pytest

pytest.importorskip("skorch")
import torch
from nets_for_tests import make_net
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from torch import nn

from skrobust.attacks import DDN, FAB, FMN, CarliniWagner, DeepFool

pytestmark = pytest.mark.torch
W = np.array([3.0, 2.0, 1.0, 1.0, 0.5, 0.25], dtype=np.float32)
SD = 0.5
ATTACKS = [
    DDN(n_steps=20),
    FMN(norm=2, n_steps=20),
    DeepFool(norm=2),
    FAB(norm=2, n_steps=10),
    CarliniWagner(n_steps=20, n_searches=3),
]


class Shaken(nn.Module):
    """A linear net of its input and normal noise, also in evaluation mode."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 2)

    def forward(self, x):
        return self.layer(x + SD * torch.randn_like(x))


@pytest.fixture(scope="module")
def shaken():
    """Return the net, rows, their labels in the mean, and their true distances."""
    X = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    y = (X @ W > 0).astype(np.int64)
    net = make_net(Shaken, epochs=1).fit(X, y)
    with torch.no_grad():
        net.module_.layer.weight.copy_(torch.tensor(np.stack([0 * W, W])))
        net.module_.layer.bias.zero_()
    distance = np.abs(X @ W) / np.linalg.norm(W)
    far = distance > 0.3
    return net, X[far], y[far], distance[far]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_more_draws_come_nearer_to_the_boundary_of_the_mean(attack, shaken):
    net, X, y, distance = shaken

    def found(n_draws):
        torch.manual_seed(5)
        attack.set_params(n_draws=n_draws, random_state=0)
        Z = attack.perturb(net, X, y)
        still_right = Z @ W / np.linalg.norm(W) * np.where(y == 1, 1, -1)
        # The share of fresh draws that each example fools; a half at the boundary.
        fooled = norm.cdf(-still_right / SD)
        return fooled.mean(), np.abs(np.linalg.norm(Z - X, axis=1) - distance).mean()

    (few, wide), (many, near) = found(1), found(64)
    assert many > 1.15 * few
    assert many > 0.45
    assert near < 0.5 * wide


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: type(a).__name__)
def test_draws_are_seeded_and_counted(attack, shaken):
    net, X, y, _ = shaken
    attack.set_params(n_draws=3, random_state=0)
    before = torch.get_rng_state()
    first = attack.perturb(net, X, y)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(99)
    result = attack.run(net, X, y)
    np.testing.assert_array_equal(first, result.X_adv)
    assert (result.forward % 3 == 0).all()
    assert (result.backward == 3 * result.iterations).all()
    assert result.backward.max() > 0
    with pytest.raises(ValueError, match="Leave n_draws at 1"):
        attack.perturb(LogisticRegression().fit(X, y), X, y)


def test_one_draw_neither_seeds_nor_hides_the_draws(shaken):
    net, X, y, _ = shaken
    attack = DDN(n_steps=5, random_state=0)
    found = []
    for seed in (1, 2, 1):
        torch.manual_seed(seed)
        found.append(attack.perturb(net, X, y))
    np.testing.assert_array_equal(found[0], found[2])
    assert not np.array_equal(found[0], found[1])
