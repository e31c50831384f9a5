"""The disk of the published defocus blur, and its blur of images."""

from functools import lru_cache

import numpy as np
from scipy.ndimage import correlate1d

from skrobust.perturbations.images.separable_filter import (
    filter_columns,
    filter_rows,
    from_planes,
    kernel_bands,
    to_planes,
)


def published_kernel(radius, alias_std):
    """Return the square kernel of the published code: a hard disk, hardly smoothed."""
    reach = 8 if radius <= 8 else int(np.ceil(radius))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disk = (y * y + x * x <= radius * radius).astype(np.float64)
    taps = 1 if radius <= 8 else 2
    smooth = np.exp(-0.5 * (np.arange(-taps, taps + 1) / max(alias_std, 1e-9)) ** 2)
    for axis in (0, 1):
        disk = correlate1d(disk, smooth / smooth.sum(), axis=axis, mode="mirror")
    return disk / (y * y + x * x <= radius * radius).sum()


def blur_by_published_disk(images, levels):
    """Return the mean of images over published disks, with mirrored borders.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels)
        Images.
    levels : tuple of (float, float, float)
        Weight, radius and standard deviation of the smoothing of each disk.

    Returns
    -------
    ndarray of the shape and dtype of images
        The new images.
    """
    planes = to_planes(images)
    reach = max(8, *(int(np.ceil(radius)) for _, radius, _ in levels))
    rim = ((0, 0), (0, 0), (reach, reach), (reach, reach))
    planes = np.pad(planes, rim, mode="reflect")
    out = np.zeros_like(planes)
    for rows, columns in _bands(levels, *planes.shape[2:], planes.dtype.name):
        out += filter_columns(filter_rows(planes, rows), columns)
    return from_planes(out[:, :, reach:-reach, reach:-reach])


def mixed_kernel(levels):
    """Return the square kernel of several disks with weights."""
    kernels = [(w, published_kernel(r, s)) for w, r, s in levels]
    side = max(len(kernel) for _, kernel in kernels)
    rims = [(side - len(kernel)) // 2 for _, kernel in kernels]
    parts = zip(kernels, rims, strict=True)
    return sum(weight * np.pad(kernel, rim) for (weight, kernel), rim in parts)


@lru_cache(maxsize=8)
def _bands(levels, height, width, dtype):
    # The kernel is symmetric: a sum of products of its eigenvectors, each of which is
    # a blur along the rows and one along the columns.
    value, vector = np.linalg.eigh(mixed_kernel(levels))
    return [
        (
            kernel_bands(height, value[k] * vector[:, k], dtype),
            kernel_bands(width, vector[:, k], dtype),
        )
        for k in np.flatnonzero(np.abs(value) > 1e-9 * np.abs(value).max())
    ]
