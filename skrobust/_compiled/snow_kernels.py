"""Kernels of snow: its flakes, and what they do to pixels."""

import numpy as np


def flakes_of_noise(noise, mean, std, threshold):
    """Scale noise in place; what is below the threshold is no flake."""
    zero, one = type(mean)(0), type(mean)(1)
    for j in range(noise.size):
        value = mean + std * noise[j]
        value = zero if value < threshold else value
        value = value if value > zero else zero
        noise[j] = value if value < one else one


def whiten(images, top, weights, keep, rest, flakes, out):
    """Mix pixels with brighter, greyer ones, and add flakes and the same turned round.

    ``images`` of shape (n, numbers) hold shares of ``top``, and so will ``out``:
    rounded, where it is not 1. ``flakes`` has shape (n, pixels); ``weights`` are those
    of the channels in the grey.
    """
    n, n_pixels = flakes.shape
    number, channels = type(keep), len(weights)
    zero, half, more = number(0), number(0.5), number(1.5)
    rounded = top != 1
    for i in range(n):
        old, new, flake = images[i], out[i], flakes[i]
        turned = flake[::-1]
        if rounded and channels == 3:
            red, green, blue = weights[0], weights[1], weights[2]
            for j in range(n_pixels):
                r = number(old[3 * j]) / top
                g = number(old[3 * j + 1]) / top
                b = number(old[3 * j + 2]) / top
                white = more * ((red * r + green * g) + blue * b) + half
                r = keep * r + rest * (r if r > white else white)
                g = keep * g + rest * (g if g > white else white)
                b = keep * b + rest * (b if b > white else white)
                r = np.rint(((r + flake[j]) + turned[j]) * top)
                g = np.rint(((g + flake[j]) + turned[j]) * top)
                b = np.rint(((b + flake[j]) + turned[j]) * top)
                new[3 * j] = np.uint8(min(max(r, zero), top))
                new[3 * j + 1] = np.uint8(min(max(g, zero), top))
                new[3 * j + 2] = np.uint8(min(max(b, zero), top))
            continue
        for j in range(n_pixels):
            start = channels * j
            grey = weights[0] * (number(old[start]) / top)
            for k in range(1, channels):
                grey = grey + weights[k] * (number(old[start + k]) / top)
            white = more * grey + half
            for k in range(start, start + channels):
                value = number(old[k]) / top
                value = keep * value + rest * (value if value > white else white)
                value = (value + flake[j]) + turned[j]
                new[k] = min(max(np.rint(value * top), zero), top) if rounded else value
