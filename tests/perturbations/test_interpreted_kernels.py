"""Kernels as Python runs them: no place outside of an array, and the bits of numpy.

What numba compiles reads and writes beyond the end of an array without a word.
"""

import numpy as np
import pytest
from kernel_cases import KERNELS, KINDS, PARAMETERS, edge_patterns

import skrobust.perturbations as sp
from skrobust._compiled import compiled as compiling
from skrobust._keyed_noise.generator import NoiseKey
from skrobust._keyed_noise.splitmix import to_uniform
from skrobust.perturbations.images import byte_pixels
from skrobust.perturbations.images._edges import canny

SHAPES = [(6, 6, 7, 3), (1, 12, 14, 3), (2, 14, 11), (1, 3, 13, 9), (2, 1, 17)]
RUN = set()  # kernels that ran


@pytest.fixture
def ways(monkeypatch):
    """Return functions that run another by Python's loops, and by numpy."""
    numba = type("numba", (), {})

    def interpreted(function):
        def call(*arguments):
            RUN.add(function.__name__)
            with np.errstate(all="ignore"):  # as the machine code
                return function(*arguments)

        return call

    def by_loops(function):
        with monkeypatch.context() as patch:
            patch.setattr(compiling, "_WORTH", 0)
            patch.setattr(compiling, "_numba", lambda: numba)
            patch.setattr(compiling, "_compile", interpreted)
            return function()

    def by_numpy(function):
        with monkeypatch.context() as patch:
            patch.setattr(compiling, "_numba", lambda: None)
            patch.setattr(byte_pixels, "byte_translator", lambda: None)
            return function()

    return by_loops, by_numpy


def check(p, shape, dtype, ways):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, shape).astype(np.uint8)
    X[..., : shape[-1] // 2] //= 64  # ties, and an edge
    X = X if dtype == np.uint8 else (X / 255).astype(dtype)
    p.set_params(random_state=0)
    loops, plain = (way(lambda: p.perturb(None, X)) for way in ways)
    assert loops.dtype == plain.dtype
    assert loops.tobytes() == plain.tobytes()


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("name", KINDS)
def test_each_kind_by_loops_has_the_bits_of_numpy(name, dtype, ways):
    if name == "VideoCompression":
        pytest.importorskip("av")
    cls = getattr(sp, name)
    for shape in SHAPES:
        if name == "Saturate" and 3 not in shape[1:]:
            continue
        for params in ({"severity": 0.4}, {"severity": 5}, cls._strong_params):
            check(cls(**params), shape, dtype, ways)


@pytest.mark.parametrize("p", PARAMETERS, ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_parameters_by_loops_have_the_bits_of_numpy(p, dtype, ways):
    for shape in SHAPES:
        check(p, shape, dtype, ways)


def test_edges_by_loops_are_those_of_numpy(ways):
    grey = edge_patterns()[:, 8:26, 14:30]
    loops, plain = (way(lambda: canny(grey)) for way in ways)
    assert np.array_equal(loops, plain)
    assert plain.any()


@pytest.mark.parametrize(
    ("p", "shape"),
    [
        (sp.Pixelate(share=0.01), (1, 72, 70, 3)),  # blocks of over 4,096 pixels
        (sp.GaussianBlur(std=1.9), (1, 34, 33)),  # sums of many pairs
        (sp.ChannelShift(severity=4), (2, 9, 12, 2)),
        (sp.CannyEdges(severity=4), (2, 9, 12, 2)),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_other_sizes_by_loops_have_the_bits_of_numpy(p, shape, dtype, ways):
    check(p, shape, dtype, ways)


def draws():
    bits = np.random.default_rng(0).integers(2**64, size=(3, 5), dtype=np.uint64)
    single = np.empty(bits.shape, dtype=np.float32)
    to_uniform(bits, single)
    rng = NoiseKey.from_keys(np.arange(30, dtype=np.uint64), 3).generator()
    return [rng.words(size=(30, 9)), rng.random(size=(30, 9)), rng.normal(size=(30, 9)),
            rng.selected(0.3, size=(30, 9)), single]  # fmt: skip


def test_draws_by_loops_have_the_bits_of_numpy(ways):
    for loops, plain in zip(*(way(draws) for way in ways), strict=True):
        assert loops.dtype == plain.dtype
        assert np.array_equal(loops, plain)


def test_every_kernel_is_reached(ways):
    ways[0](draws)
    for name in KINDS:
        if name != "VideoCompression":
            for dtype in (np.uint8, np.float32, np.float64):
                check(getattr(sp, name)(severity=4), SHAPES[0], dtype, ways)
    for p in PARAMETERS:
        check(p, SHAPES[0], np.uint8, ways)
        check(p, SHAPES[0], np.float64, ways)
    assert {kernel.__name__ for kernel in KERNELS} - RUN == set()
