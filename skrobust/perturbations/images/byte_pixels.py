"""8-bit pixels as shares of their range and back, and through tables."""

from functools import lru_cache

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.pixel_kernels import (
    bytes_of_units,
    look_up,
    look_up_by_channel,
    units_of_bytes,
)

_WORTH_PAIRS = 1 << 17  # bytes from which a table of pairs of them is worth its making


def as_units(images):
    """Return uint8 images as float32 in [0, 1], in the same order in memory."""
    unit = np.empty_like(images, dtype=np.float32)
    kernel = compiled(units_of_bytes, images.size)
    if kernel is None:
        return np.divide(images, 255, out=unit, dtype=np.float32)
    kernel(images.ravel(order="K"), unit.ravel(order="K"))
    return unit


def as_bytes(unit):
    """Return images in [0, 1] as uint8, rounded and clipped.

    A share that came from a byte gives that byte.
    """
    out = np.empty_like(unit, dtype=np.uint8)
    kernel = compiled(bytes_of_units, unit.size)
    # Of no other width and order, and of what is no number numpy tells.
    if kernel is not None and unit.dtype in (np.float32, np.float64):
        flat = out.ravel(order="K")
        whole = np.shares_memory(flat, out)
        if whole and kernel(unit.ravel(order="K"), unit.dtype.type(255), flat):
            return out
    with np.errstate(over="ignore"):  # infinity is clipped as any other number
        new = unit * 255.0
    np.rint(new, out=new)
    np.clip(new, 0, 255, out=new)
    np.copyto(out, new, casting="unsafe")
    return out


def through_table(images, table, out=None):
    """Look uint8 images up in a table of 256 bytes; ``out`` may be the images."""
    out = np.empty_like(images) if out is None else out
    seen, new = (a.ravel(order="K") for a in (images, out))
    if images.size < _WORTH_PAIRS or not np.shares_memory(new, out):
        return np.take(table, images, mode="clip", out=out)
    even = len(seen) // 2 * 2
    new[even:] = table[seen[even:]]
    seen, new = (a[:even].view(np.uint16) for a in (seen, new))
    pairs = _pairs(table.tobytes())
    kernel = compiled(look_up, images.size)
    if kernel is not None:
        kernel(pairs, seen, new)
        return out
    for start in range(0, len(seen), _WORTH_PAIRS):
        part = slice(start, start + _WORTH_PAIRS)
        np.take(pairs, seen[part], mode="clip", out=new[part])
    return out


@lru_cache(maxsize=4)
def _pairs(table):
    """Return the table of two bytes at a time, which is twice as fast."""
    table = np.frombuffer(table, dtype=np.uint8)
    pairs = np.stack(np.broadcast_arrays(table, table[:, None]), axis=-1)
    pairs = np.ascontiguousarray(pairs).view(np.uint16).ravel()
    if np.little_endian:
        return pairs
    return np.ascontiguousarray(pairs.reshape(256, 256).T).ravel()


def through_tables(images, tables):
    """Look uint8 images up in a table for each image and channel.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels), uint8
        Images.
    tables : ndarray of shape (n, channels, 256), uint8
        Tables.

    Returns
    -------
    ndarray of the shape of images, uint8
        The new images.
    """
    n, _, _, channels = images.shape
    kernel = compiled(look_up_by_channel, images.size)
    if kernel is None:
        # One table an image and channel, one after another.
        start = 256 * np.arange(n * channels).reshape(n, 1, 1, channels)
        return np.take(tables.reshape(-1), images + start, mode="clip")
    out = np.empty(images.shape, dtype=np.uint8)
    flat = np.ascontiguousarray(images).reshape(n, -1, channels)
    kernel(np.ascontiguousarray(tables), flat, out.reshape(flat.shape))
    return out
