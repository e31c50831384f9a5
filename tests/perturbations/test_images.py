"""Image corruptions: promises, closed forms, and other libraries' values."""

import warnings
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from scipy import ndimage
from sklearn.datasets import load_digits, load_sample_image

import skrobust.perturbations as sp
from skrobust.testing import check_perturbation

DRAWING = [
    "ChannelShift",
    "DottedLine",
    "ElasticDeformation",
    "Fog",
    "Frost",
    "GlassBlur",
    "MotionBlur",
    "Occlusion",
    "Snow",
    "Spatter",
    "Translation",
    "Zigzag",
]
FIXED = [
    "Brightness",
    "CannyEdges",
    "Contrast",
    "DefocusBlur",
    "Gamma",
    "GaussianBlur",
    "JPEGCompression",
    "Pixelate",
    "Quantization",
    "Saturate",
    "Scaling",
    "Shear",
    "Stripe",
    "Tilt",
    "ZoomBlur",
]
EVERY = sorted(DRAWING + FIXED)
BLURS = ["DefocusBlur", "GaussianBlur", "GlassBlur", "MotionBlur", "ZoomBlur"]
RNG = np.random.default_rng(0)
DIGITS = load_digits().images[:40] / 16
PHOTO = np.stack(
    [load_sample_image(name)[::4, 100:500:4] for name in ("china.jpg", "flower.jpg")]
)  # (2, 107, 100, 3), uint8

SHAPES = {
    "grey": (12, 8, 8),
    "one": (12, 8, 8, 1),
    "last": (12, 9, 8, 3),
    "first": (12, 3, 9, 8),
    "two channels": (12, 2, 9, 8),
    "large": (14, 70, 40),
    "row": (12, 1, 7),
    "column": (12, 7, 1),
    "pixel": (12, 1, 1),
}


def make(name, *args, **kwargs):
    if name == "JPEGCompression":
        pytest.importorskip("PIL")
    return getattr(sp, name)(*args, **kwargs)


def fits(name, shape):
    return name != "Saturate" or 3 in shape[1:]


@pytest.mark.slow
# A single pixel or row stays as it is under blur, and transform says so.
@pytest.mark.filterwarnings("ignore:.* does not apply to these rows")
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("name", EVERY)
def test_promises(name, kind):
    shape = SHAPES[kind]
    if not fits(name, shape):
        pytest.skip("needs colours")
    for severity in (0.3, 4.5):
        draws = name in DRAWING and severity > 1 and shape[1] * shape[2] > 40
        for dtype in (np.float64, np.float32, np.uint8):
            # All rows differ, even where a row is one pixel.
            X = RNG.permutation(np.prod(shape)).reshape(shape) / np.prod(shape)
            X = (255 * X).astype(dtype) if dtype == np.uint8 else X.astype(dtype)
            check_perturbation(make(name, severity=severity), X, draws=draws)


@pytest.mark.parametrize("name", EVERY)
def test_severity_or_physical_parameters(name):
    X = PHOTO[:, :30, :40]
    zero = make(name, severity=0).perturb(None, X)
    assert np.array_equal(zero, X)
    assert not np.shares_memory(zero, X)
    for severity in (-0.1, 5.1, np.nan, True, "3"):
        with pytest.raises(ValueError, match=f"'severity' parameter of {name}"):
            make(name, severity=severity).perturb(None, X)
    physical = getattr(sp, name)._strengths
    assert physical
    for parameter in physical:
        with pytest.raises(ValueError, match=f"either 'severity' or '{parameter}'"):
            make(name, severity=1, **{parameter: 0.5}).perturb(None, X)
        for bad in ("much", np.inf, True):
            with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name}"):
                make(name, **{parameter: bad}).perturb(None, X)
    default = make(name, random_state=0).perturb(None, X)
    assert np.array_equal(
        make(name, severity=1, random_state=0).perturb(None, X), default
    )


@pytest.mark.parametrize("name", EVERY)
def test_level_one_by_physical_parameters(name):
    # A side of 32: the small table, written out, is severity 1.
    X = PHOTO[:, :32, :32]
    levels = getattr(sp, name)._strengths
    first = {key: level.levels[0] for key, level in levels.items()}
    given = make(name, random_state=0, **first).perturb(None, X)
    assert np.array_equal(make(name, 1, random_state=0).perturb(None, X), given)


BAD = {
    "MotionBlur angle": (lambda: sp.MotionBlur(angle="up"), "'angle' parameter"),
    "Translation direction": (
        lambda: sp.Translation(direction=np.nan),
        "'direction' parameter",
    ),
    "Translation fill": (lambda: sp.Translation(fill=2), r"'fill' .* in \[0, 1\]"),
    "Scaling fill": (lambda: sp.Scaling(fill=-1), "'fill' parameter of Scaling"),
    "Scaling factor": (lambda: sp.Scaling(factor=0), "positive"),
    "Shear fill": (lambda: sp.Shear(fill=None), "'fill' parameter of Shear"),
    "Occlusion fill": (lambda: sp.Occlusion(fill=None), "'fill' parameter of Occ"),
    "Occlusion area": (lambda: sp.Occlusion(area=1.1), r"in \[0, 1\]"),
    "Gamma direction": (lambda: sp.Gamma(direction="up"), "'brighter', 'darker'"),
    "Gamma gamma": (lambda: sp.Gamma(gamma=0), "positive"),
    "Quantization bits": (lambda: sp.Quantization(bits=0), r"in \[1, 24\]"),
    "JPEG quality": (lambda: sp.JPEGCompression(quality=101), r"in \[1, 100\]"),
    "Pixelate share": (lambda: sp.Pixelate(share=0), r"in \(0, 1\]"),
    "ZoomBlur zoom": (lambda: sp.ZoomBlur(zoom=0.9), "at least 1"),
    "ZoomBlur step": (lambda: sp.ZoomBlur(step=0), "at least 0.001"),
    "GlassBlur iterations": (lambda: sp.GlassBlur(iterations=51), r"in \[0, 50\]"),
    "Saturate grey": (lambda: sp.Saturate(2), r"3 channels. Got .*\(8, 8, 1\)"),
    "flat rows": (lambda: sp.GaussianBlur(2), "needs image_shape"),
}


@pytest.mark.parametrize("row", BAD)
def test_image_perturbations_refuse_wrong_parameters(row):
    build, sentence = BAD[row]
    X = DIGITS.reshape(40, -1) if row == "flat rows" else DIGITS
    with pytest.raises(ValueError, match=sentence):
        build().perturb(None, X)


@pytest.mark.parametrize("name", EVERY)
def test_layouts_and_types_agree(name):
    def run(X, **shape):
        return make(name, severity=4, random_state=0, **shape).perturb(None, X)

    grey = DIGITS.astype(np.float32)
    if name != "Saturate":
        flat = run(grey)
        assert np.array_equal(run(grey[..., None])[..., 0], flat)
        assert np.array_equal(run(grey[:, None])[:, 0], flat)
        rows = run(grey.reshape(40, 64), image_shape=(8, 8))
        assert np.array_equal(rows.reshape(40, 8, 8), flat)
        double = run(grey.astype(np.float64))
        # JPEG and thresholds may fall on the other side by a rounding error.
        assert np.abs(double - flat).mean() < 1e-3
    small = PHOTO[:, :40, :50]
    if name in FIXED:
        first = run(np.moveaxis(small, -1, 1))
        difference = np.moveaxis(first, 1, -1) - run(small).astype(float)
        assert np.abs(difference).max() <= 1  # sums in another order, then rounded
    eight = run(small).astype(float)
    sixteen = run(small.astype(np.uint16) * 257) / 257
    floats = run(small / 255) * 255
    if name in FIXED:
        assert np.abs(sixteen - eight).mean() < 1
        assert np.abs(floats - eight).mean() < 1
    scaled = run(100 + 10 * (small / 255), data_range=(100, 110))
    assert scaled.min() >= 100
    assert scaled.max() <= 110


@pytest.mark.parametrize("name", EVERY)
def test_a_learned_range_keeps_what_lies_outside(name):
    X = RNG.normal(size=(30, 9, 8, 3))
    p = make(name, severity=3, random_state=0).fit(X)
    far = 2 * X
    out = p.perturb(None, far)
    assert np.isfinite(out).all()
    axes = (1, 2, 3)
    assert (out.max(axes) <= np.maximum(far.max(axes), X.max()) + 1e-9).all()
    assert (out.min(axes) >= np.minimum(far.min(axes), X.min()) - 1e-9).all()


# Published strengths that do not grow steadily, or fall where the eye sees no less.
UNSTEADY = {"ElasticDeformation", "Frost", "GlassBlur", "Saturate", "Snow", "Spatter"}


@pytest.mark.parametrize("name", sorted(set(EVERY) - UNSTEADY))
def test_the_change_grows_with_severity(name):
    # Digits of 8 pixels have too few blocks to count them finely.
    sets = [PHOTO] if name in ("Saturate", "Pixelate") else [PHOTO, DIGITS]
    for X in sets:
        change = [
            np.abs(
                make(name, s, random_state=0).perturb(None, X).astype(float) - X
            ).mean()
            for s in (0, 1, 2, 3, 4, 5)
        ]
        # In between, JPEG is not quite steady.
        slack = 0.05 if name == "JPEGCompression" else 1e-9
        assert (np.diff(change) >= -slack * max(change)).all(), change
        assert change[5] > change[1] > 0


@pytest.mark.parametrize("name", sorted(UNSTEADY))
def test_unsteady_ones_change_images_at_every_severity(name):
    change = [
        np.abs(make(name, s, random_state=0).perturb(None, PHOTO) - 1.0 * PHOTO).mean()
        for s in (1, 2, 3, 4, 5)
    ]
    assert min(change) > 0.2
    if name != "ElasticDeformation":  # it bends most at severity 2, as published
        assert change[4] > change[0]


@pytest.mark.parametrize("name", EVERY)
def test_severity_tends_to_nothing(name):
    X = PHOTO / 255
    tiny = make(name, 1e-4, random_state=0).perturb(None, X)
    # JPEG passes through 8 bits and their colour transform.
    limit = 0.02 if name == "JPEGCompression" else 1e-3
    if name == "Pixelate":  # 106 blocks for 107 pixels are the next to none
        limit = 0.03
    assert np.abs(tiny - X).mean() < limit


@pytest.mark.parametrize("name", sorted(set(EVERY) - {"JPEGCompression", "Pixelate"}))
def test_severity_is_continuous(name):
    # With the same draws, a small step in severity is a small change.
    X = PHOTO[:, :64, :64] / 255
    for severity in (0.7, 2.5, 3.5):
        a = make(name, severity, random_state=0).perturb(None, X)
        b = make(name, severity + 1e-4, random_state=0).perturb(None, X)
        assert np.abs(a - b).mean() < 2e-3


@pytest.mark.parametrize("name", BLURS + ["ElasticDeformation", "Pixelate", "Contrast"])
def test_a_constant_image_stays(name):
    for shape in ((2, 8, 8), (2, 1, 9), (2, 70, 33, 3)):
        X = np.full(shape, 0.3)
        for severity in (1, 2.5, 5):
            out = make(name, severity, random_state=0).perturb(None, X)
            assert np.abs(out - 0.3).max() < 1e-12
    for value in (0, 100, 255):
        X = np.full((1, 40, 50, 3), value, dtype=np.uint8)
        assert np.array_equal(make(name, 5, random_state=0).perturb(None, X), X)


@pytest.mark.parametrize("side", [5, 8, 33, 64, 100])
@pytest.mark.parametrize("std", [0.3, 1.0, 3.7])
def test_gaussian_blur_is_that_of_scipy(side, std):
    X = RNG.random((3, side, side + 3, 3))
    want = ndimage.gaussian_filter(X, (0, std, std, 0), mode="nearest")
    got = sp.GaussianBlur(std=std).perturb(None, X)
    assert np.abs(got - want).max() < 1e-12
    single = sp.GaussianBlur(std=std).perturb(None, X.astype(np.float32))
    assert np.abs(single - want).max() < 1e-6


def test_defocus_kernel_is_the_published_disk():
    # Radius 2: the 13 pixels whose centres lie within, equal weights.
    X = np.zeros((1, 9, 9))
    X[0, 4, 4] = 1
    y, x = np.mgrid[-4:5, -4:5]
    disk = (y**2 + x**2 <= 4) / 13
    got = sp.DefocusBlur(radius=2, alias_std=0).perturb(None, X)
    # The rim of a quarter of a pixel reaches the eight pixels at distance 2.236.
    rim = np.isclose(np.hypot(y, x), np.sqrt(5)) * (1 - (np.sqrt(5) - 2) / 0.25)
    want = (13 * disk + rim) / (13 * disk + rim).sum()
    assert np.abs(got[0] - want).max() < 1e-12
    image = RNG.random((1, 30, 20))
    blurred = sp.DefocusBlur(radius=3, alias_std=0.5).perturb(None, image)[0]
    spot = np.zeros((1, 19, 19))
    spot[0, 9, 9] = 1
    kernel = sp.DefocusBlur(radius=3, alias_std=0.5).perturb(None, spot)[0]
    want = ndimage.correlate(image[0], kernel, mode="nearest")
    assert np.abs(blurred - want).max() < 1e-9


def test_defocus_blur_is_near_that_of_opencv():
    cv2 = pytest.importorskip("cv2")
    y, x = np.mgrid[-8:9, -8:9]
    disk = (y**2 + x**2 <= 36).astype(float)
    kernel = cv2.GaussianBlur(disk / disk.sum(), (3, 3), 0.5)
    X = PHOTO[0] / 255
    want = cv2.filter2D(X, -1, kernel)[10:-10, 10:-10]
    got = sp.DefocusBlur(radius=6, alias_std=0.5).perturb(None, X[None])[0]
    assert np.abs(got[10:-10, 10:-10] - want).mean() < 2e-3


@pytest.mark.parametrize("angle", [0, 45, 90, -90, 180, 23])
def test_motion_blur_leaves_a_trail(angle):
    X = np.zeros((1, 41, 41))
    X[0, 20, 20] = 1
    out = sp.MotionBlur(radius=6, std=3, angle=angle).perturb(None, X)[0]
    step = np.arange(13)
    weight = np.exp(-0.5 * (step / 3) ** 2)
    weight[weight / weight.sum() < 1e-4] = 0
    want = np.zeros((41, 41))
    turn = np.deg2rad(angle)
    for k, w in zip(step, weight / weight.sum(), strict=True):
        # Counter-clockwise from the right; rows count downwards.
        place = (20 - k * np.sin(turn), 20 + k * np.cos(turn))
        want[tuple(np.rint(place).astype(int))] += w
    assert out.sum() == pytest.approx(1)
    assert np.abs(out - want).max() < 1e-3


def test_drawn_angles_stay_in_their_sector():
    X = np.zeros((200, 41, 41))
    X[:, 20, 20] = 1
    out = sp.MotionBlur(radius=8, std=6, random_state=0).perturb(None, X)
    rows, columns = np.mgrid[:41, :41]
    down = (out * (rows - 20)).sum(axis=(1, 2))
    right = (out * (columns - 20)).sum(axis=(1, 2))
    angle = np.rad2deg(np.arctan2(-down, right))
    assert np.abs(angle).max() < 46
    assert angle.std() == pytest.approx(90 / 12**0.5, rel=0.15)


def test_glass_blur_only_moves_near_pixels():
    X = np.zeros((1, 64, 64))
    X[0] = np.arange(64)[:, None] / 63
    glass = sp.GlassBlur(std=0, max_shift=2, iterations=1, random_state=0)
    moved = (glass.perturb(None, X)[0] - X[0])[10:-10] * 63
    assert np.abs(moved - np.rint(moved)).max() < 1e-9
    assert np.abs(moved).max() <= 4.001
    assert abs(moved.mean()) < 0.1


def test_zoom_blur_by_hand():
    X = RNG.random((1, 31, 21))
    centre = (15, 10)
    total = X[0].copy()
    for zoom in (1.0, 1.1, 1.2):
        offset = [c - c / zoom for c in centre]
        total += ndimage.affine_transform(
            X[0], [1 / zoom] * 2, offset, order=1, mode="nearest"
        )
    got = sp.ZoomBlur(zoom=1.3, step=0.1).perturb(None, X)[0]
    assert np.abs(got - total / 4).max() < 1e-9


def test_published_zoom_factors():
    # Severity 1 at 224 pixels: 1.00, 1.01, ..., 1.10, eleven of them.
    from skrobust.perturbations.images import _zoom_blur

    for severity, number in ((1, 11), (2, 16), (3, 11), (4, 13), (5, 11)):
        seen = []

        def spy(planes, factor, seen=seen):
            seen.append(factor)
            return planes

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_zoom_blur, "zoom_about_centre", spy)
            sp.ZoomBlur(severity).perturb(None, np.zeros((1, 224, 224)))
        assert len(seen) == number - 1  # 1 itself needs no zoom


def test_contrast_shrinks_about_the_mean_of_each_channel():
    X = PHOTO / 255
    out = sp.Contrast(factor=0.4).perturb(None, X)
    mean = X.mean(axis=(1, 2), keepdims=True)
    assert np.abs(out - (mean + 0.4 * (X - mean))).max() < 1e-12
    assert np.abs(out.mean(axis=(1, 2)) - X.mean(axis=(1, 2))).max() < 1e-12
    # Rounded, not cut off: a flat 100 stays 100.
    flat = np.full((1, 8, 8), 100, dtype=np.uint8)
    assert np.array_equal(sp.Contrast(5).perturb(None, flat), flat)


def hsv(pixels):
    """The textbook's hue, saturation and value of one pixel."""
    import colorsys

    return np.array([colorsys.rgb_to_hsv(*p) for p in pixels])


def rgb(pixels):
    import colorsys

    return np.array([colorsys.hsv_to_rgb(*p) for p in pixels])


def test_brightness_and_saturation_are_those_of_the_standard_library():
    pixels = np.concatenate([RNG.random((200, 3)), [[0, 0, 0], [1, 1, 1], [0.4] * 3]])
    X = pixels.reshape(1, 29, 7, 3)
    changed = hsv(pixels)
    changed[:, 2] = np.clip(changed[:, 2] + 0.3, 0, 1)
    got = sp.Brightness(shift=0.3).perturb(None, X).reshape(-1, 3)
    assert np.abs(got - rgb(changed)).max() < 1e-9
    for scale, offset in ((0.3, 0), (2, 0), (5, 0.1)):
        changed = hsv(pixels)
        changed[:, 1] = np.clip(scale * changed[:, 1] + offset, 0, 1)
        got = sp.Saturate(scale=scale, offset=offset).perturb(None, X).reshape(-1, 3)
        assert np.abs(got - rgb(changed)).max() < 1e-9


def test_gamma_both_ways():
    X = np.linspace(0, 1, 64).reshape(1, 8, 8)
    assert np.abs(sp.Gamma(5).perturb(None, X) - X**0.5).max() < 1e-12
    darker = sp.Gamma(5, direction="darker").perturb(None, X)
    assert np.abs(darker - X**2).max() < 1e-12
    for p in (sp.Gamma(3), sp.Gamma(3, direction="darker")):
        assert p.perturb(None, X)[0, 0, 0] == 0
        assert p.perturb(None, X)[0, -1, -1] == 1


def test_quantization_levels():
    X = np.linspace(0, 1, 4096).reshape(1, 64, 64)
    for severity, bits in ((1, 6), (2, 5), (3, 4), (4, 3), (5, 2)):
        out = sp.Quantization(severity).perturb(None, X)
        assert np.array_equal(out, sp.Quantization(bits=bits).perturb(None, X))
        assert len(np.unique(out)) == 2**bits
        assert np.abs(out - X).max() <= 0.5 / (2**bits - 1) + 1e-9
    eight = np.arange(256, dtype=np.uint8).reshape(1, 16, 16)
    assert np.array_equal(sp.Quantization(0.1).perturb(None, eight), eight)


@pytest.mark.parametrize("shape", [(37, 50), (37, 50, 3), (1, 9), (9, 1), (8, 8)])
@pytest.mark.parametrize("share", [0.95, 0.6, 0.25, 0.01])
def test_pixelate_is_the_box_filter_of_pillow(shape, share):
    image = pytest.importorskip("PIL.Image")
    X = RNG.integers(0, 256, shape, dtype=np.uint8)
    height, width = shape[:2]
    size = (max(int(share * width), 1), max(int(share * height), 1))
    picture = image.fromarray(X).resize(size, image.Resampling.BOX)
    want = np.asarray(picture.resize((width, height), image.Resampling.BOX))
    got = sp.Pixelate(share=share).perturb(None, X[None])[0]
    assert np.abs(got.astype(int) - want).max() <= 1


@pytest.mark.parametrize("shape", [(24, 32, 3), (24, 32)])
def test_jpeg_is_that_of_pillow(shape):
    image = pytest.importorskip("PIL.Image")
    X = RNG.integers(0, 256, shape, dtype=np.uint8)
    stored = BytesIO()
    image.fromarray(X).save(stored, "JPEG", quality=25)
    want = np.asarray(image.open(stored))
    got = sp.JPEGCompression(quality=25).perturb(None, X[None])[0]
    assert np.array_equal(got, want)


def test_jpeg_takes_two_channels_one_by_one():
    pytest.importorskip("PIL")
    X = RNG.integers(0, 256, (3, 2, 16, 24), dtype=np.uint8)
    jpeg = sp.JPEGCompression(quality=20)
    both = jpeg.perturb(None, X)
    for k in (0, 1):
        assert np.array_equal(both[:, k], jpeg.perturb(None, X[:, k]))


def test_missing_pillow_is_one_sentence(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"JPEGCompression needs Pillow; .*\[im"):
        sp.JPEGCompression().perturb(None, DIGITS)


def test_translation_goes_where_it_says():
    X = np.zeros((1, 10, 10))
    X[0, 4, 4] = 1
    for direction, place in ((0, (4, 6)), (90, (2, 4)), (180, (4, 2)), (-90, (6, 4))):
        out = sp.Translation(distance=0.2, direction=direction).perturb(None, X)
        assert np.unravel_index(out[0].argmax(), (10, 10)) == place
        assert out.sum() == pytest.approx(1)
    half = sp.Translation(distance=0.05, direction=0).perturb(None, X)[0, 4]
    assert half[[4, 5]].tolist() == [0.5, 0.5]
    white = sp.Translation(distance=0.2, direction=0, fill=1).perturb(None, X)
    assert (white[0, :, :2] == 1).all()


def test_drawn_translations_have_their_length():
    X = np.zeros((300, 40, 40))
    X[:, 20, 20] = 1
    out = sp.Translation(5, random_state=0).perturb(None, X)
    rows, columns = np.mgrid[:40, :40]
    down = (out * (rows - 20)).sum(axis=(1, 2))
    right = (out * (columns - 20)).sum(axis=(1, 2))
    assert np.abs(np.hypot(down, right) - 8).max() < 1e-4
    assert abs(down.mean()) < 1.5
    assert abs(right.mean()) < 1.5


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.3, 2.0])
def test_scaling_and_shear_are_those_of_scipy(factor):
    X = RNG.random((2, 21, 30))
    centre = np.array([10, 14.5])

    def want(matrix, fill):
        return np.stack(
            [
                ndimage.affine_transform(
                    np.pad(image, 40, constant_values=fill),
                    matrix,
                    centre + 40 - matrix @ (centre + 40),
                    order=1,
                )[40:-40, 40:-40]
                for image in X
            ]
        )

    got = sp.Scaling(factor=factor, fill=0.2).perturb(None, X)
    assert np.abs(got - want(np.eye(2) / factor, 0.2)).max() < 1e-7
    got = sp.Shear(shear=factor - 1, fill=0.2).perturb(None, X)
    matrix = np.array([[1, 0], [factor - 1, 1]])
    assert np.abs(got - want(matrix, 0.2)).max() < 1e-7


def test_warps_keep_the_centre():
    # The centre is (side - 1) / 2: a picture that is its own mirror image stays so.
    half = RNG.random((1, 9, 6))
    X = np.concatenate([half, half[:, ::-1, ::-1]], axis=2)
    for p in (sp.Scaling(3), sp.Shear(3), sp.ZoomBlur(3), sp.GaussianBlur(3)):
        out = p.perturb(None, X)
        assert np.abs(out - out[:, ::-1, ::-1]).max() < 1e-9


def test_elastic_is_a_sampling_of_the_image():
    # A plane a + b x + c y is sampled exactly: recover nothing but places in range.
    X = np.full((3, 50, 40), 0.0)
    X += np.arange(40) / 39
    bent = sp.ElasticDeformation(alpha=0, affine=0.1, random_state=0).perturb(None, X)
    # The affine map of a plane is a plane, away from the mirrored rim.
    inner = bent[:, 15:-15, 12:-12]
    assert np.abs(np.diff(inner, n=2, axis=1)).max() < 1e-9
    assert np.abs(np.diff(inner, n=2, axis=2)).max() < 1e-9
    assert np.abs(bent - X).max() > 0.01
    still = sp.ElasticDeformation(alpha=0, affine=0, random_state=0).perturb(None, X)
    assert np.abs(still - X).max() < 1e-12


@pytest.mark.parametrize("shape", [(20, 8, 8), (20, 13, 40, 3)])
def test_occlusion_has_its_area_and_is_nested(shape):
    X = np.ones(shape)
    levels = np.linspace(0.25, 5, 20)
    covers = [1 - sp.Occlusion(s, random_state=0).perturb(None, X) for s in levels]
    for cover, severity in zip(covers, levels, strict=True):
        area = np.interp(severity, range(6), (0, 0.02, 0.05, 0.1, 0.2, 0.3))
        got = cover.mean(axis=tuple(range(1, len(shape))))
        assert np.abs(got - area).max() < 1e-6
    for less, more in pairwise(covers):
        assert (more >= less - 1e-9).all()
    grey = sp.Occlusion(area=1, fill=0.5, random_state=0).perturb(None, X)
    assert np.abs(grey - 0.5).max() < 1e-6


def test_fog_formula():
    X = RNG.random((4, 32, 32)) * 0.8
    brightest = X.max(axis=(1, 2), keepdims=True)
    out = sp.Fog(strength=2, decay=1.5, random_state=0).perturb(None, X)
    cloud = (out * (brightest + 2) / brightest - X) / 2
    assert cloud.min() == pytest.approx(0, abs=1e-6)
    assert cloud.max() == pytest.approx(1, abs=1e-6)
    # The same cloud at another strength: severity is not in what is drawn.
    more = sp.Fog(strength=3, decay=1.5, random_state=0).perturb(None, X)
    assert np.abs((more * (brightest + 3) / brightest - X) / 3 - cloud).max() < 1e-5
    rough = sp.Fog(strength=2, decay=1.2, random_state=0).perturb(None, X)
    rough = rough * (brightest + 2) / brightest - X
    assert (
        np.abs(np.diff(rough, axis=1)).mean()
        > np.abs(np.diff(2 * cloud, axis=1)).mean()
    )


def test_snow_whitens_and_falls():
    X = np.full((30, 64, 64), 0.2)
    out = sp.Snow(3, random_state=0).perturb(None, X)
    assert (out > X).all()
    # Turned by half a turn the flakes are the same, and trails run up and down.
    assert np.abs(out - out[:, ::-1, ::-1]).max() < 1e-9
    across = np.abs(np.diff(out, axis=2)).mean()
    assert np.abs(np.diff(out, axis=1)).mean() < 0.8 * across


def test_ice_is_added_by_its_weight():
    X = np.full((3, 40, 40, 3), 0.25)
    a = sp.Frost(image_weight=1, ice_weight=0.2, random_state=0).perturb(None, X)
    b = sp.Frost(image_weight=0.8, ice_weight=0.4, random_state=0).perturb(None, X)
    assert np.abs((b - 0.2) - 2 * (a - 0.25)).max() < 1e-6
    assert (a[..., 0] == a[..., 1]).all()
    assert (a - 0.25).std() > 0.01


def test_spatter_is_water_then_mud():
    white, black = np.ones((8, 64, 64, 3)), np.zeros((8, 64, 64, 3))
    water = {"mean": 0.65, "std": 0.3, "blur_std": 1, "threshold": 0.65, "mud": 0}
    mud = {**water, "mud": 1}
    assert (sp.Spatter(**water, random_state=0).perturb(None, white) == 1).all()
    wet = sp.Spatter(**water, random_state=0).perturb(None, black)
    assert wet.max() > 0.2
    dirty = sp.Spatter(**mud, random_state=0).perturb(None, white)
    covered = (dirty < 1).any(axis=-1)
    assert 0.05 < covered.mean() < 0.6
    # Both fall on the same places: mud lies within two pixels of what shines wet.
    struck = ndimage.binary_dilation((wet > 0).any(axis=-1), np.ones((1, 5, 5)))
    assert (covered & ~struck).sum() <= 0.02 * covered.sum()


def test_stripes_are_inverted():
    X = DIGITS[:, :, :4].repeat(7, axis=2)  # 28 columns
    out = sp.Stripe(5).perturb(None, X)
    assert np.abs(out[:, :, :7] - (1 - X[:, :, :7])).max() < 1e-12
    assert np.abs(out[:, :, 21:] - (1 - X[:, :, 21:])).max() < 1e-12
    assert np.array_equal(out[:, :, 7:21], X[:, :, 7:21])


@pytest.mark.parametrize("width", [0.5, 0.37, 0.1])
@pytest.mark.parametrize("side", [1, 2, 7, 30])
def test_stripes_of_bytes_are_those_of_floats(side, width):
    X = RNG.integers(0, 256, (3, 5, side, 3)).astype(np.uint8)
    floats = sp.Stripe(width=width, data_range=(0, 255)).perturb(None, X * 1.0)
    got = sp.Stripe(width=width).perturb(None, X)
    assert np.abs(got - floats).max() < 0.5 + 1e-3
    if width == 0.5:
        assert np.array_equal(got, 255 - X)


def test_lines_are_where_they_should_be():
    X = np.zeros((50, 28, 28))
    dots = sp.DottedLine(5, random_state=0).perturb(None, X)
    lit = dots.max(axis=1) > 0
    assert (lit == (np.arange(28) // 2 % 2 == 1)).all()  # two off, two on
    place = dots.argmax(axis=1)[:, [2, 6, 10, 14]]
    assert np.abs(np.diff(place, n=2, axis=1)).max() <= 2  # straight, but for rounding
    teeth = sp.Zigzag(5, random_state=0).perturb(None, X)
    assert (teeth[:, :, :2] == 0).all()
    assert (teeth[:, :, 26:] == 0).all()
    faint = sp.Zigzag(1, random_state=0).perturb(None, X)
    assert np.abs(5 * faint - teeth).max() < 1e-6


def test_canny_edges_are_those_of_scikit_image():
    feature = pytest.importorskip("skimage.feature")
    grey = PHOTO.mean(axis=3) / 255
    got = sp.CannyEdges(share=1).perturb(None, grey)
    want = np.stack([feature.canny(image) for image in grey])
    assert (got == want).mean() > 0.999


def test_canny_edges_of_a_square():
    X = np.zeros((2, 20, 20))
    X[0, 6:14, 6:14] = 1
    edges = sp.CannyEdges(5).perturb(None, X)
    assert (edges[1] == 0).all()
    rows, columns = np.nonzero(edges[0])
    near = np.minimum.reduce(
        [
            np.abs(rows - 5.5),
            np.abs(rows - 13.5),
            np.abs(columns - 5.5),
            np.abs(columns - 13.5),
        ]
    )
    assert near.max() <= 1.5
    assert len(rows) >= 28


def test_common_random_numbers():
    # Places, angles and clouds are drawn alike at every severity.
    X = np.zeros((4, 32, 32))
    X[:, 8:24, 8:24] = 0.5
    for name in ("ChannelShift", "DottedLine", "Zigzag"):
        low = make(name, 2, random_state=0).perturb(None, X) != X
        high = make(name, 5, random_state=0).perturb(None, X) != X
        assert (high | ~low).all()


def test_presets():
    for preset, count in ((sp.imagenet_c, 15), (sp.cifar_c, 15)):
        conditions = preset(random_state=0)
        names = [c.name for c in conditions]
        assert names[0] == "CLEAN"
        assert conditions[0].number == 1
        assert len(set(names)) == len(names)
        assert {f"{k}-{s}" for k in ("snow", "fog") for s in (1, 5)} <= set(names)
        kinds = {n.rpartition("-")[0] for n in names[1:]}
        assert len(kinds) >= count - 1
        held = preset(holdout=True, random_state=0)
        before = {c.name: c.number for c in conditions}
        assert before.items() <= {c.name: c.number for c in held}.items()
        assert held[-1].name == "saturate-5"
    few = sp.imagenet_c((2.5,), random_state=0)
    assert few[-1].name == "jpeg_compression-2.5"
    assert few[-1].number == 16
    with pytest.raises(ValueError, match="'severities' parameter of cifar_c"):
        sp.cifar_c(severities=(1, 6))
    with pytest.raises(ValueError, match="'severities' parameter of mnist_c"):
        sp.mnist_c(severities="12")


def test_presets_run():
    pytest.importorskip("PIL")
    X = (255 * DIGITS[:3].repeat(4, axis=1).repeat(4, axis=2)).astype(np.uint8)
    X = X[:, 2:30, 2:30]
    outs = {c.name: c.perturb(None, X) for c in sp.mnist_c(random_state=0)}
    assert np.array_equal(outs.pop("CLEAN"), X)
    assert all((out != X).any() for out in outs.values())
    assert len(outs) >= 14
    flat = sp.mnist_c((3,), image_shape=(28, 28), random_state=0)
    for condition in flat[1:]:
        assert condition.perturb(None, X.reshape(3, -1)).shape == (3, 784)
    colour = PHOTO[:, :32, :32]
    for condition in sp.cifar_c((3,), holdout=True, random_state=0)[1:]:
        assert (condition.perturb(None, colour) != colour).any(), condition.name


def test_no_warnings_on_black_white_and_noise():
    cases = [np.zeros((2, 8, 8, 3)), np.ones((2, 8, 8, 3)), RNG.random((2, 8, 8, 3))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in EVERY:
            for X in cases:
                for severity in (0.01, 3, 5):
                    p = make(name, severity, channel_axis=-1, random_state=0)
                    assert np.isfinite(p.perturb(None, X)).all()
