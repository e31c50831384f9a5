"""What JPEG loses, without a file: the pixels that libjpeg-turbo would give back."""

import functools

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.jpeg_kernels import (
    colours_of_planes,
    planes_of_colours,
    quantize_blocks,
)

# The example tables of the standard (ITU-T T.81, annex K).
_LUMA = (
    (16, 11, 10, 16, 24, 40, 51, 61), (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56), (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77), (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101), (72, 92, 95, 98, 112, 100, 103, 99),
)  # fmt: skip
_CHROMA = (
    (17, 18, 24, 47, 99, 99, 99, 99), (18, 21, 26, 66, 99, 99, 99, 99),
    (24, 26, 56, 99, 99, 99, 99, 99), (47, 66, 99, 99, 99, 99, 99, 99),
    *(((99,) * 8,) * 4),
)  # fmt: skip


@functools.lru_cache(maxsize=8)
def _tables(quality):
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    tables = (np.array([_LUMA, _CHROMA], dtype=np.int32) * scale + 50) // 100
    return np.clip(tables, 1, 255).astype(np.int32)


def after_jpeg(images, quality):
    """Return uint8 images as they come back from JPEG, or None if numpy has no way.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels), uint8
        Images: three channels are RGB, others are grey, each by itself.
    quality : int from 1 to 100
        Quality of the JPEG.

    Returns
    -------
    ndarray of the shape of images, uint8, or None
        None without numba, and for colours of up to four columns.
    """
    n, height, width, channels = images.shape
    quantize = compiled(quantize_blocks, images.size)
    if quantize is None or (channels == 3 and width <= 4):
        return None
    luma_table, chroma_table = _tables(quality)
    if channels != 3:
        planes = np.moveaxis(images, -1, 1).reshape(n * channels, height, width)
        padding = ((0, 0), (0, -height % 8), (0, -width % 8))
        planes = np.pad(planes, padding, mode="edge")
        quantize(planes, luma_table)
        planes = planes[:, :height, :width].reshape(n, channels, height, width)
        return np.moveaxis(planes, 1, -1)
    half = [-(-side // 16) * 8 for side in (height, width)]
    luma = np.empty((n, -(-height // 8) * 8, -(-width // 8) * 8), dtype=np.uint8)
    chroma = np.empty((n, 2, *half), dtype=np.uint8)
    size = images.size
    images = np.ascontiguousarray(images)
    lines = images.reshape(n, height, -1)
    compiled(planes_of_colours, size)(lines, luma, chroma)
    quantize(luma, luma_table)
    quantize(chroma.reshape(2 * n, *half), chroma_table)
    out = np.empty_like(lines)
    compiled(colours_of_planes, size)(luma, chroma, out)
    return out.reshape(images.shape)
