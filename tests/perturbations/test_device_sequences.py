"""Sequences of images on a device: the noise of the host, and no picture leaves."""

import numpy as np
import pytest

import skrobust.perturbations as sp
from skrobust.base import BasePerturbation
from skrobust.base.changed_rows import changed_rows, row_distortion

torch = pytest.importorskip("torch")

from families import public_classes  # noqa: E402
from pretended_device import pretend  # noqa: E402

pytestmark = pytest.mark.torch

RNG = np.random.default_rng(0)
X = RNG.integers(0, 256, (20, 3, 16, 16)).astype(np.uint8)
X[7] = X[3]


@pytest.fixture
def device(monkeypatch):
    """Take CPU tensors for tensors on a device, which no picture may leave."""
    pretend(monkeypatch, most=4 * len(X))


def sequences():
    salt, gauss = sp.SaltAndPepper(0.2), sp.GaussianNoise(std=0.1)
    blur, clear = sp.MotionBlur(radius=2, std=2), sp.Gamma(0)
    yield sp.PerturbationSequence([salt, gauss], random_state=0)
    yield sp.PerturbationSequence([gauss, salt, blur], replicate=2, random_state=0)
    yield sp.PerturbationSequence([clear, gauss], noise_key="position", random_state=1)
    inner = sp.PerturbationSequence([blur, gauss], random_state=3)
    yield sp.PerturbationSequence([inner, gauss], random_state=4)
    yield sp.PerturbationSequence([], random_state=0)
    yield from sp.two_factor_grid("asi68", channel_axis=1, random_state=0)[::9]


@pytest.mark.parametrize("sequence", list(sequences()), ids=str)
def test_noise_is_that_of_the_host_and_no_picture_leaves(sequence, device, monkeypatch):
    expected = sequence.perturb(None, X)
    tensor = torch.from_numpy(X.copy())
    got = sequence.perturb(None, tensor)
    assert got is not tensor
    assert got.dtype == torch.uint8
    monkeypatch.undo()
    assert np.abs(got.numpy().astype(int) - expected).max() <= 1
    assert np.array_equal(tensor.numpy(), X)


def test_a_step_without_a_way_goes_through_the_host(monkeypatch):
    pretend(monkeypatch)
    steps = [sp.GaussianNoise(std=0.1), sp.Snow(2), sp.Gamma(2)]
    sequence = sp.PerturbationSequence(steps, random_state=0)
    images = X / np.float32(255)
    got = sequence.perturb(None, torch.from_numpy(images))
    assert np.abs(got.numpy() - sequence.perturb(None, images)).max() < 1e-5


def test_changes_are_found_where_the_rows_are(device):
    moved = X.copy()
    moved[2, 0, 0, :3] ^= 5
    tensors = torch.from_numpy(X), torch.from_numpy(moved)
    assert np.flatnonzero(changed_rows(*tensors)).tolist() == [2]
    size, unit = row_distortion(*tensors)
    expected, _ = row_distortion(X, moved)
    assert unit == "root mean square"
    np.testing.assert_allclose(size, expected, rtol=1e-12)
    a = np.where(RNG.random((20, 9)) < 0.2, np.nan, 1.0)
    b = np.where(RNG.random((20, 9)) < 0.5, a, 2.0)
    b[0] = a[0]
    tensors = torch.from_numpy(a), torch.from_numpy(b)
    assert np.array_equal(changed_rows(*tensors), changed_rows(a, b))
    assert not changed_rows(*tensors)[0]
    np.testing.assert_allclose(row_distortion(*tensors)[0], row_distortion(a, b)[0])


def test_rows_of_a_device_are_learned_from_and_refused(monkeypatch):
    pretend(monkeypatch)
    values = RNG.normal(size=(9, 4, 4))
    p = sp.Gamma(2).fit(torch.from_numpy(values))
    assert p.data_range_ == sp.Gamma(2).fit(values).data_range_
    steps = [sp.GaussianNoise(std=0.1, image_shape=(4, 4))]
    sequence = sp.PerturbationSequence(steps).fit(values.reshape(9, 16))
    with pytest.raises(ValueError, match="9 features"):
        sequence.perturb(None, torch.zeros(2, 9))
    with pytest.raises(ValueError, match="0 sample"):
        sp.PerturbationSequence([]).perturb(None, torch.zeros(0, 4, 4))


@pytest.mark.parametrize("kind", public_classes(sp, BasePerturbation))
def test_only_what_has_a_way_of_its_own_takes_rows_on_a_device(kind):
    if kind._takes_device is True:
        assert kind._perturb_container is not BasePerturbation._perturb_container
        assert kind._takes == "images"
    steps = [Thirds(), Thirds()]
    assert not sp.PerturbationSequence(steps)._takes_device
    assert not sp.PerturbationSequence([sp.Gamma(2), Thirds()])._takes_device
    assert sp.PerturbationSequence([sp.Gamma(2), sp.Snow(2)])._takes_device


class Thirds(BasePerturbation):
    """Adds 0.3, with no way of its own on a device."""

    random_state = None

    def _perturb(self, X, rng):
        return X + 0.3


def test_whole_numbers_of_a_device_are_rounded_after_the_last_step(monkeypatch):
    whole = np.arange(12).reshape(4, 3)
    sequence = sp.PerturbationSequence([Thirds(), Thirds()], random_state=0)
    expected = sequence.perturb(None, whole)
    pretend(monkeypatch)
    got = sequence.perturb(None, torch.from_numpy(whole))
    monkeypatch.undo()
    assert np.array_equal(got.numpy(), expected)
