"""Kernels between bytes of pixels and planes of their shares of 255."""

import numpy as np


def planes_of_bytes(images, out):
    """Turn bytes, of shape (n, pixels, channels), into planes of shares of 255."""
    top = np.float32(255)
    n, n_pixels, channels = images.shape
    for i in range(n):
        old, new = images[i].reshape(-1), out[i].reshape(-1)
        if channels == 3:
            for j in range(n_pixels):
                new[j] = np.float32(old[3 * j]) / top
                new[j + n_pixels] = np.float32(old[3 * j + 1]) / top
                new[j + 2 * n_pixels] = np.float32(old[3 * j + 2]) / top
            continue
        for k in range(channels):
            for j in range(n_pixels):
                new[j + k * n_pixels] = np.float32(old[j * channels + k]) / top


def bytes_of_planes(planes, out):
    """Turn planes, of shape (n, channels, pixels), into rounded and clipped bytes."""
    zero, top = np.float32(0), np.float32(255)
    n, channels, n_pixels = planes.shape
    for i in range(n):
        old, new = planes[i].reshape(-1), out[i].reshape(-1)
        if channels == 3:
            for j in range(n_pixels):
                red, green = np.rint(old[j] * top), np.rint(old[j + n_pixels] * top)
                blue = np.rint(old[j + 2 * n_pixels] * top)
                new[3 * j] = np.uint8(min(max(red, zero), top))
                new[3 * j + 1] = np.uint8(min(max(green, zero), top))
                new[3 * j + 2] = np.uint8(min(max(blue, zero), top))
            continue
        for k in range(channels):
            for j in range(n_pixels):
                value = min(max(np.rint(old[j + k * n_pixels] * top), zero), top)
                new[j * channels + k] = np.uint8(value)
