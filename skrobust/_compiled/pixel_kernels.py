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


def add_to_bytes(levels, words, images, out):
    """Add the level that each word looks up, and clip."""
    for i in range(images.size):
        value = np.int32(levels[words[i]]) + np.int32(images[i])
        out[i] = np.uint8(min(max(value, np.int32(0)), np.int32(255)))


def scale_bytes(factors, words, images, out):
    """Multiply each byte, as a share of 255, by the factor that its word looks up."""
    top = np.float32(255)
    for i in range(images.size):
        value = np.rint(factors[words[i]] * (np.float32(images[i]) / top) * top)
        out[i] = np.uint8(min(max(value, np.float32(0)), top))


def strike_bytes(words, selected, images, out):
    """Turn bytes to black below the limit of their row, and to white above another."""
    for row in range(images.shape[0]):
        low = np.int32(selected[row])
        high = np.int32(65535) - low
        for i in range(images.shape[1]):
            word = np.int32(words[row, i])
            value = images[row, i] if word >= low else np.uint8(0)
            out[row, i] = np.uint8(255) if word > high else value


def look_up(table, images, out):
    """Look numbers up in one table."""
    for i in range(images.size):
        out[i] = table[images[i]]


def look_up_by_channel(tables, images, out):
    """Look bytes up in the table of their image and channel."""
    n, n_pixels, channels = images.shape
    for i in range(n):
        if channels == 3:
            red, green, blue = tables[i, 0], tables[i, 1], tables[i, 2]
            for j in range(n_pixels):
                out[i, j, 0] = red[images[i, j, 0]]
                out[i, j, 1] = green[images[i, j, 1]]
                out[i, j, 2] = blue[images[i, j, 2]]
            continue
        for j in range(n_pixels):
            for k in range(channels):
                out[i, j, k] = tables[i, k, images[i, j, k]]


def look_up_by_largest(table, images, out):
    """Look bytes up in the table of the largest channel of their pixel."""
    n_pixels, channels = images.shape
    if channels == 3:
        for j in range(n_pixels):
            red, green, blue = images[j, 0], images[j, 1], images[j, 2]
            start = np.int64(max(red, green, blue)) << 8
            out[j, 0] = table[start + red]
            out[j, 1] = table[start + green]
            out[j, 2] = table[start + blue]
        return
    for j in range(n_pixels):
        largest = images[j, 0]
        for k in range(1, channels):
            largest = max(largest, images[j, k])
        start = np.int64(largest) << 8
        for k in range(channels):
            out[j, k] = table[start + images[j, k]]
