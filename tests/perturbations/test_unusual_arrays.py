"""Unusual arrays: byte orders, booleans, empty axes, sparse, huge and tiny values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import skrobust.perturbations as sp
from skrobust.perturbations import GaussianNoise, SaltAndPepper
from skrobust.testing import check_perturbation

RNG = np.random.default_rng(0)


def test_warped_series_are_the_same_alone_and_in_a_batch():
    # A matrix product rounds by the number of rows.
    X = RNG.normal(size=(50, 40))
    p = sp.TimeWarp(std=0.5, random_state=0)
    out = p.perturb(None, X)
    for i in range(50):
        assert np.array_equal(p.perturb(None, X[i : i + 1])[0], out[i])


@pytest.mark.parametrize("p", [sp.Rotation(30), sp.GaussianNoise(std=0.1)], ids=str)
@pytest.mark.parametrize("dtype", [">f8", ">f4", "float16"])
def test_pixels_of_other_byte_orders_and_half_precision(p, dtype):
    X = RNG.random((4, 9, 8)).astype(dtype)
    p = p.set_params(random_state=0)
    out = p.perturb(None, X)
    plain = p.perturb(None, X.astype(np.float32))
    assert out.dtype == X.dtype
    assert np.abs(out - plain).max() < 1e-3


def test_images_of_booleans_get_a_sentence():
    X = np.ones((3, 8, 8), dtype=bool)
    for call in (sp.Contrast().fit, lambda X: sp.Rotation(30).perturb(None, X)):
        with pytest.raises(ValueError, match="takes images of numbers"):
            call(X)


@pytest.mark.parametrize("kind", ["GaussianNoise", "SaltAndPepper", "ShotNoise"])
def test_images_one_pixel_high_have_a_side(kind):
    X = RNG.random((5, 1, 8))
    p = getattr(sp, kind)(severity=3, random_state=0)
    with_shape = p.perturb(None, X)
    flat = getattr(sp, kind)(severity=3, random_state=0, image_shape=(1, 8))
    assert np.array_equal(flat.perturb(None, X[:, 0]), with_shape[:, 0])
    with pytest.raises(ValueError, match="needs image_shape to turn a severity"):
        p.perturb(None, X[:, 0])


def test_sixteen_bits_are_not_read_in_the_range_of_eight():
    X = RNG.integers(0, 200, (4, 8, 8), dtype=np.uint8)
    for first, second in ((X, X.astype(np.uint16)), (X.astype(np.uint16), X)):
        p = sp.GaussianNoise(std=0.1).fit(first)
        with pytest.raises(ValueError, match="fitted on other pixels"):
            p.transform(second)


def test_empty_axes_get_a_sentence():
    for p, shape in (
        (sp.Contrast(), (3, 0, 8)),
        (sp.Contrast(), (3, 8, 0, 3)),
        (sp.Jitter(), (3, 0, 2)),
        (sp.Gap(), (3, 5, 0)),
        (sp.FunctionPerturbation(np.abs), (3, 0, 2)),
    ):
        for call in (p.fit, lambda X, p=p: p.perturb(None, X)):
            with pytest.raises(ValueError, match=r"0 feature.*while a minimum of 1"):
                call(np.empty(shape))


def test_sparse_matrices_get_a_sentence():
    X = csr_matrix(np.eye(4))
    for p in (sp.FeatureNoise(), sp.GaussianNoise(std=0.1), sp.Jitter()):
        with pytest.raises(TypeError, match=r"Sparse data.*Use '\.toarray\(\)'"):
            p.perturb(None, X)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e-160, 1e160, 1e200, 1e300])
def test_huge_and_tiny_values_keep_their_scale(size):
    # Their squares do not fit into floats.
    X = RNG.normal(size=(30, 40))
    big = X * size
    rtol = 1e-6 if size > 1e-300 else 1e-2  # subnormal numbers have few digits
    for p in (
        sp.Jitter(std=0.3, random_state=0),
        sp.Jitter(std=0.3, scale="series", random_state=0),
        sp.Jitter(snr_db=10, random_state=0),
        sp.BaselineWander(amplitude=1, kind="ramp", random_state=0),
        sp.FeatureNoise(sd=0.3, random_state=0),
        sp.MeanDrift(size=1),
        sp.Outliers(share=0.0001, random_state=0),
    ):
        plain = getattr(p.fit(X), "scale_", getattr(p.fit(X), "stats_", None))
        found = getattr(p.fit(big), "scale_", getattr(p, "stats_", None))
        plain, found = (getattr(s, "sd", s) for s in (plain, found))
        if isinstance(plain, np.ndarray):
            assert np.allclose(found / size, plain, rtol=rtol)
        out = p.transform(big)
        assert np.isfinite(out).all()
        if not isinstance(p, sp.Outliers):
            change = np.std(out / size - big / size)
            assert 0.01 < change < 3


def test_integers_do_not_wrap_while_their_range_is_learned():
    X = np.array([[-100, 100, 0, 37, -60]], dtype=np.int8)
    p = sp.SeriesQuantization(bits=1).fit(X)
    assert p.transform(X).tolist() == [[-100, 100, -100, 100, -100]]
    p = sp.SeriesClipping(keep=0.5).fit(X)
    wide = sp.SeriesClipping(keep=0.5).fit(X.astype(float))
    assert np.array_equal(p.transform(X), wide.transform(X.astype(float)))
    flags = X > 0
    assert sp.SeriesQuantization(bits=1).fit(flags).transform(flags).shape == (1, 5)


def test_draws_without_a_size_get_a_sentence():
    def shift(X, rng):
        return X + rng.normal()

    with pytest.raises(ValueError, match="needs a size that begins with the number"):
        sp.FunctionPerturbation(shift).perturb(None, np.ones((2, 3)))


def test_public_check_of_texts():
    X = np.array([f"the quick brown fox {i}" for i in range(9)], dtype=object)
    check_perturbation(sp.Typos(rate=0.3), X)


@pytest.mark.parametrize(
    "texts",
    [list, lambda t: np.array(t, dtype=object), pd.Series, pl.Series],
    ids=["list", "array", "pandas", "polars"],
)
def test_texts_as_training_noise(texts):
    X = [f"the quick brown fox number {i}" for i in range(8)]
    y = [0, 1] * 4
    sampler = sp.PerturbationSampler(sp.Typos(rate=0.3, random_state=0))
    new, labels = sampler.fit_resample(texts(X), y)
    assert type(new) is type(texts(X))
    assert list(new)[:8] == X
    assert list(new)[8:] != X
    assert list(labels) == y + y
    with pytest.raises(ValueError, match="Typos takes text"):
        sampler.fit_resample(pd.Series(np.arange(8)), y)


def test_a_range_beyond_the_type_does_not_wrap_around():
    white = np.full((1, 8, 8), 255, np.uint8)
    noise = GaussianNoise(std=0.02, data_range=(0, 256), random_state=0)
    assert noise.perturb(None, white).min() > 200
    grey = np.full((1, 8, 8), 100, np.uint8)
    struck = SaltAndPepper(0.5, data_range=(0, 256), random_state=0).perturb(None, grey)
    assert set(np.unique(struck)) == {0, 100, 255}


def test_pixels_of_another_kind_than_in_fit_are_refused():
    bytes_ = np.random.default_rng(0).integers(0, 256, (5, 8, 8), dtype=np.uint8)
    noise = GaussianNoise(std=0.1, random_state=0).fit(bytes_)
    with pytest.raises(ValueError, match="fitted on other pixels"):
        noise.perturb(None, np.full((3, 8, 8), 0.5))


@pytest.mark.parametrize("photons", [20, 300, 1e4])  # counted, and of normal noise
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_pixels_darker_than_the_learned_range_get_no_light(dtype, photons):
    train = np.array([[[100, 200], [120, 180]]], dtype=dtype)
    shot = sp.ShotNoise(photons=photons, random_state=0).fit(train)
    dark = np.arange(0, 101, 4, dtype=dtype)
    rows = np.broadcast_to(dark, (40, 2, 26)).copy()
    rows[:, 1] = 100 + dark // 2  # bright ones of the same images
    out = shot.transform(rows)
    assert (out[:, 0] == 100).all()
    # The mean of the counts is that of the light.
    light = float((rows[:, 1] - 100.0).mean())
    error = 100 * np.sqrt(light / 100 / photons / rows[:, 1].size)
    assert out[:, 1].mean() - 100 == pytest.approx(light, abs=4 * error + 0.1)
