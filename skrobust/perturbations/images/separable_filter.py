"""Separable filters of images: blurs and zooms.

A symmetric filter is a sum in a fixed order, from the centre outwards. Wide ones are
products with banded matrices: such a matrix is zero far from its diagonal, and it is
cut into blocks of rows that touch few inputs each. Each image meets the same arithmetic
in any batch.
"""

from functools import lru_cache

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.filter_kernels import correlate_both, zoom_both
from skrobust.perturbations.images.byte_planes import through_planes

_BLOCK = 32
_CHUNK = 1 << 15  # numbers worked on at a time, so that they stay in the cache


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
        np.matmul(block, planes[:, :, low:high], out=out[:, :, start:stop])
    return out


def filter_columns(planes, bands):
    """Filter along the width: each new column is a weighted sum of columns."""
    out = np.empty((*planes.shape[:3], bands[-1][1]), planes.dtype)
    for start, stop, low, high, block in bands:
        np.matmul(planes[..., low:high], block.T, out=out[..., start:stop])
    return out


def kernel_bands(side, kernel, dtype, border="nearest"):
    """Return the bands of a correlation with a kernel of odd length."""
    reach = len(kernel) // 2
    place = padded_places(side, reach, border)
    index = np.lib.stride_tricks.sliding_window_view(place, len(kernel))
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
    n, channels, height, width = planes.shape
    kernel = gaussian_kernel(std, truncate)
    if not _is_wide(kernel, (height, width)):
        images = planes.reshape(n * channels, height, width, 1)
        return correlate(images, kernel, border).reshape(planes.shape)
    along = gaussian_bands(height, std, planes.dtype.name, border, truncate)
    planes = filter_rows(planes, along)
    along = gaussian_bands(width, std, planes.dtype.name, border, truncate)
    return filter_columns(planes, along)


def _is_wide(kernel, sides):
    """Return whether products with banded matrices are faster than sums."""
    return len(kernel) // 2 > min(16, min(sides) // 4)


def blur_images(images, std):
    """Blur images (n, height, width, channels) with a Gaussian."""
    kernel = gaussian_kernel(std)
    if _is_wide(kernel, images.shape[1:3]):
        return from_planes(gaussian_filter(to_planes(images), std))
    return correlate(images, kernel)


def blur_bytes(images, std):
    """Blur uint8 images with a Gaussian, or return None to take the way of numpy."""
    n, height, width, channels = images.shape
    kernel = gaussian_kernel(std)
    if _is_wide(kernel, (height, width)):
        return through_planes(images, lambda planes: gaussian_filter(planes, std))
    loop = compiled(correlate_both, images.size)
    if loop is None:
        return None
    reach = len(kernel) // 2
    weights = kernel[reach:].astype(np.float32)
    places = (padded_places(side, reach, "nearest") for side in (height, width))
    flat = np.ascontiguousarray(images).reshape(n, height, width * channels)
    out = np.empty_like(flat)
    loop(flat, np.float32(255), channels, *places, weights, weights, out)
    return out.reshape(images.shape)


def correlate(images, kernel, border="nearest"):
    """Filter images along their height and width with a symmetric kernel.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels)
        Images.
    kernel : ndarray of shape (2 reach + 1,)
        Symmetric weights.
    border : {"nearest", "reflect"}, default="nearest"
        What lies outside: the border pixel, or the image mirrored at its edge.

    Returns
    -------
    ndarray of the shape and dtype of images
        The sum of a pixel times the central weight, then of the two pixels at each
        distance times theirs, down the columns and then along the rows.
    """
    n, height, width, channels = images.shape
    reach = len(kernel) // 2
    weights = kernel[reach:].astype(images.dtype)
    rows, columns = (padded_places(side, reach, border) for side in (height, width))
    flat = np.ascontiguousarray(images).reshape(n, height, width * channels)
    out = np.empty_like(flat)
    loop = compiled(correlate_both, images.size)
    if loop is not None:
        top = images.dtype.type(1)
        loop(flat, top, channels, rows, columns, weights, weights, out)
        return out.reshape(images.shape)
    few = max(1, _CHUNK // flat[0].size)
    lines = max(1, _CHUNK // flat.shape[2])
    for i in range(0, n, few):
        for y in range(0, height, lines):
            part = flat[i : i + few].take(rows[y : y + lines + 2 * reach], axis=1)
            padded = _with_borders(part, columns, channels)
            new = _filtered_lines(padded, weights, channels)
            out[i : i + few, y : y + lines] = new
    return out.reshape(images.shape)


def _with_borders(lines, columns, channels):
    """Return lines with the pixels beyond their ends that ``columns`` names."""
    n, tall, long = lines.shape
    reach = (len(columns) - long // channels) // 2
    edge = reach * channels
    out = np.empty((n, tall, long + 2 * edge), dtype=lines.dtype)
    out[:, :, edge : edge + long] = lines
    places = (channels * columns[:, None] + np.arange(channels)).ravel()
    out[:, :, :edge] = lines[:, :, places[:edge]]
    out[:, :, edge + long :] = lines[:, :, places[edge + long :]]
    return out


def _filtered_lines(padded, weights, channels):
    """Correlate padded lines along both axes, and drop the padding.

    All is one long line, on which numpy is fastest: what is added across its ends falls
    into the padding.
    """
    reach = len(weights) - 1
    long = padded.shape[2]
    edge = reach * channels
    new = _weighted_pairs(padded.reshape(-1), weights, long)
    new = _weighted_pairs(new, weights, channels)
    start = reach * long + edge
    padded.reshape(-1)[start : start + len(new)] = new
    return padded[:, reach : padded.shape[1] - reach, edge : long - edge]


def padded_places(side, reach, border):
    """Return which pixel is read at each place of a side with a border around it."""
    place = np.arange(-reach, side + reach)
    if border == "nearest":
        return np.clip(place, 0, side - 1)
    place = place % (2 * side)  # reflect: d c b a | a b c d | d c b a
    return np.minimum(place, 2 * side - 1 - place)


def _weighted_pairs(line, weights, step):
    """Correlate a long line, in which neighbours are ``step`` apart."""
    reach = len(weights) - 1
    length = len(line) - 2 * reach * step
    middle = reach * step
    out = weights[0] * line[middle : middle + length]
    part = np.empty_like(out)
    for k in range(step, (reach + 1) * step, step):
        below, above = line[middle - k :], line[middle + k :]
        np.add(below[:length], above[:length], out=part)
        part *= weights[k // step]
        out += part
    return out


@lru_cache(maxsize=64)
def zoom_pairs(side, zoom, dtype):
    """Return the two pixels that each new one lies between, and their weights.

    What lies outside of the image has no weight.
    """
    centre = (side - 1) / 2
    place = ((np.arange(side) - centre) / zoom + centre).round(9)
    first = np.floor(place)
    index = np.stack([first, first + 1]).astype(np.int64)
    weight = np.stack([1 - (place - first), place - first])
    weight = np.where((index >= 0) & (index < side), weight, 0.0).astype(dtype)
    return np.clip(index, 0, side - 1), weight


def zoom_about_centre(planes, zoom):
    """Zoom (n, channels, height, width) by a factor; below 1 the rim is 0."""
    n, channels, height, width = planes.shape
    images = planes.reshape(n * channels, height, width, 1)
    return zoom_images(images, zoom).reshape(planes.shape)


def zoom_images(images, zoom):
    """Zoom images (n, height, width, channels) by a factor; below 1 the rim is 0."""
    n, height, width, channels = images.shape
    rows, row_weights = zoom_pairs(height, zoom, images.dtype.name)
    columns, column_weights = zoom_pairs(width, zoom, images.dtype.name)
    flat = np.ascontiguousarray(images).reshape(n, height, width * channels)
    out = np.empty_like(flat)
    loop = compiled(zoom_both, images.size)
    if loop is not None:
        loop(flat, channels, rows, row_weights, columns, column_weights, out)
        return out.reshape(images.shape)
    places = channels * columns[:, :, None] + np.arange(channels)
    places = places.reshape(2, -1)
    across = np.repeat(column_weights, channels, axis=1)
    few = max(1, _CHUNK // flat[0].size)
    for i in range(0, n, few):
        part = flat[i : i + few]
        part = _mixed(part, rows, row_weights[:, :, None], 1)
        out[i : i + few] = _mixed(part, places, across, 2)
    return out.reshape(images.shape)


def _mixed(values, index, weights, axis):
    first, second = (values.take(places, axis=axis) for places in index)
    first *= weights[0]
    second *= weights[1]
    first += second
    return first
