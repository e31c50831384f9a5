"""Kernels of pixel values: scales, tables and noise."""

import numpy as np

# The products of a byte with these two add up to a 255th of it, correctly rounded: the
# first has so few bits that its product is exact. That is faster than a division.
LARGE_PART = np.float32(257 / 65536)
SMALL_PART = np.float32(1 / 255 - 257 / 65536)


def units_of_bytes(images, out):
    """Turn bytes into shares of 255."""
    for i in range(images.size):
        value = np.float32(images[i])
        out[i] = value * LARGE_PART + value * SMALL_PART


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


def split_channels(images, channels, planes):
    """Copy pixels, channel by channel."""
    size = planes.shape[1]
    if channels == 3:
        red, green, blue = planes[0], planes[1], planes[2]
        for j in range(size):
            red[j] = images[3 * j]
            green[j] = images[3 * j + 1]
            blue[j] = images[3 * j + 2]
        return
    for k in range(channels):
        plane = planes[k]
        for j in range(size):
            plane[j] = images[channels * j + k]


def join_channels(planes, channels, out):
    """Put pixels together that were split by ``split_channels``."""
    size = planes.shape[1]
    if channels == 3:
        red, green, blue = planes[0], planes[1], planes[2]
        for j in range(size):
            out[3 * j] = red[j]
            out[3 * j + 1] = green[j]
            out[3 * j + 2] = blue[j]
        return
    for k in range(channels):
        plane = planes[k]
        for j in range(size):
            out[channels * j + k] = plane[j]


def sum_rows(images, out):
    """Add up the rows of each image, as shares of 255, from the first to the last."""
    for i in range(images.shape[0]):
        total = out[i]
        for y in range(images.shape[1]):
            row = images[i, y]
            for x in range(total.size):
                value = np.float32(row[x])
                unit = value * LARGE_PART + value * SMALL_PART
                total[x] = unit if y == 0 else total[x] + unit


def raise_pixels(images, shift):
    """Raise the largest number of each pixel, the others with it, in place."""
    top, zero, one = np.float32(255), np.float32(0), np.float32(1)
    size = 1024  # pixels at a time, one channel after another
    planes = np.empty((3, size), dtype=np.uint8)
    red, green, blue = planes[0], planes[1], planes[2]
    shares = np.empty(size, dtype=np.float32)
    lifts = np.empty(size, dtype=np.float32)
    for start in range(0, images.size // 3, size):
        stop = min(start + size, images.size // 3)
        part = images[3 * start : 3 * stop]
        for j in range(stop - start):
            red[j], green[j], blue[j] = part[3 * j], part[3 * j + 1], part[3 * j + 2]
        for j in range(stop - start):
            byte = np.float32(max(max(red[j], green[j]), blue[j]))
            value = byte * LARGE_PART + byte * SMALL_PART
            raised = value + shift
            raised = raised if raised > zero else zero
            raised = raised if raised < one else one
            dark = value <= zero
            shares[j] = one if dark else raised / (one if dark else value)
            lifts[j] = raised - value if dark else zero
        for plane in planes:
            for j in range(stop - start):
                byte = np.float32(plane[j])
                unit = byte * LARGE_PART + byte * SMALL_PART
                value = np.rint((unit * shares[j] + lifts[j]) * top)
                plane[j] = np.uint8(value if value < top else top)
        for j in range(stop - start):
            part[3 * j], part[3 * j + 1], part[3 * j + 2] = red[j], green[j], blue[j]


def drop_pixels(words, lost, channels, images, out):
    """Turn the pixels whose word lies below the limit of their row to black."""
    n, n_pixels = words.shape
    for i in range(n):
        limit, old, new = np.int32(lost[i]), images[i], out[i]
        if channels == 3:
            for j in range(n_pixels):
                kept = np.uint8(255) if np.int32(words[i, j]) >= limit else np.uint8(0)
                new[3 * j] = old[3 * j] & kept
                new[3 * j + 1] = old[3 * j + 1] & kept
                new[3 * j + 2] = old[3 * j + 2] & kept
            continue
        for j in range(n_pixels):
            kept = np.int32(words[i, j]) >= limit
            for k in range(j * channels, (j + 1) * channels):
                new[k] = old[k] if kept else 0


def saturate_pixels(images, scale, offset, out):
    """Change the saturation of pixels, three numbers each."""
    zero, one = type(scale)(0), type(scale)(1)
    for j in range(images.size // 3):
        red, green, blue = images[3 * j], images[3 * j + 1], images[3 * j + 2]
        value = red if red > green else green
        value = value if value > blue else blue
        down_red, down_green, down_blue = value - red, value - green, value - blue
        spread = down_red if down_red > down_green else down_green
        spread = spread if spread > down_blue else down_blue
        grey = spread <= zero
        saturation = spread / (value if value > zero else one)
        new = scale * saturation + offset
        new = new if new > zero else zero
        new = new if new < one else one
        bright = new * (value if value > zero else zero)
        part = one if grey else spread
        share_red, share_green, share_blue = (
            down_red / part,
            down_green / part,
            down_blue / part,
        )
        out[3 * j] = value - bright * (zero if grey else share_red)
        out[3 * j + 1] = value - bright * (one if grey else share_green)
        out[3 * j + 2] = value - bright * (one if grey else share_blue)


def mean_blocks(images, channels, rows, columns, row_shown, column_shown, out):
    """Replace bytes by the rounded mean of the block that each of them shows.

    ``rows`` and ``columns`` are where blocks begin, and the end of the last.
    """
    n, _, size = images.shape
    across = len(columns) - 1
    line = np.empty(size, dtype=np.int32)
    total = np.empty(across * channels)
    wide = np.empty(across * channels)  # columns of each block
    means = np.empty((len(rows) - 1, across * channels), dtype=np.uint8)
    for b in range(across):
        wide[b * channels : (b + 1) * channels] = columns[b + 1] - columns[b]
    for i in range(n):
        for block in range(len(rows) - 1):
            line[:] = 0
            for y in range(rows[block], rows[block + 1]):
                old = images[i, y]
                for x in range(size):
                    line[x] += np.int32(old[x])
            for b in range(across):
                if channels == 3:
                    red = green = blue = np.int32(0)
                    for x in range(3 * columns[b], 3 * columns[b + 1], 3):
                        red += line[x]
                        green += line[x + 1]
                        blue += line[x + 2]
                    total[3 * b], total[3 * b + 1], total[3 * b + 2] = red, green, blue
                    continue
                for k in range(channels):
                    part = np.int32(0)
                    for x in range(columns[b], columns[b + 1]):
                        part += line[x * channels + k]
                    total[b * channels + k] = part
            tall, mean = np.float64(rows[block + 1] - rows[block]), means[block]
            for x in range(across * channels):
                count = tall * wide[x]
                mean[x] = np.uint8(np.floor((2 * total[x] + count) / (2 * count)))
        before = -1
        for y in range(len(row_shown)):
            new = out[i, y]
            if row_shown[y] == before:  # as the line above
                above = out[i, y - 1]
                for x in range(size):
                    new[x] = above[x]
                continue
            before = row_shown[y]
            mean = means[before]
            for x in range(len(column_shown)):
                to, at = np.uintp(x * channels), np.uintp(column_shown[x] * channels)
                if channels == 3:
                    new[to] = mean[at]
                    new[to + np.uintp(1)] = mean[at + np.uintp(1)]
                    new[to + np.uintp(2)] = mean[at + np.uintp(2)]
                    continue
                for k in range(np.uintp(channels)):
                    new[to + k] = mean[at + k]


def whiten(images, weights, keep, rest, flakes, out):
    """Mix pixels with brighter, greyer ones, and add flakes and the same turned round.

    ``images`` has shape (n, numbers), ``flakes`` (n, pixels); ``weights`` are those of
    the channels in the grey.
    """
    n, n_pixels = flakes.shape
    number, channels = type(keep), len(weights)
    for i in range(n):
        old, new, flake = images[i], out[i], flakes[i]
        for j in range(n_pixels):
            start, last = channels * j, n_pixels - 1 - j
            grey = weights[0] * old[start]
            for k in range(1, channels):
                grey = grey + weights[k] * old[start + k]
            bright = number(1.5) * grey + number(0.5)
            for k in range(start, start + channels):
                white = old[k] if old[k] > bright else bright
                new[k] = ((keep * old[k] + rest * white) + flake[j]) + flake[last]
