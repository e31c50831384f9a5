"""The zoom of the published zoom blur and snow, which is slightly off-centre."""

from functools import lru_cache

import numpy as np

from skrobust.perturbations.images.separable_filter import (
    cut_into_bands,
    filter_columns,
    filter_rows,
)


def _line(side, factor):
    """Return start and slope of the places that new pixels are taken from."""
    piece = int(np.ceil(side / factor))
    large = round(piece * factor)
    slope = (piece - 1) / max(large - 1, 1)
    return (side - piece) // 2 + slope * ((large - side) // 2), slope


def piece_pairs(side, factors):
    """Return the two pixels that each new one lies between, and their weights."""
    lines = [(weight, *_line(side, factor)) for weight, factor in factors]
    start = sum(weight * first for weight, first, _ in lines)
    slope = sum(weight * steep for weight, _, steep in lines)
    place = start + slope * np.arange(side)
    first = np.minimum(np.floor(place.round(9)), side - 1)
    share = np.clip(place - first, 0, 1)
    index = np.stack([first, np.minimum(first + 1, side - 1)], axis=1)
    weight = np.stack([1 - share, share], axis=1)
    return index.astype(np.int64), weight


@lru_cache(maxsize=64)
def _piece_bands(side, factors, dtype):
    """Return the bands of the zoom along an axis."""
    return cut_into_bands(*piece_pairs(side, factors), dtype)


def enlarge_a_piece(planes, factors):
    """Zoom planes (n, channels, height, width) as published.

    Whole pixels are cut from the middle, the piece is enlarged bilinearly so that its
    border pixels stay border pixels, and it is trimmed to the size of the image.

    Parameters
    ----------
    planes : ndarray of shape (n, channels, height, width)
        Images.
    factors : tuple of (float, float)
        Weights that sum to 1, and factors. With several, places lie between theirs.
    """
    height, width = planes.shape[2:]
    planes = filter_rows(planes, _piece_bands(height, factors, planes.dtype.name))
    return filter_columns(planes, _piece_bands(width, factors, planes.dtype.name))
