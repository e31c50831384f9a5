"""Points that a random search draws: on spheres, in balls, and around the best."""

import numpy as np
import pytest
from scipy.stats import kstest

from skrobust.attacks import RandomSearch
from skrobust.attacks.core.square_windows import _hill


def norms(z, norm):
    return np.linalg.norm(z.reshape(-1, z.shape[-1]), ord=norm, axis=1)


@pytest.mark.parametrize("norm", [1, 2, np.inf])
@pytest.mark.parametrize("kind", ["corners", "gaussian", "uniform"])
def test_points_are_in_the_ball_as_uniform_as_they_say(norm, kind):
    attack, rng, d = RandomSearch(0.1, norm=norm), np.random.default_rng(0), 3
    z = attack._points(rng, kind, (200, 10, d))
    assert z.shape == (200, 10, d)
    length = norms(z, norm)
    assert length.max() <= 1 + 1e-12
    assert np.abs(z.mean(axis=(0, 1))).max() < 0.07
    if kind == "uniform":  # of a ball the length to the power d is uniform
        assert kstest(length**d, "uniform").pvalue > 1e-3
    else:
        assert length == pytest.approx(np.ones(len(length)))
    if kind == "uniform" and norm == 1:
        # In the simplex each share of the length is Beta(1, d - 1).
        share = (np.abs(z) / np.abs(z).sum(axis=-1, keepdims=True))[..., 0].ravel()
        assert kstest(share, "beta", (1, d - 1)).pvalue > 1e-3
    if kind == "corners" and norm == 1:
        flat = z.reshape(-1, d)
        assert (np.count_nonzero(flat, axis=1) == 1).all()
        places = np.abs(flat).argmax(axis=1)
        assert np.bincount(places, minlength=d).min() > 500
    if kind == "corners" and norm != 1:
        assert np.abs(np.abs(z) - np.abs(z[0, 0, 0])).max() < 1e-12


@pytest.mark.parametrize("norm", [1, 2, np.inf])
def test_changes_shrink_from_step_to_step(norm):
    attack = RandomSearch(0.1, norm=norm, n_steps=10)
    rng = np.random.default_rng(0)
    best = attack._to_sphere(rng.normal(size=(4, 20)))
    moved = []
    for step in (0, 5, 9):
        z = attack._changed(rng, best, 400, step)
        assert z.shape == (4, 400, 20)
        assert norms(z, norm).max() <= 1 + 1e-12
        moved.append(np.abs(z - best[:, None]).mean())
        if norm == np.inf:
            share = (z != best[:, None]).mean()
            corners = np.abs(best) == 1  # half of new corners are the old ones
            expected = max(0.5 * (1 - step / 10), 1 / 20)
            expected *= 1 - 0.5 * corners.mean()
            assert share == pytest.approx(expected, abs=0.02)
    assert moved == sorted(moved, reverse=True)


def test_the_published_bump():
    # Rings from the middle: 1 / 1, then 1 / 4 less, as Andriushchenko et al. have it.
    expected = np.zeros((5, 5))
    expected[1:4, 1:4] = 1 / 9 + 1 / 4
    expected[2, 2] = 1 / 9 + 1 / 4 + 1
    expected[[0, -1]] = expected[:, [0, -1]] = 1 / 9
    assert _hill(5, 5) == pytest.approx(expected)
    assert _hill(5, 3)[0].tolist() == pytest.approx([1 / 9] * 3)
