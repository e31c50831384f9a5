"""Bilinear sampling of images at given positions."""

import numpy as np
from scipy.sparse import csr_array

from skrobust._compiled.compiled import compiled
from skrobust._compiled.warp_kernels import shift_bilinearly, warp_bilinearly


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
    if len(rows) != len(columns):
        rows, columns = map(np.ascontiguousarray, np.broadcast_arrays(rows, columns))
    kernel = compiled(warp_bilinearly, images.size)
    if kernel is not None:
        flat = np.ascontiguousarray(images).reshape(len(images), -1)
        rows, columns = (np.asarray(a, dtype=np.float64) for a in (rows, columns))
        out = np.empty_like(flat)
        where = (images.shape[1:], rows, columns)
        kernel(flat, *where, fill is None, float(fill or 0), out)
        return out.reshape(images.shape)
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


def shift_parts(down, right, height, width):
    """Return where shifted images come from.

    Parameters
    ----------
    down, right : ndarray of shape (n,)
        How far each image goes in pixels.
    height, width : int
        Of the images.

    Returns
    -------
    places : list of two ndarray of int of shape (n,)
        Row and column of the pixel that the first new one comes from.
    weights : ndarray of shape (n, 4)
        Of this pixel, the one to its right, and the two below these.
    """
    places = [
        np.clip(np.floor(-length), -side - 1, side).astype(np.int64)
        for length, side in ((down, height), (right, width))
    ]
    parts = [-length - np.floor(-length) for length in (down, right)]
    weights = [
        np.where(below, parts[0], 1 - parts[0])
        * np.where(beside, parts[1], 1 - parts[1])
        for below in (0, 1)
        for beside in (0, 1)
    ]
    return places, np.stack(weights, axis=1)


def shift(images, down, right, fill):
    """Shift images bilinearly, each by lengths of its own in pixels.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels)
        Images.
    down, right : ndarray of shape (n,)
        How far each image goes; negative is up and left.
    fill : float
        Value of what comes in.

    Returns
    -------
    ndarray of the shape and dtype of images
        The new images.
    """
    n, height, width, channels = images.shape
    places, weights = shift_parts(down, right, height, width)
    weights = weights.astype(images.dtype)
    images = np.ascontiguousarray(images)
    out = np.empty_like(images)
    kernel = compiled(shift_bilinearly, images.size)
    if kernel is not None:
        flat = images.reshape(n, -1)
        shape = images.shape[1:]
        kernel(flat, shape, *places, weights, fill, out.reshape(n, -1))
        return out
    window = np.empty((height + 1, width + 1, channels), dtype=images.dtype)
    for image, new, top, left, corners in zip(
        images, out, *places, weights, strict=True
    ):
        window[...] = fill
        inside, seen = [], []
        for start, side in ((top, height), (left, width)):
            low, high = max(start, 0), max(min(start + side + 1, side), 0)
            seen.append(slice(low, high))
            inside.append(slice(low - start, max(high, low) - start))
        window[tuple(inside)] = image[tuple(seen)]
        _weighted_corners(window, corners, new)
    return out


def _weighted_corners(window, weights, out):
    """Sum the four windows of a window that is one pixel larger, with weights."""
    np.multiply(window[:-1, :-1], weights[0], out=out)
    for k in (1, 2, 3):
        if weights[k]:
            rows = slice(1, None) if k > 1 else slice(-1)
            columns = slice(1, None) if k % 2 else slice(-1)
            out += window[rows, columns] * weights[k]


def bilinear_operator(rows, columns, height, width):
    """Return the sparse matrix that samples an image bilinearly at given places.

    Parameters
    ----------
    rows, columns : ndarray of shape (m,)
        Places in pixels, (0, 0) being the centre of the first pixel.
    height, width : int
        Of the image.

    Returns
    -------
    operator : csr_array of shape (m, height * width)
        Weights; what lies outside of the image has none.
    outside : ndarray of shape (m,)
        Share of each place that lies outside: 1 less the sum of its weights.
    """
    top, left = np.floor(rows), np.floor(columns)
    source = np.empty((rows.size, 4), dtype=np.int32)
    weight = np.empty((rows.size, 4))
    for corner in range(4):
        r, c = top + corner // 2, left + corner % 2
        w = (1 - np.abs(rows - r)) * (1 - np.abs(columns - c))
        inside = (r >= 0) & (r < height) & (c >= 0) & (c < width)
        weight[:, corner] = np.where(inside, w, 0)
        source[:, corner] = np.where(inside, r * width + c, 0)
    used = weight > 0
    ends = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int32)
    parts = (weight[used], source[used], ends)
    operator = csr_array(parts, shape=(rows.size, height * width))
    return operator, 1.0 - np.asarray(operator.sum(axis=1)).ravel()
