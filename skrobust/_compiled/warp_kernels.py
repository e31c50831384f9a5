"""Kernels that sample images at other places.

Images are flat rows of (height, width, channels); unsigned places spare the wrap-around
of negative ones.
"""

import numpy as np


def warp_bilinearly(images, shape, rows, columns, mirrored, fill, out):
    """Sample images bilinearly; ``rows`` and ``columns`` are those of one or all."""
    height, width, channels = shape
    number = type(images[0, 0])
    r, c = np.empty(width), np.empty(width)
    place = np.empty((4, width), dtype=np.uintp)
    weight = np.empty((5, width), dtype=images.dtype)
    last_row, last_column = np.int64(height - 1), np.int64(width - 1)
    period, turn = 2.0 * last_row, 2.0 * last_column
    one = np.int64(channels)
    for g in range(len(rows)):
        first, stop = (0, len(images)) if len(rows) == 1 else (g, g + 1)
        for y in range(height):
            for x in range(width):
                r[x], c[x] = rows[g, y, x], columns[g, y, x]
            if mirrored:  # ... c b | a b c | b a ...
                far_off = 0
                for x in range(width):
                    far_off += (abs(r[x]) >= period) | (abs(c[x]) >= turn)
                if far_off:  # apart, as a remainder takes long
                    for x in range(width):
                        r[x] = abs(r[x]) % period if last_row else 0.0
                        c[x] = abs(c[x]) % turn if last_column else 0.0
                for x in range(width):
                    far, aside = abs(r[x]), abs(c[x])
                    r[x] = far if far < period - far else period - far
                    c[x] = aside if aside < turn - aside else turn - aside
            for x in range(width):
                top, left = np.floor(r[x]), np.floor(c[x])
                down, right = r[x] - top, c[x] - left
                w00, w01 = (1 - down) * (1 - right), (1 - down) * right
                w10, w11 = down * (1 - right), down * right
                # Places far outside would not fit into an integer.
                top = top if top > -2.0 else -2.0
                left = left if left > -2.0 else -2.0
                t = np.int64(top if top < height else np.float64(height))
                b = np.int64(left if left < width else np.float64(width))
                t0, t1 = min(max(t, 0), last_row), min(max(t + 1, 0), last_row)
                b0, b1 = min(max(b, 0), last_column), min(max(b + 1, 0), last_column)
                if not mirrored:
                    above, below = t0 == t, t1 == t + 1
                    here, beside = b0 == b, b1 == b + 1
                    w00 = w00 if above & here else 0.0
                    w01 = w01 if above & beside else 0.0
                    w10 = w10 if below & here else 0.0
                    w11 = w11 if below & beside else 0.0
                place[0, x] = np.uintp((t0 * width + b0) * one)
                place[1, x] = np.uintp((t0 * width + b1) * one)
                place[2, x] = np.uintp((t1 * width + b0) * one)
                place[3, x] = np.uintp((t1 * width + b1) * one)
                weight[0, x], weight[1, x] = number(w00), number(w01)
                weight[2, x], weight[3, x] = number(w10), number(w11)
                weight[4, x] = number(fill * (1 - (((w00 + w01) + w10) + w11)))
            for i in range(first, stop):
                image = images[i]
                new = out[i, y * width * channels : (y + 1) * width * channels]
                for x in range(width):
                    p, q, s, t = place[0, x], place[1, x], place[2, x], place[3, x]
                    a, b, d, e = weight[0, x], weight[1, x], weight[2, x], weight[3, x]
                    rest = weight[4, x]
                    to = np.uintp(x * channels)
                    if channels == 3:
                        k1, k2 = np.uintp(1), np.uintp(2)
                        v0 = (a * image[p] + b * image[q]) + d * image[s]
                        v1 = (a * image[p + k1] + b * image[q + k1]) + d * image[s + k1]
                        v2 = (a * image[p + k2] + b * image[q + k2]) + d * image[s + k2]
                        new[to] = (v0 + e * image[t]) + rest
                        new[to + k1] = (v1 + e * image[t + k1]) + rest
                        new[to + k2] = (v2 + e * image[t + k2]) + rest
                        continue
                    for k in range(np.uintp(channels)):
                        value = (a * image[p + k] + b * image[q + k]) + d * image[s + k]
                        new[to + k] = (value + e * image[t + k]) + rest


def sample_four(images, width, channels, places, weights, rest, rounded, out):
    """Sample flat images at four pixels for each new one, with the same weights.

    ``places`` and ``weights`` have shape (pixels, 4). A value is the sum in that order,
    plus ``rest``; into bytes it is rounded.
    """
    number = type(weights[0, 0])
    n_pixels = len(places)
    for start in range(0, n_pixels, width):  # a line of all images at a time
        for i in range(len(images)):
            image, new = images[i], out[i]
            for x in range(start, start + width):
                a, b, d, e = weights[x, 0], weights[x, 1], weights[x, 2], weights[x, 3]
                p = np.uintp(places[x, 0])
                q = np.uintp(places[x, 1])
                s = np.uintp(places[x, 2])
                t = np.uintp(places[x, 3])
                more = rest[x]
                to = np.uintp(x) * np.uintp(channels)
                if channels == 3:
                    k1, k2 = np.uintp(1), np.uintp(2)
                    v0 = a * number(image[p]) + b * number(image[q])
                    v1 = a * number(image[p + k1]) + b * number(image[q + k1])
                    v2 = a * number(image[p + k2]) + b * number(image[q + k2])
                    v0 = (v0 + d * number(image[s])) + e * number(image[t])
                    v1 = (v1 + d * number(image[s + k1])) + e * number(image[t + k1])
                    v2 = (v2 + d * number(image[s + k2])) + e * number(image[t + k2])
                    v0, v1, v2 = v0 + more, v1 + more, v2 + more
                    if rounded:
                        v0, v1, v2 = np.rint(v0), np.rint(v1), np.rint(v2)
                    new[to], new[to + k1], new[to + k2] = v0, v1, v2
                    continue
                for k in range(np.uintp(channels)):
                    value = a * number(image[p + k]) + b * number(image[q + k])
                    value = value + d * number(image[s + k])
                    value = (value + e * number(image[t + k])) + more
                    new[to + k] = np.rint(value) if rounded else value


def sample_four_rgb(images, width, places, weights, rest, out):
    """Do :func:`sample_four` on bytes of three channels, four numbers at a time.

    A pixel is a word of three bytes and an empty one, ``places`` are those of pixels.
    """
    n, n_pixels = len(images), len(places)
    words = np.empty((n, n_pixels), dtype=np.uint32)
    found = np.empty((4, width), dtype=np.uint32)
    first, second, third, fourth = found[0], found[1], found[2], found[3]
    bytes_ = found.view(np.uint8)
    a, b, d, e = bytes_[0], bytes_[1], bytes_[2], bytes_[3]
    factor = np.empty((5, 4 * width), dtype=weights.dtype)
    wa, wb, wd, we, more = factor[0], factor[1], factor[2], factor[3], factor[4]
    line = np.empty(width, dtype=np.uint32)
    line_bytes = line.view(np.uint8)
    eight, sixteen = np.uint32(8), np.uint32(16)
    for i in range(n):
        image, word = images[i], words[i]
        for j in range(n_pixels):
            red, green = np.uint32(image[3 * j]), np.uint32(image[3 * j + 1])
            blue = np.uint32(image[3 * j + 2])
            word[j] = red | (green << eight) | (blue << sixteen)
    for start in range(0, n_pixels, width):  # a line of all images at a time
        for x in range(width):
            for k in range(4 * x, 4 * x + 4):
                wa[k], wb[k] = weights[start + x, 0], weights[start + x, 1]
                wd[k], we[k] = weights[start + x, 2], weights[start + x, 3]
                more[k] = rest[start + x]
        for i in range(n):
            word, new = words[i], out[i, 3 * start : 3 * (start + width)]
            for x in range(width):
                first[x] = word[np.uintp(places[start + x, 0])]
                second[x] = word[np.uintp(places[start + x, 1])]
                third[x] = word[np.uintp(places[start + x, 2])]
                fourth[x] = word[np.uintp(places[start + x, 3])]
            for k in range(4 * width):
                value = wa[k] * np.float32(a[k]) + wb[k] * np.float32(b[k])
                value = value + wd[k] * np.float32(d[k])
                value = (value + we[k] * np.float32(e[k])) + more[k]
                line_bytes[k] = np.uint8(np.rint(value))
            for x in range(width):
                pixel = line[x]
                new[3 * x] = np.uint8(pixel)
                new[3 * x + 1] = np.uint8(pixel >> eight)
                new[3 * x + 2] = np.uint8(pixel >> sixteen)


def shift_bilinearly(images, shape, tops, lefts, weights, fill, out):
    """Shift each image by whole pixels and a part of one."""
    height, width, channels = shape
    size, value = width * channels, type(images[0, 0])(fill)
    here = np.empty(size + channels, dtype=images.dtype)
    below = np.empty(size + channels, dtype=images.dtype)
    for i in range(len(images)):
        a, b, d, e = weights[i, 0], weights[i, 1], weights[i, 2], weights[i, 3]
        # Columns of the image, and where they lie in a line that has one more.
        start = min(max(lefts[i], 0), width)
        n = (min(max(lefts[i] + width + 1, start), width) - start) * channels
        to, start = (start - lefts[i]) * channels, start * channels
        for y in range(-1, height):
            here, below = below, here
            below[:] = value
            row = tops[i] + y + 1
            if n and 0 <= row < height:
                old = images[i, row * size + start : row * size + start + n]
                below[to : to + n] = old
            if y < 0:
                continue
            new = out[i, y * size : (y + 1) * size]
            beside, under = here[channels:], below[channels:]
            for j in range(size):
                mixed = (a * here[j] + b * beside[j]) + d * below[j]
                new[j] = mixed + e * under[j]
