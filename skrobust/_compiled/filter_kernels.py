"""Kernels of filters along rows and columns of images."""

import numpy as np

_LINE = 16  # numbers that fill a line of the cache, or two of them


def correlate_both(images, top, channels, row_index, column_index, down, across, out):
    """Filter images with a symmetric kernel along either axis.

    ``images`` hold shares of ``top``, and so will ``out``: rounded, where it is not 1.
    ``row_index`` and ``column_index`` say which row or column is read at each place of
    the padded image; ``down`` and ``across`` are the weights from the centre outwards.
    The centre comes first, then the sum of the pixels at distance 1, and so on.
    """
    n, height, size = images.shape
    number = type(top)
    far_down, far_across = len(down) - 1, len(across) - 1
    edge = far_across * channels
    # All lines begin where a line of the cache does.
    pitch = -(-size // _LINE) * _LINE
    begin = -(-edge // _LINE) * _LINE
    n_kept = min(height, 2 * far_down + 1)  # rows of the image, in turn
    n_numbers = n_kept * pitch
    scratch = np.empty(_LINE + n_numbers + 2 * pitch + 2 * begin, dtype=down.dtype)
    scratch = scratch[-(scratch.ctypes.data // scratch.itemsize) % _LINE :]
    kept, new = scratch[:n_numbers].reshape(n_kept, pitch), scratch[n_numbers:]
    line = scratch[n_numbers + pitch + begin - edge :]
    middle = line[edge:]

    def set_four(total, old, a, b, d, e, f, g, weights):
        w0, w1, w2, w3 = weights[0], weights[1], weights[2], weights[3]
        for x in range(size):
            value = w0 * old[x] + w1 * (a[x] + b[x])
            value = value + w2 * (d[x] + e[x])
            total[x] = value + w3 * (f[x] + g[x])

    def add_three(total, a, b, d, e, f, g, weights):
        w0, w1, w2 = weights[0], weights[1], weights[2]
        for x in range(size):
            value = total[x] + w0 * (a[x] + b[x])
            value = value + w1 * (d[x] + e[x])
            total[x] = value + w2 * (f[x] + g[x])

    def add_one(total, a, b, weight):
        for x in range(size):
            total[x] = total[x] + weight * (a[x] + b[x])

    def row(y):
        return kept[row_index[y + far_down] % n_kept]

    def beside(k):
        return line[edge + k * channels :]

    for i in range(n):
        done = 0
        for y in range(height):
            while done < min(y + far_down + 1, height):
                old, unit = images[i, done], kept[done % n_kept]
                for x in range(size):
                    unit[x] = number(old[x]) / top
                done += 1
            k = 1
            if far_down >= 3:
                a, b, d, e = row(y - 1), row(y + 1), row(y - 2), row(y + 2)
                set_four(middle, row(y), a, b, d, e, row(y - 3), row(y + 3), down)
                k = 4
            else:
                old, weight = row(y), down[0]
                for x in range(size):
                    middle[x] = weight * old[x]
            while k + 2 <= far_down:
                a, b, d, e = row(y - k), row(y + k), row(y - k - 1), row(y + k + 1)
                add_three(middle, a, b, d, e, row(y - k - 2), row(y + k + 2), down[k:])
                k += 3
            while k <= far_down:
                add_one(middle, row(y - k), row(y + k), down[k])
                k += 1
            for j in range(far_across):
                left = column_index[j] * channels
                right = column_index[far_across + size // channels + j] * channels
                for c in range(channels):
                    line[j * channels + c] = middle[left + c]
                    line[edge + size + j * channels + c] = middle[right + c]
            k = 1
            if far_across >= 3:
                a, b, d, e = beside(-1), beside(1), beside(-2), beside(2)
                set_four(new, middle, a, b, d, e, beside(-3), beside(3), across)
                k = 4
            else:
                weight = across[0]
                for x in range(size):
                    new[x] = weight * middle[x]
            while k + 2 <= far_across:
                a, b, d, e = beside(-k), beside(k), beside(-k - 1), beside(k + 1)
                add_three(new, a, b, d, e, beside(-k - 2), beside(k + 2), across[k:])
                k += 3
            while k <= far_across:
                add_one(new, beside(-k), beside(k), across[k])
                k += 1
            to = out[i, y]
            if top == 1:
                for x in range(size):
                    to[x] = new[x]
                continue
            for x in range(size):
                to[x] = min(max(np.rint(new[x] * top), number(0)), top)


def zoom_both(images, channels, rows, row_weights, columns, column_weights, out):
    """Mix two rows, then two columns, for each new one."""
    n, _, size = images.shape
    one = np.uintp(channels)
    line = np.empty(size, dtype=images.dtype)
    for i in range(n):
        for y in range(rows.shape[1]):
            a, b = images[i, rows[0, y]], images[i, rows[1, y]]
            first, second = row_weights[0, y], row_weights[1, y]
            for x in range(size):
                line[x] = first * a[x] + second * b[x]
            new = out[i, y]
            if channels == 1:
                for x in range(columns.shape[1]):
                    first, second = column_weights[0, x], column_weights[1, x]
                    p, q = np.uintp(columns[0, x]), np.uintp(columns[1, x])
                    new[x] = first * line[p] + second * line[q]
                continue
            for x in range(columns.shape[1]):
                p, q = np.uintp(columns[0, x]) * one, np.uintp(columns[1, x]) * one
                first, second = column_weights[0, x], column_weights[1, x]
                to = np.uintp(x) * one
                for c in range(one):
                    new[to + c] = first * line[p + c] + second * line[q + c]


def sum_over_disk(padded, channels, halves, rims, out):
    """Sum padded lines over a disk, from running sums down the columns."""
    n, tall, long = padded.shape
    reach = len(halves) - 1
    edge, size = reach * channels, out.shape[2]
    running = np.zeros((tall + 1, long))
    column = np.empty(long)
    for i in range(n):
        image, done = padded[i], 0
        for y in range(out.shape[1]):
            while done < min(y + 2 * reach + 1, tall):  # as far as this line needs
                old, below, line = running[done], running[done + 1], image[done]
                for x in range(long):
                    below[x] = old[x] + np.float64(line[x])
                done += 1
            new, centre = out[i, y], y + reach
            new[:] = 0
            for far in range(reach + 1):
                half = halves[far]
                # Nothing counts fully where half is -1.
                below, above = (
                    running[centre + half + 1],
                    running[centre - max(half, 0)],
                )
                for x in range(long):
                    column[x] = below[x] - above[x]
                for k in range(len(rims)):
                    if rims[k, 0] != far:
                        continue
                    row, weight = np.int64(rims[k, 1]), rims[k, 2]
                    if row == 0:
                        line = image[centre]
                        for x in range(long):
                            column[x] = column[x] + weight * np.float64(line[x])
                        continue
                    one, other = image[centre - row], image[centre + row]
                    for x in range(long):
                        pair = np.float64(one[x]) + np.float64(other[x])
                        column[x] = column[x] + weight * pair
                if far == 0:
                    middle = column[edge:]
                    for x in range(size):
                        new[x] = new[x] + middle[x]
                    continue
                left, right = (
                    column[edge - far * channels :],
                    column[edge + far * channels :],
                )
                for x in range(size):
                    new[x] = new[x] + (left[x] + right[x])


def sum_of_shifts(images, channels, downs, rights, weights, out):
    """Sum shifted images with weights, in their order; border pixels are repeated."""
    n, height, size = images.shape
    edge, last = len(weights) * channels, size - channels
    wide = np.empty((height, size + 2 * edge), dtype=images.dtype)
    rows, starts = np.empty_like(downs[0]), np.empty_like(downs[0])
    for i in range(n):
        before = edge + np.int64(rights[i].min()) * channels
        after = edge + size + np.int64(rights[i].max()) * channels
        for y in range(height):
            line, old = wide[y], images[i, y]
            line[edge : edge + size] = old
            for x in range(before, edge):
                line[x] = old[x % channels]
            for x in range(edge + size, after):
                line[x] = old[last + x % channels]
        for k in range(len(weights)):
            starts[k] = edge + rights[i, k] * channels
        for y in range(height):
            for k in range(len(weights)):
                rows[k] = min(max(y + downs[i, k], 0), height - 1)
            new, weight = out[i, y], weights[0]
            line = wide[rows[0], starts[0] :]
            for x in range(size):
                new[x] = line[x] * weight
            k = 1
            while k + 3 < len(weights):
                a = wide[rows[k], starts[k] :]
                b = wide[rows[k + 1], starts[k + 1] :]
                d = wide[rows[k + 2], starts[k + 2] :]
                e = wide[rows[k + 3], starts[k + 3] :]
                w0, w1, w2, w3 = (
                    weights[k],
                    weights[k + 1],
                    weights[k + 2],
                    weights[k + 3],
                )
                for x in range(size):
                    value = (new[x] + a[x] * w0) + b[x] * w1
                    new[x] = (value + d[x] * w2) + e[x] * w3
                k += 4
            while k < len(weights):
                line = wide[rows[k], starts[k] :]
                weight = weights[k]
                for x in range(size):
                    new[x] = new[x] + line[x] * weight
                k += 1
