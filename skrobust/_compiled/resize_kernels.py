"""Kernels that mix neighbouring rows or columns of images, with weights of their own.

Image ``i`` has lines ``images[i]``, of shape (height, numbers in a line). The k-th
member of a mixture is ``first + k``; members are added in this order.
"""

import numpy as np


def mix_rows(images, first, weights, out):
    """Mix rows for each new one."""
    size = images.shape[2]
    for i in range(images.shape[0]):
        for y in range(first.size):
            new, start = out[i, y], first[y]
            a, wa = images[i, start], weights[y, 0]
            for x in range(size):
                new[x] = wa * a[x]
            k = 1
            while k + 1 < weights.shape[1]:  # two at a time, in their order
                a, wa = images[i, start + k], weights[y, k]
                b, wb = images[i, start + k + 1], weights[y, k + 1]
                for x in range(size):
                    new[x] = (new[x] + wa * a[x]) + wb * b[x]
                k += 2
            if k < weights.shape[1]:
                a, wa = images[i, start + k], weights[y, k]
                for x in range(size):
                    new[x] = new[x] + wa * a[x]


def mix_columns(images, channels, first, weights, out):
    """Mix columns for each new one."""
    taps, one = weights.shape[1], np.uintp(channels)
    for i in range(images.shape[0]):
        for y in range(images.shape[1]):
            line, new = images[i, y], out[i, y]
            for x in range(first.size):
                weight, start = weights[x], np.uintp(first[x]) * one
                to = np.uintp(x) * one
                if channels == 3:
                    w, part = weight[0], line[start:]
                    red, green, blue = w * part[0], w * part[1], w * part[2]
                    for k in range(1, taps):
                        w, at = weight[k], 3 * k
                        red += w * part[at]
                        green += w * part[at + 1]
                        blue += w * part[at + 2]
                    new[to], new[to + np.uintp(1)] = red, green
                    new[to + np.uintp(2)] = blue
                    continue
                for c in range(one):
                    part = line[start + c :]
                    value = weight[0] * part[0]
                    for k in range(1, taps):
                        value += weight[k] * part[k * channels]
                    new[to + c] = value
