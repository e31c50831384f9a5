"""Mean of images over a disk, by running sums down the columns."""

from functools import lru_cache

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.filter_kernels import sum_over_disk
from skrobust.perturbations.images.separable_filter import (
    correlate,
    gaussian_kernel,
)

_RIM = 0.25  # pixels over which the edge of the disk fades out
_CHUNK = 1 << 15  # numbers worked on at a time, so that they stay in the cache


@lru_cache(maxsize=8)
def _disk(radius):
    """Return the disk as columns: how far they count fully, and what they add in part.

    Pixels whose centres lie within ``radius`` count fully; those up to a quarter of a
    pixel further out count in part, so that the disk grows continuously.

    Returns
    -------
    halves : ndarray of shape (reach + 1,)
        Rows on either side that count fully, by the distance of the column from the
        centre; -1 where none does.
    rims : ndarray of shape (n_partial, 3)
        Columns and rows, both from the centre, that count in part, and their weights.
    total : float
        Sum of all weights.
    """
    reach = int(np.ceil(radius + _RIM))
    side = np.arange(reach + 1)
    weight = np.clip(1 - (np.hypot(side[:, None], side) - radius) / _RIM, 0, 1)
    halves = (weight == 1).sum(axis=1) - 1
    column, row = np.nonzero((weight > 0) & (weight < 1))
    rims = np.stack([column, row, weight[column, row]], axis=1)
    times = np.where(side > 0, 2, 1)  # the other half of the columns and of the rows
    return halves, rims, float(times @ weight @ times)


def disk_kernel(radius, alias_std):
    """Return the square kernel of the mean over a disk that a Gaussian smooths."""
    halves, rims, total = _disk(radius)
    reach = len(halves) - 1
    quarter = (np.arange(reach + 1) <= halves[:, None]).astype(np.float64)
    for column, row, weight in rims:
        quarter[int(column), int(row)] = weight
    side = np.abs(np.arange(-reach, reach + 1))
    smooth = gaussian_kernel(alias_std)
    disk = quarter[side][:, side] / total
    for _ in range(2):  # each turn brings the other axis first
        disk = np.stack([np.convolve(line, smooth) for line in disk], axis=1)
    return disk


def blur_by_disk(images, radius, alias_std):
    """Return the mean of images over a disk that a Gaussian has smoothed.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels)
        Images. Border pixels are repeated.
    radius, alias_std : float
        Of the disk, and standard deviation of the Gaussian, in pixels.

    Returns
    -------
    ndarray of the shape and dtype of images
        The new images.
    """
    n, height, width, channels = images.shape
    smooth = gaussian_kernel(alias_std)
    # The smoothing must see the disk's own border, not a repeated one.
    margin = len(smooth) // 2
    halves, rims, total = _disk(radius)
    if total == 1:  # a single pixel
        return correlate(images, smooth)
    far = len(halves) - 1 + margin
    tall, wide = height + 2 * far, width + 2 * far
    padded = np.empty((n, tall, wide, channels), dtype=images.dtype)
    inside = padded[:, :, far : far + width]
    inside[:, far : far + height] = images
    inside[:, :far], inside[:, far + height :] = images[:, :1], images[:, -1:]
    padded[:, :, :far] = inside[:, :, :1]
    padded[:, :, far + width :] = inside[:, :, -1:]
    sums = _disk_sums(padded.reshape(n, tall, -1), channels, halves, rims)
    sums *= 1 / total
    means = sums.reshape(n, height + 2 * margin, width + 2 * margin, channels)
    means = correlate(means.astype(images.dtype, copy=False), smooth)
    return means[:, margin : margin + height, margin : margin + width]


def _disk_sums(padded, channels, halves, rims):
    """Sum padded lines over the disk, in double precision."""
    n, tall, long = padded.shape
    reach = len(halves) - 1
    edge = reach * channels
    out = np.empty((n, tall - 2 * reach, long - 2 * edge))
    loop = compiled(sum_over_disk, padded.size)
    if loop is not None:
        loop(padded, channels, halves, rims, out)
        return out
    lines = min(max(1, _CHUNK // long), out.shape[1])
    running = np.zeros((tall + 1, long))
    columns, pairs = np.empty((2, lines, long))
    parts = np.empty((lines, out.shape[2]))
    for image, new in zip(padded, out, strict=True):
        image = image.astype(np.float64)
        for y in range(tall):  # faster than np.cumsum down the columns
            np.add(running[y], image[y], out=running[y + 1])
        for start in range(0, len(new), lines):
            stop = min(start + lines, len(new))
            column, pair, part = (a[: stop - start] for a in (columns, pairs, parts))
            sums = new[start:stop]
            for far, half in enumerate(halves):
                top, end = start + reach, stop + reach
                above = max(half, 0)  # nothing counts fully where half is -1
                below = running[top + half + 1 : end + half + 1]
                np.subtract(below, running[top - above : end - above], out=column)
                for _, row, weight in rims[rims[:, 0] == far]:
                    row = int(row)
                    line = image[top - row : end - row]
                    if row:
                        line = np.add(line, image[top + row : end + row], out=pair)
                    np.multiply(line, weight, out=pair)
                    column += pair
                shift = far * channels
                left = column[:, edge - shift : long - edge - shift]
                if far:
                    right = column[:, edge + shift : long - edge + shift]
                    np.add(left, right, out=part)
                    sums += part
                else:
                    np.add(left, 0.0, out=sums)
    return out
