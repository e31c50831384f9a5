"""Separable filters: blurs and zooms as products with banded matrices.

A filter along an axis is a matrix that is zero far from its diagonal. It is cut into
blocks of rows that touch few inputs each; every block is one matrix product. The
products are stacked over the images, so that each image meets the same arithmetic in
any batch.
"""

from functools import lru_cache

import numpy as np

_BLOCK = 32


def to_planes(images):
    """Return images (n, height, width, channels) as (n, channels, height, width)."""
    return np.ascontiguousarray(np.moveaxis(images, -1, 1))


def from_planes(planes):
    """Return (n, channels, height, width) as (n, height, width, channels)."""
    return np.moveaxis(planes, 1, -1)


def cut_into_bands(index, weight, dtype):
    """Return the blocks (start, stop, low, high, matrix) of a filter along an axis.

    Parameters
    ----------
    index : ndarray of int of shape (m, taps)
        Inputs that each of the m outputs is made of.
    weight : ndarray broadcastable to the shape of ``index``
        Their weights; an input may occur more than once.
    dtype : numpy dtype
        Of the matrices.
    """
    weight = np.broadcast_to(weight, index.shape)
    bands = []
    for start in range(0, len(index), _BLOCK):
        part = index[start : start + _BLOCK]
        low, high = int(part.min()), int(part.max()) + 1
        block = np.zeros((len(part), high - low))
        rows = np.arange(len(part))[:, None]
        np.add.at(block, (rows, part - low), weight[start : start + _BLOCK])
        block = block.astype(dtype)
        block.flags.writeable = False  # the same block may serve later calls
        bands.append((start, start + len(part), low, high, block))
    return bands


def filter_rows(planes, bands):
    """Filter along the height: each new row is a weighted sum of rows."""
    out = np.empty((*planes.shape[:2], bands[-1][1], planes.shape[3]), planes.dtype)
    for start, stop, low, high, block in bands:
        out[:, :, start:stop] = block @ planes[:, :, low:high]
    return out


def filter_columns(planes, bands):
    """Filter along the width: each new column is a weighted sum of columns."""
    out = np.empty((*planes.shape[:3], bands[-1][1]), planes.dtype)
    for start, stop, low, high, block in bands:
        out[..., start:stop] = planes[..., low:high] @ block.T
    return out


def _reach_out(side, offsets, border):
    place = np.arange(side)[:, None] + offsets
    if border == "nearest":
        return np.clip(place, 0, side - 1)
    place = place % (2 * side)  # reflect: d c b a | a b c d | d c b a
    return np.minimum(place, 2 * side - 1 - place)


def kernel_bands(side, kernel, dtype, border="nearest"):
    """Return the bands of a correlation with a kernel of odd length."""
    reach = len(kernel) // 2
    index = _reach_out(side, np.arange(-reach, reach + 1), border)
    return cut_into_bands(index, kernel, dtype)


def gaussian_kernel(std, truncate=4.0):
    """Return normal weights out to ``truncate`` standard deviations."""
    reach = int(truncate * std + 0.5)
    if reach == 0:
        return np.ones(1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / std) ** 2)
    return kernel / kernel.sum()


@lru_cache(maxsize=16)
def gaussian_bands(side, std, dtype, border="nearest", truncate=4.0):
    """Return the bands of a Gaussian blur."""
    return kernel_bands(side, gaussian_kernel(std, truncate), dtype, border)


def gaussian_filter(planes, std, border="nearest", truncate=4.0):
    """Blur the last two axes of (n, channels, height, width) with a Gaussian."""
    height, width = planes.shape[2:]
    along = gaussian_bands(height, std, planes.dtype.name, border, truncate)
    planes = filter_rows(planes, along)
    along = gaussian_bands(width, std, planes.dtype.name, border, truncate)
    return filter_columns(planes, along)


def blur_images(images, std):
    """Blur images (n, height, width, channels) with a Gaussian."""
    return from_planes(gaussian_filter(to_planes(images), std))


@lru_cache(maxsize=64)
def zoom_bands(side, zoom, dtype):
    """Return the bands of a zoom about the true centre, by linear interpolation.

    What lies outside of the image has no weight.
    """
    centre = (side - 1) / 2
    place = ((np.arange(side) - centre) / zoom + centre).round(9)
    first = np.floor(place)
    index = np.stack([first, first + 1], axis=1).astype(np.int64)
    weight = np.stack([1 - (place - first), place - first], axis=1)
    weight = np.where((index >= 0) & (index < side), weight, 0.0)
    return cut_into_bands(np.clip(index, 0, side - 1), weight, dtype)


def zoom_about_centre(planes, zoom):
    """Zoom (n, channels, height, width) by a factor; below 1 the rim is 0."""
    height, width = planes.shape[2:]
    planes = filter_rows(planes, zoom_bands(height, zoom, planes.dtype.name))
    return filter_columns(planes, zoom_bands(width, zoom, planes.dtype.name))


def zoom_images(images, zoom):
    """Zoom images (n, height, width, channels) by a factor; below 1 the rim is 0."""
    return from_planes(zoom_about_centre(to_planes(images), zoom))
