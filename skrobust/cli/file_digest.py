"""Digests of files and of bytes."""

import hashlib
from pathlib import Path


def digest_of(path):
    """Return a short digest of the bytes of a file, read piece by piece."""
    found = hashlib.blake2b(digest_size=16)
    with Path(path).open("rb") as file:
        while piece := file.read(2**20):
            found.update(piece)
    return found.hexdigest()


def digest(content):
    """Return a short digest of bytes."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()
