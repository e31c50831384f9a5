"""Bilinear sampling of images at given positions."""

import numpy as np


def pixel_grid(height, width):
    """Return the rows and columns of all pixels, seen from the centre of the image."""
    rows = np.arange(height, dtype=np.float64)[:, None] - (height - 1) / 2
    columns = np.arange(width, dtype=np.float64)[None, :] - (width - 1) / 2
    return np.broadcast_arrays(rows, columns)


def _mirror(place, side):
    """Fold places back into the image: ... c b | a b c | b a ..."""
    if side == 1:
        return np.zeros_like(place)
    place = np.abs(place) % (2 * (side - 1))
    return np.minimum(place, 2 * (side - 1) - place)


def gather(images, rows, columns):
    """Return the pixels at whole rows and columns of shape (n or 1, height, width)."""
    n, height, width, channels = images.shape
    start = np.arange(n)[:, None, None] * (height * width)
    place = start + rows * width + columns
    return np.take(images.reshape(-1, channels), place, axis=0)


def warp(images, rows, columns, fill=None):
    """Sample images bilinearly.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels)
        Images.
    rows, columns : ndarray of shape (n or 1, height, width)
        Where each new pixel is taken from; (0, 0) is the centre of the first pixel.
    fill : float, default=None
        Value of what lies outside; None mirrors the image at its border pixels.

    Returns
    -------
    ndarray of the shape and dtype of images
        The new images.
    """
    height, width = images.shape[1:3]
    if fill is None:
        rows, columns = _mirror(rows, height), _mirror(columns, width)
    top, left = np.floor(rows), np.floor(columns)
    down, right = rows - top, columns - left
    out = np.zeros(images.shape, dtype=images.dtype)
    covered = 0.0
    for below, row_weight in ((0, 1 - down), (1, down)):
        for beside, column_weight in ((0, 1 - right), (1, right)):
            r, c = top + below, left + beside
            weight = row_weight * column_weight
            if fill is not None:
                weight = weight * ((r >= 0) & (r < height) & (c >= 0) & (c < width))
                covered = covered + weight
            r = np.clip(r, 0, height - 1).astype(np.int64)
            c = np.clip(c, 0, width - 1).astype(np.int64)
            out += weight[..., None].astype(images.dtype) * gather(images, r, c)
    if fill:
        out += (fill * (1 - covered))[..., None].astype(images.dtype)
    return out
