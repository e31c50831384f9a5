"""Parts of perturbations against other implementations, and cell by cell."""

import numpy as np
import pandas as pd
import pytest
from families import public_classes

import skrobust.perturbations as sp
from skrobust.base import BasePerturbation
from skrobust.perturbations.images import byte_pixels, published_water
from skrobust.perturbations.images._color import grey_of
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.tables.array_table import ArrayTable
from skrobust.perturbations.tables.column_statistics import ColumnStatistics
from skrobust.testing import instances_for_checks

IMAGES = public_classes(sp, ImagePerturbation)


def test_brightness_is_that_of_pillow():
    Image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (32, 32, 3)).astype(np.uint8)
    pixels[0, :3] = np.diag([255, 255, 255])  # each colour alone
    found = grey_of(pixels[None] / 255)[0, ..., 0]
    want = np.asarray(Image.fromarray(pixels).convert("L"))
    assert np.abs(255 * found - want).max() <= 0.51
    grey = np.linspace(0, 1, 7).reshape(1, 7, 1, 1)
    for n_channels in (1, 2, 3, 4):
        same = grey_of(np.repeat(grey, n_channels, axis=3))
        np.testing.assert_allclose(same, grey)


@pytest.mark.parametrize("kind", IMAGES, ids=lambda kind: kind.__name__)
def test_images_of_any_size_come_in_whole_batches(kind):
    for perturbation in instances_for_checks(kind):
        for size in (1, 100, 3 * 224**2, 300_000, 10**6, 10**9):
            rows = perturbation._batch_rows(size)
            assert isinstance(rows, (int, np.integer))
            assert rows >= 1


@pytest.mark.parametrize("layout", ["last", "first", "crossed"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 3, 4])
@pytest.mark.parametrize("side", [5, 150])  # the larger by compiled code
def test_tables_of_images_and_channels_are_those_of_take(side, n, channels, layout):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (n, side, side + 1, channels)).astype(np.uint8)
    if layout == "first":
        planes = np.ascontiguousarray(np.moveaxis(images, -1, 1))
        images = np.moveaxis(planes, 1, -1)
    elif layout == "crossed":
        images = np.asfortranarray(images)
    tables = rng.integers(0, 256, (n, channels, 256)).astype(np.uint8)
    want = np.empty_like(images)
    for i in range(n):
        for c in range(channels):
            want[i, ..., c] = tables[i, c][images[i, ..., c]]
    byte_pixels.through_tables(images, tables)
    assert np.array_equal(images, want)


@pytest.mark.parametrize("levels", [2, 3, 6, 256])
def test_edges_are_those_of_opencv_where_gradients_tie(levels):
    cv2 = pytest.importorskip("cv2")
    rng = np.random.default_rng(0)
    blocks = rng.integers(0, levels, (6, 16, 16)) * (255 // (levels - 1))
    images = np.kron(blocks, np.ones((1, 3, 3))).astype(np.uint8)
    images = np.concatenate([images, images.transpose(0, 2, 1)])
    found = published_water.opencv_edges(images, 50, 150)
    for image, edges in zip(images, found, strict=True):
        # The frame of one pixel is read in another way.
        want = cv2.Canny(image, 50, 150)[1:-1, 1:-1] > 0
        assert (edges[1:-1, 1:-1] == want).mean() > 0.999


@pytest.mark.parametrize("mode", ["other", "marginal", "unseen", "typo"])
def test_every_column_of_categories_changes_but_those_of_one_value(mode):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"first": rng.choice(["red", "green", "blue"], 200)})
    X["same"] = "alone"
    X["second"] = rng.choice(["north", "south"], 200)
    X["third"] = rng.choice(["gold", "silver"], 200)
    flip = sp.CategoryFlip(mode=mode, share=0.5, random_state=0).fit(X)
    share = (flip.transform(X).astype(str) != X).mean()
    for name in ("first", "second", "third"):
        assert 0.1 < share[name] < 0.7
    if mode in ("other", "marginal"):
        assert share["same"] == 0


@pytest.mark.parametrize("values", [[], [3.0], [1.0, 1.0, 2.0], [0.0, 1.0, 2.0, 4.0]])
def test_shares_of_training_values_below_and_not_above(values):
    column = np.array([*values, np.nan])[:, None]
    known = ColumnStatistics(column, {"order"})
    x = np.array([np.nan, -1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 9.0])
    low, high = known.share_below(0, x)
    for value, below, upto in zip(x, low, high, strict=True):
        if np.isnan(value) or not values:
            assert (below, upto) == (0, 1)
        else:
            assert below == np.mean(np.array(values) < value)
            assert upto == np.mean(np.array(values) <= value)


def test_integers_that_no_float_holds_may_change_but_not_stay():
    big = 2**53 + 1
    table = ArrayTable(np.array([[big, 1], [2, 3], [4, big]]))
    block = table.numbers([0])
    with pytest.raises(ValueError, match=str(big)):
        table.with_numbers([0], block, keep_integer=False)
    X = np.array([[big, 1], [2, 3]])
    moved = np.array([[0.5], [2.0]])  # the large one moves, the other stays
    found = ArrayTable(X).with_numbers([0], moved, keep_integer=False)
    assert found.tolist() == [[0.5, 1], [2, 3]]
    with pytest.raises(ValueError, match=str(big)):
        ArrayTable(X).with_numbers([1], np.array([[0.5], [3.0]]), keep_integer=False)
    stays = np.array([[float(big)], [2.5]])
    with pytest.raises(ValueError, match=str(big)):
        ArrayTable(X).with_numbers([0], stays, keep_integer=False)


SERIES = [
    kind
    for kind in public_classes(sp, BasePerturbation)
    if "time_series" in kind.__module__
]


@pytest.mark.parametrize("kind", SERIES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("place", [0, 3])
def test_the_first_row_with_infinity_is_named(kind, place):
    X = np.random.default_rng(0).normal(size=(6, 20))
    for perturbation in instances_for_checks(kind)[:1]:
        bad = X.copy()
        bad[[place, 5], 7] = [np.inf, -np.inf]
        rule = f"{kind.__name__}.*contains infinity, first in row {place}"
        with pytest.raises(ValueError, match=rule):
            perturbation.fit(X).perturb(None, bad)
