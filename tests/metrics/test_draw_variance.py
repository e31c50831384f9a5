"""Variance of the Accuracy-Stability Index over draws and samples."""

import numpy as np
import pytest

from skrobust.metrics import (
    accuracy_stability_index,
    accuracy_stability_sensitivity,
    accuracy_stability_variance,
)
from skrobust.metrics.intervals.bootstrap import jackknife_error

BASE = np.array([0.85, 0.6, 0.4])


def world(rng, n_draws=4, n=300, *, common=0.03, spread=0.14):
    """Return correctness; all samples share a part of each draw."""
    of_draw = rng.normal(0, common, (n_draws, 1, 3))
    of_sample = rng.uniform(-spread, spread, (1, n, 1))
    return rng.random((n_draws, n, 3)) < BASE + of_draw + of_sample


def test_components_of_a_known_world():
    """To first order each component is a sum of squared slopes times a variance."""
    slope = accuracy_stability_sensitivity(BASE).slope
    between = 0.14**2 / 3
    own = BASE * (1 - BASE) - between
    expected = [
        (slope**2).sum() * 0.03**2,
        slope.sum() ** 2 * between,
        (slope**2 * own).sum(),
    ]
    rng, n_worlds = np.random.default_rng(0), 120
    results = [accuracy_stability_variance(world(rng)) for _ in range(n_worlds)]
    variances = np.array([found.components.variance for found in results])
    error = variances.std(axis=0, ddof=1) / np.sqrt(n_worlds)
    assert (np.abs(variances.mean(axis=0) - expected) < 4 * error + 0.003).all()
    assert (error < [0.0005, 0.002, 0.005]).all()
    draw, sample, both = expected
    share = (draw + both / 300) / (draw + (sample + both) / 300)
    assert np.mean([f.share_of_draws for f in results]) == pytest.approx(
        share, abs=0.02
    )
    # What one draw varies by, over worlds: other samples and other draws.
    first = np.array([found.index[0] for found in results])
    of_one = np.mean([found.std_error_of_one**2 for found in results])
    assert first.var(ddof=1) == pytest.approx(of_one, rel=0.4)
    value = np.array([found.value for found in results])
    of_mean = np.mean([found.std_error**2 for found in results])
    assert value.var(ddof=1) == pytest.approx(of_mean, rel=0.4)


def test_components_add_up():
    correct = world(np.random.default_rng(1))
    found = accuracy_stability_variance(correct)
    scores = [accuracy_stability_index(one.mean(axis=0)) for one in correct]
    assert np.allclose(found["index"], scores)
    assert found.value == pytest.approx(np.mean(scores))
    assert found.std_of_draws == pytest.approx(np.std(scores, ddof=1))
    draw, sample, both = found.components.variance
    assert found.components.component.tolist() == ["draw", "sample", "draw x sample"]
    total = draw / 4 + sample / 300 + both / 1200
    assert found.std_error**2 == pytest.approx(total)
    rest = max(sample, 0) / 300  # it counts as 0 where it is negative by chance
    assert found.std_error_of_one**2 == pytest.approx(draw + both / 300 + rest)
    assert found.std_error_of_many**2 == pytest.approx(rest, abs=1e-9)
    assert found.components.share.sum() == pytest.approx(1)
    # The variance over draws is that of what they share and of what they do not.
    assert found.std_of_draws**2 == pytest.approx(draw + both / 300, rel=0.05)


def test_the_same_draw_again_adds_nothing():
    one = world(np.random.default_rng(2))[0]
    found = accuracy_stability_variance([one] * 3)
    left_out = [
        accuracy_stability_index(np.delete(one, i, axis=0).mean(axis=0))
        for i in range(len(one))
    ]
    assert found.share_of_draws == pytest.approx(0, abs=1e-9)
    assert found.std_of_draws == pytest.approx(0, abs=1e-12)
    assert found.std_error == pytest.approx(jackknife_error(np.array(left_out)))
    assert found.low < found.value < found.high


def test_copies_of_samples_in_clusters_say_nothing_more():
    correct = world(np.random.default_rng(3))
    found = accuracy_stability_variance(correct)
    clusters = np.repeat(np.arange(300), 5)
    many = accuracy_stability_variance(correct[:, clusters], clusters=clusters)
    assert many.std_error == pytest.approx(found.std_error)
    assert np.allclose(many.components.variance, found.components.variance)
    assert many.components.component.tolist() == ["draw", "cluster", "draw x cluster"]
    order = np.random.default_rng(0).permutation(300)
    turned = accuracy_stability_variance(correct[::-1, order][:, :, ::-1])
    assert turned.std_error == pytest.approx(found.std_error)


@pytest.mark.parametrize(
    ("correct", "text"),
    [
        (np.ones((1, 9, 3), bool), "two or more draws"),
        (np.ones((3, 9, 1), bool), "two or more draws"),
        (np.ones((9, 3), bool), "two or more draws"),
        ([np.ones((9, 3)), np.ones((8, 3))], "two or more draws"),
        (5, "two or more draws"),
        (np.full((2, 9, 3), 0.5), "correctness of each sample"),
    ],
)
def test_refuses(correct, text):
    with pytest.raises(ValueError, match=text):
        accuracy_stability_variance(correct)


def test_two_clusters_are_refused():
    correct = world(np.random.default_rng(4), n=10)
    with pytest.raises(ValueError, match="needs more clusters: 2"):
        accuracy_stability_variance(correct, clusters=np.arange(10) % 2)
