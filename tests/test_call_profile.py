"""Single calls pass few functions and files: what a reader has to follow."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("skorch")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from call_profile import profile, small_net

from skrobust.attacks import DDN, PGD
from skrobust.perturbations import GaussianNoise

NOISE = GaussianNoise(0.1, data_range=(0, 1), random_state=0)
CALLS = {  # functions, files, depth; two files are those of compiled kernels
    "PGD": (PGD(0.1, random_state=0), (66, 18, 12)),
    "DDN": (DDN(random_state=0), (50, 15, 10)),
    "GaussianNoise": (NOISE, (45, 12, 12)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_call_stays_short(name):
    tool, most = CALLS[name]
    net, X, y = small_net()
    tool.perturb(net, X, y)  # imports and caches
    found = profile(lambda: tool.perturb(net, X, y))
    assert all(n <= m for n, m in zip(found, most, strict=True)), (found, most)
