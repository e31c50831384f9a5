"""The image engine: batches, tables and bytes change nothing but the speed."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, clone

from skrobust import perturbations
from skrobust.perturbations import (
    GaussianNoise,
    ImagePerturbation,
    PixelDropout,
    PointPerturbation,
    Rotation,
    SaltAndPepper,
    ShotNoise,
    SpeckleNoise,
    UniformNoise,
)
from skrobust.perturbations.images._pixel_noise import normal_table
from skrobust.testing import check_perturbation

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, size=(20, 12, 10, 3), dtype=np.uint8)


class Contrast(PointPerturbation):
    """A point operation about the mean of each channel."""

    def __init__(self, factor=0.4, image_shape=None, channel_axis=None,
                 data_range="auto", random_state=None):  # fmt: skip
        self.factor, self.image_shape = factor, image_shape
        self.channel_axis, self.data_range = channel_axis, data_range
        self.random_state = random_state

    def _image_statistics(self, images):
        return images.mean(axis=(1, 2), keepdims=True)

    def _point(self, values, known):
        return known + self.factor * (values - known)


class Gamma(Contrast):
    """A point operation that is the same in all images."""

    _image_statistics = None

    def _point(self, values, known):
        return values**self.factor


EVERY = [
    GaussianNoise(std=0.1),
    GaussianNoise(mean=-0.1, std=0.2),
    SaltAndPepper(0.2),
    SaltAndPepper(0.2, per_channel=False),
    UniformNoise(half_width=0.2),
    SpeckleNoise(std=0.3),
    ShotNoise(photons=20),
    ShotNoise(photons=401),
    ShotNoise(photons=1e5),
    PixelDropout(0.2),
    Rotation(20),
    Rotation(-60, canvas="fit", fill=0.5),
    Contrast(),
    Gamma(),
]
NOISE = [
    UniformNoise(half_width=0.1),
    SpeckleNoise(std=0.2),
    ShotNoise(photons=30),
    PixelDropout(0.2),
]


def seeded(p, **params):
    return clone(p).set_params(random_state=0, **params)


@pytest.mark.parametrize("p", NOISE, ids=str)
@pytest.mark.parametrize("shape", [(12, 8, 8), (12, 3, 9, 8), (6, 40, 30)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_promises_of_the_newer_noise(p, shape, dtype):
    X = RNG.random(shape)
    X = (255 * X).astype(dtype) if dtype == np.uint8 else X.astype(dtype)
    check_perturbation(p, X)


@pytest.mark.parametrize("p", EVERY, ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_batches_change_nothing(p, dtype, monkeypatch):
    X = BYTES if dtype == np.uint8 else BYTES / 255
    whole = seeded(p).perturb(None, X)
    monkeypatch.setattr(type(p), "_batch_rows", lambda self, size: 3)
    # A product of matrices may round differently by its width.
    close = 1e-12 if dtype == np.float64 else 0
    assert np.allclose(seeded(p).perturb(None, X), whole, rtol=0, atol=close)


@pytest.mark.parametrize("p", EVERY, ids=str)
@pytest.mark.parametrize("first", [False, True])
def test_bytes_agree_with_floats(p, first, monkeypatch):
    X = np.moveaxis(BYTES, -1, 1) if first else BYTES
    fast = seeded(p).perturb(None, X)
    assert fast.dtype == np.uint8
    # The same numbers as floats have the same noise, which is then rounded.
    floats = seeded(p, data_range=(0, 255)).perturb(None, X.astype(np.float64))
    assert np.abs(fast - floats).max() < 0.5 + 1e-3
    monkeypatch.setattr(type(p), "_perturb_bytes", lambda *args: None)
    slow = seeded(p).perturb(None, X)
    # They differ where rounding meets a half.
    difference = np.abs(fast.astype(int) - slow)
    assert difference.max() <= 1
    assert (difference > 0).mean() < 1e-3


@pytest.mark.parametrize("p", [Contrast(), Gamma()], ids=str)
def test_tables_of_levels_are_exact(p, monkeypatch):
    fast = p.perturb(None, BYTES)
    monkeypatch.setattr(PointPerturbation, "_perturb_bytes", lambda *args: None)
    assert np.array_equal(p.perturb(None, BYTES), fast)


def test_own_bytes_may_be_new_or_changed_in_place():
    class New(Gamma):
        def _perturb_bytes(self, images, rng):
            return images // 2

    class Changed(Gamma):
        def _perturb_bytes(self, images, rng):
            images //= 2
            return images

    before = BYTES.copy()
    for kind in (New, Changed):
        assert np.array_equal(kind(3).perturb(None, BYTES), BYTES // 2)
    assert np.array_equal(BYTES, before)


def test_contrast_by_hand():
    X = np.array([[[0, 100], [50, 250]]], dtype=np.uint8)
    assert Contrast(0.5).perturb(None, X).tolist() == [[[50, 100], [75, 175]]]


@pytest.mark.slow
@pytest.mark.parametrize("p", EVERY, ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_memory_is_the_result_and_a_batch(p, dtype):
    # Even one float for each value of the 700 images more would be 34 MB.
    X = np.zeros((700, 64, 64, 3), dtype=dtype)
    X += RNG.integers(0, 2, size=(700, 1, 1, 1)).astype(dtype)
    p = seeded(p)
    p.perturb(None, X[:2])  # tables that are kept
    tracemalloc.start()
    out = p.perturb(None, X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A batch in floats is 2 MB; some steps hold several of 4- and 8-byte numbers.
    assert peak < out.nbytes + 24e6


def test_images_cannot_be_changed_in_place():
    class InPlace(Gamma):
        _perturb_bytes = ImagePerturbation._perturb_bytes

        def _perturb_images(self, images, rng):
            images *= 0.5
            return images

    for X in (BYTES, BYTES / 255):
        before = X.copy()
        out = InPlace().perturb(None, X)
        assert np.array_equal(X, before)
        assert np.abs(out - 0.5 * before).max() <= 1  # half, up to rounding


def test_what_draws_nothing_hashes_nothing(monkeypatch):
    monkeypatch.setattr("skrobust.base.perturbation.row_keys", None)
    Rotation(20).perturb(None, BYTES)
    with pytest.raises(TypeError):
        GaussianNoise().perturb(None, BYTES)


def test_normal_table():
    table = normal_table()
    assert table.mean() == pytest.approx(0, abs=1e-12)
    assert table.std() == pytest.approx(1, abs=1e-12)
    assert np.abs(table - stats.norm.ppf((np.arange(65536) + 0.5) / 65536)).max() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize(
    "p, law",
    [
        (GaussianNoise(std=0.05), stats.norm(0.5, 0.05)),
        (GaussianNoise(mean=0.1, std=0.05), stats.norm(0.6, 0.05)),
        (UniformNoise(half_width=0.2), stats.uniform(0.3, 0.4)),
        (SpeckleNoise(std=0.1), stats.norm(0.5, 0.05)),
        (ShotNoise(photons=1e4), stats.norm(0.5, np.sqrt(0.5e-4))),
    ],
    ids=lambda value: str(value) if isinstance(value, BaseEstimator) else "law",
)
def test_a_million_draws(p, law):
    X = np.full((1000, 25, 40), 0.5)
    out = seeded(p).perturb(None, X).ravel()
    sd = law.std()
    assert abs(out.mean() - law.mean()) < 4 * sd / 1e3
    assert abs(out.std() - sd) < 4 * sd / np.sqrt(2e6)
    if not isinstance(p, ShotNoise):  # whose law is only near to the normal one
        assert stats.kstest(out, law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("severity", [0.5, 1, 2.5, 5])
@pytest.mark.parametrize("side", [32, 60, 224])
def test_uniform_noise_has_the_sd_of_gaussian_noise(severity, side):
    images = np.full((2, side, side, 1), 0.5)
    sds = [
        kind(severity)._noise_table(images).std()
        for kind in (GaussianNoise, UniformNoise)
    ]
    assert sds[0] == pytest.approx(sds[1], rel=1e-6)


def test_levels_of_the_published_tables():
    X = np.full((40, 32, 32), 0.5)
    for severity, sd in enumerate((0.06, 0.1, 0.12, 0.16, 0.2), start=1):
        noisy = SpeckleNoise(severity, random_state=0).perturb(None, X)
        assert noisy.std() == pytest.approx(0.5 * sd, rel=0.02)
    for severity, photons in enumerate((500, 250, 100, 75, 50), start=1):
        noisy = ShotNoise(severity, random_state=0).perturb(None, X)
        assert noisy.var() == pytest.approx(0.5 / photons, rel=0.03)
    for severity, share in enumerate((0.01, 0.02, 0.05, 0.1, 0.2), start=1):
        dropped = PixelDropout(severity=severity, random_state=0).perturb(None, X)
        assert (dropped == 0).mean() == pytest.approx(share, rel=0.08)
    large = np.full((2, 224, 224), 0.5)
    noisy = SpeckleNoise(1, random_state=0).perturb(None, large)
    assert noisy.std() == pytest.approx(0.075, rel=0.02)
    noisy = ShotNoise(1, random_state=0).perturb(None, large)
    assert noisy.var() == pytest.approx(0.5 / 60, rel=0.03)


@pytest.mark.parametrize("photons", [3, 20.5, 500])
@pytest.mark.parametrize("value", [1 / 255, 100 / 255, 0.3337, 0.0011, 1.0])
def test_shot_noise_counts_photons(photons, value):
    X = np.full((100, 50, 50), value)
    noise = ShotNoise(photons=photons, data_range=(0, 4), random_state=0)
    counts = noise.set_params(photons=4 * photons).perturb(None, X) * photons
    assert np.allclose(counts, counts.round(), atol=1e-6)
    law = stats.poisson(photons * value)
    seen = np.bincount(counts.round().astype(int).ravel())
    expected = X.size * law.pmf(np.arange(len(seen)))
    enough = expected > 20
    z = (seen[enough] - expected[enough]) / np.sqrt(expected[enough])
    assert np.abs(z).max() < 5
    assert counts.mean() == pytest.approx(law.mean(), abs=5 * law.std() / 500)
    spread = np.sqrt((law.stats("k") + 2) / X.size) / 2
    assert counts.std() == pytest.approx(law.std(), rel=5 * spread)


def test_shot_noise_above_a_learned_range_keeps_the_excess():
    noise = ShotNoise(photons=1000, random_state=0).fit(RNG.random((5, 8, 8)) * 10)
    X = np.full((200, 8, 8), 15.0)
    X[:, 0, 0] = 30
    noisy = noise.perturb(None, X)[:, 1:]
    assert noisy.mean() == pytest.approx(15, abs=0.05)
    assert noisy.std() == pytest.approx(10 / 1000**0.5, rel=0.05)


@pytest.mark.parametrize("kind", [GaussianNoise, UniformNoise, SpeckleNoise, ShotNoise])
def test_severity_goes_to_zero_without_a_jump(kind):
    X = np.full((20, 32, 32), 0.5)
    for severity in (1e-6, 1e-3, 0.1):
        change = kind(severity, random_state=0).perturb(None, X) - 0.5
        assert 0 < change.std() < 0.06 * severity


def test_shot_noise_shares_its_draws_along_severity():
    X = RNG.random((20, 32, 32))
    changes = [
        (ShotNoise(s, random_state=0).perturb(None, X) - X).ravel()
        for s in (0.2, 1, 3, 5)
    ]
    assert np.corrcoef(changes).min() > 0.85
    assert np.all(np.diff([c.std() for c in changes]) > 0)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize(
    "kind, params", [(SaltAndPepper, {}), (SaltAndPepper, {"per_channel": False}),
                     (PixelDropout, {})],
)  # fmt: skip
def test_struck_pixels_stay_struck(dtype, kind, params):
    X = np.full((50, 8, 8, 3), 0.5 if dtype == np.float32 else 128, dtype=dtype)
    before = np.zeros(X.shape, dtype=bool)
    for density in (0, 1e-5, 1e-3, 0.01, 0.0100001, 0.3, 0.7, 0.99, 1):
        out = kind(density, random_state=0, **params).perturb(None, X)
        struck = out != X
        assert not (before & ~struck).any()
        assert struck.mean() == pytest.approx(density, abs=0.02)
        before = struck
    assert before.all()


def test_low_densities_are_exact():
    # 0.3 of one of the 65,536 words: rounding would strike nothing, or three times.
    X = np.full((4000, 1500), 128, dtype=np.uint8)
    density = 0.6 / 65536
    for kind in (SaltAndPepper, PixelDropout):
        struck = (kind(density, random_state=0).perturb(None, X) != X).sum()
        assert abs(struck - density * X.size) < 5 * np.sqrt(density * X.size)


BAD = {
    "half_width": (UniformNoise(half_width=-1), "'half_width' parameter of Uniform"),
    "both": (UniformNoise(1, half_width=0.1), "either 'severity' or 'half_width'"),
    "std": (SpeckleNoise(std=-0.1), "'std' parameter of SpeckleNoise must be a non"),
    "photons": (ShotNoise(photons=0), "'photons' parameter of ShotNoise must be a pos"),
    "photons text": (ShotNoise(photons="9"), "of ShotNoise must be a positive float"),
    "density": (PixelDropout(2), r"'density' parameter of PixelDropout .* in \[0, 1\]"),
    "severity": (ShotNoise(6), r"a number in \[0, 5\]"),
}


@pytest.mark.parametrize("p, sentence", BAD.values(), ids=BAD)
def test_pixel_noises_refuse_wrong_parameters(p, sentence):
    with pytest.raises(ValueError, match=sentence):
        p.fit(BYTES)


@pytest.mark.parametrize(
    "perturbation",
    [
        perturbations.Contrast(factor=0.3),
        perturbations.Contrast(3.5),
        perturbations.Brightness(shift=0.2),
        perturbations.Brightness(shift=-0.3),
        perturbations.Gamma(gamma=0.6),
        perturbations.Quantization(bits=3),
        perturbations.Quantization(0.5),
    ],
    ids=str,
)
@pytest.mark.parametrize("channels", [1, 3])
def test_tables_of_8_bit_images_are_the_plain_formula(
    perturbation, channels, monkeypatch
):
    images = np.random.default_rng(0).integers(
        0, 256, size=(7, 33, 20, channels), dtype=np.uint8
    )
    images[0] = 0
    perturbation = clone(perturbation).set_params(channel_axis=-1)
    fast = perturbation.perturb(None, images)
    monkeypatch.setattr(type(perturbation), "_perturb_bytes", lambda *_: None)
    assert np.array_equal(fast, perturbation.perturb(None, images))
