"""Faces of the study: loaders, halves, groups, and what is refused."""

import csv
import warnings

import numpy as np
import pytest
from problems import data_folder
from video_trees import LAYOUTS, write_video

for package in ("PIL", "av", "torch", "skorch"):
    pytest.importorskip(package)

from skrobust.studies.study_faces import (  # noqa: E402
    load_faces,
    some_frames,
    split_videos,
)
from skrobust.studies.study_sizes import SIZES, study_size  # noqa: E402


def loaded(sources, tmp_path, n_clips=None, **more):
    size = study_size("quick", "test", n_clips=n_clips or 1000)
    settings = {"options": {"crop": None, "source": "videos"}, "metadata": None}
    settings |= {"side": 32, "keep": tmp_path, "random_state": 0, **more}
    return load_faces(sources, size, **settings)


def test_labels_clips_and_videos_of_all_sets(trees, tmp_path):
    faces = loaded(trees, tmp_path)
    assert faces.X.shape == (3 * (20 + 12 + 8), 3, 32, 32)
    assert faces.X.dtype == np.float32
    assert 0 <= faces.X.min() < faces.X.max() <= 1
    is_fake = [
        any(word in clip for word in ("_fake", "synthesis", "Deepfakes", "Face2Face"))
        or "FaceSwap" in clip or "NeuralTextures" in clip
        for clip in faces.clip.tolist()
    ]  # fmt: skip
    assert np.array_equal(faces.y == 0, is_fake)
    by = dict(zip(faces.clip.tolist(), faces.video.tolist(), strict=True))
    # Both originals of a pair and all fakes of them are one unit.
    pair = {by[f"ffpp/{c}"] for c in ("youtube/000", "youtube/001")}
    pair |= {by["ffpp/Deepfakes/000_001"], by["ffpp/FaceSwap/001_000"]}
    assert len(pair) == 1
    assert by["ffpp/youtube/002"] not in pair
    real, fake = "Celeb-real/id0_0000", "Celeb-synthesis/id0_id1_0000"
    assert by[f"celeb_df/{real}"] == by[f"celeb_df/{fake}"] == f"celeb_df/{real}"
    assert by["uadfv/real/0001"] == by["uadfv/fake/0001_fake"] == "uadfv/0001"


def test_halves_share_no_video_and_hold_both_labels(trees, tmp_path):
    faces = loaded(trees, tmp_path)
    for seed in range(5):
        train = split_videos(faces, seed)
        assert not set(faces.video[train]) & set(faces.video[~train])
        for name in LAYOUTS:
            own = faces.source == name
            for half in (train, ~train):
                assert set(faces.y[own & half]) == {0, 1}
    assert not np.array_equal(split_videos(faces, 0), split_videos(faces, 1))


def test_some_clips_of_each_label(trees, tmp_path):
    faces = loaded({"ffpp": trees["ffpp"]}, tmp_path, n_clips=3)
    for label in (0, 1):
        assert len(set(faces.clip[faces.y == label])) == 3
    again = loaded({"ffpp": trees["ffpp"]}, tmp_path, n_clips=3)
    assert np.array_equal(faces.clip, again.clip)
    other = loaded({"ffpp": trees["ffpp"]}, tmp_path, n_clips=3, random_state=1)
    assert set(other.clip) != set(faces.clip)


def test_published_test_clips(trees, tmp_path):
    listed = trees["celeb_df"] / "List_of_testing_videos.txt"
    listed.write_text("1 Celeb-real/id1_0000.mp4\n0 Celeb-synthesis/id1_id2_0000.mp4\n")
    faces = loaded({"celeb_df": trees["celeb_df"]}, tmp_path, split="test")
    listed.unlink()
    assert set(faces.clip) == {
        "celeb_df/Celeb-real/id1_0000", "celeb_df/Celeb-synthesis/id1_id2_0000",
    }  # fmt: skip


def test_frames_are_spread_over_the_clip(trees, tmp_path):
    faces = loaded({"uadfv": trees["uadfv"]}, tmp_path)
    rows = some_frames(faces, 2)
    assert len(rows) == 2 * len(set(faces.clip))
    frames = faces.frame[rows].reshape(-1, 2)
    all_frames = np.unique(faces.frame)
    assert (frames == [all_frames[0], all_frames[-1]]).all()


def test_sizes():
    assert study_size("quick", "x", n_frames=1).n_test_frames == 1
    with pytest.raises(ValueError, match="'n_test_frames'"):
        study_size("quick", "x", n_frames=2, n_test_frames=3)
    with pytest.raises(ValueError, match="'size'"):
        study_size("huge", "x")
    assert SIZES["quick"].n_epochs == 1


def test_what_is_refused(study, trees, tmp_path):
    with pytest.raises(ValueError, match="at least one of ffpp, celeb_df"):
        study(tmp_path)
    uadfv = {"uadfv": trees["uadfv"]}
    with pytest.raises(ValueError, match="'detectors'"):
        study(tmp_path, **uadfv, detectors=["VGG"])
    with pytest.raises(ValueError, match=r"'weights'.*a file for Meso4"):
        study(tmp_path, **uadfv, weights={"Meso4": tmp_path / "none.h5"})
    with pytest.raises(ValueError, match=r"'weights'.*Xception"):
        study(tmp_path, **uadfv, weights={"Xception": tmp_path / "none.h5"})
    with pytest.raises(ValueError, match="'orders'"):
        study(tmp_path, **uadfv, orders={"Meso4": ("a", "b")})
    with pytest.raises(ValueError, match=r"'orders'.*ResNet34 is trained here"):
        study(tmp_path, **uadfv, orders={"ResNet34": ("real", "fake")})
    assert not (tmp_path / "frames").exists()
    with pytest.raises(ValueError, match="metadata together with folder"):
        study(tmp_path, **uadfv, metadata="table.csv")
    (tmp_path / "cats" / "tabby").mkdir(parents=True)
    write_video(tmp_path / "cats" / "tabby" / "1.mp4", np.zeros((4, 32, 32, 3), "u1"))
    with pytest.raises(ValueError, match=r"begins with 'real'.*tabby"):
        study(tmp_path, folder=tmp_path / "cats")


def test_no_order_for_weights_whose_last_layer_is_discarded(tmp_path):
    import torch

    from skrobust.nets import efficientnet_b0
    from skrobust.studies.study_detectors import make_detectors, needs_training

    names, weights, order = ["EfficientNetB0"], {}, {"EfficientNetB0": ("real", "fake")}
    for n_classes in (2, 3):
        weights["EfficientNetB0"] = tmp_path / f"{n_classes}.pt"
        state = efficientnet_b0(n_classes).state_dict()
        torch.save(state, weights["EfficientNetB0"])
        if n_classes == 2:
            assert needs_training(names, weights, order) == []
    assert needs_training(names, weights, {}) == names
    shared = {"device": "cpu", "keep": tmp_path, "seed": 0, "say": print}
    for refused in (
        lambda: needs_training(names, weights, order),
        lambda: make_detectors(names, weights, order, None, None, **shared),
    ):
        with pytest.raises(ValueError, match=r"'orders'.*order fake, real"):
            refused()


def test_one_label_is_refused(study, tmp_path):
    clip = np.zeros((4, 32, 32, 3), dtype=np.uint8)
    for k in range(4):
        write_video(tmp_path / "set" / "real" / f"{k}.mp4", clip)
    with pytest.raises(ValueError, match="real and fake faces to train on"):
        study(tmp_path / "out", folder=tmp_path / "set")


def test_without_a_face_detector_one_sentence(study, trees, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(ImportError, match=r"cropped=True \(--cropped\)") as error:
        study(tmp_path, uadfv=trees["uadfv"], cropped=False)
    assert "skrobust[faces]" in str(error.value)
    assert not (tmp_path / "frames").exists()


@pytest.mark.parametrize(
    "content, words",
    [
        ("clip,sex\nreal/0000,f\n", "columns 'group' and 'clip' or 'origin'"),
        ("clip,group\nreal/9999,f\n", "finds none of the clips"),
        ("clip,group\nreal/0000,f\nreal/0000,m\n", "two groups of 'real/0000'.*line 3"),
    ],
)
def test_tables_of_groups_that_are_refused(study, trees, tmp_path, content, words):
    (tmp_path / "groups.csv").write_text(content)
    with pytest.raises(ValueError, match=words):
        study(tmp_path, uadfv=trees["uadfv"], groups=tmp_path / "groups.csv")


def test_a_clip_has_its_own_group_before_that_of_its_video(trees, tmp_path):
    from skrobust.studies.group_columns import group_of_faces, group_table

    faces = loaded({"uadfv": trees["uadfv"]}, tmp_path)
    rows = [("origin", "clip", "group"), ("0000", "", "a"), ("", "fake/0000_fake", "b")]
    with open(tmp_path / "groups.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    table = group_table(tmp_path / "groups.csv", "test")
    group = group_of_faces(faces, table, "groups.csv", "test")
    found = dict(zip(faces.clip.tolist(), group.tolist(), strict=True))
    assert found["uadfv/real/0000"] == "a"
    assert found["uadfv/fake/0000_fake"] == "b"
    assert found["uadfv/real/0001"] == ""


def test_rows_with_an_empty_group_erase_nothing(trees, tmp_path):
    from skrobust.studies.group_columns import group_of_faces

    faces = loaded({"uadfv": trees["uadfv"]}, tmp_path)
    clips = [{"clip": clip.partition("/")[2], "group": ""} for clip in set(faces.clip)]
    rows = [{"origin": "0000", "group": "g"}, *clips]
    group = group_of_faces(faces, rows, "groups.csv", "test")
    assert np.array_equal(group == "g", faces.origin == "uadfv/0000")
    assert set(group) == {"g", ""}
    assert set(group_of_faces(faces, clips, "groups.csv", "test")) == {""}


@pytest.fixture(scope="module")
def real_trees(tmp_path_factory):
    """The provided faces as videos in the three layouts."""
    from PIL import Image

    faces = data_folder("deepfake", "faces")
    clips = {}
    for folder, fake in (("DeepFake", True), ("Real", False)):
        names = {}
        for file in sorted((faces / folder).iterdir()):
            names.setdefault(file.stem.rpartition("_")[0], []).append(file)
        clips[fake] = list(names.values())
    root, taken = tmp_path_factory.mktemp("real"), {True: 0, False: 0}
    for name, files in LAYOUTS.items():
        for file, fake in files(1 if name == "ffpp" else 3):
            pictures = clips[fake][taken[fake] % len(clips[fake])]
            taken[fake] += 1
            frames = [
                np.asarray(Image.open(p).convert("RGB").resize((128, 128)))
                for p in pictures
            ]
            write_video(root / name / file, np.stack(frames))
    return {name: root / name for name in LAYOUTS}


@pytest.mark.data
def test_real_faces_in_the_published_layouts(real_trees, tmp_path):
    faces = loaded(real_trees, tmp_path, side=64)
    assert len(set(faces.clip)) == 10 + 9 + 6
    assert set(faces.y) == {0, 1}


@pytest.mark.data
@pytest.mark.slow
def test_quick_study_of_real_faces_with_given_weights(real_trees, tmp_path):
    """Everything but small images: the nets and sizes of the command."""
    pytest.importorskip("h5py")
    from skrobust.studies import deepfake_study

    weights = data_folder("deepfake", "mesonet_weights")
    found = deepfake_study(
        tmp_path,
        uadfv=real_trees["uadfv"],
        cropped=True,
        detectors=["Meso4"],
        weights={"Meso4": weights / "Meso4_DF.h5"},
        size="quick",
        device="cpu",
        n_test_frames=1,
        clips=False,
        chains=False,
    )
    assert found["detectors"][0]["auc"] > 0.7
    cells = {(c["attack"], c["norm"]): c for c in found["cells"]}
    assert cells["FGSM", "2"]["accuracy"]["value"] < 0.5


@pytest.mark.data
def test_faces_are_cut_from_real_pictures(tmp_path):
    """A face pasted on a larger picture is found again, in the place of the paste."""
    cv2 = pytest.importorskip("cv2", reason="no OpenCV: pip install 'skrobust[faces]'")
    if not hasattr(cv2, "CascadeClassifier"):
        pytest.skip("OpenCV 5 has no cascades; skrobust[faces] installs OpenCV 4")
    from PIL import Image

    from skrobust.datasets import FaceCrop

    files = sorted((data_folder("deepfake", "faces") / "Real").glob("*.jpg"))[::12]
    found = 0
    for file in files:
        face = np.asarray(Image.open(file).convert("RGB").resize((120, 120)))
        picture = np.full((300, 400, 3), 127, dtype=np.uint8)
        picture[90:210, 220:340] = face
        try:
            crop = FaceCrop()(picture)
        except ValueError:
            continue
        found += int((crop != 127).any(axis=2).mean() > 0.5)
    assert found >= 0.8 * len(files)


def test_a_plain_folder_of_images(tmp_path):
    """Frames are limited as those of videos are, and clips by label."""
    from PIL import Image

    for label in ("DeepFake", "Real"):
        (tmp_path / "set" / label).mkdir(parents=True)
        for clip in range(3):
            for frame in range(0, 50, 10):
                shade = np.full((32, 32, 3), 10 * clip + frame, dtype=np.uint8)
                path = tmp_path / "set" / label / f"{clip}_{frame}.png"
                Image.fromarray(shade).save(path)
    faces = loaded({"folder": tmp_path / "set"}, tmp_path, n_clips=2)
    assert len(faces) == 2 * 2 * 3
    assert set(faces.frame) == {0, 20, 40}
    assert set(faces.y[[clip.startswith("folder/Real") for clip in faces.clip]]) == {1}
    table = tmp_path / "table.csv"
    rows = ["path,label,clip,group"]
    rows += [
        f"{x}/{c}_0.png,{x},{x}{c},g{c}" for x in ("DeepFake", "Real") for c in (0, 1)
    ]
    table.write_text("\n".join(rows) + "\n")
    with pytest.warns(UserWarning, match=r"26 .* no row in the metadata"):
        found = loaded({"folder": tmp_path / "set"}, tmp_path, metadata=table)
    assert sorted(found.group) == ["g0", "g0", "g1", "g1"]


@pytest.mark.data
def test_faces_are_cut_from_the_frames_of_videos(tmp_path):
    """Clips of faces on a larger picture give the same clips, without the picture."""
    cv2 = pytest.importorskip("cv2", reason="no OpenCV: pip install 'skrobust[faces]'")
    if not hasattr(cv2, "CascadeClassifier"):
        pytest.skip("OpenCV 5 has no cascades; skrobust[faces] installs OpenCV 4")
    from PIL import Image

    from skrobust.studies.study_inputs import face_crop

    faces = data_folder("deepfake", "faces")
    for folder, label, end in (("Real", "real", ""), ("DeepFake", "fake", "_fake")):
        names = {}
        for file in sorted((faces / folder).iterdir()):
            names.setdefault(file.stem.rpartition("_")[0], []).append(file)
        for k, files in enumerate(list(names.values())[:4]):
            clip = np.full((len(files), 240, 320, 3), 127, dtype=np.uint8)
            for frame, file in zip(clip, files, strict=True):
                face = Image.open(file).convert("RGB").resize((144, 144))
                frame[48:192, 90:234] = face
            write_video(tmp_path / "set" / label / f"{k:04d}{end}.mp4", clip)
    options = {"crop": face_crop(None), "source": "videos"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # on frames without a face
        found = loaded({"uadfv": tmp_path / "set"}, tmp_path, options=options, side=64)
    assert len(set(found.clip)) >= 6
    grey = (np.abs(found.X - 127 / 255) < 0.02).all(axis=1).mean(axis=(1, 2))
    assert np.median(grey) < 0.5  # of the pictures it is .73
