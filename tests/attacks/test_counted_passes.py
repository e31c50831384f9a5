"""Every pass of a row through a net is counted: forward, queries, one for success."""

import numpy as np
import pytest

pytest.importorskip("skorch")

from families import public_classes
from nets_for_tests import make_net

from skrobust import attacks
from skrobust.base import BaseAttack

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 6)).astype(np.float32)
Y = (X @ RNG.normal(size=(6, 3))).argmax(axis=1)
# Trees, linear models and texts; ensembles ask which rows each member left.
APART = {"ExactTree", "ExactLinear", "WordSubstitution", "AutoAttack"}
APART |= {"StrongestAttack"}
CASES = [
    (kind, n_draws)
    for kind in public_classes(attacks, BaseAttack)
    if kind.__name__ not in APART
    for n_draws in (1, 3)
    if n_draws == 1 or hasattr(kind(**kind._get_test_params()[0]), "n_draws")
]


@pytest.fixture(scope="module")
def counted():
    """A net, and the list of the numbers of rows that it has seen."""
    net, seen = make_net(epochs=5).fit(X, Y), []
    net.module_.register_forward_hook(lambda module, x, out: seen.append(len(out)))
    return net, seen


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("kind", "n_draws"), CASES, ids=lambda case: getattr(case, "__name__", None)
)
def test_passes_are_as_many_as_the_net_sees(kind, n_draws, counted):
    net, seen = counted
    attack = kind(**kind._get_test_params()[0])
    if "random_state" in attack.get_params():
        attack.set_params(random_state=0)
    if n_draws > 1:
        attack.set_params(n_draws=n_draws)
    seen.clear()
    result = attack.run(net, X[:20], Y[:20])
    asked = result.forward.sum() + result.queries.sum()
    assert asked > 0
    assert sum(seen) == asked + 20  # the question of success
