"""Noise is a pure function of its key."""

import numpy as np
import pytest
from scipy import stats

from skrobust._keyed_noise import ziggurat as _bits
from skrobust._keyed_noise.generator import NoiseKey, seed_number
from skrobust._keyed_noise.splitmix import (
    occurrence_ranks,
    row_keys,
)

RNG = np.random.default_rng(0)


def test_content_is_the_float32_cast():
    X = RNG.normal(size=(50, 7))
    keys = row_keys(X)
    assert np.array_equal(keys, row_keys(X.astype(np.float32)))
    assert np.array_equal(keys, row_keys(np.asfortranarray(X)))
    assert np.array_equal(keys, row_keys(X.astype(np.float32).astype(np.float64)))
    assert np.array_equal(keys, row_keys(X[::-1])[::-1])
    assert len(np.unique(keys)) == 50


def test_images_are_their_flat_rows():
    X = RNG.integers(0, 256, size=(9, 4, 5, 3), dtype=np.uint8)
    flat = X.reshape(9, -1)
    assert np.array_equal(row_keys(X), row_keys(flat))
    assert np.array_equal(row_keys(X), row_keys(flat.astype(np.float64)))


def test_one_zero_and_one_nan():
    a = np.array([[0.0, np.nan]])
    b = np.array([[-0.0, -np.nan]])
    assert np.array_equal(row_keys(a), row_keys(b))
    assert not np.array_equal(row_keys(a), row_keys(np.array([[0.0, 0.0]])))


def test_keys_see_every_place_and_bit():
    X = np.zeros((200, 30), dtype=np.float32)
    for i in range(1, 200):
        X[i, i % 30] = i * 2.0**-20
    assert len(np.unique(row_keys(X))) == 200
    swapped = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert len(np.unique(row_keys(swapped))) == 2


def test_ranks_number_equal_keys():
    keys = np.array([5, 3, 5, 5, 3, 9], dtype=np.uint64)
    assert occurrence_ranks(keys).tolist() == [0, 0, 1, 2, 1, 0]


@pytest.mark.parametrize("width", [3, 2000])  # the vectorised and the long path
def test_draws_belong_to_rows(width):
    X = RNG.normal(size=(11, 3))
    key = NoiseKey.from_rows(X, 7)
    whole = key.generator().normal(size=(11, width))
    part = key.take(slice(4, 9)).generator().normal(size=(5, width))
    assert np.array_equal(whole[4:9], part)
    again = NoiseKey.from_rows(X[::-1], 7).generator().normal(size=(11, width))
    assert np.array_equal(whole[::-1], again)
    other = NoiseKey.from_rows(X, 8).generator().normal(size=(11, width))
    assert not np.any(whole == other)
    generator = key.generator()
    first, second = (generator.normal(size=(11, width)) for _ in range(2))
    assert not np.any(first == second)


@pytest.mark.parametrize("width", [40, 2000])
def test_draws_have_their_distribution(width):
    X = RNG.normal(size=(400, 3))
    generator = NoiseKey.from_rows(X, 0).generator()
    z = generator.normal(2.0, 3.0, size=(400, width)).ravel()
    assert stats.kstest(z, stats.norm(2, 3).cdf).pvalue > 1e-3
    u = generator.uniform(-1, 1, size=(400, width))
    assert stats.kstest(u.ravel(), stats.uniform(-1, 2).cdf).pvalue > 1e-3
    assert abs(np.corrcoef(u[:200].ravel(), u[200:].ravel())[0, 1]) < 0.05
    assert abs(np.corrcoef(u[:, :-1].ravel(), u[:, 1:].ravel())[0, 1]) < 0.05


def test_thousand_equal_rows_get_independent_noise():
    X = np.ones((1000, 4))
    z = NoiseKey.from_rows(X, 0).generator().normal(size=(1000, 4))
    assert len(np.unique(z)) == 4000
    assert stats.kstest(z.ravel(), stats.norm.cdf).pvalue > 1e-3


def test_a_generator_is_read_never_advanced():
    for rng in (np.random.RandomState(3), np.random.default_rng(3)):
        assert seed_number(rng, "x") == seed_number(rng, "x")
        before = seed_number(rng, "x")
        rng.normal()
        assert seed_number(rng, "x") != before
    assert seed_number(None, "x") != seed_number(None, "x")
    assert seed_number(5, "x") == 5
    with pytest.raises(ValueError, match="'random_state' parameter of Foo must be"):
        seed_number("abc", "Foo")


def test_size_must_begin_with_the_rows():
    generator = NoiseKey.from_rows(np.ones((3, 2)), 0).generator()
    with pytest.raises(ValueError, match="one row of numbers per sample"):
        generator.normal(size=(4, 2))


def test_a_part_of_a_generator_draws_what_the_whole_would():
    key = NoiseKey.from_rows(RNG.normal(size=(9, 3)), 0)
    whole, parted = key.generator(), key.generator()
    whole.normal(size=9)
    parted.normal(size=9)
    part = parted.take(slice(2, 6))
    for draw in ("words", "random", "normal"):
        size = (5, 3, 7)
        expected = getattr(whole, draw)(size=(9, *size))[2:6]
        assert np.array_equal(getattr(part, draw)(size=(4, *size)), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.float32, float])
def test_integers_are_hashed_alike_in_any_company(dtype):
    small = RNG.integers(0, 256, size=(5, 11))
    keys = row_keys(small.astype(np.uint8))
    assert np.array_equal(row_keys(small.astype(dtype)), keys)
    assert len(np.unique(keys)) == 5
    if dtype != np.uint8:
        mixed = np.vstack([small, small + 300]).astype(dtype)
        mixed = mixed[[0, 5, 1, 6, 2, 7, 3, 8, 4, 9]]
        assert np.array_equal(row_keys(mixed)[::2], keys)
        alone = [row_keys(row[None])[0] for row in mixed]
        assert np.array_equal(row_keys(mixed), alone)


def test_every_byte_and_its_place_count():
    X = np.zeros((64, 13), dtype=np.uint8)
    X[np.arange(1, 64), np.arange(1, 64) % 13] = np.arange(1, 64)
    assert len(np.unique(row_keys(X))) == 64


def test_layers_of_the_ziggurat_have_equal_areas():
    edges, _, heights = _bits.ziggurat()
    areas = edges[1:256] * np.diff(heights[1:])
    tail = np.sqrt(2 * np.pi) * stats.norm.sf(edges[1])
    assert np.allclose(areas, edges[1] * heights[1] + tail, rtol=1e-9)
    assert edges[0] * heights[1] == pytest.approx(areas[0], rel=1e-9)


def test_two_million_normal_numbers():
    key = NoiseKey(np.arange(20_000, dtype=np.uint64)).derive("spread")
    z = key.generator().normal(size=(20_000, 100)).ravel()
    assert stats.kstest(z, stats.norm.cdf).pvalue > 1e-3
    for power, expected, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((z**power).mean() - expected) < 4 * np.sqrt(variance / z.size)
    # The base layer, its tail and the layers next to it, all by themselves.
    for low, high in ((3.2, 3.654), (3.6542, 9), (2.5, 3.2), (0, 0.2)):
        share = stats.norm.cdf(high) - stats.norm.cdf(low)
        for side in (z, -z):
            count = ((side >= low) & (side < high)).sum()
            assert abs(count - share * z.size) < 4 * np.sqrt(share * z.size)
    assert len(np.unique(z)) == z.size


def test_words_are_uniform():
    key = NoiseKey(np.arange(500, dtype=np.uint64)).derive("spread")
    words = key.generator().words((500, 4001))
    assert words.dtype == np.uint16
    counts = np.bincount(words.ravel() // 64, minlength=1024)
    assert stats.chisquare(counts).pvalue > 1e-3
    counts = np.bincount(words.ravel() % 1024, minlength=1024)
    assert stats.chisquare(counts).pvalue > 1e-3
    u = words / 65536
    assert abs(np.corrcoef(u[:, :-1].ravel(), u[:, 1:].ravel())[0, 1]) < 0.004
    assert abs(np.corrcoef(u[:-1].ravel(), u[1:].ravel())[0, 1]) < 0.004


def test_uniform_numbers_are_inside_their_bounds():
    ends = np.array([0, 2**64 - 1], dtype=np.uint64)
    for dtype in (np.float32, np.float64):
        out = np.empty(2, dtype=dtype)
        _bits.to_uniform(ends.copy(), out)
        assert 0 < out[0] < 1e-6
        assert 1 - 1e-6 < out[1] < 1


@pytest.mark.parametrize("width", [30, 2000])
def test_what_is_struck_stays_struck(width):
    key = NoiseKey(np.arange(500, dtype=np.uint64)).derive("spread")
    before = np.zeros((500, width), dtype=bool)
    for share in (0, 1e-4, 0.1, 0.5, 0.999, 1):
        selected = key.generator().selected(share, (500, width))
        assert not (before & ~selected).any()
        sd = np.sqrt(share * (1 - share) / selected.size)
        assert abs(selected.mean() - share) <= 5 * sd
        before = selected
