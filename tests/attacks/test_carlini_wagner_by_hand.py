"""Parts of the Carlini-Wagner attack: distances, Adam, constants and limits."""

from types import SimpleNamespace

import numpy as np
import pytest

from skrobust.attacks import CarliniWagner

RNG = np.random.default_rng(0)
N, D = 12, 5
INF = np.full(N, np.inf)


def rows(limit=None):
    """Return the rows of one search as the attack keeps them."""
    return {
        "x": RNG.normal(size=(N, D)),
        "z": RNG.normal(size=(N, D)),
        "reach": RNG.uniform(0.5, 2, N),
        "limit": INF if limit is None else limit,
        "const": RNG.uniform(0.5, 2, N),
        "height": RNG.uniform(0.5, 2, N),
        "pace": RNG.uniform(0.1, 0.2, (N, 1)),
        "mean": np.zeros((N, D)),
        "square": np.zeros((N, D)),
    }


def derivative(function, z):
    """Return the slopes of a function of rows, by differences."""
    out = np.zeros_like(z)
    for j in range(D):
        step = 1e-6 * (np.arange(D) == j)
        out[:, j] = (function(z + step) - function(z - step)) / 2e-6
    return out


@pytest.mark.parametrize("norm", [2, np.inf])
def test_distances_are_free_of_units_and_have_their_own_slope(norm):
    live = rows(RNG.uniform(0.2, 0.6, N))
    attack, stands = CarliniWagner(norm=norm), np.zeros(N, dtype=bool)

    def distance(z):
        return attack._distance({**live, "z": z}, stands, 1.0)[0]

    found, slope = attack._distance(live, stands, 1.0)
    step = np.abs(live["z"] - live["x"])
    if norm == 2:
        expected = (step**2).sum(axis=1) / live["reach"] ** 2
    else:
        over = np.maximum(step - live["limit"][:, None], 0)
        expected = over.sum(axis=1) / (D * live["reach"])
        assert 0.2 < (over > 0).mean() < 0.9
    assert found == pytest.approx(expected)
    np.testing.assert_allclose(slope, derivative(distance, live["z"]), atol=1e-6)


@pytest.mark.parametrize("share", [1.0, 0.4, 0.001])
@pytest.mark.parametrize("first", [0.1, 5.0, np.inf])
def test_the_limit_falls_below_examples_alone(share, first):
    live = rows(np.full(N, first))
    success = np.arange(N) % 2 == 0
    CarliniWagner(norm=np.inf)._distance(live, success, share)
    size = np.abs(live["z"] - live["x"]).max(axis=1)
    shorter = (1 - 0.1 * max(share, 0.01)) * size
    assert live["limit"] == pytest.approx(
        np.where(success, np.minimum(first, shorter), first)
    )


@pytest.mark.parametrize("norm", [2, np.inf])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_steps_are_those_of_adam(norm, share):
    # Kingma and Ba 2015, with the rates 0.9 and 0.999 and nothing added to the root.
    live = rows(np.zeros(N))
    attack, search = CarliniWagner(norm=norm), SimpleNamespace(clip=lambda z: z)
    success = np.arange(N) % 3 == 0
    slopes, z = [], live["z"]
    for k in range(1, 8):
        margin, gradient = RNG.normal(size=N), RNG.normal(size=(N, D))
        distance, slope = attack._distance(dict(live), success, share)
        pull = np.where(success, 0, live["const"] / live["height"])
        slopes.append(slope - pull[:, None] * gradient)
        found = attack._step(search, live, margin, gradient, success, k, share)
        hinge = live["const"] * np.maximum(-margin, 0) / live["height"]
        assert found == pytest.approx(distance + hinge)
        old = np.arange(k)[::-1, None, None]  # how many steps ago
        mean = (0.1 * 0.9**old * slopes).sum(axis=0) / (1 - 0.9**k)
        square = (0.001 * 0.999**old * np.square(slopes)).sum(axis=0) / (1 - 0.999**k)
        z = z - (0.005 + 0.995 * share) * live["pace"] * mean / np.sqrt(square)
        np.testing.assert_allclose(live["z"], z, rtol=1e-9, atol=1e-12)


def constants(enough, n_searches, initial):
    """Return the constants tried on a row that those from ``enough`` on fool."""
    tried, low, high, const = [], 0.0, np.inf, initial
    for _ in range(n_searches):
        tried.append(const)
        if const >= enough:
            high = min(high, const)
        else:
            low = max(low, const)
        const = (low + high) / 2 if high < np.inf else 10 * const
    return tried


@pytest.mark.parametrize("initial", [1.0, 0.01])
def test_constants_grow_tenfold_and_are_then_bisected(initial):
    enough = 10.0 ** RNG.uniform(-4, 4, 30)
    attack = CarliniWagner(n_searches=8, initial_const=initial)
    tried = []

    def run_adam(search, const, limit, number):
        assert number == len(tried)
        tried.append(const)
        return const >= enough, limit

    attack._run_adam = run_adam
    search = SimpleNamespace(x=enough, size=np.full(30, np.inf), reach=np.ones(30))
    attack._minimize(search)
    expected = [constants(one, 8, initial) for one in enough]
    np.testing.assert_allclose(np.transpose(tried), expected)


def test_constants_of_the_norm_inf_grow_where_nothing_was_fooled():
    size = np.array([np.inf, np.inf, 0.5, 0.5, 0.5, 0.5])
    before = np.array([np.inf, np.inf, 0.5, 0.9, 0.5, 0.9])
    fooled = np.array([False, True, False, False, True, True])
    const, limit = np.full(6, 3.0), np.full(6, 0.1)
    const, limit = CarliniWagner(norm=np.inf)._renew(
        SimpleNamespace(size=size), const, limit, fooled, before
    )
    assert const.tolist() == [30, 3, 6, 6, 3, 3]
    # Where nothing shorter was found the limit goes half way back to the example.
    assert limit == pytest.approx([0.1, 0.1, 0.3, 0.1, 0.3, 0.1])


def test_searches_of_the_norm_inf_follow_what_was_found_before():
    search = SimpleNamespace(x=np.zeros((1, D)), size=INF[:1], reach=np.ones(1))
    sizes = [np.inf, np.inf, 0.25, 0.25, 0.125, 0.125]
    tried = []

    def run_adam(search, const, limit, number):
        tried.append((number, float(const[0]), float(limit[0])))
        search.size = np.array([sizes[number]])
        return np.isfinite(search.size), limit

    attack = CarliniWagner(norm=np.inf, n_searches=6, initial_const=3.0)
    attack._run_adam = run_adam
    attack._minimize(search)
    limits = [1, 1, 1, 1, 0.625, 0.625]  # half way back after the fourth
    constants = [3, 30, 300, 300, 300, 300]
    assert tried == list(zip(range(6), constants, limits, strict=True))


@pytest.mark.parametrize("norm", [2, np.inf])
def test_rows_without_a_slope_stay(norm):
    live = rows()
    live["z"] = live["x"]
    search, still = SimpleNamespace(clip=lambda z: z), np.zeros((N, D))
    success, margin = np.ones(N, dtype=bool), np.ones(N)
    for k in (1, 2):
        attack = CarliniWagner(norm=norm)
        loss = attack._step(search, live, margin, still, success, k, 1.0)
        assert (loss == 0).all()
    assert (live["z"] == live["x"]).all()
