"""Images on a device give what they give on the host, to the last digits."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

import skrobust.perturbations as sp
from skrobust import _containers
from skrobust._keyed_noise.generator import NoiseKey
from skrobust._keyed_noise.tensor_noise import TensorGenerator
from skrobust.perturbations.images.device_images import has_way, perturb_on_device
from skrobust.perturbations.images.image_perturbation import ImagePerturbation

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
    sp.Tilt(4, fill=0.2),
    sp.DefocusBlur(3),
    sp.DefocusBlur(radius=2.2, alias_std=0),
    sp.DefocusBlur(radius=0.1, alias_std=1),
    sp.DefocusBlur(2.5, published=True),
    sp.ZoomBlur(4),
    sp.ZoomBlur(3.4, published=True),
    sp.Pixelate(share=0.4),
    sp.Pixelate(share=0.85),
    sp.Stripe(width=0.2),
]
DRAWN = [
    sp.GaussianNoise(3),
    sp.GaussianNoise(mean=0.1, var=0.01),
    sp.UniformNoise(half_width=0.3),
    sp.SpeckleNoise(4),
    sp.SaltAndPepper(density=0.3),
    sp.SaltAndPepper(density=0.3, per_channel=False),
    sp.PixelDropout(density=0.3),
    sp.ChannelShift(shift=0.13),
    sp.Occlusion(area=0.2, fill=0.4),
    sp.Translation(distance=0.3, fill=0.2),
    sp.Translation(distance=0.3, direction="diagonal"),
    sp.Translation(distance=3.0, direction=20, fill=0.7),
    sp.MotionBlur(radius=3, std=2),
    sp.MotionBlur(3, published=True),
    sp.MotionBlur(radius=0, std=1),
    sp.Fog(3),
    sp.Fog(2, map_size=64),
    sp.Rotation(33, both_ways=True, fill=0.3),
    sp.Shear(shear=0.5, both_ways=True),
    sp.DottedLine(opacity=0.7),
    sp.Zigzag(opacity=0.7),
    sp.Zigzag(4, published=True),
]
SHOT = [sp.ShotNoise(photons=7), sp.ShotNoise(5)]
RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, (6, 12, 9, 3)).astype(np.uint8)
BYTES[0, 0] = 0  # black rises in another way
BYTES[4] = BYTES[1]  # equal rows draw other numbers
COLOURS = [sp.Saturate(4), sp.Saturate(scale=0.2, offset=-0.1)]


def seeded(p):
    return p.set_params(random_state=3, image_shape=None)


@pytest.fixture
def device(monkeypatch):
    """Take CPU tensors for tensors on a device."""
    monkeypatch.setattr(_containers, "HOST", set())


def compare(p, X):
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


@pytest.mark.parametrize("p", KINDS + DRAWN, ids=str)
@pytest.mark.parametrize("layout", ["last", "first", "grey", "flat"])
def test_floats_agree_with_the_host(p, layout):
    X = BYTES / 255 * 0.9
    X = {
        "last": X,
        "first": np.ascontiguousarray(np.moveaxis(X, -1, 1)),
        "grey": X[..., 0],
        "flat": X[..., 0].reshape(6, -1),
    }[layout]
    seeded(p).set_params(image_shape=(12, 9) if layout == "flat" else None)
    compare(p, X)


@pytest.mark.parametrize("p", KINDS + DRAWN, ids=str)
@pytest.mark.parametrize("layout", ["last", "first", "grey"])
def test_an_image_alone_agrees_with_the_host(p, layout):
    X = BYTES[2:3] / 255 * 0.9
    X = {"last": X, "first": np.moveaxis(X, -1, 1).copy(), "grey": X[..., 0]}[layout]
    compare(seeded(p).set_params(image_shape=None), X)


BY_SIDE = [
    p
    for p in KINDS + DRAWN + COLOURS
    if p.severity and any(strength.large for strength in p._strengths.values())
]


@pytest.mark.parametrize("p", BY_SIDE, ids=str)
@pytest.mark.parametrize("shape", [(36, 60), (60, 36), (50, 50)])
@pytest.mark.parametrize("axis", [1, 3])
def test_levels_between_the_published_sides_agree_with_the_host(p, shape, axis):
    X = np.random.default_rng(0).random((1, *shape, 3))
    compare(seeded(p), np.ascontiguousarray(np.moveaxis(X, -1, axis)))


@pytest.mark.parametrize("p", COLOURS, ids=str)
@pytest.mark.parametrize("axis", [1, 3])
def test_colours_agree_with_the_host(p, axis):
    compare(seeded(p), np.ascontiguousarray(np.moveaxis(BYTES / 255, -1, axis)))
    with pytest.raises(ValueError, match="Saturate needs images with 3 channels"):
        perturb_on_device(p, torch.zeros(2, 8, 8))


@pytest.mark.parametrize("p", KINDS + DRAWN + COLOURS, ids=str)
def test_values_beyond_a_learned_range_agree_with_the_host(p):
    for dtype in (np.float64, np.float32):
        X = (1.6 * (BYTES / 255) - 0.3).astype(dtype)
        fitted = seeded(clone(p)).fit(0.8 * X)
        got = perturb_on_device(fitted, torch.from_numpy(X)).numpy()
        tolerance = 1e-11 if dtype == np.float64 else 1e-5
        difference = np.abs(got - fitted.perturb(None, X))
        a_step = isinstance(p, sp.Quantization)  # where a value meets a half
        assert (difference > tolerance).mean() <= 0.01 * a_step


@pytest.mark.parametrize("p", SHOT, ids=str)
def test_shot_noise_of_bytes_agrees_and_goes_to_the_host_between_them(p):
    X = BYTES / 255
    compare(seeded(p), X)
    assert perturb_on_device(p, torch.from_numpy(X * 0.9)) is None
    p = sp.ShotNoise(photons=5000)
    assert perturb_on_device(p, torch.from_numpy(BYTES)) is None


@pytest.mark.parametrize("p", KINDS + DRAWN + COLOURS + SHOT, ids=str)
def test_bytes_agree_with_the_host(p):
    seeded(p)
    got = perturb_on_device(p, torch.from_numpy(BYTES))
    assert got.dtype == torch.uint8
    difference = np.abs(got.numpy().astype(int) - p.perturb(None, BYTES))
    # They differ where rounding meets a half.
    assert difference.max() <= (37 if isinstance(p, sp.Quantization) else 1)
    # Halves are common among means of four bytes, and counts of 50 photons.
    common = isinstance(p, (sp.Pixelate, sp.ShotNoise))
    assert (difference > 0).mean() < (0.2 if common else 5e-3)


@pytest.mark.parametrize("kind", [sp.GaussianNoise, sp.Contrast, sp.Rotation])
def test_bytes_of_another_range_agree_with_the_host(kind):
    p = seeded(kind(severity=3, data_range=(-20, 300)))
    got = perturb_on_device(p, torch.from_numpy(BYTES)).numpy()
    assert np.abs(got.astype(int) - p.perturb(None, BYTES)).max() <= 1
    with pytest.raises(ValueError, match="outside its data range"):
        perturb_on_device(p.set_params(data_range=(9, 90)), torch.from_numpy(BYTES))


@pytest.mark.parametrize("p", [sp.GaussianNoise(3), sp.Fog(3), sp.MotionBlur(2)])
def test_parts_of_a_tensor_draw_what_the_whole_does(p, monkeypatch):
    from skrobust.perturbations.images import device_images

    whole = perturb_on_device(seeded(p), torch.from_numpy(BYTES))
    parts = [slice(0, 2), slice(2, 3), slice(3, 6)]
    monkeypatch.setattr(device_images, "chunks", lambda *_, **__: parts)
    assert torch.equal(perturb_on_device(p, torch.from_numpy(BYTES)), whole)


@pytest.mark.parametrize("p", KINDS + DRAWN + COLOURS, ids=str)
def test_what_is_computed_with_lies_on_the_device(p):
    # Tensors without values refuse to meet those of the host.
    images = torch.empty((4, 3, 32, 32), device="meta")
    rng = TensorGenerator(NoiseKey.from_positions(4, 0), device=images.device)
    got = seeded(p)._perturb_tensor(images, rng)
    assert got.device.type == "meta"
    assert (got.shape, got.dtype) == (images.shape, images.dtype)


def test_every_way_is_compared():
    tried = {type(p) for p in KINDS + DRAWN + COLOURS + SHOT}
    kinds = {kind for kind in vars(sp).values() if inspect.isclass(kind)}
    kinds = {k for k in kinds if issubclass(k, ImagePerturbation)}
    assert {k for k in kinds if has_way(k) and not inspect.isabstract(k)} == tried


def test_a_learned_range_holds_on_the_device():
    X = RNG.normal(size=(20, 6, 7))
    kinds = (sp.Contrast(2), sp.Gamma(3), sp.Rotation(20), sp.GaussianNoise(3))
    for p in kinds:
        p.set_params(random_state=1).fit(X)
        got = perturb_on_device(p, torch.from_numpy(2 * X)).numpy()
        assert np.abs(got - p.perturb(None, 2 * X)).max() < 1e-12


def test_severity_zero_is_a_copy():
    X = torch.from_numpy(BYTES)
    for kind in (sp.Gamma, sp.GaussianNoise):
        got = perturb_on_device(kind(0), X)
        assert torch.equal(got, X)
        assert got.data_ptr() != X.data_ptr()


def test_what_the_host_refuses_is_refused():
    with pytest.raises(ValueError, match="outside its data range"):
        perturb_on_device(sp.Gamma(1, data_range=(0, 1)), torch.full((1, 2, 2), 3.0))
    with pytest.raises(ValueError, match="'severity' parameter of Gamma"):
        perturb_on_device(sp.Gamma(9), torch.zeros(1, 2, 2))
    with pytest.raises(ValueError, match="cannot tell the channels"):
        perturb_on_device(sp.Gamma(1), torch.zeros(1, 8, 8, 8))
    p = sp.GaussianNoise(random_state="no")
    with pytest.raises(ValueError, match="'random_state' parameter of GaussianNoise"):
        perturb_on_device(p, torch.zeros(1, 2, 2))
    with pytest.raises(ValueError, match="needs image_shape to turn a severity"):
        perturb_on_device(sp.GaussianNoise(2), torch.zeros(2, 9))
    p = sp.Gamma(1).fit(np.zeros((2, 4, 4)))
    with pytest.raises(ValueError, match="features"):
        perturb_on_device(p, torch.zeros(1, 3, 3))


def test_other_kinds_go_to_the_host(device):
    class Own(sp.Gamma):
        def _point(self, values, known):
            return 1 - values

    X = torch.zeros(2, 8, 8)
    for p in (sp.Snow(), sp.Spatter(), Own(1)):
        assert perturb_on_device(p, X) is None
    assert perturb_on_device(sp.Gamma(1), torch.zeros(2, 8, 8).bool()) is None
    assert perturb_on_device(sp.Gamma(1), torch.full((2, 8, 8), torch.nan)) is None
    assert torch.equal(Own(1).perturb(None, X), torch.ones(2, 8, 8))
    half = torch.full((2, 8, 8), 0.25)
    assert torch.equal(sp.Gamma(gamma=0.5).perturb(None, half), 2 * half)


def test_only_tensors_elsewhere_are_on_a_device():
    assert not _containers.on_device(torch.zeros(2))
    assert not _containers.on_device(np.zeros(3))
    assert _containers.on_device(torch.zeros(2, device="meta"))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("p", KINDS + DRAWN + COLOURS + SHOT, ids=str)
def test_results_stay_on_the_gpu(p):
    seeded(p)
    X = torch.from_numpy((BYTES / 255).astype(np.float32))
    got = p.perturb(None, X.cuda())
    assert got.device.type == "cuda"
    difference = (got.cpu() - p.perturb(None, X)).abs()
    assert (difference > 1e-5).float().mean() < 0.01
