"""Frames of videos, the layouts of published sets, faces cut out."""

import inspect
import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from problems import data_folder

from skrobust.datasets import (
    FaceCrop,
    LazyImages,
    load_celeb_df,
    load_faceforensics,
    load_uadfv,
    load_video_folder,
    sample_frames,
)

av = pytest.importorskip("av", reason="no decoder: pip install 'skrobust[video]'")
Image = pytest.importorskip("PIL.Image")


def pattern(k, size):
    """Return a picture that shows the number k in eight black or white blocks."""
    bits = np.array([k >> i & 1 for i in range(8)], dtype=np.uint8).reshape(2, 4)
    blocks = np.kron(bits, np.ones((size[0] // 2, size[1] // 4), dtype=np.uint8))
    return np.repeat(255 * blocks[..., None], 3, axis=2)


def write_video(path, n=30, *, size=(32, 48), stamps=None, codec="mpeg4", gop=5):
    """Write a clip whose k-th frame shows the number k, at 10 frames a second.

    ``stamps`` are tenths of seconds at which the frames are shown.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=10)
        stream.height, stream.width = size
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = 2_000_000
        stream.gop_size = gop
        stream.codec_context.time_base = Fraction(1, 10)
        stream.time_base = Fraction(1, 10)
        for k in range(n):
            frame = av.VideoFrame.from_ndarray(pattern(k, size), format="rgb24")
            frame.pts = k if stamps is None else stamps[k]
            frame.time_base = Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def numbers(images):
    """Return which frames these are, by what they show."""
    found = []
    for image in np.asarray(images).mean(axis=-1):
        blocks = [np.array_split(half, 4, axis=1) for half in np.array_split(image, 2)]
        bits = [block.mean() > 127 for half in blocks for block in half]
        found.append(sum(int(bit) << i for i, bit in enumerate(bits)))
    return found


@pytest.fixture
def clip(tmp_path):
    return write_video(tmp_path / "clip.mp4")


# -------------------------------------------------------------------- sample_frames


@pytest.mark.parametrize(
    "params, wanted",
    [
        ({"n_frames": 1}, [15]),
        ({"n_frames": 3}, [5, 15, 25]),
        ({"n_frames": 4}, [3, 11, 18, 26]),
        ({"n_frames": 30}, list(range(30))),
        ({"n_frames": 4, "method": "first"}, [0, 1, 2, 3]),
        ({"every": 10}, [0, 10, 20]),
        ({"every": 100}, [0]),
        ({"fps": 2}, [0, 5, 10, 15, 20, 25]),
        ({"fps": 10}, list(range(30))),
        ({"fps": 1000}, list(range(30))),
        ({"fps": 0.1}, [0]),
    ],
)
@pytest.mark.parametrize("name", ["a.mp4", "a.avi", "a.mkv"])
def test_which_frames(tmp_path, params, wanted, name):
    found = sample_frames(write_video(tmp_path / name), **params)
    assert found.frame.tolist() == wanted
    assert numbers(found.images) == wanted
    assert found.images.dtype == np.uint8
    assert found.images.shape == (len(wanted), 32, 48, 3)
    assert found.n_frames == 30
    assert np.allclose(found.time, np.array(wanted) / 10)


@pytest.mark.parametrize("codec, name", [("libx264", "a.mp4"), ("libx264", "a.mkv")])
def test_frames_out_of_order_in_the_file(tmp_path, codec, name):
    # x264 codes frames that lean on later ones; display order is what counts.
    path = write_video(tmp_path / name, codec=codec, gop=12)
    assert numbers(sample_frames(path, every=1).images) == list(range(30))
    some = sample_frames(path, 9, method="random", random_state=1)
    assert numbers(some.images) == some.frame.tolist()


def test_draws_belong_to_the_name_and_the_seed(tmp_path):
    paths = [write_video(tmp_path / f"{i}.mp4") for i in range(2)]

    def draw(path, seed):
        found = sample_frames(path, 8, method="random", random_state=seed)
        assert len(set(found.frame)) == 8
        assert sorted(found.frame) == found.frame.tolist() == numbers(found.images)
        return found.frame.tolist()

    assert draw(paths[0], 0) == draw(paths[0], 0)
    assert draw(paths[0], 0) != draw(paths[0], 1)
    assert draw(paths[0], 0) != draw(paths[1], 0)


def test_a_varying_frame_rate_is_sampled_by_time(tmp_path):
    # Ten frames in the first second, then one a second.
    stamps = [*range(10), 10, 20, 30, 40]
    path = write_video(tmp_path / "vfr.mkv", 14, stamps=stamps)
    found = sample_frames(path, fps=1)
    assert found.frame.tolist() == [0, 10, 11, 12, 13]
    assert np.allclose(found.time, [0, 1, 2, 3, 4])
    assert numbers(found.images) == found.frame.tolist()
    held = sample_frames(path, fps=2)  # a frame that stays is taken once
    assert held.frame.tolist() == [0, 5, 10, 11, 12, 13]
    assert sample_frames(path, 7).frame.tolist() == [1, 3, 5, 7, 9, 11, 13]


def test_short_clips(tmp_path):
    path = write_video(tmp_path / "a.mp4", 3)
    with pytest.raises(ValueError, match="3 frames, fewer than n_frames=5"):
        sample_frames(path, 5)
    assert sample_frames(path, 5, short="all").frame.tolist() == [0, 1, 2]
    repeated = sample_frames(path, 5, short="repeat")
    assert repeated.frame.tolist() == [0, 0, 1, 1, 2]
    assert numbers(repeated.images) == [0, 0, 1, 1, 2]
    assert sample_frames(write_video(tmp_path / "b.mp4", 1), 1).frame.tolist() == [0]


def test_crop_and_resize(clip):
    found = sample_frames(clip, 2, crop=lambda x: x[:8, :8], resize=(4, 6))
    assert found.images.shape == (2, 4, 6, 3)
    sizes = iter([4, 6])
    with pytest.raises(ValueError, match="several sizes"):
        sample_frames(clip, 2, crop=lambda x: x[: next(sizes)])


def spoiled(folder, clip):
    """Return videos that cannot be used, with what is said of them."""
    data = clip.read_bytes()
    files = {
        "cut.mp4": (data[: len(data) // 2], r"cut off: its index \(moov\) is missing"),
        "empty.mp4": (b"", r"empty \(0 bytes\)"),
        "noise.mp4": (bytes(range(256)) * 20, "decoded"),
    }
    late = write_video(folder / "late.avi").read_bytes()
    said = f"cut off: {len(late) // 2:,} bytes are there, at least {len(late):,}"
    files["late.avi"] = (late[: len(late) // 2], said)
    for name, (content, _) in files.items():
        (folder / name).write_bytes(content)
    return {name: said for name, (_, said) in files.items()}


def test_videos_that_cannot_be_read(tmp_path, clip):
    for name, said in spoiled(tmp_path, clip).items():
        with pytest.raises(ValueError, match=f"(?s)cannot use .*{name}.*{said}"):
            sample_frames(tmp_path / name, every=1)
    with pytest.raises(ValueError, match="no such file"):
        sample_frames(tmp_path / "none.mp4", 3)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("name", ["a.mkv", "a.webm", "a.mp4"])
def test_videos_that_are_cut_off_say_what_is_there(tmp_path, name, share):
    """Matroska files announce their length in seconds, and no number of frames."""
    codec = "libvpx" if name == "a.webm" else "mpeg4"
    path = write_video(tmp_path / name, n=60, codec=codec)
    assert sample_frames(path, every=1).n_frames == 60
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    there = r"6\.0 seconds are announced, .* frames\) are there"
    if name == "a.mp4":
        there = "bytes are there"
    with pytest.raises(ValueError, match=f"{name}.*it is cut off: .*{there}"):
        sample_frames(path, every=1)


def test_sound_that_goes_on_is_no_cut(tmp_path):
    path = tmp_path / "sound.mkv"
    with av.open(str(path), "w") as container:
        pictures = container.add_stream("mpeg4", rate=10)
        pictures.height, pictures.width, pictures.pix_fmt = 32, 48, "yuv420p"
        sound = container.add_stream("pcm_s16le", rate=8000)
        sound.layout = "mono"
        for k in range(10):
            frame = av.VideoFrame.from_ndarray(pattern(k, (32, 48)), format="rgb24")
            container.mux(pictures.encode(frame))
        container.mux(pictures.encode())
        for k in range(30):
            samples = np.zeros((1, 800), dtype=np.int16)
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate, frame.pts = 8000, 800 * k
            container.mux(sound.encode(frame))
        container.mux(sound.encode())
    assert sample_frames(path, every=1).n_frames == 10


def test_files_that_cannot_be_searched(tmp_path):
    """Program streams have no index: a search lands behind the frame."""
    path = write_video(tmp_path / "a.mpg", n=60, codec="mpeg2video")
    assert numbers(sample_frames(path, every=1).images) == list(range(60))
    assert numbers(sample_frames(path, 3).images) == [10, 30, 50]
    images = LazyImages([(path, 40), (path, 5)])
    assert numbers(images[:]) == [40, 5]


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({}, "none of them"),
        ({"n_frames": 2, "fps": 2}, "n_frames and fps"),
        ({"n_frames": 0}, "'n_frames'"),
        ({"n_frames": 2.0}, "'n_frames'"),
        ({"every": -1}, "'every'"),
        ({"fps": 0}, "'fps'"),
        ({"n_frames": 2, "method": "last"}, "'method'"),
        ({"every": 2, "method": "random"}, "n_frames only"),
        ({"n_frames": 2, "short": "pad"}, "'short'"),
        ({"n_frames": 2, "resize": 3}, "'resize'"),
        ({"n_frames": 2, "crop": "nose"}, "'crop'"),
        ({"n_frames": 2, "random_state": "x"}, "'random_state'"),
    ],
)
def test_bad_parameters_of_sampling(clip, params, sentence):
    with pytest.raises(ValueError, match=sentence):
        sample_frames(clip, **params)


# ----------------------------------------------------------------------- LazyImages


def test_lazy_frames(tmp_path, clip):
    other = write_video(tmp_path / "other.mp4", 12)
    wanted = [29, 0, 7, 7, 11, 3]
    sources = [(clip, k) for k in wanted[:4]] + [(other, k) for k in wanted[4:]]
    images = LazyImages(sources)
    assert numbers(images) == wanted
    assert numbers(images[[4, 0]]) == [11, 29]
    assert numbers(pickle.loads(pickle.dumps(images))[::-1]) == wanted[::-1]
    with pytest.raises(ValueError, match="30 frames, no number 30"):
        LazyImages([(clip, 30)])


# ---------------------------------------------------------------- load_video_folder


@pytest.fixture
def folder(tmp_path):
    for label in ("fake", "real"):
        for i in range(2):
            write_video(tmp_path / "set" / label / f"{i}.mp4", 10 + 5 * i)
    return tmp_path / "set"


def test_folders_of_videos(folder):
    found = load_video_folder(folder, 5)
    assert found.images.shape == (20, 32, 48, 3)
    assert found.target.tolist() == [0] * 10 + [1] * 10
    assert found.clip[::5].tolist() == ["fake/0", "fake/1", "real/0", "real/1"]
    assert numbers(found.images) == found.frame.tolist()
    assert found.frame[:5].tolist() == [1, 3, 5, 7, 9]
    rate = load_video_folder(folder, fps=5)
    assert np.unique(rate.clip, return_counts=True)[1].tolist() == [5, 8, 5, 8]


def test_bad_videos_are_counted_and_listed(folder, tmp_path):
    said = spoiled(folder / "real", folder / "real" / "0.mp4")
    write_video(folder / "real" / "short.mp4", 2)
    write_video(folder / "real" / "large.mp4", 10, size=(64, 64))
    with pytest.raises(ValueError, match="on_error='skip'"):
        load_video_folder(folder, 5)
    with pytest.warns(UserWarning, match="left out .* and kept 2[05] images"):
        found = load_video_folder(folder, 5, on_error="skip")
    names = {path.rpartition("/")[2] for path, _ in found.skipped}
    assert {*said, "short.mp4", "large.mp4"} - {"late.avi"} <= names
    assert len(found.images) == len(found.target)
    assert not set(found.filenames) & {path for path, _ in found.skipped}


def test_frames_are_kept_as_asked(folder, tmp_path):
    cache = tmp_path / "cache"
    plain = load_video_folder(folder, 4, resize=(8, 8))
    kept = load_video_folder(folder, 4, resize=(8, 8), cache=cache)
    files = sorted(cache.iterdir())
    assert len(files) == 16
    assert np.array_equal(plain.images, kept.images)
    assert plain.filenames.tolist() == kept.filenames.tolist()
    times = [file.stat().st_mtime_ns for file in files]
    again = load_video_folder(folder, 4, resize=(8, 8), cache=cache)
    assert [file.stat().st_mtime_ns for file in files] == times  # read, not written
    assert np.array_equal(again.images, plain.images)
    content = files[5].read_bytes()
    files[5].write_bytes(content[:-30] + b"\0" + content[-29:])  # made again
    files[6].write_bytes(files[7].read_bytes())
    again = load_video_folder(folder, 4, resize=(8, 8), cache=cache)
    assert np.array_equal(again.images, plain.images)
    assert sorted(cache.iterdir()) == files
    other = load_video_folder(folder, 4, resize=(6, 6), cache=cache)
    assert other.images.shape == (16, 6, 6, 3)
    assert len(list(cache.iterdir())) == 32
    write_video(folder / "fake" / "0.mp4", 30)  # another video of the same name
    new = load_video_folder(folder, 4, resize=(8, 8), cache=cache)
    assert new.frame[:4].tolist() == numbers(new.images[:4]) == [3, 11, 18, 26]


def no_first_face(image):
    if numbers(image[None]) == [1]:
        raise ValueError("it shows no face")
    return image[:16, :16]


def test_frames_without_a_face(folder):
    with pytest.raises(ValueError, match=r"frame 1.*no face"):
        load_video_folder(folder, 5, crop=no_first_face, resize=(8, 8))
    with pytest.warns(UserWarning, match="left out 4 and kept 16"):
        found = load_video_folder(
            folder, 5, crop=no_first_face, resize=(8, 8), on_error="skip"
        )
    assert found.frame.min() >= 2
    assert "frame 1" in found.skipped[0][0]


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({"n_frames": None}, "exactly one"),
        ({"crop": no_first_face}, "resize="),
        ({"levels": "set"}, "'levels'"),
        ({"on_error": 1}, "'on_error'"),
        ({"path": "nowhere"}, "'path'"),
    ],
)
def test_bad_parameters_of_video_folders(folder, params, sentence):
    params = {"path": folder, "n_frames": 3, **params}
    with pytest.raises(ValueError, match=sentence):
        load_video_folder(params.pop("path"), **params)


# ------------------------------------------------------------------ published layouts


def picture(path, k=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((8, 8, 3), k, dtype=np.uint8)).save(path)


@pytest.mark.parametrize("inside", ["", "videos"])
def test_uadfv(tmp_path, inside):
    for name in ("0000", "0001"):
        write_video(tmp_path / "real" / inside / f"{name}.mp4", 6)
        write_video(tmp_path / "fake" / inside / f"{name}_fake.mp4", 6)
        for k in range(4):
            picture(tmp_path / "real" / "frames" / name / f"{k:03d}.png", k)
            picture(tmp_path / "fake" / "frames" / f"{name}_fake" / f"{k:03d}.png", k)
    found = load_uadfv(tmp_path, n_frames=3)
    assert found.target_names == ["fake", "real"]
    assert found.clip[::3].tolist() == [
        "real/0000", "real/0001", "fake/0000_fake", "fake/0001_fake"
    ]  # fmt: skip
    assert found.target[::3].tolist() == [1, 1, 0, 0]
    assert found.origin[::3].tolist() == ["0000", "0001"] * 2
    assert numbers(found.images[:3]) == found.frame[:3].tolist() == [1, 3, 5]
    stills = load_uadfv(tmp_path, source="images")
    assert len(stills.images) == 16
    assert stills.frame[:4].tolist() == stills.images[:4, 0, 0, 0].tolist()
    few = load_uadfv(tmp_path, source="images", n_frames=2)
    assert few.frame[:2].tolist() == [1, 3]
    write_video(tmp_path / "fake" / inside / "0002.mp4", 6)
    with pytest.raises(ValueError, match="not that of a fake clip"):
        load_uadfv(tmp_path, n_frames=3)


@pytest.fixture
def faceforensics(tmp_path):
    top, bottom = tmp_path / "original_sequences", tmp_path / "manipulated_sequences"
    for name in ("033", "097", "500", "501"):
        write_video(top / "youtube" / "c23" / "videos" / f"{name}.mp4", 4)
        picture(top / "youtube" / "c23" / "images" / name / "0002.png")
    for method in ("Deepfakes", "Face2Face"):
        for name in ("033_097", "097_033", "500_501", "501_500"):
            write_video(bottom / method / "c23" / "videos" / f"{name}.mp4", 4)
            picture(bottom / method / "c23" / "frames" / name / "002.png")
    (tmp_path / "splits").mkdir()
    for split, pairs in {"train": [["500", "501"]], "test": [["097", "033"]]}.items():
        (tmp_path / "splits" / f"{split}.json").write_text(json.dumps(pairs))
    return tmp_path


def test_faceforensics(faceforensics):
    two = {"methods": ("Deepfakes", "Face2Face"), "n_frames": 1}
    found = load_faceforensics(faceforensics, **two)
    assert np.bincount(found.target).tolist() == [8, 4]
    assert set(found.group) == {"youtube", "Deepfakes", "Face2Face"}
    assert len(set(found.clip)) == 12
    test = load_faceforensics(faceforensics, split="test", **two)
    train = load_faceforensics(faceforensics, split="train", **two)
    assert not set(test.origin) & set(train.origin)
    assert set(test.clip) | set(train.clip) == set(found.clip)
    assert set(test.clip) == {
        "youtube/033", "youtube/097", "Deepfakes/033_097", "Deepfakes/097_033",
        "Face2Face/033_097", "Face2Face/097_033",
    }  # fmt: skip
    row = test.clip.tolist().index("Deepfakes/097_033")
    assert test.origin[row] == "097"
    stills = load_faceforensics(faceforensics, methods="Deepfakes", source="images")
    assert len(stills.images) == 8
    assert set(stills.frame) == {2}


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({}, "no videos of clips"),  # FaceSwap is absent
        ({"methods": ("Swap",)}, "'methods'"),
        ({"methods": 3}, "'methods'"),
        ({"originals": "tv"}, "'originals'"),
        ({"compression": "c40"}, "no videos of clips|found no clips"),
        ({"compression": 23}, "'compression'"),
        ({"split": "dev"}, "'split'"),
        ({"split": "val"}, r"val\.json"),
        ({"splits": "x"}, "together with split"),
        ({"split": "test", "methods": "DeepFakeDetection"}, "knows no split"),
        ({"source": "frames"}, "'source'"),
        ({"source": "images", "fps": 3}, "source='videos' only"),
        ({"source": "images", "cache": "x"}, "source='videos' only"),
    ],
)
def test_bad_parameters_of_faceforensics(faceforensics, params, sentence):
    if params.get("source") != "images":
        params = {"n_frames": 1, **params}
    with pytest.raises(ValueError, match=sentence):
        load_faceforensics(faceforensics, **params)


def test_a_split_that_is_not_all_there(faceforensics):
    missing = faceforensics / "manipulated_sequences/Deepfakes/c23/videos/033_097.mp4"
    missing.unlink()
    params = {"methods": "Deepfakes", "split": "test", "n_frames": 1}
    with pytest.raises(ValueError, match=r"033_097.*it is missing"):
        load_faceforensics(faceforensics, **params)
    with pytest.warns(UserWarning, match="left out 1 and kept 3"):
        found = load_faceforensics(faceforensics, on_error="skip", **params)
    assert "033_097" in found.skipped[0][0]
    (faceforensics / "splits" / "test.json").write_text('["033"]')
    with pytest.raises(ValueError, match="list of pairs"):
        load_faceforensics(faceforensics, **params)


@pytest.fixture
def celeb(tmp_path):
    for name in ("id0_0000", "id1_0000", "id2_0003"):
        write_video(tmp_path / "Celeb-real" / f"{name}.mp4", 4)
    for name in ("id0_id1_0000", "id1_id0_0000"):
        write_video(tmp_path / "Celeb-synthesis" / f"{name}.mp4", 4)
    write_video(tmp_path / "YouTube-real" / "00170.mp4", 4)
    (tmp_path / "List_of_testing_videos.txt").write_text(
        "1 YouTube-real/00170.mp4\n1 Celeb-real/id0_0000.mp4\n"
        "0 Celeb-synthesis/id0_id1_0000.mp4\n"
    )
    return tmp_path


def test_celeb_df(celeb):
    found = load_celeb_df(celeb, n_frames=2)
    assert found.target[::2].tolist() == [1, 1, 1, 1, 0, 0]
    assert set(found.group) == {"Celeb-real", "YouTube-real", "Celeb-synthesis"}
    fake = found.clip == "Celeb-synthesis/id0_id1_0000"
    assert set(found.origin[fake]) == {"Celeb-real/id0_0000"}
    test = load_celeb_df(celeb, split="test", n_frames=2)
    train = load_celeb_df(celeb, split="train", n_frames=2)
    assert set(test.clip) == {
        "YouTube-real/00170", "Celeb-real/id0_0000", "Celeb-synthesis/id0_id1_0000"
    }  # fmt: skip
    assert set(train.clip) == set(found.clip) - set(test.clip)
    (celeb / "YouTube-real").rename(celeb / "Youtube-real")  # as some pass it on
    again = load_celeb_df(celeb, split="test", n_frames=2)
    assert set(again.clip) == set(test.clip)


def test_a_list_that_does_not_fit(celeb):
    file = celeb / "List_of_testing_videos.txt"
    good = file.read_text()
    for line, said in {
        "0 Celeb-real/id1_0000.mp4": "calls it fake",
        "1 Celeb-real/id9_0000.mp4": "it is missing",
        "real Celeb-real/id1_0000.mp4": "it reads",
    }.items():
        file.write_text(f"{good}{line}\n")
        with pytest.raises(ValueError, match=said):
            load_celeb_df(celeb, split="test", n_frames=1)
        with pytest.warns(UserWarning, match="left out 1 and kept 3"):
            load_celeb_df(celeb, split="test", n_frames=1, on_error="skip")
    file.unlink()
    with pytest.raises(ValueError, match="for a split"):
        load_celeb_df(celeb, split="test", n_frames=1)
    with pytest.raises(ValueError, match="'split'"):
        load_celeb_df(celeb, split="val", n_frames=1)


@pytest.mark.parametrize("load", [load_uadfv, load_faceforensics, load_celeb_df])
def test_folders_of_another_layout(tmp_path, load):
    write_video(tmp_path / "clips" / "a.mp4")
    with pytest.raises(ValueError, match=r"no videos of clips"):
        load(tmp_path, n_frames=2)
    with pytest.raises(ValueError, match=r"found no clips under .* it needs"):
        load(tmp_path, n_frames=2, on_error="skip")
    with pytest.raises(ValueError, match="exactly one"):
        load(tmp_path)


SAMPLING = {
    "every": None, "fps": None, "method": "uniform", "short": "raise",
    "random_state": None,
}  # fmt: skip


@pytest.mark.parametrize(
    "load", [load_uadfv, load_faceforensics, load_celeb_df, load_video_folder]
)
def test_signatures_name_every_option(tmp_path, load):
    parameters = inspect.signature(load).parameters
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    sampling = inspect.signature(sample_frames).parameters
    assert {name: sampling[name].default for name in SAMPLING} == SAMPLING
    options = {**SAMPLING, "resize": None, "crop": None, "on_error": "raise"}
    options["cache"] = None
    if load is not load_video_folder:
        options["verify"] = True
    assert {name: parameters[name].default for name in options} == options
    # All of them are taken, as the error about the missing clips shows.
    with pytest.raises(ValueError, match=r"no videos|no image"):
        load(tmp_path, n_frames=1, **options)
    sentence = rf"{load.__name__}\(\) got an unexpected keyword argument 'n_frame'"
    with pytest.raises(TypeError, match=sentence):
        load(tmp_path, n_frame=1)


# ------------------------------------------------------------------------ real data


@pytest.mark.slow
@pytest.mark.data
def test_the_provided_videos():
    folder = data_folder("deepfake", "video")
    for path in sorted(folder.glob("*.mp4")):
        with av.open(str(path)) as container:
            frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
        found = sample_frames(path, 12, method="random", random_state=0)
        assert found.n_frames == len(frames) == 134
        for image, number in zip(found.images, found.frame, strict=True):
            assert np.array_equal(image, frames[number])
    params = {"levels": (), "label": "unknown", "resize": (64, 64)}
    found = load_video_folder(folder, 6, **params)
    assert found.images[:].shape == (12, 64, 64, 3)


# ------------------------------------------------------------------------- FaceCrop


def test_squares_with_a_margin():
    crop = FaceCrop()
    assert crop.square((40, 40, 20, 20), height=100, width=100) == (37, 37, 26, 26)
    assert crop.square((0, 0, 20, 10), height=100, width=100) == (0, 0, 26, 26)
    assert crop.square((90, 80, 10, 20), height=100, width=100) == (82, 77, 18, 23)
    none = FaceCrop(margin=1).square((30, 20, 10, 10), height=50, width=50)
    assert none == (30, 20, 10, 10)
    with pytest.raises(ValueError, match="'margin'"):
        FaceCrop(margin=0.5).square((0, 0, 5, 5), height=9, width=9)
    with pytest.raises(ValueError, match="uint8 of shape"):
        crop(np.zeros((5, 5)))


@pytest.mark.parametrize(
    "box",
    [(-50, 10, 20, 20), (10, -50, 20, 20), (120, 10, 20, 20), (10, 101, 20, 20),
     (5, 5, -3, 8), (5, 5, 0, 8), (float("nan"), 5, 8, 8)],
)  # fmt: skip
def test_boxes_off_the_image_are_refused(box):
    with pytest.raises(ValueError, match="middle on the image"):
        FaceCrop().square(box, height=100, width=100)


@pytest.mark.parametrize("box", [(-9, -9, 20, 20), (89, 89, 20, 20), (-15, 40, 32, 8)])
def test_boxes_over_the_border_give_a_crop(box):
    x, y, w, h = FaceCrop().square(box, height=100, width=100)
    assert min(x, y) >= 0
    assert min(w, h) > 0
    assert max(x + w, y + h) <= 100


def test_only_faces_on_the_image_are_cropped(monkeypatch):
    pytest.importorskip("cv2", reason="no OpenCV: pip install 'skrobust[faces]'")
    boxes = [(-90, 0, 60, 60), (30, 30, 30, 30)]  # as YuNet may return
    monkeypatch.setattr(FaceCrop, "_by_cascade", lambda *args: boxes)
    assert FaceCrop()(np.zeros((80, 80, 3), dtype=np.uint8)).shape == (39, 39, 3)
    monkeypatch.setattr(FaceCrop, "_by_cascade", lambda *args: boxes[:1])
    with pytest.raises(ValueError, match="off the image only"):
        FaceCrop()(np.zeros((80, 80, 3), dtype=np.uint8))


# The matrices of a video header, and what they show of a picture.
MATRICES = {
    "90": ((0, 1, -1, 0), lambda X: np.rot90(X, -1, axes=(1, 2))),
    "180": ((-1, 0, 0, -1), lambda X: np.rot90(X, 2, axes=(1, 2))),
    "270": ((0, -1, 1, 0), lambda X: np.rot90(X, 1, axes=(1, 2))),
    "mirrored": ((-1, 0, 0, 1), lambda X: X[:, :, ::-1]),
    "upside down": ((1, 0, 0, -1), lambda X: X[:, ::-1]),
    "transposed": ((0, 1, 1, 0), lambda X: X.transpose(0, 2, 1, 3)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_videos_are_turned_upright(clip, name):
    """The header of an MP4 file holds nine numbers, 40 bytes into its track."""
    plain = np.asarray(sample_frames(clip, 2).images)
    content = bytearray(clip.read_bytes())
    at = content.index(b"tkhd") + 4 + 40
    matrix, shown = MATRICES[name]
    a, b, c, d = (int(v * 65536) for v in matrix)
    matrix = (a, b, 0, c, d, 0, 0, 0, 1 << 30)
    content[at : at + 36] = b"".join(v.to_bytes(4, "big", signed=True) for v in matrix)
    turned = clip.with_name(f"{name}.mp4")
    turned.write_bytes(content)
    found = np.asarray(sample_frames(turned, 2).images)
    np.testing.assert_array_equal(found, shown(plain))


@pytest.mark.data
def test_faces_are_found():
    cv2 = pytest.importorskip("cv2", reason="no OpenCV: pip install 'skrobust[faces]'")
    if not hasattr(cv2, "CascadeClassifier"):
        pytest.skip("OpenCV 5 has no cascades; skrobust[faces] installs OpenCV 4")
    path = data_folder("deepfake", "video") / "demo.mp4"
    image = sample_frames(path, 1).images[0]
    face = FaceCrop()(image)
    assert face.shape[0] == face.shape[1] < image.shape[0]
    again = FaceCrop(margin=2)(image)
    assert again.shape[0] > face.shape[0]
    with pytest.raises(ValueError, match="no face"):
        FaceCrop()(np.zeros((80, 80, 3), dtype=np.uint8))
    with pytest.raises(ValueError, match="'model'"):
        FaceCrop(model="none.onnx")(image)
    found = sample_frames(path, 3, crop="face", resize=(64, 64))
    assert found.images.shape == (3, 64, 64, 3)
