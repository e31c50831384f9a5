"""Corruptions that do what published code does, against its formulas."""

import numpy as np
import pytest
from scipy import ndimage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import skrobust.perturbations as sp
from skrobust._keyed_noise.generator import NoiseKey
from skrobust.perturbations.images import (
    _elastic,
    _glass,
    published_disk,
    published_water,
)
from skrobust.perturbations.images.frost_pictures import cut_pieces
from skrobust.testing import check_perturbation
from skrobust.testing.dead_leaves import dead_leaves

RNG = np.random.default_rng(0)
SMALL = dead_leaves(12, 32)
GREY = dead_leaves(12, 28, grey=True)


def keyed(n):
    return NoiseKey.from_positions(n, 0).generator()


PUBLISHED = [
    sp.DefocusBlur(2.5, published=True),
    sp.ElasticDeformation(3, published=True),
    sp.Fog(3, map_size=64),
    sp.Frost(3, published=True),
    sp.Frost(3, published=True, pictures=list(dead_leaves(3, 224, seed=1))),
    sp.GlassBlur(3, published=True),
    sp.GlassBlur(3, published="mnist_c"),
    sp.MotionBlur(3, published=True),
    sp.Snow(3, published=True),
    sp.Spatter(2, published=True),
    sp.ZoomBlur(2.5, published=True),
    sp.Rotation(30, both_ways=True),
    sp.Shear(3, both_ways=True),
    sp.Translation(3, direction="diagonal"),
    sp.DottedLine(5, published=True),
    sp.Zigzag(5, published=True),
]


@pytest.mark.parametrize("perturbation", PUBLISHED, ids=str)
def test_contract(perturbation):
    check_perturbation(perturbation, SMALL, draws=False)


@pytest.mark.parametrize("max_shift", [1, 2, 4])
@pytest.mark.parametrize("kind", ["_copy", "_swap"])
def test_glass_in_turn(kind, max_shift):
    """One pixel after another, as the published loops do it."""
    shape, share = (3, 15, 13), 0.5 if kind == "_swap" else 1.0
    rows, columns, chosen = _glass._partners(shape, max_shift, share, keyed(3))
    images = RNG.random(shape)
    want = images.copy()
    for image in range(3):
        for h in range(shape[1] - max_shift, max_shift, -1):
            for w in range(shape[2] - max_shift, max_shift, -1):
                if not chosen[image, h, w]:
                    continue
                other = rows[image, h, w], columns[image, h, w]
                here, there = want[image, h, w], want[(image, *other)]
                want[image, h, w] = there
                if kind == "_swap":
                    want[(image, *other)] = here
    rows, columns = getattr(_glass, kind)(shape, max_shift, 1.0, keyed(3))
    got = images[np.arange(3)[:, None, None], rows, columns]
    assert np.array_equal(got, want)


def test_glass_offsets_are_those_of_randint():
    rows, _, chosen = _glass._partners((40, 60, 60), 3, 1.0, keyed(40))
    inside = chosen[0]
    assert inside[4:58, 4:58].all()
    assert inside.sum() == 54**2
    offset = (rows - np.arange(60)[:, None])[chosen]
    value, count = np.unique(offset, return_counts=True)
    assert value.tolist() == [-3, -2, -1, 0, 1, 2]
    n = count.sum()
    assert np.abs(count - n / 6).max() < 5 * np.sqrt(n * 5 / 36)


def test_glass_of_mnist_c_blurs_columns_alone():
    out = sp.GlassBlur(std=1, max_shift=0, published="mnist_c").perturb(
        None, GREY.astype(float) / 255
    )
    want = ndimage.gaussian_filter(GREY / 255, (0, 2**0.5, 0), mode="nearest")
    assert np.abs(out - want)[:, 8:-8].max() < 0.01  # two blurs of 1 are one of sqrt 2


def clipped_zoom(image, factor):
    """The published zoom of a square picture."""
    side = len(image)
    piece = int(np.ceil(side / factor))
    top = (side - piece) // 2
    image = image[top : top + piece, top : top + piece]
    image = ndimage.zoom(image, (factor, factor, 1), order=1)
    trim = (len(image) - side) // 2
    return image[trim : trim + side, trim : trim + side]


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("side", [32, 224])
def test_published_zoom_blur(side, severity):
    ends = {32: (1.06, 1.11, 1.16, 1.21, 1.26), 224: (1.11, 1.16, 1.21, 1.26, 1.31)}
    steps = {32: (0.01,) * 5, 224: (0.01, 0.01, 0.02, 0.02, 0.03)}
    factors = np.arange(1, ends[side][severity - 1], steps[side][severity - 1])
    image = dead_leaves(1, side)[0] / 255
    want = (image + sum(clipped_zoom(image, f) for f in factors)) / (len(factors) + 1)
    got = sp.ZoomBlur(severity, published=True).perturb(None, image[None])[0]
    assert np.abs(got - want).max() < 1e-6


def test_published_defocus_blur():
    image = SMALL[:1] / 255
    kernel = published_disk.published_kernel(1.5, 0.1)
    assert kernel.shape == (17, 17)
    assert kernel.sum() == pytest.approx(1)
    assert (kernel > 1e-12).sum() == 9  # no rim: the disk of radius 1.5
    want = np.stack([ndimage.correlate(image[0, :, :, k], kernel, mode="mirror")
                     for k in range(3)], axis=-1)  # fmt: skip
    got = sp.DefocusBlur(5, published=True).perturb(None, image)[0]
    assert np.abs(got - want).max() < 1e-6
    low, high = (sp.DefocusBlur(s, published=True).perturb(None, image) for s in (4, 5))
    between = sp.DefocusBlur(4.25, published=True).perturb(None, image)
    assert np.abs(between - (0.75 * low + 0.25 * high)).max() < 1e-6


@pytest.mark.parametrize("severity", [0.01, 0.999, 1.001, 2.001, 3.999, 4.999])
@pytest.mark.parametrize(
    "kind", [sp.DefocusBlur, sp.ElasticDeformation, sp.GlassBlur, sp.Snow, sp.ZoomBlur]
)
def test_severity_stays_continuous(kind, severity):
    near = float(np.rint(severity))
    images = SMALL / 255
    a, b = (
        kind(s, published=True, random_state=0).perturb(None, images)
        for s in (severity, near)
    )
    assert np.abs(a - b).mean() < 0.02


def test_published_elastic_deformation():
    images = SMALL[:2, :, :, :1] / 255
    corners = RNG.uniform(-2, 2, (2, 2, 3))
    down, right = RNG.uniform(-3, 3, (2, 2, 32, 32))
    got = _elastic._resampled_twice(images, corners, down, right)
    grid = np.indices((32, 32)).astype(float)
    square = 16 + 10 * np.array([[1, 1, -1], [1, -1, -1]])  # rows, columns of corners
    for k in range(2):
        moved = np.vstack([square + corners[k], np.ones(3)])
        back = square @ np.linalg.inv(moved)  # the affine map from new to old places
        place = np.tensordot(back, np.concatenate([grid, np.ones((1, 32, 32))]), 1)
        first = ndimage.map_coordinates(
            images[k, ..., 0], place, order=1, mode="mirror"
        )
        place = grid + [down[k], right[k]]
        want = ndimage.map_coordinates(first, place, order=1, mode="reflect")
        assert np.abs(got[k, ..., 0] - want).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_distances_are_shortest_paths(seed):
    # Where two edges are about as near, steps may come to another order than lines.
    edges = np.random.default_rng(seed).random((2, 18, 18)) < 0.02
    edges[0, 3, 4] = True
    edges[1] = False
    place = np.indices((18, 18)).reshape(2, -1).T
    offset = np.abs(place[:, None] - place[None])
    squared = np.square(offset).sum(axis=2)
    step = np.select([squared == 1, squared == 2, squared == 5], [1, 1.4, 2.1969])
    far = dijkstra(csr_array(step), indices=np.flatnonzero(edges[0])).min(axis=0)
    got = published_water.edge_distances(edges)
    assert np.abs(got[0].ravel() - far).max() < 1e-9
    assert (got[1] == 20).all()


def test_equalised_levels():
    image = np.array([[10, 10, 20, 30]], dtype=np.uint8)
    assert published_water.equalised(image).tolist() == [[0, 0, 128, 255]]
    flat = np.full((2, 2), 7, dtype=np.uint8)
    assert np.array_equal(published_water.equalised(flat), flat)


def test_water_is_that_of_opencv():
    cv2 = pytest.importorskip("cv2")
    noise = np.random.default_rng(1).normal(0.65, 0.3, (5, 48, 48))
    liquid = ndimage.gaussian_filter(noise, (0, 1, 1), mode="nearest")
    liquid[liquid < 0.69] = 0
    got = published_water.water_light(liquid)
    for depth, light in zip((liquid * 255).astype(np.uint8), got, strict=True):
        far = cv2.distanceTransform(255 - cv2.Canny(depth, 50, 150), cv2.DIST_L2, 5)
        far = cv2.blur(np.minimum(far, 20), (3, 3)).astype(np.uint8)
        emboss = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
        far = cv2.filter2D(cv2.equalizeHist(far), cv2.CV_8U, emboss)
        want = depth * cv2.blur(far, (3, 3)).astype(float)
        assert np.abs(light - want / want.max()).mean() < 0.002


def test_dry_images_stay():
    dry = sp.Spatter(mean=0.1, threshold=0.9, std=0.01, mud=0, published=True)
    assert np.array_equal(dry.perturb(None, SMALL), SMALL)


def test_frost_is_a_piece_of_a_picture():
    picture = dead_leaves(1, 224)[0, :200, :150] / np.float32(255)
    pieces = cut_pieces([picture], 60, 50, 1.0, keyed(30), 30)
    windows = np.lib.stride_tricks.sliding_window_view(picture[..., 0], (60, 50))
    corners = windows[:, :, 0, 0]
    tops = []
    for piece in pieces:
        found = np.argwhere(corners == piece[0, 0, 0])
        same = [i for i in found if np.array_equal(windows[tuple(i)], piece[..., 0])]
        assert same
        tops.append(same[0][0])
    assert len(set(tops)) > 10
    fifth = cut_pieces([picture], 40, 30, 0.2, keyed(1), 1)[0]
    assert np.abs(fifth - picture[2::5, 2::5]).max() < 1e-6
    large = cut_pieces([picture], 300, 300, 1.0, keyed(1), 1)
    assert large.shape == (1, 300, 300, 3)


def test_frost_uses_five_pictures_as_published():
    levels = [np.full((64, 64), v) for v in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)]
    black = np.zeros((200, 32, 32))
    black[:, 0, 0] = 1e-3  # floats in [0, 1]
    for published, n in ((True, 5), (False, 6)):
        frost = sp.Frost(ice_weight=1, pictures=levels, published=published)
        found = frost.set_params(random_state=0).perturb(None, black)[:, 5, 5]
        assert len(np.unique(found.round(3))) == n


def test_frost_pictures_from_a_folder(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for k, level in enumerate((51, 102)):
        image.fromarray(np.full((40, 40, 3), level, np.uint8)).save(
            tmp_path / f"{k}.png"
        )
    frost = sp.Frost(image_weight=1, ice_weight=1, pictures=tmp_path, random_state=0)
    out = frost.perturb(None, np.zeros((30, 32, 32, 3)))
    assert np.unique(out.round(4)).tolist() == [0.2, 0.4]
    image.fromarray(np.full((40, 40, 3), 255, np.uint8)).save(tmp_path / "1.png")
    assert frost.perturb(None, np.zeros((30, 32, 32, 3))).max() == 1  # read anew


BAD = [
    (sp.Frost(pictures=3), "'pictures' parameter of Frost must be None, a folder"),
    (sp.Frost(pictures=[]), "'pictures' parameter"),
    (sp.Frost(pictures="nowhere"), "'pictures' parameter.*nowhere"),
    (sp.Frost(pictures=[np.zeros((4, 4, 2))]), r"shape \(4, 4, 2\)"),
    (sp.Frost(pictures=[np.full((4, 4), 3.0)]), r"values in \[3, 3\]"),
    (sp.Fog(map_size=100), "'map_size' parameter of Fog must be a power of two"),
    (sp.Fog(map_size=2.0), "'map_size' parameter of Fog"),
    (sp.GlassBlur(published="cifar"), "'published' parameter of GlassBlur"),
    (sp.ZoomBlur(published="mnist_c"), "'published' parameter of ZoomBlur"),
    (sp.Shear(stretch=0), "'stretch' parameter of Shear"),
    (sp.Rotation(both_ways=1), "'both_ways' parameter of Rotation"),
    (sp.Translation(direction="up"), "'direction' parameter of Translation"),
]


@pytest.mark.parametrize(("perturbation", "message"), BAD, ids=lambda v: str(v)[:40])
def test_bad_parameters(perturbation, message):
    with pytest.raises(ValueError, match=message):
        perturbation.perturb(None, SMALL)
    with pytest.raises(ValueError, match="'published' parameter of imagenet_c"):
        sp.imagenet_c(published="yes")


def test_a_folder_without_pictures(tmp_path):
    with pytest.raises(ValueError, match=r"'pictures'.*an array of"):
        sp.Frost(pictures=np.zeros((20, 30, 3))).perturb(None, SMALL[:1])
    with pytest.raises(ValueError, match="Frost found no pictures in the folder"):
        sp.Frost(pictures=tmp_path).perturb(None, SMALL)


def test_fog_from_a_larger_map():
    images = np.full((300, 28, 28), 0.5)
    whole = sp.Fog(strength=3, decay=1.4, random_state=0)
    piece = sp.Fog(strength=3, decay=1.4, map_size=256, random_state=0)
    spread = [f.perturb(None, images).std(axis=(1, 2)).mean() for f in (whole, piece)]
    assert spread[1] < 0.8 * spread[0]
    same = sp.Fog(strength=3, decay=1.4, map_size=32, random_state=0)
    assert np.allclose(same.perturb(None, images), whole.perturb(None, images))


def test_signs_are_drawn():
    images = GREY.repeat(20, axis=0)
    for kind, strength in ((sp.Rotation, {"angle": 25}), (sp.Shear, {"shear": 0.3})):
        one, other = (
            kind(**{k: s * v for k, v in strength.items()}).perturb(None, images)
            for s in (1, -1)
        )
        both = kind(**strength, both_ways=True, random_state=0).perturb(None, images)
        as_one, as_other = (
            (np.abs(both.astype(int) - x) <= 1).all(axis=(1, 2)) for x in (one, other)
        )
        assert (as_one | as_other).all()
        assert abs(as_one.mean() - 0.5) < 4 * 0.5 / len(images) ** 0.5


def test_diagonals_are_drawn():
    images = np.zeros((100, 28, 28))
    images[:, 14, 14] = 1
    moved = sp.Translation(
        distance=3 * 2**0.5 / 28, direction="diagonal", random_state=0
    ).perturb(None, images)
    places = {tuple(p) for p in np.argwhere(moved > 0.99)[:, 1:].tolist()}
    assert places == {(11, 11), (11, 17), (17, 11), (17, 17)}


def test_published_motion_leads_to_the_left():
    spot = np.zeros((40, 41, 41))
    spot[:, 20, 20] = 1
    for published, sign in ((True, -1), (False, 1)):
        blur = sp.MotionBlur(radius=8, std=6, published=published, random_state=0)
        out = blur.perturb(None, spot)
        right = (out * (np.arange(41) - 20)).sum(axis=(1, 2))
        assert (sign * right > 0).all()


def test_presets_are_published():
    names = {c.name for c in sp.cifar_c((2,))}
    assert "drawn_frost-2" in names
    assert "frost-2" not in names
    pictures = [np.full((64, 64), 0.7)]
    kinds = {c.name: c.steps for c in sp.cifar_c((2,), frost_pictures=pictures)}
    assert "frost-2" in kinds
    own = {c.name for c in sp.cifar_c((2,), published=False)}
    assert own == set(kinds)
    shot = next(c for c in sp.mnist_c() if c.name == "shot_noise")
    assert "photons=3" in repr(shot)  # as strong as in ImageNet-C, at 28 pixels


def test_drawn_frost_is_as_bright_as_photographs():
    black = np.zeros((400, 32, 32))
    frost = sp.Frost(image_weight=1, ice_weight=1, published=True, random_state=0)
    level = frost.perturb(None, black).mean(axis=(1, 2))
    assert level.mean() == pytest.approx(0.643, abs=4 * 0.14 / 400**0.5 + 0.01)


@pytest.mark.parametrize("preset", [sp.imagenet_c, sp.cifar_c])
def test_presets_look_for_pictures_of_frost_at_once(preset, tmp_path):
    named = f"'frost_pictures' parameter of {preset.__name__}"
    for bad in ("nowhere", tmp_path / "nowhere", [], 3, [np.zeros((4, 4, 2))]):
        with pytest.raises(ValueError, match=named):
            preset(frost_pictures=bad)
    with pytest.raises(ValueError, match=f"{preset.__name__} found no pictures in"):
        preset(frost_pictures=tmp_path)
    assert preset(frost_pictures=[np.zeros((40, 40))])


def test_saturation_has_the_published_constants():
    # c = (scale, offset) of Hendrycks and Dietterich, for large and for small images.
    large = [(0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)]
    small = [(0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)]
    strengths = sp.Saturate._strengths
    for k, constants in enumerate((small, large)):
        given = [
            (strengths["scale"].levels, strengths["offset"].levels),
            (strengths["scale"].large, strengths["offset"].large),
        ][k]
        assert list(zip(*given, strict=True)) == constants
