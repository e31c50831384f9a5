"""Mean of images over a disk, by running sums down the columns."""

from functools import lru_cache

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.filter_kernels import sum_over_disk
from skrobust.perturbations.images.separable_filter import (
    correlate,
    gaussian_kernel,
    padded_places,
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
    rows, columns = (padded_places(side, far, "nearest") for side in (height, width))
    padded = images.take(rows, axis=1).take(columns, axis=2)
    sums = _disk_sums(padded.reshape(n, len(rows), -1), channels, halves, rims)
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
    lines = max(1, _CHUNK // long)
    for image, new in zip(padded, out, strict=True):
        running = np.zeros((tall + 1, long))
        np.cumsum(image, axis=0, dtype=np.float64, out=running[1:])
        for start in range(0, len(new), lines):
            stop = min(start + lines, len(new))
            new[start:stop] = 0
            for far, half in enumerate(halves):
                top, end = start + reach, stop + reach
                above = max(half, 0)  # nothing counts fully where half is -1
                column = running[top + half + 1 : end + half + 1]
                column = column - running[top - above : end - above]
                for _, row, weight in rims[rims[:, 0] == far]:
                    row = int(row)
                    pair = image[top - row : end - row].astype(np.float64)
                    if row:
                        pair += image[top + row : end + row]
                    column += weight * pair
                shift = far * channels
                part = column[:, edge - shift : long - edge - shift]
                if far:
                    part = part + column[:, edge + shift : long - edge + shift]
                new[start:stop] += part
    return out
