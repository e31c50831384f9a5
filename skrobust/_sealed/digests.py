"""SHA-256 of bytes and of files, as hexadecimal text, and files named by it."""

import hashlib
from pathlib import Path

from skrobust._whole_file import write_whole

_LENGTH = 32  # digits in a name: 128 bits


def bytes_digest(content):
    """Return the digest of bytes: 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def file_digest(path):
    """Return the digest of the bytes of a file, read piece by piece."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_named(folder, stem, ending, content):
    """Write bytes to a file of which the name ends with their digest.

    For files of formats that others read, which have no place for it. Damaged files
    are replaced.

    Parameters
    ----------
    folder : Path
        Made where it is missing.
    stem, ending : str
        Beginning and end of the name, such as "weights" and ".pt".
    content : bytes
        Content of the file.

    Returns
    -------
    Path
        The file.
    """
    path = folder / f"{stem}_{bytes_digest(content)[:_LENGTH]}{ending}"
    write_whole(path, lambda file: file.write(content))
    return path


def is_as_named(path):
    """Return whether the content of a file is that of which its name has the digest."""
    return path.stem.rpartition("_")[2] == file_digest(path)[:_LENGTH]


def find_named(folder, stem, ending):
    """Return the first file that ``write_named`` wrote and that is whole, or None."""
    n = len(stem) + 1 + _LENGTH + len(ending)
    names = folder.iterdir() if folder.is_dir() else ()
    found = (p for p in sorted(names) if len(p.name) == n)
    match = (p for p in found if p.name.startswith(stem) and p.name.endswith(ending))
    return next(filter(is_as_named, match), None)
