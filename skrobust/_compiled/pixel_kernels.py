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


def cover_rectangles(images, rows, columns, fill):
    """Cover bytes by ``fill`` as far as their row and column are covered, in place."""
    n, height, width, channels = images.shape
    top = np.float32(255)
    extreme = fill == 0 or fill == 1  # of which nothing is left to round
    for i in range(n):
        start, stop = 0, width
        while start < stop and columns[i, start] == 0:
            start += 1
        while start < stop and columns[i, stop - 1] == 0:
            stop -= 1
        for y in range(height):
            if rows[i, y] == 0:
                continue
            for x in range(start, stop):
                cover = np.float32(rows[i, y] * columns[i, x])
                for k in range(channels):
                    if extreme and cover == 1:
                        images[i, y, x, k] = np.uint8(fill * top)
                        continue
                    unit = np.float32(images[i, y, x, k]) / top
                    value = np.rint((unit + (fill - unit) * cover) * top)
                    value = min(max(value, np.float32(0)), top)
                    images[i, y, x, k] = np.uint8(value)


def add_to_pixels(places, white, out):
    """Add shares of 255 to some pixels of ``out``, of shape (pixels, channels)."""
    top = np.float32(255)
    for j in range(len(places)):
        for k in range(out.shape[1]):
            unit = np.float32(out[places[j], k]) / top
            value = np.rint((unit + white[j]) * top)
            out[places[j], k] = np.uint8(min(max(value, np.float32(0)), top))


def mean_blocks(images, channels, rows, columns, row_shown, column_shown, out):
    """Replace bytes by the rounded mean of the block that each of them shows.

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
            new = out[i, y]
            if row_shown[y] == before:  # as the line above
                above = out[i, y - 1]
                for x in range(size):
                    new[x] = above[x]
                continue
            before = row_shown[y]
            mean = means[before]
            for x in range(size):
                new[x] = mean[shown[x]]
