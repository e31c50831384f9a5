"""Kernels of shapes that are drawn into images of bytes.

The images are ``layers`` of shape (n, layers, height, numbers in a line), in which the
channels of a pixel lie side by side or in layers of their own.
"""

import numpy as np

from skrobust._compiled.pixel_kernels import LARGE_PART, SMALL_PART


def cover_rectangles(starts, sides, fill, width, layers):
    """Cover bytes by ``fill`` as far as a rectangle covers their pixel, in place.

    ``starts`` has shape (n, 2), of rows and columns; ``sides`` are those of all
    rectangles.
    """
    height, size = layers.shape[2:]
    channels = size // width
    top = np.float32(255)
    extreme = fill == 0 or fill == 1  # of which nothing is left to round
    byte = np.uint8(fill * top)
    across = np.empty(width)
    for i in range(layers.shape[0]):
        for x in range(width):
            end = min(x + 1.0, starts[i, 1] + sides[1])
            across[x] = min(max(end - max(np.float64(x), starts[i, 1]), 0.0), 1.0)
        start, stop = 0, width
        while start < stop and across[start] == 0:
            start += 1
        while start < stop and across[stop - 1] == 0:
            stop -= 1
        for layer in layers[i]:
            for y in range(height):
                end = min(y + 1.0, starts[i, 0] + sides[0])
                down = min(max(end - max(np.float64(y), starts[i, 0]), 0.0), 1.0)
                if down == 0:
                    continue
                line = layer[y]
                # All columns between the outer ones are covered.
                inner = extreme and down == 1 and stop - start > 2
                if inner:
                    line[(start + 1) * channels : (stop - 1) * channels] = byte
                for x in range(start, stop, stop - start - 1 if inner else 1):
                    share = np.float32(down * across[x])
                    for k in range(x * channels, (x + 1) * channels):
                        unit = np.float32(line[k]) / top
                        value = np.rint((unit + (fill - unit) * share) * top)
                        line[k] = np.uint8(min(max(value, np.float32(0)), top))


def invert_columns(starts, shares, width, layers):
    """Invert bytes by the share of their column, in place.

    ``starts`` are the columns at which another of the ``shares`` begins, and the end.
    """
    channels = layers.shape[3] // width
    top, one = np.float32(255), np.float32(1)
    for image in layers:
        for layer in image:
            for line in layer:
                for j in range(shares.size):
                    share = shares[j]
                    part = line[starts[j] * channels : starts[j + 1] * channels]
                    if share == 1:
                        for k in range(part.size):
                            part[k] = np.uint8(255) - part[k]
                    elif share > 0:
                        for k in range(part.size):
                            unit = np.float32(part[k]) / top
                            value = unit + (one - np.float32(2) * unit) * share
                            part[k] = np.uint8(np.rint(value * top))


def add_white(rows, columns, white, width, layers):
    """Add shares of 255 to the pixels around a stroke, in place.

    ``rows`` and ``white`` have shape (n, number of columns, pixels).
    """
    n, _, height, size = layers.shape
    channels = size // width
    top = np.float32(255)
    for i in range(n):
        for layer in layers[i]:
            for j in range(columns.size):
                start, stop = columns[j] * channels, (columns[j] + 1) * channels
                for k in range(rows.shape[2]):
                    row, added = rows[i, j, k], np.float32(white[i, j, k])
                    if not added > 0 or row < 0 or row >= height:
                        continue
                    line = layer[row]
                    for x in range(start, stop):
                        byte = np.float32(line[x])
                        unit = byte * LARGE_PART + byte * SMALL_PART
                        value = np.rint((unit + added) * top)
                        line[x] = np.uint8(value if value < top else top)
