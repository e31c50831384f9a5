"""SHA-256 of bytes and of files, as hexadecimal text."""

import hashlib
from pathlib import Path


def bytes_digest(content):
    """Return the digest of bytes: 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def file_digest(path):
    """Return the digest of the bytes of a file, read piece by piece."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
