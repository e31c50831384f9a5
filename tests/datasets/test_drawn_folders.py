"""Folders of images and clips with drawn contents: what was written is read back."""

import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skrobust.datasets import (
    load_celeb_df,
    load_faceforensics,
    load_image_folder,
    load_uadfv,
    load_video_folder,
    sample_frames,
)
from tests.video_trees import LAYOUTS, textured, write_video

Image = pytest.importorskip("PIL.Image")
FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
NAMES = st.text("abé中<>& '", min_size=1, max_size=6).filter(lambda t: t.strip() == t)
FRAMES = st.sets(st.integers(0, 999), min_size=1, max_size=4)
READERS = {
    "ffpp": load_faceforensics,
    "celeb_df": load_celeb_df,
    "uadfv": load_uadfv,
}


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


@FEW
@given(
    st.dictionaries(NAMES, st.dictionaries(NAMES, FRAMES, min_size=1, max_size=3),
                    min_size=1, max_size=3),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_images_and_their_names_come_back(tmp_path, labels, seed):
    folder, written = empty(tmp_path / "images"), {}
    rng = np.random.default_rng(seed)
    for label, clips in labels.items():
        for clip, frames in clips.items():
            for frame in frames:
                picture = rng.integers(0, 256, (6, 5, 3), dtype=np.uint8)
                written[label, f"{label}/{clip}", frame] = picture
                path = folder / label / clip / f"{frame:03d}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(picture).save(path)
    found = load_image_folder(folder)
    assert found.target_names == sorted(labels)
    assert len(found.images) == len(written)
    keys = zip(found.target, found.clip, found.frame, strict=True)
    for image, (target, clip, frame) in zip(found.images, keys, strict=True):
        key = found.target_names[target], clip, frame
        assert np.array_equal(image, written.pop(key))
    assert not written
    assert found.skipped == found.ignored == []


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Return a folder of clips of 1, 2, 7 and 20 frames."""
    pytest.importorskip("av")
    folder = tmp_path_factory.mktemp("clips")
    for n in (1, 2, 7, 20):
        frames = textured(np.random.default_rng(n), n % 2, n)
        write_video(folder / "real" / f"{n}.mp4", frames)
    return folder


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    st.sampled_from([1, 2, 7, 20]), st.integers(1, 25), st.integers(0, 2**32 - 1),
    st.sampled_from(["uniform", "random", "first"]), st.floats(0.1, 30),
)  # fmt: skip
def test_positions_of_frames(clips, n, k, seed, method, fps):
    path = clips / "real" / f"{n}.mp4"
    found = sample_frames(path, k, method=method, short="all", random_state=seed)
    frames = found.frame.tolist()
    assert found.n_frames == n
    assert len(found.images) == len(frames) == min(k, n)
    assert frames == sorted(set(frames))
    assert set(frames) <= set(range(n))
    if method == "uniform" and k <= n:
        assert frames == [int((i + 0.5) * n / k) for i in range(k)]
    if method == "first":
        assert frames == list(range(min(k, n)))
    each = sample_frames(path, every=k)
    assert each.frame.tolist() == list(range(0, n, k))
    every = sample_frames(path, every=1)
    assert np.array_equal(found.images, every.images[frames])
    assert found.time == pytest.approx(np.array(frames) / 10)
    by_time = sample_frames(path, fps=fps).frame.tolist()
    assert by_time[0] == 0
    assert by_time == sorted(set(by_time))
    shown = np.floor(np.arange(0, n / 10, 1 / fps) * 10 + 1e-6).astype(int)
    assert set(by_time) <= set(range(n))
    assert abs(len(by_time) - len(set(shown.tolist()))) <= 1  # the end may be a frame
    repeated = sample_frames(path, k, short="repeat").frame.tolist()
    assert len(repeated) == k
    assert repeated == sorted(repeated)
    if k >= n:
        assert set(repeated) == set(range(n))


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.integers(1, 20))
def test_folders_of_videos_are_their_frames(clips, k):
    found = load_video_folder(clips, k, short="all")
    for name in np.unique(found.clip):
        here = np.flatnonzero(found.clip == name)
        alone = sample_frames(clips / f"{name}.mp4", k, short="all")
        assert found.frame[here].tolist() == alone.frame.tolist()
        assert np.array_equal(found.images[here], alone.images)


@pytest.mark.slow
@pytest.mark.parametrize("layout", READERS)
@settings(FEW, max_examples=3)
@given(st.integers(1, 3), st.integers(1, 4))
def test_published_layouts_come_back(tmp_path, layout, n, k):
    folder, rng, written = empty(tmp_path / "set"), np.random.default_rng(n), set()
    for name, fake in LAYOUTS[layout](n):
        write_video(folder / name, textured(rng, fake))
        written.add((name.rpartition("/")[2].removesuffix(".mp4"), fake))
    options = {} if layout != "celeb_df" else {"split": None}
    found = READERS[layout](folder, n_frames=k, **options)
    assert found.target_names == ["fake", "real"]
    assert len(found.images) == k * len(list(LAYOUTS[layout](n)))
    names = {one.rpartition("/")[2] for one in found.clip}
    assert names == {name for name, _ in written}
    for name, target in zip(found.clip, found.target, strict=True):
        assert (name.rpartition("/")[2], target == 0) in written
    fewer = READERS[layout](folder, n_frames=k, n_clips=1, random_state=n, **options)
    assert np.bincount(fewer.target).tolist() == [k, k]
    assert set(fewer.clip) <= set(found.clip)
