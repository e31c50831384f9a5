"""Files that are written as a whole follow no planted link, and keep their mode."""

import os
import stat
import subprocess
import sys
import uuid

import pytest

from skrobust._whole_file import write_text_whole, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask, wanted", [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_mode_of_any_new_file(tmp_path, umask, wanted):
    before = os.umask(umask)
    try:
        write_text_whole(tmp_path / "new" / "a.txt", "é\n")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new" / "a.txt") == wanted
    assert (tmp_path / "new" / "a.txt").read_bytes() == "é\n".encode()


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, kept):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(kept)
    write_text_whole(path, "new")
    assert (path.read_text(), mode(path)) == ("new", kept)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_planted_draft_is_not_followed(tmp_path, monkeypatch):
    """Even one whose name was known: the call fails, and the victim stays."""
    victim, known = tmp_path / "victim", uuid.UUID(int=7)
    victim.write_text("dear")
    monkeypatch.setattr(uuid, "uuid4", lambda: known)
    draft = tmp_path / f".{known.hex}.draft"
    draft.symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_text_whole(tmp_path / "out", "new")
    assert victim.read_text() == "dear"
    assert draft.is_symlink()  # somebody else's, which is not removed
    assert not (tmp_path / "out").exists()


def test_a_link_that_the_user_names_is_kept(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.txt", tmp_path / "a.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_link_at_a_name_of_the_package_is_replaced(tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "manifest.json"
    victim.write_text("dear")
    path.symlink_to(victim)
    write_text_whole(path, "new", is_named=False)
    assert victim.read_text() == "dear"
    assert not path.is_symlink()
    assert path.read_text() == "new"


def test_a_link_of_somebody_else_in_a_folder_of_everybody_is_refused(
    tmp_path, monkeypatch
):
    victim, link = tmp_path / "victim", tmp_path / "shared" / "report.html"
    victim.write_text("dear")
    link.parent.mkdir()
    link.parent.chmod(0o1777)
    link.symlink_to(victim)
    write_text_whole(link, "mine")  # the link is one's own
    assert victim.read_text() == "mine"
    me = os.geteuid()
    if me:
        pytest.skip("only root may give the folder to a third person")
    os.chown(link.parent, me + 2, -1)
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(PermissionError, match="another user"):
        write_text_whole(link, "new")
    assert victim.read_text() == "mine"
    os.chown(link.parent, me, -1)  # the owner of a folder may put links there
    write_text_whole(link, "new")
    assert victim.read_text() == "new"


def test_a_device_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text_whole(pipe, "through")
    assert os.read(reader, 99) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


_TO_OUTPUT = """
from skrobust._whole_file import write_text_whole
write_text_whole("/dev/stdout", "through")
"""


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout")
def test_standard_output_is_written_to(tmp_path):
    """Also where it is a pipe, whose path leads nowhere, or a file of others."""
    command = [sys.executable, "-c", _TO_OUTPUT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "through"
    with (tmp_path / "log").open("a") as log:
        log.write("before, ")
        log.flush()
        subprocess.run(command, stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "before, through"


def test_an_interrupted_write_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def stop(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, stop)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_to_itself_is_an_error(tmp_path):
    path = tmp_path / "loop"
    path.symlink_to(path)
    with pytest.raises((OSError, RuntimeError)):
        write_text_whole(path, "new")
