"""Kernels of what JPEG loses: colours, cosine transforms, quantization and back.

The integer arithmetic is that of libjpeg (the "islow" transforms, colour at half the
resolution, triangle-shaped upsampling), so the pixels are those of its codec. The
lossless part, which packs the numbers into a file, is left out.
"""

import numpy as np

int32 = np.int32  # numba makes sums of these 64 bits wide, unless told at each
_LANES = 32  # blocks that are transformed side by side
_SIDE = 8 * _LANES
_FLIP = 0 if np.little_endian else 7  # of the place of a byte in a word


def planes_of_colours(images, luma, chroma):
    """Turn RGB bytes into brightness, and into two colours at half the resolution.

    ``images`` has shape (n, rows, 3 columns). Beyond them, ``luma`` (n, rows, columns)
    and ``chroma`` (n, 2, rows, columns) repeat the border.
    """
    n, height, size = images.shape
    width = size // 3
    lines = np.empty((2, 2, 2 * chroma.shape[3]), dtype=np.int32)
    for i in range(n):
        for y in range(0, height, 2):
            for half in range(2):
                row = min(y + half, height - 1)
                old, new = images[i, row], luma[i, row]
                blue_line, red_line = lines[half, 0], lines[half, 1]
                for x in range(width):
                    r, g, b = (
                        int32(old[3 * x]),
                        int32(old[3 * x + 1]),
                        int32(old[3 * x + 2]),
                    )
                    bright = int32(19595 * r + 38470 * g + 7471 * b + 32768)
                    blue = int32(32768 * b - 11059 * r - 21709 * g + 8421375)
                    red = int32(32768 * r - 27439 * g - 5329 * b + 8421375)
                    new[x], blue_line[x], red_line[x] = (
                        bright >> 16,
                        blue >> 16,
                        red >> 16,
                    )
                for x in range(width, luma.shape[2]):
                    new[x] = new[width - 1]
                for x in range(width, lines.shape[2]):
                    blue_line[x] = blue_line[width - 1]
                    red_line[x] = red_line[width - 1]
            for colour in range(2):
                above, below = lines[0, colour], lines[1, colour]
                new = chroma[i, colour, y // 2]
                for x in range(chroma.shape[3]):
                    total = above[2 * x] + above[2 * x + 1]
                    total = total + below[2 * x] + below[2 * x + 1]
                    new[x] = int32(total + 1 + (x & 1)) >> 2
        for y in range(height, luma.shape[1]):
            luma[i, y] = luma[i, height - 1]
        for y in range((height + 1) // 2, chroma.shape[2]):
            chroma[i, 0, y] = chroma[i, 0, (height - 1) // 2]
            chroma[i, 1, y] = chroma[i, 1, (height - 1) // 2]


def quantize_blocks(planes, table):
    """Transform blocks of 8 x 8, quantize by ``table`` and transform back, in place."""

    def forward(t, times, more, shift):
        half = int32(1 << (shift - 1))
        for j in range(_SIDE):
            d0, d1, d2, d3 = t[j], t[j + 256], t[j + 512], t[j + 768]
            d4, d5, d6, d7 = t[j + 1024], t[j + 1280], t[j + 1536], t[j + 1792]
            s0, s7 = int32(d0 + d7), int32(d0 - d7)
            s1, s6 = int32(d1 + d6), int32(d1 - d6)
            s2, s5 = int32(d2 + d5), int32(d2 - d5)
            s3, s4 = int32(d3 + d4), int32(d3 - d4)
            e0, e3 = int32(s0 + s3), int32(s0 - s3)
            e1, e2 = int32(s1 + s2), int32(s1 - s2)
            t[j] = int32((e0 + e1) * times + more) >> more
            t[j + 1024] = int32((e0 - e1) * times + more) >> more
            z1 = int32((e2 + e3) * 4433)
            t[j + 512] = int32(z1 + e3 * 6270 + half) >> shift
            t[j + 1536] = int32(z1 - e2 * 15137 + half) >> shift
            z1, z2 = int32((s4 + s7) * -7373), int32((s5 + s6) * -20995)
            z3, z4 = int32(s4 + s6), int32(s5 + s7)
            z5 = int32((z3 + z4) * 9633)
            z3, z4 = int32(z3 * -16069 + z5), int32(z4 * -3196 + z5)
            t[j + 1792] = int32(s4 * 2446 + z1 + z3 + half) >> shift
            t[j + 1280] = int32(s5 * 16819 + z2 + z4 + half) >> shift
            t[j + 768] = int32(s6 * 25172 + z2 + z3 + half) >> shift
            t[j + 256] = int32(s7 * 12299 + z1 + z4 + half) >> shift

    def backward(t, shift):
        half = int32(1 << (shift - 1))
        for j in range(_SIDE):
            c0, c1, c2, c3 = t[j], t[j + 256], t[j + 512], t[j + 768]
            c4, c5, c6, c7 = t[j + 1024], t[j + 1280], t[j + 1536], t[j + 1792]
            z1 = int32((c2 + c6) * 4433)
            e2, e3 = int32(z1 - c6 * 15137), int32(z1 + c2 * 6270)
            e0, e1 = int32((c0 + c4) * 8192), int32((c0 - c4) * 8192)
            s0, s3 = int32(e0 + e3 + half), int32(e0 - e3 + half)
            s1, s2 = int32(e1 + e2 + half), int32(e1 - e2 + half)
            z1, z2 = int32((c7 + c1) * -7373), int32((c5 + c3) * -20995)
            z3, z4 = int32(c7 + c3), int32(c5 + c1)
            z5 = int32((z3 + z4) * 9633)
            z3, z4 = int32(z3 * -16069 + z5), int32(z4 * -3196 + z5)
            o0, o1 = int32(c7 * 2446 + z1 + z3), int32(c5 * 16819 + z2 + z4)
            o2, o3 = int32(c3 * 25172 + z2 + z3), int32(c1 * 12299 + z1 + z4)
            t[j], t[j + 1792] = int32(s0 + o3) >> shift, int32(s0 - o3) >> shift
            t[j + 256], t[j + 1536] = int32(s1 + o2) >> shift, int32(s1 - o2) >> shift
            t[j + 512], t[j + 1280] = int32(s2 + o1) >> shift, int32(s2 - o1) >> shift
            t[j + 768], t[j + 1024] = int32(s3 + o0) >> shift, int32(s3 - o0) >> shift

    def turn(t, turned):
        for a in range(8):
            for b in range(8):
                to, at = (b * 8 + a) * _LANES, (a * 8 + b) * _LANES
                for lane in range(_LANES):
                    turned[to + lane] = t[at + lane]

    n, height, width = planes.shape
    across = width // 8
    per_plane = across * (height // 8)
    total = n * per_plane
    # Column, row and block, or the two frequencies and block, one after another; the
    # constant distances let the loops over blocks run on several at a time.
    eights = planes.view(np.uint64)  # eight bytes at a time
    words, byte = np.zeros(_SIDE, dtype=np.uint64), np.uint64(255)
    t = np.zeros(8 * _SIDE, dtype=np.int32)
    turned = np.zeros(8 * _SIDE, dtype=np.int32)
    four, eight = np.float32(4), np.float32(8)
    units = np.empty(8 * _SIDE, dtype=np.float32)
    for u in range(8):
        for v in range(8):
            at = (u * 8 + v) * _LANES
            units[at : at + _LANES] = np.float32(table[v, u])
    for start in range(0, total, _LANES):
        stop = min(start + _LANES, total)
        for block in range(start, stop):
            plane, rest = block // per_plane, block % per_plane
            top, left = 8 * (rest // across), rest % across
            for y in range(8):
                words[y * _LANES + block - start] = eights[plane, top + y, left]
        for k in range(8):
            shift, line = np.uint64(8 * (k ^ _FLIP)), t[k * _SIDE :]
            for j in range(_SIDE):
                line[j] = int32((words[j] >> shift) & byte) - int32(128)
        forward(t, 4, 0, 11)
        turn(t, turned)
        forward(turned, 1, 2, 15)
        turn(turned, t)
        for j in range(8 * _SIDE):
            # Rounded quotients of numbers far below 2 ** 24 are exact.
            value, unit = np.float32(t[j]), units[j]
            level = np.floor((abs(value) + four * unit) / (eight * unit)) * unit
            t[j] = int32(level if value >= 0 else -level)
        turn(t, turned)
        backward(turned, 11)
        turn(turned, t)
        backward(t, 18)
        words[:] = 0
        for k in range(8):
            shift, line = np.uint64(8 * (k ^ _FLIP)), t[k * _SIDE :]
            for j in range(_SIDE):
                value = min(max(int32(line[j] + 128), int32(0)), int32(255))
                words[j] |= np.uint64(np.uint32(value)) << shift
        for block in range(start, stop):
            plane, rest = block // per_plane, block % per_plane
            top, left = 8 * (rest // across), rest % across
            for y in range(8):
                eights[plane, top + y, left] = words[y * _LANES + block - start]


def colours_of_planes(luma, chroma, out):
    """Turn brightness, and two colours at half the resolution, into RGB bytes."""
    n, height, size = out.shape
    width = size // 3
    tall, wide = (height + 1) // 2, (width + 1) // 2
    sums = np.empty(wide, dtype=np.int32)
    lines = np.empty((2, 2 * wide), dtype=np.int32)
    for i in range(n):
        for y in range(height):
            row = y // 2
            other = min(max(row + 2 * (y & 1) - 1, 0), tall - 1)
            for colour in range(2):
                near, far = chroma[i, colour, row], chroma[i, colour, other]
                line = lines[colour]
                for x in range(wide):
                    sums[x] = int32(3 * int32(near[x]) + int32(far[x]))
                line[0] = (4 * sums[0] + 8) >> 4
                line[2 * wide - 1] = (4 * sums[wide - 1] + 7) >> 4
                before, after, inner = sums[:-1], sums[1:], line[1:]
                for x in range(wide - 1):
                    inner[2 * x] = int32(3 * before[x] + after[x] + 7) >> 4
                    inner[2 * x + 1] = int32(3 * after[x] + before[x] + 8) >> 4
            new, bright, blue, red = out[i, y], luma[i, y], lines[0], lines[1]
            for x in range(width):
                level = int32(bright[x])
                b, r = int32(blue[x] - 128), int32(red[x] - 128)
                first = int32(level + (int32(91881 * r + 32768) >> 16))
                second = int32(32768 - 22554 * b - 46802 * r) >> 16
                second = int32(level + second)
                third = int32(level + (int32(116130 * b + 32768) >> 16))
                new[3 * x] = min(max(first, int32(0)), int32(255))
                new[3 * x + 1] = min(max(second, int32(0)), int32(255))
                new[3 * x + 2] = min(max(third, int32(0)), int32(255))
