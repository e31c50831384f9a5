"""Files that are replaced as a whole, and digests of files."""

import hashlib
import os
from pathlib import Path


def write_text_whole(path, text):
    """Write a text file, so that it is at any moment the old one or the new one.

    Parameters
    ----------
    path : path-like
        Path of the file.
    text : str
        Content of the file.
    """
    write_whole(path, lambda file: file.write(text.encode()))


def write_whole(path, write):
    """Write a file by a function, so that it is the old one or the new one.

    Parameters
    ----------
    path : path-like
        Path of the file.
    write : callable
        Takes the open binary file.
    """
    path = Path(path).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    try:
        with draft.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def digest_of(path):
    """Return a short digest of the bytes of a file."""
    return digest(Path(path).read_bytes())


def digest(content):
    """Return a short digest of bytes."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()
