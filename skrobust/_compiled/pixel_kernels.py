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


def add_line_to_bytes(line, words, images, out):
    """Add what each word is on a line, rounded, and clip."""
    start, slope = line[0], line[1]
    for i in range(images.size):
        value = np.rint(start + slope * np.float32(words[i])) + np.float32(images[i])
        value = min(max(value, np.float32(0)), np.float32(255))
        out[i] = np.uint8(value)


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


def mean_blocks(images, channels, rows, columns, row_shown, column_shown):
    """Replace bytes by the rounded mean of the block that each of them shows, in place.

    ``rows`` and ``columns`` are where blocks begin, and the end of the last.
    """
    n, _, size = images.shape
    n_sums, widest = (len(columns) - 1) * channels, np.int64(np.diff(columns).max())
    line = np.zeros(size + 1, dtype=np.int32)  # with a zero that fills narrow blocks up
    total = np.empty(n_sums, dtype=np.int32)
    wide = np.empty(n_sums, dtype=np.int32)  # columns of each block
    member = np.empty((widest, n_sums), dtype=np.uintp)
    means = np.empty((len(rows) - 1, n_sums), dtype=np.uint8)
    shown = np.empty(size, dtype=np.uintp)
    for j in range(n_sums):
        start = columns[j // channels]
        wide[j] = columns[j // channels + 1] - start
        for k in range(widest):
            place = (start + k) * channels + j % channels
            member[k, j] = place if k < wide[j] else size
    for j in range(size):
        shown[j] = column_shown[j // channels] * channels + j % channels
    for i in range(n):
        for block in range(len(rows) - 1):
            line[:] = 0
            for y in range(rows[block], rows[block + 1]):
                old = images[i, y]
                for x in range(size):
                    line[x] += np.int32(old[x])
            if widest == 3:
                first, second, third = member[0], member[1], member[2]
                for j in range(n_sums):
                    part = line[first[j]] + line[second[j]] + line[third[j]]
                    total[j] = part
            else:
                total[:] = 0
                for k in range(widest):
                    place = member[k]
                    for j in range(n_sums):
                        total[j] += line[place[j]]
            tall, mean = np.int32(rows[block + 1] - rows[block]), means[block]
            if tall * widest <= 4096:  # single precision tells the whole part
                for j in range(n_sums):
                    count = np.float32(np.int32(tall * wide[j]))
                    part = np.float32(np.int32(2 * total[j])) + count
                    mean[j] = np.uint8(np.floor(part / (count + count)))
            else:
                for j in range(n_sums):
                    count = np.float64(tall * wide[j])
                    part = 2.0 * np.float64(total[j]) + count
                    mean[j] = np.uint8(np.floor(part / (2 * count)))
        before = -1
        for y in range(len(row_shown)):
            new = images[i, y]
            if row_shown[y] == before:  # as the line above
                above = images[i, y - 1]
                for x in range(size):
                    new[x] = above[x]
                continue
            before = row_shown[y]
            mean = means[before]
            for x in range(size):
                new[x] = mean[shown[x]]
