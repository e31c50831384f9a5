"""8-bit pixels as shares of their range and back, and through tables."""

from functools import lru_cache

import numpy as np

from skrobust._compiled.compiled import byte_translator, compiled
from skrobust._compiled.pixel_kernels import (
    bytes_of_units,
    join_channels,
    split_channels,
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


def layers_of(images):
    """Return a view of images, channels last, by the lines in which they lie.

    Returns
    -------
    ndarray of shape (n, layers, height, numbers in a line) or None
        One layer where channels lie side by side, one for each channel where they came
        first, None for anything else.
    """
    n, height = images.shape[:2]
    if images.flags.c_contiguous:
        return images.reshape(n, 1, height, -1)
    planes = np.moveaxis(images, -1, 1)
    return planes if planes.flags.c_contiguous else None


def through_table(images, table, out=None):
    """Look uint8 images up in a table of 256 bytes; ``out`` may be the images."""
    out = np.empty_like(images) if out is None else out
    seen, new = (a.ravel(order="K") for a in (images, out))
    if not np.shares_memory(new, out):
        return np.take(table, images, mode="clip", out=out)
    translate = byte_translator()
    if translate is not None and images.size:
        if out is not images:
            np.copyto(out, images)
        translate(new, np.ascontiguousarray(table))
        return out
    if images.size < _WORTH_PAIRS:
        return np.take(table, images, mode="clip", out=out)
    even = len(seen) // 2 * 2
    new[even:] = table[seen[even:]]
    seen, new = (a[:even].view(np.uint16) for a in (seen, new))
    pairs = _pairs(table.tobytes())
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
    """Look uint8 images up in a table for each image and channel, in place.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels), uint8
        Images, which are changed.
    tables : ndarray of shape (n, channels, 256), uint8
        Tables.
    """
    n, height, width, channels = images.shape
    translate, layers = byte_translator(), layers_of(images)
    split = compiled(split_channels, images.size)
    if translate is None or split is None or layers is None:
        # One table an image and channel, one after another.
        start = 256 * np.arange(n * channels).reshape(n, 1, 1, channels)
        images[...] = np.take(tables.reshape(-1), images + start, mode="clip")
        return
    tables, side_by_side = np.ascontiguousarray(tables), layers.shape[1] != channels
    join = compiled(join_channels, images.size)
    planes = np.empty((channels, height * width), dtype=np.uint8)
    for image, own in zip(layers.reshape(n, -1), tables, strict=True):
        if side_by_side:
            split(image, channels, planes)
        else:
            planes = image.reshape(channels, -1)
        for plane, table in zip(planes, own, strict=True):
            translate(plane, table)
        if side_by_side:
            join(planes, channels, image)
