"""Digests of files and of bytes."""

import hashlib
from pathlib import Path


def digest_of(path):
    """Return a short digest of the bytes of a file."""
    return digest(Path(path).read_bytes())


def digest(content):
    """Return a short digest of bytes."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()
