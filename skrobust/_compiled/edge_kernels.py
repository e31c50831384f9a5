"""Kernels of Canny edges."""

import numpy as np


def grey_of_bytes(images, weights, out):
    """Turn the channels of pixels, as shares of 255, into a weighted sum."""
    top = np.float32(255)
    n_pixels, channels = images.shape
    if channels == 3:
        red, green, blue = weights[0], weights[1], weights[2]
        for j in range(n_pixels):
            grey = red * (np.float32(images[j, 0]) / top)
            grey = grey + green * (np.float32(images[j, 1]) / top)
            out[j] = grey + blue * (np.float32(images[j, 2]) / top)
        return
    for j in range(n_pixels):
        grey = weights[0] * (np.float32(images[j, 0]) / top)
        for k in range(1, channels):
            grey = grey + weights[k] * (np.float32(images[j, k]) / top)
        out[j] = grey


def find_edges(grey, weights, white, low, high, scale, out):
    """Mark Canny edges: smooth, take the gradient, keep ridges, follow strong ones.

    ``weights`` are the five of the smoothing from the centre outwards, ``white`` is
    what it makes of a white image, and no pixel is larger than ``scale``. Single
    precision tells nearly all ridges; where it comes near a limit, double precision
    decides.
    """
    n, height, width = grey.shape
    out[:] = 0
    if height < 3 or width < 3:
        return  # a ridge has neighbours all round
    w0, w1, w2, w3, w4 = weights
    zeros = np.zeros(width)
    line = np.zeros(width + 8)
    middle = line[4 : 4 + width]
    inverse = np.empty(width)
    smooth = np.empty((height, width))  # still to be divided by ``white``
    rough = np.empty((height, width), dtype=np.float32)
    along, across = np.empty_like(rough[0]), np.empty_like(rough[0])
    downs, rights = np.empty_like(rough[:2]), np.empty_like(rough[:2])
    sizes = np.empty_like(rough[:3])
    stack = np.empty(height * width + 8, dtype=np.int64)
    # Errors in single precision: 1.5e-6 of a gradient, which has parts of up to 4.
    slack = np.float32(1e-5 * scale)
    least = np.float32(4e-5 * scale * scale)
    touching, one_bit = np.zeros(width, dtype=np.uint8), np.uint8(1)
    two, zero = np.float32(2), np.float32(0)
    low_sure, low_none = np.float32(low) + slack, np.float32(low) - slack
    high_sure, high_none = np.float32(high) + slack, np.float32(high) - slack

    def lines_at(old, y, k):
        # Two pairs of lines, ``k`` and ``k - 1`` above and below; zeros lie outside.
        a = old[y - k] if y >= k else zeros
        b = old[y + k] if y + k < height else zeros
        d = old[y - k + 1] if y >= k - 1 else zeros
        e = old[y + k - 1] if y + k - 1 < height else zeros
        return a, b, d, e

    def exact(y, x):
        top, bottom = max(y - 1, 0), min(y + 1, height - 1)
        left, right = max(x - 1, 0), min(x + 1, width - 1)
        a, b, c = (
            smooth[top, left] / white[top, left],
            smooth[top, x] / white[top, x],
            smooth[top, right] / white[top, right],
        )
        d, e = smooth[y, left] / white[y, left], smooth[y, right] / white[y, right]
        f, g, h = (
            smooth[bottom, left] / white[bottom, left],
            smooth[bottom, x] / white[bottom, x],
            smooth[bottom, right] / white[bottom, right],
        )
        down = 2 * (g - b) + ((f - a) + (h - c))
        rightwards = 2 * (e - d) + ((c - a) + (h - f))
        return down, rightwards, np.hypot(down, rightwards)

    def exact_code(y, x):
        down, right, here = exact(y, x)
        if not here >= low:
            return np.uint8(0)
        i = 1 if down >= 0 else -1
        j = 1 if right >= 0 else -1
        down, right = abs(down), abs(right)
        larger, smaller = (down, right) if down >= right else (right, down)
        share = smaller / (larger if larger > 0 else 1.0)
        a, b = (i, 0) if down >= right else (0, j)
        for sign in (1, -1):
            straight = exact(y + sign * a, x + sign * b)[2]
            diagonal = exact(y + sign * i, x + sign * j)[2]
            if not here >= straight * (1 - share) + diagonal * share:
                return np.uint8(0)
        return np.uint8(2) if here >= high else np.uint8(1)

    for image in range(n):
        old, code = grey[image], out[image]
        for y in range(height):
            here = old[y]
            a, b, d, e = lines_at(old, y, 4)
            for x in range(width):
                value = here[x] * w0 + (a[x] + b[x]) * w4
                middle[x] = value + (d[x] + e[x]) * w3
            a, b, d, e = lines_at(old, y, 2)
            for x in range(width):
                value = middle[x] + (a[x] + b[x]) * w2
                middle[x] = value + (d[x] + e[x]) * w1
            if y <= 4 or y >= height - 4:
                for x in range(width):
                    inverse[x] = 1 / white[y, x]
            new, new_rough = smooth[y], rough[y]
            for x in range(width):
                value = line[x + 4] * w0 + (line[x] + line[x + 8]) * w4
                value = value + (line[x + 1] + line[x + 7]) * w3
                value = value + (line[x + 2] + line[x + 6]) * w2
                value = value + (line[x + 3] + line[x + 5]) * w1
                new[x] = value
                new_rough[x] = np.float32(value * inverse[x])
        for y in range(height):
            above, here = rough[max(y - 1, 0)], rough[y]
            below = rough[min(y + 1, height - 1)]
            for x in range(width):
                along[x] = below[x] - above[x]
                across[x] = (above[x] + below[x]) + two * here[x]
            down, right, size = downs[y % 2], rights[y % 2], sizes[y % 3]
            down[0] = two * along[0] + (along[0] + along[1])
            down[width - 1] = two * along[width - 1] + (
                along[width - 2] + along[width - 1]
            )
            right[0] = across[1] - across[0]
            right[width - 1] = across[width - 1] - across[width - 2]
            inner_down, inner_right = down[1:], right[1:]
            before, after = across[2:], along[2:]
            mid = along[1:]
            for x in range(width - 2):
                inner_down[x] = two * mid[x] + (along[x] + after[x])
                inner_right[x] = before[x] - across[x]
            for x in range(width):
                size[x] = np.sqrt(down[x] * down[x] + right[x] * right[x])
            if y < 2:
                continue
            row = y - 1
            up, mid, low_line = sizes[(y - 2) % 3], sizes[row % 3], sizes[y % 3]
            down, right = downs[row % 2][1:], rights[row % 2][1:]
            new = code[row, 1:]
            for x in range(width - 2):
                a, b, c = up[x], up[x + 1], up[x + 2]
                d, value, e = mid[x], mid[x + 1], mid[x + 2]
                f, g, h = low_line[x], low_line[x + 1], low_line[x + 2]
                i, j = abs(down[x]), abs(right[x])
                steep, same = i >= j, (down[x] >= zero) == (right[x] >= zero)
                larger, smaller = i if steep else j, j if steep else i
                first, second = g if steep else e, b if steep else d
                third = h if same else (f if steep else c)
                fourth = a if same else (c if steep else f)
                rest, mine = larger - smaller, value * larger
                one = mine - (first * rest + third * smaller)
                other = mine - (second * rest + fourth * smaller)
                bound = slack * (larger + value + first + third) + least
                other_bound = slack * (larger + value + second + fourth) + least
                ridge = (one > bound) & (other > other_bound) & (value > low_sure)
                none = (one < -bound) | (other < -other_bound) | (value < low_none)
                strong, weak = value > high_sure, value < high_none
                answer = np.uint8(2) if strong else np.uint8(1)
                answer = answer if ridge & (strong | weak) else np.uint8(3)
                new[x] = np.uint8(0) if none else answer
        flat = code.reshape(-1)
        for j in range(flat.size):
            if flat[j] == 3:
                flat[j] = exact_code(j // width, j % width)
        # A weak one that touches a strong one is strong, and so on.
        n_found = 0
        for y in range(1, height - 1):
            above, here, below = code[y - 1], code[y], code[y + 1]
            for x in range(width - 2):
                strong = above[x] | above[x + 1] | above[x + 2]
                strong = strong | here[x] | here[x + 2]
                strong = strong | below[x] | below[x + 1] | below[x + 2]
                touching[x + 1] = here[x + 1] & (strong >> one_bit)
            for x in range(1, width - 1):
                stack[n_found] = y * width + x
                n_found += touching[x]
                here[x] += touching[x]
        while n_found:
            n_found -= 1
            j = stack[n_found]
            for start in (j - width - 1, j - 1, j + width - 1):
                for k in range(start, start + 3):
                    weak = flat[k] == 1
                    flat[k] += weak
                    stack[n_found] = k
                    n_found += weak
        for j in range(flat.size):
            flat[j] = flat[j] == 2


def look_up_by_edge(tables, edges, images, out):
    """Look the bytes of each pixel up in the table of edges or of what is none."""
    n_pixels, channels = images.shape
    if channels == 3:
        for j in range(n_pixels):
            start = np.uintp(edges[j]) << np.uintp(8)
            out[j, 0] = tables[start + np.uintp(images[j, 0])]
            out[j, 1] = tables[start + np.uintp(images[j, 1])]
            out[j, 2] = tables[start + np.uintp(images[j, 2])]
        return
    for j in range(n_pixels):
        start = np.uintp(edges[j]) << np.uintp(8)
        for k in range(channels):
            out[j, k] = tables[start + np.uintp(images[j, k])]
