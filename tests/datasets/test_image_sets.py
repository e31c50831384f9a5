"""Folders of images and tables of metadata: read lazily, nothing lost silently."""

import csv
import pickle
import warnings

import numpy as np
import pytest
from problems import data_folder
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_validate, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import _safe_indexing, check_array

import skrobust.datasets
from skrobust.attacks import FGSM, RandomSearch
from skrobust.datasets import ImageSet, LazyImages, load_image_folder
from skrobust.datasets.frame_names import clip_and_frame, frame_number
from skrobust.evaluation import (
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
)
from skrobust.metrics import make_robust_scorer
from skrobust.perturbations import Contrast, GaussianNoise

Image = pytest.importorskip("PIL.Image")


def picture(value=0, size=(6, 5), mode="RGB"):
    """Return a picture of (height, width) whose top left pixel tells it from others."""
    pixels = np.zeros((*size, 3), dtype=np.uint8)
    pixels[0, 0] = value
    pixels[-1, -1] = (10, 20, 30)
    return Image.fromarray(pixels).convert(mode)


def save(path, *args, **kwargs):
    path.parent.mkdir(parents=True, exist_ok=True)
    picture(*args, **kwargs).save(path)
    return path


@pytest.fixture
def faces(tmp_path):
    """Two classes of two clips with three frames each."""
    for k, (label, clip, frame) in enumerate(
        (a, b, c) for a in ("fake", "real") for b in ("7", "x_12") for c in (0, 5, 30)
    ):
        save(tmp_path / label / f"{clip}_{frame}.png", k)
    return tmp_path


def first_values(images):
    return np.asarray(images)[:, 0, 0, 0].tolist()


# ----------------------------------------------------------------------- LazyImages


@pytest.fixture
def lazy(tmp_path):
    return LazyImages([save(tmp_path / f"{i}.png", i) for i in range(9)])


KEYS = [
    0,
    -1,
    np.int64(3),
    slice(None),
    slice(2, 7, 2),
    slice(None, None, -3),
    [3, 0, 3],
    np.array([8, -9]),
    np.arange(9) % 2 == 0,
    [True] + [False] * 8,
    [],
    ...,
    (2, ...),
    ([4, 2], ...),
    (slice(1, 3), 0),
    (5, 0, 0),
    (slice(None), slice(0, 2), 1),
    (),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indexing_is_that_of_the_array(lazy, key):
    whole = np.asarray(lazy)
    empty = isinstance(key, list) and not key
    wanted = whole[np.array(key, dtype=int) if empty else key]
    found = lazy[key]
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.uint8
    assert np.array_equal(found, wanted)
    wanted_view = lazy.as_views()[key]
    assert np.array_equal(np.asarray(wanted_view), wanted)


@pytest.mark.parametrize("key", [9, -10, "a", 1.5, [0.5], [True, False], [[0], [1]]])
def test_indices_that_are_none(lazy, key):
    with pytest.raises(IndexError):
        lazy[key]


def test_it_looks_like_an_array(lazy):
    whole = np.asarray(lazy)
    assert lazy.shape == whole.shape == (9, 6, 5, 3)
    assert (lazy.ndim, lazy.size, lazy.nbytes) == (whole.ndim, whole.size, whole.nbytes)
    assert lazy.dtype == whole.dtype
    assert len(lazy) == 9
    assert [image[0, 0, 0] for image in lazy] == list(range(9))
    assert np.array_equal(np.array(lazy, dtype=np.float32), whole)
    assert check_array(lazy, allow_nd=True).shape == whole.shape
    assert "shape=(9, 6, 5, 3)" in repr(lazy)
    with pytest.raises(ValueError, match="no array to view"):
        np.array(lazy, copy=False)


def test_scikit_learn_takes_it(lazy):
    y = np.arange(9) % 3
    assert np.array_equal(_safe_indexing(lazy, [2, 5]), lazy[[2, 5]])
    train, test, y_train, y_test = train_test_split(lazy, y, random_state=0)
    assert train[:, 0, 0, 0].tolist() != sorted(first_values(train))
    assert np.array_equal(train[:, 0, 0, 0] % 3, y_train)
    assert np.array_equal(test[:, 0, 0, 0] % 3, y_test)
    views = train_test_split(lazy.as_views(), random_state=0)
    assert all(isinstance(view, LazyImages) for view in views)
    assert np.array_equal(np.asarray(views[0]), train)
    for images in (lazy, lazy.as_views()):
        model = DummyClassifier(strategy="prior")
        scores = cross_validate(model, images, y, groups=y, cv=GroupKFold(3))
        assert np.array_equal(scores["test_score"], np.zeros(3))


def test_batches_and_pickles(lazy):
    parts = list(lazy.batches(4))
    assert [rows for rows, _ in parts] == [slice(0, 4), slice(4, 8), slice(8, 9)]
    joined = np.concatenate([images for _, images in parts])
    assert np.array_equal(joined, np.asarray(lazy))
    assert len(pickle.dumps(lazy)) < 3000  # the paths, no pixels
    assert np.array_equal(pickle.loads(pickle.dumps(lazy)), np.asarray(lazy))
    with pytest.raises(ValueError, match="'size'"):
        next(lazy.batches(0))


def test_what_was_read_is_kept_as_asked(tmp_path):
    paths = [save(tmp_path / f"{i}.png", i) for i in range(4)]
    kept, not_kept = LazyImages(paths, cache_size=2), LazyImages(paths)
    for images in (kept, not_kept):
        assert first_values(images) == [0, 1, 2, 3]
    save(paths[3], 200)
    save(paths[0], 100)
    assert not_kept[3][0, 0, 0] == 200
    assert kept[3][0, 0, 0] == 3  # among the last two
    assert kept[0][0, 0, 0] == 100
    assert len(kept._kept) == 2
    assert len(pickle.loads(pickle.dumps(kept))._kept) == 0


def test_too_much_at_once_is_said_before_it_is_read(tmp_path):
    paths = [save(tmp_path / f"{i}.png") for i in range(4)]
    small = LazyImages(paths, memory_limit=200)
    assert small[:2].shape == (2, 6, 5, 3)
    paths[3].unlink()
    with pytest.raises(MemoryError, match="batches"):
        np.asarray(small)
    assert LazyImages(paths[:3], memory_limit=None)[:].shape == (3, 6, 5, 3)


def test_floats_and_channels_first(tmp_path):
    paths = [save(tmp_path / f"{i}.png", 51 * i) for i in range(3)]
    images = LazyImages(paths, dtype="float32", channels_first=True)
    assert images.shape == (3, 3, 6, 5)
    plain = np.asarray(LazyImages(paths))
    assert np.asarray(images).dtype == np.float32
    wanted = np.moveaxis(plain, -1, 1).astype(np.float32) / np.float32(255)
    assert np.array_equal(images, wanted)
    assert images[:].flags.c_contiguous


def test_resize_is_pillows(tmp_path):
    path = save(tmp_path / "a.png", 200, size=(9, 7))
    found = LazyImages([path], resize=(4, 3))[0]
    wanted = picture(200, size=(9, 7)).resize((3, 4), Image.Resampling.BICUBIC)
    assert np.array_equal(found, np.asarray(wanted))
    cut = LazyImages([path], crop=lambda image: image[:4, :3], resize=(4, 3))[0]
    assert np.array_equal(cut, np.asarray(picture(200, size=(9, 7)))[:4, :3])


@pytest.mark.parametrize(
    "params, error, sentence",
    [
        ({"sources": []}, ValueError, "at least one image"),
        ({"sources": "a.png"}, ValueError, "'sources'"),
        ({"sources": 5}, ValueError, "'sources'"),
        ({"sources": [5]}, ValueError, "'sources'"),
        ({"sources": [("a.mp4", "first")]}, ValueError, "'sources'"),
        ({"sources": [("a.mp4", 1, 2)]}, ValueError, "'sources'"),
        ({"sources": ["nowhere.png"]}, ValueError, "there is no such file"),
        ({"resize": 5}, ValueError, "'resize'"),
        ({"resize": (5, 0)}, ValueError, "'resize'"),
        ({"resize": (5, 2.5)}, ValueError, "'resize'"),
        ({"crop": 3, "resize": (2, 2)}, ValueError, "'crop'"),
        ({"crop": abs}, ValueError, "resize="),
        ({"convert": "L"}, ValueError, "'convert'"),
        ({"dtype": "int8"}, ValueError, "'dtype'"),
        ({"channels_first": 1}, ValueError, "'channels_first'"),
        ({"cache_size": -1}, ValueError, "'cache_size'"),
        ({"memory_limit": 0}, ValueError, "'memory_limit'"),
    ],
)
def test_bad_parameters_of_lazy_images(tmp_path, params, error, sentence):
    params = {"sources": [save(tmp_path / "a.png")], **params}
    with pytest.raises(error, match=sentence):
        LazyImages(params.pop("sources"), **params)


def test_files_that_change_after_loading(tmp_path):
    paths = [save(tmp_path / f"{i}.png") for i in range(3)]
    images = LazyImages(paths)
    save(paths[1], size=(9, 9))
    paths[2].write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"1\.png.*\(9, 9\)"):
        images[1]
    with pytest.raises(ValueError, match=r"2\.png.*no image"):
        images[[0, 2]]


def flat(images):
    return np.asarray(images, dtype=np.float64).reshape(len(images), -1) / 255


@pytest.mark.filterwarnings("ignore:.*best constant prediction")  # of few images
def test_evaluations_take_it(tmp_path):
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (30, 6, 6, 3), dtype=np.uint8)
    paths = [tmp_path / f"{i}.png" for i in range(30)]
    for path, image in zip(paths, pixels, strict=True):
        Image.fromarray(image).save(path)
    images, y = LazyImages(paths), np.arange(30) % 2
    model = make_pipeline(FunctionTransformer(flat), LogisticRegression())
    model.fit(images, y)
    assert np.array_equal(model.predict_proba(images), model.predict_proba(pixels))
    conditions = [GaussianNoise(std=0.3, random_state=0), Contrast(4)]
    attack = RandomSearch(30.0, data_range=(0, 255), n_steps=3, random_state=0)
    folds = GroupKFold(3).split(images, groups=np.arange(30) // 3)
    folds = list(folds)
    for run in (
        lambda X: evaluate_perturbations(model, X, y, conditions).score,
        lambda X: evaluate_attack(model, X, y, attack).robust_ratio_loss,
        lambda X: cross_validate_perturbations(model, X, y, conditions, cv=folds).score,
        lambda X: cross_validate(
            model, X, y, cv=folds, scoring=make_robust_scorer(conditions[0])
        )["test_score"],
    ):
        wanted = run(pixels)
        assert np.array_equal(run(images), wanted)
        assert np.array_equal(run(images.as_views()), wanted)


@pytest.mark.torch
def test_nets_take_it(tmp_path):
    torch = pytest.importorskip("torch")
    skorch = pytest.importorskip("skorch")
    paths = [save(tmp_path / f"{i}.png", 20 * i) for i in range(8)]
    images = LazyImages(paths, dtype="float32", channels_first=True)
    torch.manual_seed(0)
    net = skorch.NeuralNetClassifier(
        torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(90, 2)),
        criterion=torch.nn.CrossEntropyLoss,
        max_epochs=2,
        batch_size=3,
        verbose=0,
        train_split=None,
    )
    y = np.arange(8) % 2
    net.fit(images, y)
    assert np.array_equal(net.predict_proba(images), net.predict_proba(images[:]))
    attack = FGSM(0.05, data_range=(0, 1))
    a, b = (evaluate_attack(net, X, y, attack) for X in (images, images[:]))
    assert np.array_equal(a.robust_ratio_loss, b.robust_ratio_loss)
    assert a.robust_accuracy == b.robust_accuracy


# ---------------------------------------------------------------- load_image_folder


def test_names_of_clips_and_frames(faces):
    found = load_image_folder(faces)
    assert found.target_names == ["fake", "real"]
    assert found.target.tolist() == [0] * 6 + [1] * 6
    assert found.clip[:6].tolist() == ["fake/7"] * 3 + ["fake/x_12"] * 3
    assert found.frame.tolist() == [0, 5, 30] * 4  # by number, not by letter
    assert first_values(found.images) == list(range(12))
    assert found.skipped == found.ignored == []
    assert set(found.group) == {""}
    part = found.take(found.frame == 5)
    assert first_values(part.images) == [1, 4, 7, 10]
    assert part.clip.tolist() == ["fake/7", "fake/x_12", "real/7", "real/x_12"]
    assert part.skipped == []
    assert "12 images of 4 clips" in repr(found)
    assert repr(ImageSet()) == "ImageSet()"  # as containers are that are not filled yet
    assert repr(ImageSet(clip=found.clip)) == "ImageSet(clip)"
    assert np.array_equal(pickle.loads(pickle.dumps(found)).images, found.images)


def test_folders_of_clips_and_levels(tmp_path):
    for k, name in enumerate(
        [
            "real/a/clip1/0002.png",
            "real/a/clip1/0010.png",
            "real/b/face.png",
            "fake/a/9_1.png",
        ]
    ):
        save(tmp_path / name, k)
    found = load_image_folder(tmp_path, levels=("label", "group"))
    assert found.clip.tolist() == ["fake/a/9", *["real/a/clip1"] * 2, "real/b/face"]
    assert found.frame.tolist() == [1, 2, 10, -1]
    assert found.group.tolist() == ["a", "a", "a", "b"]
    alone = load_image_folder(tmp_path / "real", levels="group", label="real")
    assert alone.target_names == ["real"]
    assert alone.group.tolist() == ["a", "a", "b"]


def test_the_table(faces):
    pandas = pytest.importorskip("pandas")
    found = load_image_folder(faces)
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.columns.tolist() == [
        "filename",
        "target",
        "label",
        "group",
        "clip",
        "frame",
        "origin",
    ]
    assert frame.label.tolist() == ["fake"] * 6 + ["real"] * 6
    assert frame.filename[0].endswith("7_0.png")


def spoil(folder):
    """Add one file of each kind that cannot be used; return what is said of them."""
    whole = save(folder / "real" / "8_0.jpg", 90).read_bytes()
    (folder / "real" / "8_1.jpg").write_bytes(whole[: len(whole) // 2])
    (folder / "real" / "8_2.jpg").write_bytes(b"")
    (folder / "real" / "8_3.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 50)
    save(folder / "real" / "8_4.png", mode="L")
    save(folder / "real" / "8_5.png", mode="RGBA")
    save(folder / "real" / "8_6.png", size=(4, 4))
    (folder / "real" / "empty").mkdir()
    save(folder / "top.png")
    (folder / "real" / "notes.txt").write_text("hello")
    (folder / ".hidden.png").write_text("")
    return {
        "8_1.jpg": "cannot be decoded",
        "8_2.jpg": "empty",
        "8_3.png": "",
        "8_4.png": "grey",
        "8_5.png": "RGBA",
        "8_6.png": r"(4, 4)",
        "empty": "nothing to load",
        "top.png": "no folder for its label",
    }


def test_what_cannot_be_used_is_counted_and_listed(faces):
    said = spoil(faces)
    with pytest.warns(UserWarning, match="left out 8 and kept 13 images") as caught:
        found = load_image_folder(faces, on_error="skip")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert len(found.skipped) == len(said) == 8
    for path, reason in found.skipped:
        assert said.pop(path.rpartition("/")[2]) in reason
    assert not said
    assert found.images.shape == (13, 6, 5, 3)
    assert [path.rpartition("/")[2] for path in found.ignored] == ["notes.txt"]
    assert len(found.target) == len(found.images) == len(np.asarray(found.images))


def test_or_it_raises(faces):
    spoil(faces)
    with pytest.raises(ValueError, match=r"cannot use .*on_error='skip'"):
        load_image_folder(faces)


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "LA", "CMYK", "1"])
def test_conversion_only_when_asked(tmp_path, mode):
    suffix = "tif" if mode == "CMYK" else "png"
    save(tmp_path / "a" / f"x_0.{suffix}", 200, mode=mode)
    with pytest.raises(ValueError, match="convert=True"):
        load_image_folder(tmp_path)
    with pytest.raises(ValueError, match="convert=True"):
        load_image_folder(tmp_path, verify=False)
    for verify in (True, False):
        found = load_image_folder(tmp_path, convert=True, verify=verify).images[0]
        wanted = picture(200, mode=mode).convert("RGB")
        assert np.array_equal(found, np.asarray(wanted))


def test_deeper_pixels_are_refused_either_way(tmp_path):
    (tmp_path / "a").mkdir()
    Image.fromarray(np.zeros((4, 4), np.uint16)).save(tmp_path / "a" / "x_0.png")
    for convert in (True, False):
        with pytest.raises(ValueError, match="more than 8 bits"):
            load_image_folder(tmp_path, convert=convert)


def test_links_to_nothing_are_not_passed_over(faces):
    (faces / "real" / "9_0.png").symlink_to(faces / "nowhere.png")
    with pytest.raises(ValueError, match="no such file"):
        load_image_folder(faces)


def test_transparent_pixels_lie_on_black(tmp_path):
    pixels = np.full((4, 4, 4), 200, dtype=np.uint8)
    pixels[0, 0, 3] = 0
    (tmp_path / "a").mkdir()
    Image.fromarray(pixels, "RGBA").save(tmp_path / "a" / "x_0.png")
    found = load_image_folder(tmp_path, convert=True).images[0]
    assert found[0, 0].tolist() == [0, 0, 0]
    assert found[1, 1].tolist() == [157] * 3  # 200 * 200 / 255


def test_sizes_are_made_equal_only_when_asked(tmp_path):
    for i, size in enumerate([(6, 5), (8, 8), (6, 5)]):
        save(tmp_path / "a" / f"x_{i}.png", size=size)
    with pytest.raises(ValueError, match=r"size is \(8, 8\).*resize"):
        load_image_folder(tmp_path)
    for verify in (True, False):
        with pytest.warns(UserWarning, match="left out 1"):
            found = load_image_folder(tmp_path, on_error="skip", verify=verify)
        assert found.images.shape == (2, 6, 5, 3)
        found = load_image_folder(tmp_path, resize=(7, 7), verify=verify)
        assert found.images[:].shape == (3, 7, 7, 3)


def test_without_verifying_only_headers_are_read(tmp_path):
    path = save(tmp_path / "a" / "x_0.jpg", 9)
    other = tmp_path / "a" / "x_1.jpg"
    other.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match="x_1"):
        load_image_folder(tmp_path)
    found = load_image_folder(tmp_path, verify=False)
    assert len(found.images) == 2
    with pytest.raises(ValueError, match="x_1"):
        found.images[1]


# ------------------------------------------------------------------------- metadata


def write_table(path, rows, columns=("path", "label", "group", "clip", "frame")):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def test_a_table_says_all(tmp_path):
    for i in range(3):
        save(tmp_path / "pictures" / f"{i}.png", i)
    table = write_table(
        tmp_path / "table.csv",
        [
            ["pictures/2.png", "real", "women", "c1", "7"],
            ["pictures/0.png", "fake", "men", "c1", ""],
            ["pictures/1.png", "real", "", "", "0"],
        ],
    )
    found = load_image_folder(tmp_path, metadata=table)
    assert first_values(found.images) == [2, 0, 1]  # in the order of the table
    assert found.target.tolist() == [1, 0, 1]
    assert found.group.tolist() == ["women", "men", ""]
    assert found.clip.tolist() == ["c1", "c1", "pictures/1.png"]
    assert found.frame.tolist() == [7, -1, 0]
    assert found.ignored == []


def test_rows_and_files_that_do_not_meet(tmp_path):
    for i in range(6):
        save(tmp_path / f"{i}.png", i)
    table = write_table(
        tmp_path / "table.csv",
        [
            ["0.png", "real", "", "", "0"],
            ["9.png", "real", "", "", "0"],
            ["1.png", "", "", "", "0"],
            ["0.png", "fake", "", "", "0"],
            ["2.png", "fake", "", "", "two"],
            ["", "fake", "", "", "0"],
            ["3.png"],
        ],
    )
    with pytest.raises(ValueError, match=r"line 3.*no image '9.png'"):
        load_image_folder(tmp_path, metadata=table)
    with pytest.warns(UserWarning, match="left out 8 and kept 1 images"):
        found = load_image_folder(tmp_path, metadata=table, on_error="skip")
    reasons = [reason for _, reason in found.skipped]
    for part in ("no image", "named twice", "no number", "path is empty"):
        assert sum(part in reason for reason in reasons) == 1
    assert sum("label is empty" in reason for reason in reasons) == 2
    lonely = [path for path, reason in found.skipped if "no row" in reason]
    assert [path[-5:] for path in lonely] == ["4.png", "5.png"]


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({"path": "nowhere"}, "'path'"),
        ({"path": 3}, "'path'"),
        ({"on_error": "ignore"}, "'on_error'"),
        ({"resize": "big"}, "'resize'"),
        ({"crop": 3}, "'crop'"),
        ({"crop": abs}, "resize="),
        ({"convert": 1}, "'convert'"),
        ({"verify": "no"}, "'verify'"),
        ({"levels": ("label", "label")}, "'levels'"),
        ({"levels": ("clip",)}, "'levels'"),
        ({"levels": 3}, "'levels'"),
        ({"levels": ("group",)}, "label=, the one label"),
        ({"label": "real"}, "either a level 'label' or label="),
        ({"levels": "group", "label": 1}, "'label'"),
        ({"metadata": "none.csv"}, "cannot read metadata"),
        ({"metadata": 3}, "cannot read metadata"),
    ],
)
def test_bad_parameters_of_folders(faces, params, sentence):
    params = {"path": faces, **params}
    with pytest.raises(ValueError, match=sentence):
        load_image_folder(params.pop("path"), **params)


def test_folders_without_anything(tmp_path):
    with pytest.raises(ValueError, match="no image that it can use"):
        load_image_folder(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.png").write_text("no")
    with pytest.raises(ValueError, match="first was left out"):
        load_image_folder(tmp_path, on_error="skip")
    table = write_table(tmp_path / "t.csv", [], columns=["file"])
    with pytest.raises(ValueError, match=r"column 'path'.*columns are file"):
        load_image_folder(tmp_path, metadata=table)


# ------------------------------------------------------------------------ real data


@pytest.mark.slow
@pytest.mark.data
def test_the_provided_faces():
    folder = data_folder("deepfake", "faces")
    with pytest.raises(ValueError, match="resize"):
        load_image_folder(folder)
    found = load_image_folder(folder, resize=(256, 256))
    assert found.target_names == ["DeepFake", "Real"]
    clips = {label: set() for label in (0, 1)}
    for clip, label in zip(found.clip, found.target, strict=True):
        clips[label].add(clip)
    assert [len(clips[label]) for label in (0, 1)] == [31, 35]
    assert np.unique(found.clip, return_counts=True)[1].tolist() == [6] * 66
    path = folder / "DeepFake" / "114_204.jpg"
    with Image.open(path) as image:
        wanted = np.asarray(image.resize((256, 256)))
    row = found.filenames.tolist().index(str(path))
    assert np.array_equal(found.images[row], wanted)


@pytest.mark.data
def test_the_provided_groups():
    folder = data_folder("deepfake", "utk_groups")
    found = load_image_folder(folder, levels="group", label="real")
    assert np.unique(found.group, return_counts=True)[1].tolist() == [60] * 6
    assert found.images.shape == (360, 200, 200, 3)


def test_nothing_is_warned_of_where_all_is_well(faces):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_image_folder(faces, on_error="skip")
    assert sorted(skrobust.datasets.__all__) == skrobust.datasets.__all__


@pytest.mark.parametrize(
    "key",
    [
        ([0, 1], [2, 3]),
        (0, slice(None), [1, 2]),
        ([2, 0], slice(None), [1, 2]),
        ([True, False, True], [0, 1], 0),
        ([1, 0], slice(2), 0),
        (slice(1, None), [0, 1], [1, 0]),
        ([0], ..., [0, 1]),
    ],
)
def test_index_arrays_on_several_axes_pair_as_in_numpy(key, tmp_path):
    # Crossed, they would give another shape, or the same one with other pixels.
    pixels = np.arange(3 * 4 * 5 * 3, dtype=np.uint8).reshape(3, 4, 5, 3)
    paths = [tmp_path / f"{i}.png" for i in range(3)]
    for path, image in zip(paths, pixels, strict=True):
        pytest.importorskip("PIL.Image").fromarray(image).save(path)
    np.testing.assert_array_equal(LazyImages(paths)[key], pixels[key])


@pytest.mark.parametrize("name", ["a_{}.png", "clip/{}.png"])
def test_numbers_too_long_for_a_frame_are_part_of_the_name(name, tmp_path):
    # Names made of hashes and of time stamps have such numbers.
    file = tmp_path / "real" / name.format("9" * 23)
    file.parent.mkdir(parents=True)
    grey = np.zeros((4, 5, 3), np.uint8)
    pytest.importorskip("PIL.Image").fromarray(grey).save(file)
    assert load_image_folder(tmp_path).frame.tolist() == [-1]


# ------------------------------------------------- names, tags: what is not recognised

READ = {
    "clip_0012": ("clip", 12),
    "clip-12": ("clip", 12),
    "clip.12": ("clip", 12),
    "clip 12": ("clip", 12),
    "clip#12": ("clip", 12),
    "clip (12)": ("clip", 12),
    "clip[12]": ("clip", 12),
    "clip_frame_12": ("clip", 12),
    "clip-frame-000012": ("clip", 12),
    "clip_frame12": ("clip", 12),
    "clip_f12": ("clip", 12),
    "clip.mp4_12": ("clip.mp4", 12),
    "x_7_12": ("x_7", 12),
    "7_12_face0": ("7", 12),
    "7_12_crop": ("7", 12),
    "frame12_clip": ("clip", 12),
    "f0012-id3_b": ("id3_b", 12),
    "12": None,
    "clip": None,
    "clip12f3": None,
    "12_clip": None,
}


@pytest.mark.parametrize("stem", READ)
def test_common_forms_of_names(stem):
    assert clip_and_frame(stem) == READ[stem]


@pytest.mark.parametrize(
    ("stem", "number"),
    [("0012", 12), ("a7_12", 12), ("frame12", 12), ("0012_face", 12), ("12-f", 12),
     ("a7", 7), ("3_4_face", -1), ("face", -1), ("f" * 9 + "9a" * 9, -1)],
)  # fmt: skip
def test_number_of_a_frame_in_the_folder_of_its_clip(stem, number):
    assert frame_number(stem) == number


def test_names_that_are_not_recognised_are_counted_once(tmp_path):
    for name in ["a12b3", "a12b4", "7_0", "7_1", "face", "0" * 20, "ab" * 9 + "1"]:
        save(tmp_path / "real" / f"{name}.png")
    with pytest.warns(UserWarning, match="names of 2 of 7 images") as caught:
        found = load_image_folder(tmp_path)
    assert len(caught) == 1
    assert len(set(found.clip)) == 6
    with pytest.raises(ValueError, match="'clip'"):
        load_image_folder(tmp_path, pattern=r"(\d+)")
    with pytest.raises(ValueError, match="regular expression"):
        load_image_folder(tmp_path, pattern="(")
    with pytest.raises(ValueError, match="not both"):
        load_image_folder(tmp_path, pattern="x", metadata="m.csv")
    pattern = r"(?P<clip>a\d+)b(?P<frame>\d+)"
    with pytest.warns(UserWarning, match="left out 5"):
        found = load_image_folder(tmp_path, pattern=pattern, on_error="skip")
    assert found.clip.tolist() == ["real/a12"] * 2
    assert found.frame.tolist() == [3, 4]
    alone = load_image_folder(tmp_path, pattern="(?P<clip>.+)")
    assert len(set(alone.clip)) == 7


def test_clips_of_one_frame_each_and_one_clip_of_all(tmp_path):
    for k in range(20):
        save(tmp_path / "each" / "real" / f"{k}_face_0.png", k)
        save(tmp_path / "all" / "real" / f"photo_{k}.png", k)
        save(tmp_path / "fine" / "real" / f"{k // 2}_{k}.png", k)
    with pytest.warns(UserWarning, match="all 20 images, and yet each is a clip"):
        load_image_folder(tmp_path / "each", pattern=r"(?P<clip>.+)_(?P<frame>\d)")
    with pytest.warns(UserWarning, match="frames of 1 clips, one in each folder"):
        load_image_folder(tmp_path / "all")
    load_image_folder(tmp_path / "fine")


@pytest.mark.parametrize("kind", ["jpg", "png", "tif", "webp"])
@pytest.mark.parametrize("tag", range(1, 9))
def test_images_are_turned_upright(kind, tag, tmp_path):
    """What is stored under each of the eight tags is the same picture."""
    upright = np.zeros((16, 32, 3), dtype=np.uint8)
    upright[:8, :8] = 255  # a white corner at the top left
    back = {2: np.fliplr, 3: lambda a: np.rot90(a, 2), 4: np.flipud,
            5: lambda a: a.transpose(1, 0, 2), 6: np.rot90,
            7: lambda a: np.rot90(a, 2).transpose(1, 0, 2),
            8: lambda a: np.rot90(a, -1)}  # fmt: skip
    stored = Image.fromarray(np.ascontiguousarray(back.get(tag, np.array)(upright)))
    exif = Image.Exif()
    exif[0x0112] = tag
    path = tmp_path / "real" / f"a.{kind}"
    path.parent.mkdir()
    stored.save(path, exif=exif)
    image = load_image_folder(tmp_path).images[0]
    assert (image.shape, image[2:6, 2:6].min() > 200) == ((16, 32, 3), True)
    headers = load_image_folder(tmp_path, verify=False)
    np.testing.assert_array_equal(headers.images[0], image)
    pytest.importorskip("click")
    from skrobust.cli.image_input import open_image

    with open_image(path) as opened:
        assert opened.format == {"jpg": "JPEG", "tif": "TIFF"}.get(kind, kind.upper())
        np.testing.assert_array_equal(np.asarray(opened), image)


def shade(k, size=(20, 30)):
    return Image.fromarray(np.full((*size, 3), 40 * k, dtype=np.uint8))


def save_pictures(path, n=4):
    """Save an animation or a file of pages; the k-th picture has the shade 40 k."""
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {"lossless": True} if path.suffix == ".webp" else {}
    rest = [shade(k) for k in range(1, n)]
    shade(0).save(path, save_all=True, append_images=rest, **options)
    return path


@pytest.mark.parametrize("kind", ["gif", "png", "tif", "webp"])
def test_files_of_several_pictures(kind, tmp_path):
    path = save_pictures(tmp_path / "real" / f"walk_7.{kind}")
    shade(5).save(tmp_path / "real" / "still_3.png")
    said = f"walk_7.{kind}.*it holds 4 pictures, an animation or pages; .*pages='all'"
    for verify in (True, False):
        with pytest.raises(ValueError, match=said):
            load_image_folder(tmp_path, convert=True, verify=verify)
        with pytest.warns(UserWarning, match="left out 1 and kept 1"):
            kept = load_image_folder(
                tmp_path, convert=True, verify=verify, on_error="skip"
            )
        assert kept.filenames.tolist() == [str(tmp_path / "real" / "still_3.png")]
        every = load_image_folder(tmp_path, convert=True, verify=verify, pages="all")
        assert every.frame.tolist() == [3, 0, 1, 2, 3]
        assert set(every.clip) == {"real/still", "real/walk_7"}
        shades = every.images[:].mean(axis=(1, 2, 3)).round()
        assert shades.tolist() == [200, 0, 40, 80, 120]
        assert every.images[[4, 2]].mean(axis=(1, 2, 3)).round().tolist() == [120, 40]
        first = load_image_folder(tmp_path, convert=True, verify=verify, pages="first")
        assert first.images[:].mean(axis=(1, 2, 3)).round().tolist() == [200, 0]
        assert first.frame.tolist() == [3, 7]
    if kind == "gif":
        with pytest.raises(ValueError, match=r"pages='first' .* with convert=True, as"):
            load_image_folder(tmp_path)
    lazy = LazyImages([(path, 2), (path, 0)], convert=True)
    assert lazy[:].mean(axis=(1, 2, 3)).round().tolist() == [80, 0]
    with pytest.raises(ValueError, match="holds 4 pictures, no number 4"):
        LazyImages([(path, 4)], convert=True)
    with pytest.raises(ValueError, match="holds 4 pictures, an animation"):
        LazyImages([path], convert=True)
    with pytest.raises(ValueError, match="'pages' parameter of load_image_folder"):
        load_image_folder(tmp_path, pages="last")


def test_a_table_names_the_clip_of_an_animation(tmp_path):
    save_pictures(tmp_path / "images" / "a.gif")
    table = tmp_path / "table.csv"
    table.write_text("path,label,clip,origin\na.gif,real,one,first\n")
    found = load_image_folder(
        tmp_path / "images", metadata=table, convert=True, pages="all"
    )
    assert set(found.clip) == {"one"}
    assert set(found.origin) == {"first"}
    assert found.frame.tolist() == [0, 1, 2, 3]


def test_small_pictures_beside_a_photograph_are_no_pages(tmp_path):
    """Phones write JPEG files with a second, smaller picture (MPO)."""
    path = tmp_path / "real" / "photo.jpg"
    path.parent.mkdir()
    shade(3).save(path, format="MPO", save_all=True, append_images=[shade(1, (5, 8))])
    with Image.open(path) as image:
        assert image.n_frames == 2
    assert load_image_folder(tmp_path).images[0].mean().round() == 120


@pytest.mark.parametrize("kind", ["jpg", "png", "bmp", "tif", "webp", "ppm", "gif"])
@pytest.mark.parametrize("share", [0.5, 0.95])
def test_pictures_that_are_cut_off_say_what_is_there(kind, share, tmp_path):
    path = tmp_path / "real" / f"a.{kind}"
    path.parent.mkdir()
    pixels = np.random.default_rng(0).integers(0, 256, (60, 80, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(path)
    content = path.read_bytes()
    n = int(share * len(content))
    path.write_bytes(content[:n])
    said = f"a.{kind}.*it is cut off: {n:,} bytes are there"
    if kind != "webp":
        said += " of a .* of 60 x 80 pixels"
    with pytest.raises(ValueError, match=said):
        load_image_folder(tmp_path, convert=True)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=r"it is empty \(0 bytes\)"):
        load_image_folder(tmp_path, convert=True)
