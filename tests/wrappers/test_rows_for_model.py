"""Rows on their way to a wrapped model: order of axes, shape, dtype, range."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrobust
from skrobust.attacks import PGD
from skrobust.datasets import load_image_folder
from skrobust.perturbations import GaussianNoise
from skrobust.wrappers.rows_for_model import RowsForModel

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, size=(12, 6, 5, 3)).astype(np.uint8)
FIRST = IMAGES.transpose(0, 3, 1, 2)
FLAT = IMAGES.reshape(12, -1)
Y = (IMAGES.mean(axis=(1, 2, 3)) > np.median(IMAGES)).astype(int)


@pytest.mark.parametrize(
    ("rows", "settings", "wanted"),
    [
        (IMAGES, {"layout": "NCHW"}, FIRST),
        (FIRST, {"layout": "NCHW"}, FIRST),
        (FIRST, {"layout": "NHWC"}, IMAGES),
        (IMAGES, {"layout": "NHWC->NCHW"}, FIRST),
        (FIRST, {"layout": "NCHW->NHWC"}, IMAGES),
        (IMAGES, {"layout": "NCHW", "input_shape": (3, 6, 5)}, FIRST),
        (FLAT, {"layout": "NHWC->NCHW", "input_shape": (3, 6, 5)}, FIRST),
        (FLAT, {"layout": "NHWC", "input_shape": (6, 5, 3)}, None),
        (FLAT, {"input_shape": (6, 5, 3)}, IMAGES),
        (IMAGES, {"input_shape": "flat"}, FLAT),
        (IMAGES, {"layout": "NHWC->NCHW", "input_shape": (90,)},
         FIRST.reshape(12, -1)),
        (IMAGES[..., 0], {"layout": "NCHW"}, IMAGES[:, None, :, :, 0]),
        (IMAGES[..., 0], {"layout": "NHWC"}, IMAGES[..., :1]),
        (FLAT[:, :30], {"layout": "NCHW", "input_shape": (1, 6, 5)},
         FLAT[:, :30].reshape(12, 1, 6, 5)),
    ],
)  # fmt: skip
def test_shapes_and_orders(rows, settings, wanted):
    step = RowsForModel(**settings)
    if wanted is None:  # the order of a flat row of three channels is not known
        with pytest.raises(ValueError, match="Pass both orders"):
            step.transform(rows)
        return
    made = step.transform(rows)
    np.testing.assert_array_equal(made, wanted)
    # The pullback is the transpose of the map.
    slope = RNG.normal(size=made.shape)
    back = step.differentiable_pullback(rows, slope)
    assert (back * rows).sum() == pytest.approx((slope * made).sum())


def test_range_and_dtype():
    step = RowsForModel(dtype="float32", data_range=(0, 255))
    made = step.transform(IMAGES)
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made, (IMAGES / 255).astype(np.float32))
    whole = RowsForModel(dtype="uint8").transform(np.array([[0.4, 254.6, 300, -3]]))
    assert whole.tolist() == [[0, 255, 255, 0]]


@pytest.mark.parametrize(
    ("rows", "settings", "sentence"),
    [
        (IMAGES, {"input_shape": (3, 4, 4)}, "as many values"),
        (IMAGES, {"input_shape": (3, 6, 5)}, "layout='NCHW' or 'NHWC'"),
        (FLAT, {"layout": "NCHW"}, "Pass the shape of one image"),
        (IMAGES[:, :3, :, :], {"layout": "NCHW"}, "which axis"),
        (np.array([["a"]]), {"dtype": "float32"}, "Encode X first"),
    ],
    ids=["values", "order", "flat", "both", "text"],
)
def test_what_does_not_fit_is_said(rows, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        RowsForModel(**settings).transform(rows)


@pytest.mark.parametrize("given", ["flat", "sample"])
def test_a_pipeline_of_flat_rows_meets_images(given):
    pipe = make_pipeline(StandardScaler(), LogisticRegression()).fit(FLAT, Y)
    how = {"input_shape": "flat"} if given == "flat" else {"sample": IMAGES}
    model = skrobust.wrap(pipe, **how)
    np.testing.assert_array_equal(model.predict_proba(IMAGES), pipe.predict_proba(FLAT))
    attack = PGD(6, data_range=(0, 255), random_state=0)
    made = attack.perturb(model, IMAGES, Y)
    np.testing.assert_array_equal(made.reshape(12, -1), attack.perturb(pipe, FLAT, Y))
    noisy = GaussianNoise(severity=2, random_state=0).perturb(model, IMAGES, Y)
    assert model.predict(noisy).shape == (12,)


def test_flat_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(FLAT[:, :3], columns=list("abc"))
    bare = LogisticRegression().fit(frame, Y)
    model = skrobust.wrap(bare, input_shape="flat")
    np.testing.assert_array_equal(model.predict(frame), bare.predict(frame))


def test_an_image_folder_is_read_in_batches(tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    for place, image in enumerate(IMAGES):
        folder = tmp_path / "ab"[place % 2]
        folder.mkdir(exist_ok=True)
        pillow.fromarray(image).save(folder / f"{place:02}.png")
    photos, sizes = load_image_folder(tmp_path).images, []

    def brightness(rows):
        sizes.append(rows.shape)
        return rows.mean(axis=(1, 2, 3)) + 1

    model = skrobust.wrap(
        brightness, response="values", dtype="float64", layout="NCHW", batch_size=5
    )
    wanted = np.concatenate([IMAGES[::2], IMAGES[1::2]]).mean(axis=(1, 2, 3)) + 1
    np.testing.assert_allclose(model.predict(photos), wanted)
    assert sizes == [(5, 3, 6, 5), (5, 3, 6, 5), (2, 3, 6, 5)]
