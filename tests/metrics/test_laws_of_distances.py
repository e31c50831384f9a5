"""Laws of distances between inputs, of their similarity, and of slopes of losses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import few, fewer, seeds

from skrobust.metrics import (
    average_distortion,
    average_structural_similarity,
    noise_insensitivity,
)


def pair(seed, shape=(6, 2, 3)):
    """Inputs and moved ones, some of whose values stay."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, shape) / 8
    change = rng.integers(-8, 9, shape) / 8 * (rng.random(shape) < 0.6)
    change[:, 0, 0] = 0.125
    X[:, 0, 0] = 1.0
    return rng, X, X + change


@few
@given(seeds)
def test_distortions_are_means_of_norms(seed):
    _, X, other = pair(seed)
    d = (other - X).reshape(6, -1)
    expected = {
        0: np.mean([np.mean(row != 0) for row in d]),
        2: np.mean([sum(v * v for v in row) ** 0.5 for row in d]),
        np.inf: np.mean([max(abs(row)) for row in d]),
    }
    found = {norm: average_distortion(X, other, norm=norm) for norm in expected}
    assert found == pytest.approx(expected)
    assert found[np.inf] <= found[2] + 1e-12
    assert found[2] <= np.sqrt(d.shape[1]) * found[np.inf] + 1e-12
    relative = average_distortion(X, other, scale="relative")
    own = np.sqrt((X.reshape(6, -1) ** 2).sum(axis=1))
    assert relative == pytest.approx(np.mean(np.sqrt((d**2).sum(axis=1)) / own))


@few
@given(seeds, st.sampled_from([0, 2, np.inf]))
def test_distortion_is_a_distance(seed, norm):
    rng, X, other = pair(seed)
    third = X + rng.normal(size=X.shape)
    far = average_distortion(X, other, norm=norm)
    assert average_distortion(X, X, norm=norm) == 0
    assert far == average_distortion(other, X, norm=norm)
    detour = average_distortion(X, third, norm=norm)
    detour += average_distortion(third, other, norm=norm)
    assert far <= detour + 1e-12
    scaled = average_distortion(-4 * X + 2, -4 * other + 2, norm=norm)
    assert scaled == (1 if norm == 0 else 4) * far
    order = rng.permutation(6)
    again = average_distortion(X[order], other[order], norm=norm)
    assert again == pytest.approx(far, abs=1e-12)
    # The mean over all is that of both parts, by their sizes.
    some = rng.random(6) < 0.5
    some[:2] = [True, False]
    parts = [
        average_distortion(X, other, norm=norm, successful=rows)
        for rows in (some, ~some)
    ]
    share = some.mean()
    assert share * parts[0] + (1 - share) * parts[1] == pytest.approx(far)


@few
@given(seeds)
def test_insensitivity_is_a_mean_slope(seed):
    rng, X, other = pair(seed)
    losses, after = rng.integers(-40, 40, (2, 6)) / 8
    slope = noise_insensitivity(losses, after, X, other)
    slopes = [
        abs(a - b) / np.abs(x - z).max()
        for a, b, x, z in zip(losses, after, X, other, strict=True)
    ]
    assert slope == pytest.approx(np.mean(slopes))
    assert slope == noise_insensitivity(after, losses, other, X)
    assert noise_insensitivity(losses, losses, X, other) == 0
    twice = noise_insensitivity(2 * losses + 1, 2 * after + 1, X, other)
    assert twice == pytest.approx(2 * slope)
    near = noise_insensitivity(losses, after, X / 2, other / 2)
    assert near == pytest.approx(2 * slope)
    # Losses that rise and losses that fall cancel in the shortcut.
    pooled = noise_insensitivity(losses, after, X, other, average="pooled")
    assert 0 <= pooled <= slope + 1e-12
    order = rng.permutation(6)
    for average, value in (("per_sample", slope), ("pooled", pooled)):
        again = noise_insensitivity(
            losses[order], after[order], X[order], other[order], average=average
        )
        assert again == pytest.approx(value, abs=1e-12)
    farthest = np.abs(other - X).max()
    checked = noise_insensitivity(losses, after, X, other, eps=farthest)
    assert checked == slope
    with pytest.raises(ValueError, match="needs inputs within eps"):
        noise_insensitivity(losses, after, X, other, eps=0.9 * farthest)


@fewer
@given(seeds, st.sampled_from([None, 1, -1]))
def test_similarity_has_no_order_no_unit_and_no_direction(seed, channel_axis):
    rng = np.random.default_rng(seed)
    shape = {None: (3, 9, 12), 1: (3, 2, 9, 12), -1: (3, 9, 12, 2)}[channel_axis]
    X, other = rng.integers(0, 17, (2, *shape)) / 16
    if seed % 2:
        other = 1 - X
    options = {"channel_axis": channel_axis, "window_size": 5}

    def similarity(X, other, data_range=(0, 1), **more):
        return average_structural_similarity(
            X, other, data_range=data_range, **options, **more
        )

    value = similarity(X, other)
    assert -1 <= value <= 1
    assert similarity(X, X) == 1
    assert similarity(other, X) == pytest.approx(value, abs=1e-12)
    in_bytes = similarity(255 * X, 255 * other, (0, 255))
    assert in_bytes == pytest.approx(value, abs=1e-9)
    around_0 = similarity(2 * X - 1, 2 * other - 1, (-1, 1))
    assert around_0 == pytest.approx(value, abs=1e-9)
    order = rng.permutation(3)
    assert similarity(X[order], other[order]) == pytest.approx(value, abs=1e-12)
    # Turned over and mirrored, pictures are as similar as before.
    axes = (2, 3) if channel_axis == 1 else (1, 2)
    turned = similarity(np.flip(X, axes), np.flip(other, axes))
    assert turned == pytest.approx(value, abs=1e-9)
    each = [similarity(X, other, successful=np.arange(3) == i) for i in range(3)]
    assert np.mean(each) == pytest.approx(value, abs=1e-12)
