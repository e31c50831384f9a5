"""Kernels that numba compiles give the bits of numpy, and change nothing else."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest
from kernel_cases import KERNELS, KINDS, PARAMETERS, edge_patterns
from sklearn.datasets import load_sample_image

import skrobust.perturbations as sp
from skrobust._compiled import compiled as compiling
from skrobust._compiled import draw_kernels, pixel_kernels
from skrobust._keyed_noise.generator import NoiseKey
from skrobust.perturbations.images import _pixel_noise, _rotation, byte_pixels
from skrobust.perturbations.images._edges import canny
from skrobust.perturbations.images.jpeg_loss import after_jpeg
from skrobust.perturbations.images.warp import pixel_grid, shift, warp

numba = pytest.importorskip("numba", reason="no numba: pip install 'skrobust[fast]'")

PHOTO = load_sample_image("china.jpg")[100:324, 100:324]
SHAPES = {
    "32": (7, 32, 32, 3),
    "224": (1, 224, 224, 3),
    "grey": (7, 28, 30),
    "first": (2, 3, 47, 33),
    "two channels": (3, 2, 9, 70),
    "line": (3, 1, 40),
    "column": (3, 40, 1),
}


@pytest.fixture
def always(monkeypatch):
    """Compile for the smallest arrays, too."""
    monkeypatch.setattr(compiling, "_WORTH", 0)


def by_numpy(monkeypatch, function):
    with monkeypatch.context() as patch:
        patch.setattr(compiling, "_numba", lambda: None)
        patch.setattr(byte_pixels, "byte_translator", lambda: None)
        return function()


def images(kind, dtype):
    """Return pictures with a smooth and a noisy part."""
    shape = SHAPES[kind]
    n = int(np.prod(shape))
    X = np.resize(PHOTO if shape[1] > 3 else PHOTO[:, :, 0], n).reshape(shape)
    rng = np.random.default_rng(0)
    X = np.where(rng.random(shape) < 0.2, rng.integers(0, 256, shape), X)
    return X.astype(np.uint8) if dtype == np.uint8 else (X / 255).astype(dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("name", KINDS)
def test_the_bits_are_those_of_numpy(name, kind, dtype, monkeypatch, always):
    if name == "Saturate" and 3 not in SHAPES[kind][1:]:
        pytest.skip("needs colours")
    X = images(kind, dtype)
    for params in ({"severity": 0.4}, {"severity": 3}, {"severity": 5}, None):
        p = getattr(sp, name)(**(params or getattr(sp, name)._strong_params))
        p.set_params(random_state=0)
        fast = p.perturb(None, X)
        plain = by_numpy(monkeypatch, lambda p=p: p.perturb(None, X))
        assert fast.dtype == plain.dtype
        assert fast.tobytes() == plain.tobytes()


@pytest.mark.parametrize("name", KINDS)
def test_the_bits_of_small_bytes_are_those_of_numpy(name, monkeypatch, always):
    if name == "VideoCompression":
        pytest.importorskip("av")
    X = images("32", np.uint8)
    p = getattr(sp, name)(severity=3, random_state=0)
    fast = p.perturb(None, X)
    assert np.array_equal(fast, by_numpy(monkeypatch, lambda: p.perturb(None, X)))
    assert not np.array_equal(fast, X)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("without", ["numba", "translator"])
@pytest.mark.parametrize("name", ["Gamma", "Contrast", "ChannelShift", "Brightness"])
def test_tables_with_one_of_two_fast_ways(name, without, kind, monkeypatch, always):
    X = images(kind, np.uint8)
    before = X.copy()
    p = getattr(sp, name)(severity=3, random_state=0)
    plain = by_numpy(monkeypatch, lambda: p.perturb(None, X))
    if without == "numba":
        monkeypatch.setattr(compiling, "_numba", lambda: None)
    else:
        monkeypatch.setattr(byte_pixels, "byte_translator", lambda: None)
    np.testing.assert_array_equal(p.perturb(None, X), plain)
    np.testing.assert_array_equal(X, before)


def test_bytes_as_units_are_correctly_rounded():
    levels = np.arange(256, dtype=np.float32)
    parts = levels * pixel_kernels.LARGE_PART + levels * pixel_kernels.SMALL_PART
    np.testing.assert_array_equal(parts, levels / np.float32(255))


def test_a_broken_translator_is_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "stringzilla", None)
    assert compiling.byte_translator.__wrapped__() is None


@pytest.mark.parametrize("p", PARAMETERS, ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_parameters_have_the_bits_of_numpy(p, dtype, monkeypatch, always):
    p.set_params(random_state=0)
    for kind in ("32", "grey", "first"):
        X = images(kind, dtype)
        fast = p.perturb(None, X)
        plain = by_numpy(monkeypatch, lambda X=X: p.perturb(None, X))
        assert fast.tobytes() == plain.tobytes()


def test_ties_of_edges_are_decided_as_by_numpy(monkeypatch, always):
    grey = edge_patterns()
    fast = canny(grey)
    assert np.array_equal(fast, by_numpy(monkeypatch, lambda: canny(grey)))
    assert fast[5].any()
    for side in (1, 2, 3, 5, 8, 9):
        small = np.ascontiguousarray(grey[:, :side, :7])
        plain = by_numpy(monkeypatch, lambda small=small: canny(small))
        assert np.array_equal(canny(small), plain)


@pytest.mark.parametrize("half_width", [0, 1e-9, 0.03, 0.1, 0.3118, 0.9, 5.0])
def test_levels_of_uniform_noise_lie_on_a_line(half_width):
    words = np.arange(65536, dtype=np.uint16)
    levels = _pixel_noise._levels(_pixel_noise.uniform_table, 0.0, half_width)
    line = _pixel_noise._line(half_width)
    assert line is not None
    for byte in (0, 100, 255):
        out = np.empty(words.shape, dtype=np.uint8)
        pixels = np.full(words.shape, byte, dtype=np.uint8)
        compiling._compile(pixel_kernels.add_line_to_bytes)(line, words, pixels, out)
        assert np.array_equal(out, np.clip(levels + byte, 0, 255))


@pytest.mark.parametrize("width", [1, 7, 1500])
def test_draws_have_the_bits_of_numpy(width, monkeypatch, always):
    X = np.random.default_rng(0).integers(0, 256, (30, 5, 3)).astype(np.uint8)

    def draws():
        rng = NoiseKey.from_rows(X, 3).generator()
        size = (30, width)
        kinds = (rng.words, rng.random, rng.selected, rng.normal)
        return [
            kind(0.3, size) if kind == rng.selected else kind(size=size)
            for kind in kinds
        ]

    for fast, plain in zip(draws(), by_numpy(monkeypatch, draws), strict=True):
        assert fast.dtype == plain.dtype
        assert np.array_equal(fast, plain)


def test_what_is_no_number_is_told_as_by_numpy(always):
    class Nothing(sp.ImagePerturbation):
        def _perturb_images(self, images, rng):
            return images * np.float32(np.nan)

    with pytest.warns(RuntimeWarning, match="invalid value"):
        Nothing().perturb(None, images("32", np.uint8))


@pytest.mark.parametrize("size", [(32, 32), (33, 47), (16, 18), (7, 5), (1, 9), (9, 1)])
def test_jpeg_is_that_of_libjpeg_turbo(size, always):
    pillow = pytest.importorskip("PIL.Image")
    if not pytest.importorskip("PIL.features").check_feature("libjpeg_turbo"):
        pytest.skip("Pillow has another codec")
    rng = np.random.default_rng(0)
    height, width = size
    noise = rng.integers(0, 256, (2, height, width, 3))
    edges = 255 * rng.integers(0, 2, (1, height, width, 3))
    photo = PHOTO[None, 60 : 60 + height, 90 : 90 + width]
    X = np.concatenate([noise, edges, photo]).astype(np.uint8)
    for quality in (1, 7, 25, 49, 50, 80, 100):
        for channels in (3, 1):
            got = after_jpeg(X[..., :channels], quality)
            if got is None:
                assert width <= 4
                assert channels == 3
                continue
            for image, new in zip(X[..., :channels], got, strict=True):
                stored = BytesIO()
                pixels = image.reshape(size if channels == 1 else image.shape)
                pixels = np.ascontiguousarray(pixels)
                pillow.fromarray(pixels).save(stored, format="JPEG", quality=quality)
                with pillow.open(stored) as back:
                    assert np.array_equal(np.asarray(back), new.reshape(pixels.shape))


def test_a_shift_is_a_warp(monkeypatch, always):
    X = np.random.default_rng(0).random((3, 9, 12, 2))
    down, right = np.array([0.0, -2.25, 30.0]), np.array([1.5, 3.0, -0.125])
    rows, columns = pixel_grid(9, 12)
    rows, columns = rows[None] + 4.0, columns[None] + 5.5
    rows = rows - down[:, None, None]
    want = warp(X, rows, columns - right[:, None, None], fill=0.3)
    for got in (
        shift(X, down, right, 0.3),
        by_numpy(monkeypatch, lambda: shift(X, down, right, 0.3)),
    ):
        assert np.abs(got - want).max() < 1e-12


def test_threads_share_kernels(always):
    X = images("32", np.uint8)
    p = sp.MotionBlur(severity=2, random_state=0)
    want = p.perturb(None, X)
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: p.perturb(None, X), range(8)):
            assert np.array_equal(got, want)


@pytest.mark.parametrize("function", KERNELS, ids=lambda f: f.__name__)
def test_kernels_take_no_liberties(function):
    options = compiling._compile(function).targetoptions
    assert options["nogil"]
    assert not options.get("fastmath")
    assert not options.get("parallel")  # one thread: joblib decides about more


def test_no_product_is_fused_with_a_sum():
    kernel = numba.njit(nogil=True, error_model="numpy")(draw_kernels.fill_uniform)
    kernel.compile((numba.uint64[::1], numba.float32[::1]))
    code = "".join(kernel.inspect_asm().values())
    assert "mulps" in code or "fmul" in code
    assert not re.search(r"fn?m(add|sub)\d|fmla|fmadd", code)


def test_few_numbers_are_not_worth_a_kernel(monkeypatch):
    function = pixel_kernels.units_of_bytes
    assert compiling.compiled(function, 100) is None
    assert compiling.compiled(function, 1 << 20) is not None
    monkeypatch.setattr(compiling, "_numba", lambda: None)
    assert compiling.compiled(function, 1 << 20) is None


def test_switched_off_compilation_is_no_compilation(monkeypatch):
    compiling._numba.cache_clear()
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert compiling._numba() is None
    monkeypatch.undo()
    compiling._numba.cache_clear()
    assert compiling._numba() is numba


def test_without_a_folder_to_write_to(monkeypatch):
    asked = []

    def njit(cache=False, **options):
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(compiling, "_numba", lambda: SimpleNamespace(njit=njit))
    monkeypatch.setattr(compiling, "_compile", compiling._compile.__wrapped__)
    function = pixel_kernels.units_of_bytes
    assert compiling.compiled(function, 1 << 20) is function
    assert asked == [True, False]


def test_a_fused_sparse_product_is_not_repeated(monkeypatch, always):
    # Where scipy fuses, its way is taken with and without numba.
    X = images("32", np.uint8)
    with monkeypatch.context() as patch:
        patch.setattr(_rotation, "_sums_are_plain", lambda: False)
        patch.setattr(_rotation, "_four_taps", None)
        got = sp.Rotation(20).perturb(None, X)
    assert np.array_equal(sp.Rotation(20).perturb(None, X), got)
