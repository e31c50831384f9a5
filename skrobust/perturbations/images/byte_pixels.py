"""8-bit pixels as shares of their range and back, and through tables."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.pixel_kernels import bytes_of_units, units_of_bytes


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
