"""Files that are replaced as a whole: at any moment the old one or the new one."""

import os
import stat
import uuid
from pathlib import Path


def write_text_whole(path, text, *, is_named=True):
    """Write a text file as a whole, in UTF-8.

    Parameters
    ----------
    path : path-like
        Path of the file.
    text : str
        Content of the file.
    is_named : bool, default=True
        As in :func:`write_whole`.
    """
    write_whole(path, lambda file: file.write(text.encode()), is_named=is_named)


def write_whole(path, write, *, is_named=True):
    """Write a file as a whole by a function.

    The content goes into a draft beside the file, which then takes its place. The draft
    is always a new file: its name cannot be guessed, and what lies there already, a
    link above all, is an error. A file that is replaced hands on its permissions; a new
    one has those of any new file (the umask).

    Parameters
    ----------
    path : path-like
        Path of the file. Missing folders are made. A device or a pipe is written to.
    write : callable
        Takes the open binary file.
    is_named : bool, default=True
        Whether the user named the file. Where the path is a link, the file that it
        leads to is then replaced and the link stays, as in an editor; but in a folder
        where everybody may write, a link that somebody else put there is refused.
        With False, for names that the package chose, a link itself is replaced, so that
        one that was planted leads nowhere.

    Raises
    ------
    PermissionError
        For a link of somebody else, as above.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_named:
        _check_links(path)
        if _is_no_file(path):
            # Behind /dev/stdout may be a file to which others write as well.
            with path.open("ab") as file:
                write(file)
            return
        path = path.resolve()
    mode = _mode(path)
    # Several processes may write the same file; the last to end wins.
    draft = path.with_name(f".{uuid.uuid4().hex}.draft")
    number = _opened_new(draft)
    try:
        with os.fdopen(number, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(mode) & 0o777)
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _is_no_file(path):
    """Return whether a path leads to a device or a pipe, as /dev/stdout does."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    is_plain = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return not is_plain or path.parent in (Path("/dev"), Path("/dev/fd"))


def _mode(path):
    """Return type and permissions of what is there, None for nothing and for a link."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    return None if stat.S_ISLNK(mode) else mode


def _opened_new(path):
    """Return the number of a file that this call makes, and that is no link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, 0o666)


def _check_links(path):
    """Refuse links that others made in a folder where everybody may write."""
    for _ in range(40):  # as many as a system follows
        if not path.is_symlink() or not hasattr(os, "geteuid"):
            return
        folder, owner = path.parent.stat(), path.lstat().st_uid
        if folder.st_mode & stat.S_IWOTH and owner not in (os.geteuid(), folder.st_uid):
            raise PermissionError(
                f"{str(path)!r} is a link that another user put into a folder where "
                "everybody may write; remove it, or name another file."
            )
        path = path.parent / os.readlink(path)
