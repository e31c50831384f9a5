"""Images on a device give what they give on the host, to the last digits."""

import numpy as np
import pytest

import skrobust.perturbations as sp
from skrobust.perturbations.images import image_perturbation
from skrobust.perturbations.images.device_images import (
    on_other_device,
    perturb_on_device,
)

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

KINDS = [
    sp.Brightness(3),
    sp.Brightness(shift=-0.4),
    sp.Contrast(factor=0.37),
    sp.Gamma(4),
    sp.Gamma(4, direction="darker"),
    sp.GaussianBlur(std=1.3),
    sp.Quantization(bits=3),
    sp.Rotation(33, fill=0.3),
    sp.Rotation(-70, canvas="fit", clockwise=True),
    sp.Scaling(factor=1.4),
    sp.Scaling(factor=0.7, fill=0.6),
    sp.Shear(shear=0.5, fill=0.2),
]
RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, (5, 12, 9, 3)).astype(np.uint8)
BYTES[0, 0] = 0  # black rises in another way


@pytest.mark.parametrize("p", KINDS, ids=str)
@pytest.mark.parametrize("layout", ["last", "first", "grey", "flat"])
def test_floats_agree_with_the_host(p, layout):
    X = BYTES / 255
    X = {
        "last": X,
        "first": np.ascontiguousarray(np.moveaxis(X, -1, 1)),
        "grey": X[..., 0],
        "flat": X[..., 0].reshape(5, -1),
    }[layout]
    p.set_params(image_shape=(12, 9) if layout == "flat" else None)
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 3e-6)):
        host = p.perturb(None, X.astype(dtype))
        tensor = torch.from_numpy(X.astype(dtype))
        got = perturb_on_device(p, tensor)
        assert got.dtype == tensor.dtype
        difference = np.abs(got.numpy() - host)
        if isinstance(p, sp.Quantization):  # a step, where a value meets a half
            assert (difference > tolerance).mean() < 0.01
        else:
            assert difference.max() < tolerance
        assert np.array_equal(tensor.numpy(), X.astype(dtype))


@pytest.mark.parametrize("p", KINDS, ids=str)
def test_bytes_agree_with_the_host(p):
    p.set_params(image_shape=None)
    got = perturb_on_device(p, torch.from_numpy(BYTES))
    assert got.dtype == torch.uint8
    difference = np.abs(got.numpy().astype(int) - p.perturb(None, BYTES))
    # They differ where rounding meets a half.
    assert difference.max() <= (37 if isinstance(p, sp.Quantization) else 1)
    assert (difference > 0).mean() < 2e-3


def test_a_learned_range_holds_on_the_device():
    X = RNG.normal(size=(20, 6, 7))
    for p in (sp.Contrast(2), sp.Gamma(3), sp.Rotation(20)):
        p.fit(X)
        got = perturb_on_device(p, torch.from_numpy(2 * X)).numpy()
        assert np.abs(got - p.perturb(None, 2 * X)).max() < 1e-12


def test_severity_zero_is_a_copy():
    X = torch.from_numpy(BYTES)
    got = perturb_on_device(sp.Gamma(0), X)
    assert torch.equal(got, X)
    assert got.data_ptr() != X.data_ptr()


def test_what_the_host_refuses_is_refused():
    with pytest.raises(ValueError, match="outside its data range"):
        perturb_on_device(sp.Gamma(1, data_range=(0, 1)), torch.full((1, 2, 2), 3.0))
    with pytest.raises(ValueError, match="'severity' parameter of Gamma"):
        perturb_on_device(sp.Gamma(9), torch.zeros(1, 2, 2))
    with pytest.raises(ValueError, match="cannot tell the channels"):
        perturb_on_device(sp.Gamma(1), torch.zeros(1, 8, 8, 8))
    p = sp.Gamma(1).fit(np.zeros((2, 4, 4)))
    with pytest.raises(ValueError, match="features"):
        perturb_on_device(p, torch.zeros(1, 3, 3))


def test_other_kinds_go_to_the_host(monkeypatch):
    class Own(sp.Gamma):
        def _point(self, values, known):
            return 1 - values

    X = torch.zeros(2, 8, 8)
    for p in (sp.GaussianNoise(), sp.Snow(), Own(1)):
        assert perturb_on_device(p, X) is None
    assert perturb_on_device(sp.Gamma(1), torch.zeros(2, 8, 8).bool()) is None
    assert perturb_on_device(sp.Gamma(1), torch.full((2, 8, 8), torch.nan)) is None
    assert not on_other_device(X)
    assert not on_other_device(np.zeros(3))
    # As if the tensor were on a device.
    monkeypatch.setattr(image_perturbation, "on_other_device", lambda X: True)
    assert torch.equal(Own(1).perturb(None, X), torch.ones(2, 8, 8))
    half = torch.full((2, 8, 8), 0.25)
    assert torch.equal(sp.Gamma(gamma=0.5).perturb(None, half), 2 * half)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("p", KINDS, ids=str)
def test_results_stay_on_the_gpu(p):
    p.set_params(image_shape=None)
    X = torch.from_numpy((BYTES / 255).astype(np.float32))
    got = p.perturb(None, X.cuda())
    assert got.device.type == "cuda"
    difference = (got.cpu() - p.perturb(None, X)).abs()
    assert (difference > 1e-5).float().mean() < 0.01
