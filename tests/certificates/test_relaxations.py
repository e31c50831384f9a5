"""Lines around activations: the function lies between them on the whole interval."""

import numpy as np
import pytest
from scipy.special import expit

from skrobust.certificates import relaxations as r
from skrobust.certificates.net_layers import Activation

CASES = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": expit,
    "tanh": np.tanh,
    "softplus": lambda x: np.logaddexp(x, 0),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "square": lambda x: x * x,
}


def intervals():
    rng = np.random.default_rng(0)
    ends = np.sort(rng.normal(scale=3, size=(400, 2)), axis=1)
    ends[:20, 1] = ends[:20, 0]  # points
    ends[20:40, 1] = ends[20:40, 0] + 1e-10
    ends[40:60] = np.sort(rng.normal(scale=40, size=(20, 2)), axis=1)
    ends[60] = -1e-12, 1e-12
    ends[61], ends[62] = (-1, 0), (0, 1)
    return ends[:, 0], ends[:, 1]


@pytest.mark.parametrize("kind", CASES)
def test_the_function_lies_between_the_lines(kind):
    low, high = intervals()
    below, bottom, above, top = Activation((0,), kind).lines(low, high)
    for t in np.linspace(0, 1, 101):
        x = low + t * (high - low)
        z = CASES[kind](x)
        slack = 1e-12 * (1 + np.abs(x)) ** 2
        assert (below * x + bottom <= z + slack).all()
        assert (z <= above * x + top + slack).all()


@pytest.mark.parametrize("kind", ["sigmoid", "tanh"])
def test_lines_of_s_shapes_touch(kind):
    """No parallel lines: each touches the function within the interval."""
    low, high = intervals()
    wide = (high - low > 0.5) & (np.abs(low) < 5) & (np.abs(high) < 5)
    low, high = low[wide], high[wide]
    below, bottom, above, top = Activation((0,), kind).lines(low, high)
    x = low[:, None] + np.linspace(0, 1, 2001) * (high - low)[:, None]
    z = CASES[kind](x)
    gap_above = (above[:, None] * x + top[:, None] - z).min(axis=1)
    gap_below = (z - below[:, None] * x - bottom[:, None]).min(axis=1)
    assert gap_above.max() < 1e-5
    assert gap_below.max() < 1e-5


@pytest.mark.parametrize("gamma", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_any_slope_of_leaky_relu_is_below(gamma, alpha):
    low, high = intervals()
    below, bottom, above, top = r.leaky_relu(low, high, gamma, alpha)
    for t in np.linspace(0, 1, 51):
        x = low + t * (high - low)
        z = np.where(x > 0, x, gamma * x)
        assert (below * x + bottom <= z + 1e-9).all()
        assert (z <= above * x + top + 1e-9).all()
