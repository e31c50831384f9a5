"""Keys and numbers of tensors are those of arrays, bit for bit."""

import numpy as np
import pytest

from skrobust._keyed_noise import tensor_noise
from skrobust._keyed_noise.generator import KeyedGenerator, NoiseKey
from skrobust._keyed_noise.splitmix import row_keys

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=[
            pytest.mark.gpu,
            pytest.mark.skipif(
                not torch.cuda.is_available(), reason="no CUDA device here"
            ),
        ],
    ),
]
RNG = np.random.default_rng(0)


def rows(kind, shape):
    if kind == "bytes":
        return RNG.integers(0, 256, shape).astype(np.uint8)
    X = RNG.normal(size=shape)
    if kind == "odd floats":
        X[0], X[1], X[2] = 0, -0.0, np.arange(X[0].size).reshape(X[0].shape) % 256
        X[3].flat[::2] = np.nan
        X[4].flat[1::2] = np.inf
        X[5] = 2.5e38
        X[6].flat[0] = 7  # the first number alone is a byte
    return X


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(9, 1), (9, 7), (9, 3, 8, 5), (9, 2051)])
@pytest.mark.parametrize("kind", ["bytes", "floats", "odd floats"])
def test_keys_are_those_of_the_host(kind, shape, device):
    X = rows(kind, shape)
    for dtype in (np.uint8,) if kind == "bytes" else (np.float64, np.float32):
        with np.errstate(over="ignore"):
            X = X.astype(dtype)
        found = tensor_noise.tensor_row_keys(torch.from_numpy(X).to(device))
        assert found.dtype == np.uint64
        assert np.array_equal(found, row_keys(X))
    if kind == "floats":
        half = X.astype(np.float16)
        found = tensor_noise.tensor_row_keys(torch.from_numpy(half).to(device))
        assert np.array_equal(found, row_keys(half))


def test_keys_of_chunks_and_of_views(monkeypatch):
    X = rows("bytes", (40, 21))
    parts = [slice(i, i + 3) for i in range(0, 40, 3)]
    monkeypatch.setattr(tensor_noise, "chunks", lambda *_, **__: parts)
    tensor = torch.from_numpy(X)
    assert np.array_equal(tensor_noise.tensor_row_keys(tensor), row_keys(X))
    floats = X / 255
    found = tensor_noise.tensor_row_keys(torch.from_numpy(floats))
    assert np.array_equal(found, row_keys(floats))


def test_keys_of_views():
    X = rows("bytes", (40, 21))
    tensor = torch.from_numpy(X)
    # Rows that begin in the middle of a word of memory, and lie apart.
    for part in (np.s_[1::2], np.s_[:, 1:8], np.s_[3:, :6:2]):
        assert np.array_equal(
            tensor_noise.tensor_row_keys(tensor[part]), row_keys(X[part])
        )
    assert (tensor_noise.tensor_row_keys(tensor[:, :0]) == 0).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("size", [(5, 3), (5, 6, 7, 3), (5, 1024), (5, 31, 67)])
def test_numbers_are_those_of_the_host(size, device):
    key = NoiseKey.from_rows(RNG.normal(size=(5, 4)), 11).derive("a kind", 0)
    host, there = KeyedGenerator(key), tensor_noise.TensorGenerator(key, device=device)
    for verb in ("words", "random", "normal", "words"):  # in one order of calls
        expected = getattr(host, verb)(size=size)
        found = getattr(there, f"tensor_{verb}")(size)
        assert found.device.type == device
        found = found.cpu().numpy()
        if verb == "words":
            assert np.array_equal(found, expected)
        else:
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected)
        # The verbs of the host count on, too.
        assert np.array_equal(there.random(size=5), host.random(size=5))
    part = there.take(slice(1, 3)).tensor_normal((2, *size[1:])).cpu().numpy()
    assert np.array_equal(part, host.normal(size=size)[1:3])


def test_what_lies_outside_of_its_layer_is_found_too():
    key = NoiseKey.from_positions(4, 0)
    there = tensor_noise.TensorGenerator(key, device="cpu")
    z = there.tensor_normal((4, 200_000)).numpy()
    assert np.array_equal(z, KeyedGenerator(key).normal(size=z.shape))
    assert np.abs(z).max() > 3.7  # in the tail, beyond the base
