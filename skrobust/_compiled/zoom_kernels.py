"""Kernel of the mean of zooms of images."""

import numpy as np

LANES = 24  # planes that are worked on side by side


def average_zooms(
    images, top, rows, row_weights, columns, column_weights, weights, out
):
    """Average images and their zooms, line by line.

    ``images`` of shape (n, height, width, channels) hold shares of ``top``. Each zoom
    mixes two rows, then two columns, for each new one, as ``rows`` and ``columns`` of
    shape (zooms, 2, side) and their weights say; their number is even. The image counts
    once; ``weights`` are what it counts beyond that, those of the zooms, and the sum.

    The channels of all images are planes. One number of each of ``LANES`` planes lies
    beside the other, so that a column is moved as a whole.
    """
    n, height, width, channels = images.shape
    number = type(top)
    lanes = np.uintp(LANES)
    n_planes, size = n * channels, width * LANES
    source = np.zeros((height, size), dtype=weights.dtype)
    mixed = np.empty((2, size), dtype=weights.dtype)
    total = np.empty_like(mixed[0])
    rounded = top != 1
    for start in range(0, n_planes, LANES):
        n_used = min(LANES, n_planes - start)
        for y in range(height):
            line = source[y]
            for lane in range(n_used):
                i, k = (start + lane) // channels, (start + lane) % channels
                for x in range(width):
                    line[x * LANES + lane] = number(images[i, y, x, k])
            for x in range(size):
                line[x] = line[x] / top
        for y in range(height):
            line, weight = source[y], weights[0]
            for x in range(size):
                total[x] = line[x] + weight * line[x]
            for z in range(0, len(rows), 2):
                for k in range(2):
                    a, b = source[rows[z + k, 0, y]], source[rows[z + k, 1, y]]
                    first, second = row_weights[z + k, 0, y], row_weights[z + k, 1, y]
                    new = mixed[k]
                    for x in range(size):
                        new[x] = first * a[x] + second * b[x]
                weight, other_weight = weights[1 + z], weights[2 + z]
                one, other = mixed[0], mixed[1]
                for x in range(width):
                    p = np.uintp(columns[z, 0, x]) * lanes
                    q = np.uintp(columns[z, 1, x]) * lanes
                    s = np.uintp(columns[z + 1, 0, x]) * lanes
                    t = np.uintp(columns[z + 1, 1, x]) * lanes
                    c, d = column_weights[z, 0, x], column_weights[z, 1, x]
                    e, f = column_weights[z + 1, 0, x], column_weights[z + 1, 1, x]
                    to = np.uintp(x) * lanes
                    for lane in range(lanes):
                        value = c * one[p + lane] + d * one[q + lane]
                        next_value = e * other[s + lane] + f * other[t + lane]
                        value = total[to + lane] + weight * value
                        total[to + lane] = value + other_weight * next_value
            share = weights[len(weights) - 1]
            if rounded:
                for x in range(size):
                    value = np.rint(total[x] / share * top)
                    total[x] = min(max(value, number(0)), top)
            else:
                for x in range(size):
                    total[x] = total[x] / share
            for lane in range(n_used):
                i, k = (start + lane) // channels, (start + lane) % channels
                for x in range(width):
                    out[i, y, x, k] = total[x * LANES + lane]
