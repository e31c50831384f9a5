"""Sequential comparison: the error over all looks, exactly and by simulation."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from skrobust.metrics import compare_sequentially
from skrobust.metrics.comparison.anytime_shares import (
    limits_of_difference,
    log_e_of_difference,
    log_e_of_discordant,
)


def crossing_chance(p, q, n, crossed):
    """Return the exact probability of a crossing at one of n looks.

    ``crossed`` takes the two counts and the number of samples.
    """
    counts = np.indices((n + 1, n + 1))
    alive, gone = np.zeros((n + 1, n + 1)), 0.0
    alive[0, 0] = 1.0
    for look in range(1, n + 1):
        after = alive * (1 - p - q)
        after[1:] += alive[:-1] * p
        after[:, 1:] += alive[:, :-1] * q
        possible = counts.sum(axis=0) <= look
        out = np.zeros_like(possible)
        out[possible] = crossed(counts[0][possible], counts[1][possible], look)
        gone += after[out].sum()
        alive = np.where(out, 0.0, after)
    return gone


@pytest.mark.parametrize("error", [0.05, 0.2])
def test_ville_for_equal_models_by_enumeration(error):
    def crossed(up, down, _):
        return log_e_of_discordant(up, down) >= -np.log(error)

    found = crossing_chance(0.5, 0.5, 100, crossed)
    assert error / 10 < found <= error


@pytest.mark.parametrize(("p", "q"), [(0.05, 0.02), (0.3, 0.3), (0.0, 0.1), (0.6, 0.1)])
def test_ville_for_the_difference_by_enumeration(p, q):
    def crossed(up, down, n):
        return log_e_of_difference(up, down, n, p - q) >= -np.log(0.2)

    assert crossing_chance(p, q, 60, crossed) <= 0.2


def test_e_values_are_martingales():
    up, down = np.indices((9, 9))
    now = np.exp(log_e_of_discordant(up, down))
    won = np.exp(log_e_of_discordant(up + 1, down))
    lost = np.exp(log_e_of_discordant(up, down + 1))
    np.testing.assert_allclose((won + lost) / 2, now)
    by_hand = quad(lambda t: t**7 * (1 - t) ** 2 * beta.pdf(t, 0.5, 0.5), 0, 1)[0]
    assert np.exp(log_e_of_discordant(7, 2)) == pytest.approx(by_hand * 2**9)


def test_most_likely_chances_of_a_difference():
    rng = np.random.default_rng(0)
    for _ in range(20):
        up, down, rest = rng.integers(0, 9, 3)
        n, d = up + down + rest + 1, rng.uniform(-0.9, 0.9)
        rest += 1
        q = np.linspace(max(0, -d), (1 - d) / 2, 200002)[1:-1]
        grid = up * np.log(q + d) + down * np.log(q) + rest * np.log(1 - 2 * q - d)
        best = log_e_of_difference(up, down, n, d)
        mixture = log_e_of_difference(up, down, n, (up - down) / n)
        share = np.array([up, down, rest]) / n
        top = sum(
            k * np.log(s) for k, s in zip((up, down, rest), share, strict=True) if k
        )
        assert best == pytest.approx(mixture + top - grid.max(), abs=1e-3)


def test_error_with_a_look_after_each_sample():
    rng = np.random.default_rng(1)
    u = rng.random((4000, 400))
    up, down = np.cumsum(u < 0.1, axis=1), np.cumsum((u >= 0.1) & (u < 0.2), axis=1)
    n = np.arange(1, 401)
    wrong = (log_e_of_discordant(up, down) >= np.log(20)).any(axis=1).mean()
    outside = (log_e_of_difference(up, down, n, 0.0) >= np.log(20)).any(axis=1).mean()
    most = 0.05 + 2 * np.sqrt(0.05 * 0.95 / 4000)
    assert 0.01 < wrong <= most
    assert outside <= most
    for i in range(20):
        first, second = u[i] >= 0.2, u[i] >= 0.2
        models = {"a": first | (u[i] < 0.1), "b": second | (u[i] >= 0.1)}
        found = compare_sequentially(models)
        crossed = log_e_of_discordant(up[i], down[i]) >= np.log(20)
        assert (found.verdict != "undecided") == crossed.any()


def test_a_better_model_is_found_early():
    rng = np.random.default_rng(2)
    looks = []
    for _ in range(30):
        u = rng.random(1000)
        found = compare_sequentially({"a": u > 0.02, "b": (u > 0.12) | (u < 0.01)})
        assert found.verdict in ("first better", "second better")
        looks.append((found.decided_at, found.verdict))
    assert np.mean([verdict == "first better" for _, verdict in looks]) >= 0.95
    assert np.median([at for at, _ in looks]) < 250


def test_results_by_row():
    a, b = np.ones(200, dtype=bool), np.arange(200) % 4 > 0
    found = compare_sequentially({"a": a, "b": b})
    assert found.only_first[-1] == 50
    assert found.decided_at == found.n[np.argmax(found.e_value >= 20)]
    assert (np.diff(found.p_value) <= 0).all()
    assert (np.diff(found.low) >= 0).all()
    assert found.low[-1] < 0.25 < found.high[-1]
    turned = compare_sequentially({"b": b, "a": a})
    assert turned.verdict == "second better"
    np.testing.assert_allclose(turned.low, -found.high)
    y = np.arange(200) % 2
    labels = {"a": y, "b": np.where(b, y, 1 - y)}
    assert compare_sequentially(labels, y_true=y).decided_at == found.decided_at
    assert list(found.to_frame().columns) == list(found.columns)


def test_equivalence_is_found_within_the_margin():
    a = np.ones(900, dtype=bool)
    found = compare_sequentially({"a": a, "b": a}, margin=0.02)
    assert found.verdict == "equivalent"
    at = found.decided_at
    assert -0.02 < found.low[at - 1] < found.high[at - 1] < 0.02
    assert found.low[at - 2] <= -0.02
    low, high = limits_of_difference(*np.array([[0], [0], [at]]), 0.05)
    assert (low[0], high[0]) == (found.low[at - 1], found.high[at - 1])
    assert compare_sequentially({"a": a, "b": a}).verdict == "undecided"


@pytest.mark.parametrize(
    ("models", "options", "text"),
    [
        ({"a": [1, 0]}, {}, "a dict of two models"),
        ({"a": [1, 0], "b": [1, 0], "c": [1, 0]}, {}, "a dict of two models"),
        ({"a": [1, 0], "b": [1]}, {}, "needs the same samples; got 2 and 1"),
        ({"a": [1, 0], "b": [1, 2]}, {}, "as booleans"),
        ({"a": [1, 0], "b": [1, 1]}, {"margin": 0}, "The 'margin' parameter"),
        ({"a": [1, 0], "b": [1, 1]}, {"confidence": 1.0}, "'confidence'"),
    ],
)
def test_sequential_comparison_refuses(models, options, text):
    with pytest.raises(ValueError, match=text):
        compare_sequentially(models, **options)
