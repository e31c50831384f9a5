"""Links in folders of data, and members of tar files, lead nowhere else."""

import io
import os
import sys
import tarfile

import numpy as np
import pytest

from skrobust.cli.exit_codes import UserError
from skrobust.cli.image_input import list_images
from skrobust.datasets import (
    BatchedRows,
    load_celeb_df,
    load_image_folder,
    load_uadfv,
    load_video_folder,
)

Image = pytest.importorskip("PIL.Image")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links")

OUT = "leads out of the folder"


def picture(path, value=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((4, 4, 3), value, np.uint8)).save(path)
    return path


@pytest.fixture
def folder(tmp_path):
    """Folder with images of two labels, beside a private image."""
    picture(tmp_path / "private" / "secret.png", 200)
    for label in "ab":
        picture(tmp_path / "data" / label / "own.png", 1)
    return tmp_path / "data"


def test_a_link_to_an_image_outside_is_refused_or_listed(folder):
    link = folder / "a" / "x.png"
    link.symlink_to(folder.parent / "private" / "secret.png")
    with pytest.raises(ValueError, match=OUT):
        load_image_folder(folder)
    with pytest.warns(UserWarning, match="left out 1"):
        found = load_image_folder(folder, on_error="skip")
    assert [path for path, _ in found.skipped] == [str(link)]
    assert found.images[:].max() == 1
    assert load_image_folder(folder, follow_links=True).images[:].max() == 200


@pytest.mark.parametrize("target", ["../private", "/etc/..", "../../.."])
def test_a_link_to_a_folder_outside_is_not_entered(folder, target):
    (folder / "linked").symlink_to(target)
    with pytest.raises(ValueError, match=f"{OUT}|holds it"):
        load_image_folder(folder)
    with pytest.warns(UserWarning, match="left out"):
        found = load_image_folder(folder, on_error="skip")
    assert len(found.target) == 2


@pytest.mark.parametrize("follow", [False, True])
def test_a_link_to_a_folder_above_gives_no_image_twice(folder, follow):
    (folder / "a" / "again").symlink_to(folder)
    with pytest.raises(ValueError, match="holds it"):
        load_image_folder(folder, follow_links=follow)


def test_links_inside_the_folder_stay(folder):
    (folder / "b" / "same.png").symlink_to(folder / "a" / "own.png")
    (folder / "c").symlink_to(folder / "a")
    assert len(load_image_folder(folder).target) == 4


def test_the_folder_itself_may_be_a_link(folder):
    (folder.parent / "short").symlink_to(folder)
    assert len(load_image_folder(folder.parent / "short").target) == 2


def test_a_link_that_leads_to_itself_is_named(folder):
    loop = folder / "a" / "loop.png"
    loop.symlink_to(loop)
    with pytest.raises(ValueError, match=r"loop\.png"):
        load_image_folder(folder)


def test_videos_and_clips_behind_links_are_refused(folder, tmp_path):
    pytest.importorskip("av")
    (folder / "a" / "clip.mp4").symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match=OUT):
        load_video_folder(folder, n_frames=1)
    frames = tmp_path / "frames"
    picture(frames / "0000.png", 200)
    uadfv = tmp_path / "uadfv"
    picture(uadfv / "real" / "frames" / "0001" / "0.png")
    (uadfv / "fake" / "frames").mkdir(parents=True)
    (uadfv / "fake" / "frames" / "0001_fake").symlink_to(frames)
    with pytest.raises(ValueError, match=OUT):
        load_uadfv(uadfv, source="images")
    found = load_uadfv(uadfv, source="images", follow_links=True)
    assert found.images[:].max() == 200


def test_one_linked_frame_of_a_clip_is_listed(folder, tmp_path):
    clip = tmp_path / "celeb" / "Celeb-real" / "frames" / "id0_0000"
    picture(clip / "0.png")
    (clip / "1.png").symlink_to(folder.parent / "private" / "secret.png")
    with pytest.warns(UserWarning, match="left out"):
        found = load_celeb_df(tmp_path / "celeb", source="images", on_error="skip")
    assert len(found.target) == 1
    assert any(OUT in reason for _, reason in found.skipped)


@pytest.mark.parametrize("value", [None, 2, "yes"])
def test_follow_links_is_a_truth_value(folder, value):
    with pytest.raises(ValueError, match="follow_links"):
        load_image_folder(folder, follow_links=value)


def shard(path, *members):
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w") as tar:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.size = kind, len(content)
            info.linkname = "/etc/passwd" if kind in (b"1", b"2") else ""
            tar.addfile(info, io.BytesIO(content))
    return path


def row():
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "name, kind, words",
    [
        ("/a.npy", tarfile.REGTYPE, "outside"),
        ("../a.npy", tarfile.REGTYPE, "outside"),
        ("x/../../a.npy", tarfile.REGTYPE, "outside"),
        ("a.npy", tarfile.SYMTYPE, "is a link"),
        ("a.npy", tarfile.LNKTYPE, "is a link"),
        ("a.npy", tarfile.FIFOTYPE, "device or a pipe"),
        ("a.npy", tarfile.CHRTYPE, "device or a pipe"),
    ],
)
def test_members_that_are_no_samples_are_named(tmp_path, name, kind, words):
    content = row() if kind == tarfile.REGTYPE else b""
    members = [("b.npy", tarfile.REGTYPE, row()), (name, kind, content)]
    path = shard(tmp_path / "s.tar", *members)
    with pytest.raises(ValueError, match=words):
        list(BatchedRows.from_shards(path, label=None))


def test_plain_members_and_folders_stay(tmp_path):
    members = [("x", tarfile.DIRTYPE, b""), ("x/a.npy", tarfile.REGTYPE, row())]
    path = shard(tmp_path / "s.tar", *members)
    assert len(list(BatchedRows.from_shards(path, label=None))) == 1


def test_folders_of_shards_and_of_parquet_files_hold_no_links_out(tmp_path):
    outside = shard(tmp_path / "s.tar", ("a.npy", tarfile.REGTYPE, row()))
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "s.tar").symlink_to(outside)
    with pytest.raises(ValueError, match=OUT):
        list(BatchedRows.from_shards(tmp_path / "shards", label=None))
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"a": [1.0]}).to_parquet(tmp_path / "p.parquet")
    (tmp_path / "pieces").mkdir()
    (tmp_path / "pieces" / "p.parquet").symlink_to(tmp_path / "p.parquet")
    with pytest.raises(ValueError, match=OUT):
        list(BatchedRows.from_parquet(tmp_path / "pieces"))


def test_linked_folders_of_shards_and_pieces_are_refused_and_not_skipped(tmp_path):
    """Their rows would be missing from the score in silence."""
    shard(tmp_path / "away" / "t.tar", ("a.npy", tarfile.REGTYPE, row()))
    shard(tmp_path / "shards" / "s.tar", ("a.npy", tarfile.REGTYPE, row()))
    (tmp_path / "shards" / "same").symlink_to(tmp_path / "shards")
    read = list(BatchedRows.from_shards(tmp_path / "shards", label=None))
    assert len(read) == 1  # a link inside: once, where it is
    (tmp_path / "shards" / "more").symlink_to(tmp_path / "away")
    with pytest.raises(ValueError, match=OUT):
        list(BatchedRows.from_shards(tmp_path / "shards", label=None))
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for name in ("away", "pieces"):
        (tmp_path / name).mkdir(exist_ok=True)
        pandas.DataFrame({"a": [1.0]}).to_parquet(tmp_path / name / "p.parquet")
    (tmp_path / "pieces" / ".hidden").symlink_to(tmp_path / "away")
    assert len(list(BatchedRows.from_parquet(tmp_path / "pieces"))) == 1
    (tmp_path / "pieces" / "more").symlink_to(tmp_path / "away")
    with pytest.raises(ValueError, match=OUT):
        list(BatchedRows.from_parquet(tmp_path / "pieces"))


def test_linked_folders_of_images_are_refused_on_the_command_line(folder):
    assert len(list_images(folder)) == 2
    (folder / "more").symlink_to(folder.parent / "private")
    with pytest.raises(UserError, match=f"'more' in .*{OUT}"):
        list_images(folder)


def test_only_decoders_of_the_known_formats_are_tried(folder):
    """A Targa file named png was decoded before; other decoders are not reached."""
    path = folder / "a" / "own.png"
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(path, format="TGA")
    with pytest.raises(ValueError, match="it is no image"):
        load_image_folder(folder)


def test_cached_frames_are_not_written_through_links(tmp_path):
    from skrobust._sealed import write_named

    victim = tmp_path / "victim"
    victim.write_text("dear")
    file = write_named(tmp_path, "f", ".png", b"frame")
    file.unlink()
    os.symlink(victim, file)
    assert write_named(tmp_path, "f", ".png", b"frame") == file
    assert victim.read_text() == "dear"
    assert not file.is_symlink()
    assert file.read_bytes() == b"frame"
