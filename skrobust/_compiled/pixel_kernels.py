"""Kernels of pixel values: scales, tables and noise."""

import numpy as np


def units_of_bytes(images, out):
    """Turn bytes into shares of 255."""
    for i in range(images.size):
        out[i] = np.float32(images[i]) / np.float32(255)


def bytes_of_units(unit, scale, out):
    """Turn shares of ``scale`` into bytes; return whether all of them are numbers."""
    strange = 0
    for i in range(unit.size):
        value = unit[i] * scale
        strange += value != value
        out[i] = np.uint8(min(max(np.rint(value), type(scale)(0)), scale))
    return strange == 0
