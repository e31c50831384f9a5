"""Encodings of clips: H.264, downscaling, and chains of both."""

import numpy as np
import pytest

from skrobust.perturbations import Downscaling, VideoCompression, get_preset

av = pytest.importorskip("av", reason="no decoder: pip install 'skrobust[video]'")
pytest.importorskip("PIL")


def moving(n=6, side=48, channels=3):
    """Return a clip in which a textured square moves over a ramp, as uint8."""
    rng = np.random.default_rng(0)
    texture = rng.integers(0, 256, (16, 16, channels))
    ramp = np.linspace(40, 200, side)[:, None, None]
    clip = np.broadcast_to(ramp, (n, side, side, channels)).copy()
    for k in range(n):
        clip[k, 10:26, 4 + 3 * k : 20 + 3 * k] = texture
    return clip.astype(np.uint8)


def error(a, b):
    return np.abs(a.astype(float) - b).mean()


def test_quality_falls_with_the_factor():
    clip = moving()
    factors = (1, 18, 28, 38, 51)
    errors = [
        error(VideoCompression(crf=crf, clips=6).perturb(None, clip), clip)
        for crf in factors
    ]
    assert (np.diff(errors) > 0).all()
    assert errors[-1] > 2 * errors[0]


def test_grey_is_kept_and_nearly_exact_at_the_best_quality():
    clip = moving(channels=1)[..., 0]
    found = VideoCompression(crf=1, clips=6).perturb(None, clip)
    assert found.shape == clip.shape
    assert error(found, clip) < 2


def test_small_severities_have_the_best_factor_and_none_changes_nothing():
    clip = moving()
    found = VideoCompression(0.01, clips=6).perturb(None, clip)
    assert np.array_equal(found, VideoCompression(crf=1, clips=6).perturb(None, clip))
    assert np.array_equal(VideoCompression(0, clips=6).perturb(None, clip), clip)


@pytest.mark.parametrize("shape", [(3, 15, 17, 3), (3, 1, 33), (2, 18, 21, 2)])
def test_any_side(shape):
    clip = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    settings = {"crf": 10, "clips": shape[0]}
    if len(shape) == 4:
        settings["channel_axis"] = -1
    found = VideoCompression(**settings).perturb(None, clip)
    assert found.shape == clip.shape
    assert error(found, clip) < 64  # below what unrelated noise would have (85)


def test_clips_do_not_mix_and_frames_do():
    a, b = moving(), 255 - moving()
    coded = VideoCompression(crf=35, clips=6)
    both = coded.perturb(None, np.concatenate([a, b]))
    assert np.array_equal(both[:6], coded.perturb(None, a))
    assert np.array_equal(both[6:], coded.perturb(None, b))
    whole = VideoCompression(crf=35, clips=None).perturb(None, a)
    assert np.array_equal(whole, both[:6])
    alone = VideoCompression(crf=35, clips=1).perturb(None, a)
    assert np.array_equal(alone[0], VideoCompression(crf=35).perturb(None, a[:1])[0])
    assert (alone[1:] != whole[1:]).any()  # frames are predicted from one another


def test_floats_channels_first_are_the_same_pixels():
    clip = moving()
    floats = (clip / 255).transpose(0, 3, 1, 2).astype(np.float32)
    found = VideoCompression(crf=30, clips=6).perturb(None, floats)
    wanted = VideoCompression(crf=30, clips=6).perturb(None, clip)
    assert np.abs(found.transpose(0, 2, 3, 1) * 255 - wanted).max() < 1e-3


def test_half_a_clip_is_refused():
    with pytest.raises(ValueError, match="clips=4 needs whole clips"):
        VideoCompression(clips=4).perturb(None, moving())
    with pytest.raises(ValueError, match="'crf'"):
        VideoCompression(crf=60).perturb(None, moving())


def test_downscaling_keeps_what_is_smooth_and_loses_what_is_fine():
    flat = np.full((1, 32, 32), 0.3)
    assert np.allclose(Downscaling(share=0.25).perturb(None, flat), 0.3)
    stripes = np.tile([0.0, 1.0], (1, 32, 16))
    found = Downscaling(share=0.25).perturb(None, stripes)
    assert np.abs(found[:, 8:-8, 8:-8] - 0.5).max() < 0.1
    assert np.array_equal(Downscaling(share=1).perturb(None, stripes), stripes)


@pytest.mark.parametrize("share", [0.75, 0.35, 0.03])
def test_downscaling_is_that_of_pillow(share):
    from PIL import Image

    X = np.random.default_rng(0).random((2, 33, 47)).astype(np.float32)
    small = tuple(max(1, round(share * side)) for side in (47, 33))
    planes = (Image.fromarray(x).resize(small, Image.Resampling.BICUBIC) for x in X)
    want = [np.asarray(p.resize((47, 33), Image.Resampling.BICUBIC)) for p in planes]
    found = Downscaling(share=share).perturb(None, X)
    assert np.abs(found - np.clip(want, 0, 1)).max() < 1e-6


def test_the_chain():
    clip = moving()
    chain = get_preset("video_chain", clips=6)
    names = [condition.name for condition in chain]
    assert names[0] == "CLEAN"
    assert [condition.number for condition in chain] == list(range(1, 11))
    found = {c.name: error(c.perturb(None, clip), clip) for c in chain}
    assert found.pop("CLEAN") == 0
    assert min(found.values()) > 0
    assert found["H.264 crf 23"] < found["H.264 crf 28"] < found["H.264 crf 40"]
    assert found["upload"] < found["upload, then messenger"]
    assert found["messenger"] > found["resize 0.5"]
