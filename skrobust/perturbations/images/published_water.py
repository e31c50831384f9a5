"""Water as the published spatter lights it, from eight-bit filters of OpenCV.

The published code runs the liquid through an edge detector, the distance to the edges,
an equalised histogram and an emboss filter. Each step here gives what OpenCV gives, to
the rounding of its pixels.
"""

import numpy as np
from scipy import ndimage

# Steps of a chess knight and along a diagonal, in OpenCV's distances on a 5 x 5 mask.
_DIAGONAL, _KNIGHT = 1.4, 2.1969
_STEPS = [
    (i, j, {1: 1.0, 2: _DIAGONAL, 5: _KNIGHT}[i * i + j * j])
    for i in range(-2, 3)
    for j in range(-2, 3)
    if i * i + j * j in (1, 2, 5)
]
_FARTHEST = 20.0
_EMBOSS = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
_TAN = np.tan(np.deg2rad(22.5))


def water_light(liquid):
    """Return how bright each place of the water is, from 0 to 1.

    Parameters
    ----------
    liquid : ndarray of shape (n, height, width)
        Depth of the water as a share of 255 levels, 0 where it is dry.

    Returns
    -------
    ndarray of shape (n, height, width)
        Brightness as a share of the brightest place of each image; 0 where all is dry.
    """
    liquid = np.clip(liquid * 255, 0, 255).astype(np.uint8)
    edges = opencv_edges(liquid, 50, 150)
    far = _box(edge_distances(edges)).astype(np.uint8)
    far = np.stack([equalised(image) for image in far])
    raised = np.clip(_weighted(far.astype(np.float64), _EMBOSS), 0, 255)
    light = liquid * np.rint(_box(raised))
    brightest = light.max(axis=(1, 2), keepdims=True)
    return light / np.where(brightest > 0, brightest, 1)


def _box(images):
    """Return the means of 3 x 3 pixels, added up before they are divided."""
    return _weighted(images, np.ones((3, 3))) / 9


def _weighted(images, weights):
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)), mode="reflect")
    height, width = images.shape[1:]
    return sum(
        weights[i, j] * padded[:, i : i + height, j : j + width]
        for i in range(3)
        for j in range(3)
    )


def opencv_edges(images, low, high):
    """Return the Canny edges of uint8 images (n, height, width), as bool.

    Gradients are those of Sobel, their size is the sum of both, and directions have
    four classes, as in OpenCV.
    """
    values = images.astype(np.int64)
    change, smooth = [-1, 0, 1], [1, 2, 1]

    def sobel(along, across):
        part = ndimage.correlate1d(values, change, axis=along, mode="nearest")
        return ndimage.correlate1d(part, smooth, axis=across, mode="nearest")

    down, right = sobel(1, 2), sobel(2, 1)
    size = np.abs(down) + np.abs(right)
    padded = np.pad(size, ((0, 0), (1, 1), (1, 1)))
    height, width = size.shape[1:]

    def beside(i, j):
        return padded[:, 1 + i : 1 + i + height, 1 + j : 1 + j + width]

    def ridge(i, j, strictly):
        other = size > beside(i, j) if strictly else size >= beside(i, j)
        return (size > beside(-i, -j)) & other

    flat = np.abs(down) < np.abs(right) * _TAN
    steep = np.abs(down) > np.abs(right) * (2 + _TAN)
    falling = (down < 0) != (right < 0)
    diagonal = np.where(falling, ridge(1, -1, True), ridge(1, 1, True))
    kept = np.where(flat, ridge(0, 1, False), diagonal)
    kept = np.where(steep & ~flat, ridge(1, 0, False), kept) & (size > low)
    near = np.zeros((3, 3, 3), dtype=bool)
    near[1] = True  # connected within an image, never from one image to the next
    label, n_labels = ndimage.label(kept, near)
    strong = np.zeros(n_labels + 1, dtype=bool)
    strong[label[kept & (size > high)]] = True
    return strong[label] & kept


def edge_distances(edges):
    """Return the distance of each pixel to the nearest edge of its image, at most 20.

    It is the length of the shortest path of steps to neighbours, straight (1) or
    diagonal (1.4), and of knights (2.1969).
    """
    far = np.stack([_first_guess(image) for image in edges])
    rim = ((0, 0), (2, 2), (2, 2))
    height, width = far.shape[1:]
    while True:  # what a step shortens may shorten its neighbours
        padded, before = np.pad(far, rim, constant_values=_FARTHEST), far
        for i, j, step in _STEPS:
            moved = padded[:, 2 + i : 2 + i + height, 2 + j : 2 + j + width]
            far = np.minimum(far, moved + step)
        if np.array_equal(far, before):
            return far


def _first_guess(edges):
    """Return the length of the path to the edge that is nearest in a straight line."""
    if not edges.any():
        return np.full(edges.shape, _FARTHEST)
    nearest = ndimage.distance_transform_edt(
        ~edges, return_distances=False, return_indices=True
    )
    short, long = np.sort(np.abs(nearest - np.indices(edges.shape)), axis=0)
    far = np.where(
        long >= 2 * short,
        _KNIGHT * short + (long - 2 * short),
        _KNIGHT * (long - short) + _DIAGONAL * (2 * short - long),
    )
    return np.minimum(far, _FARTHEST)


def equalised(image):
    """Return a uint8 image with its histogram spread over all levels, as OpenCV's."""
    count = np.bincount(image.ravel(), minlength=256)
    first = int(np.flatnonzero(count)[0])
    rest = image.size - count[first]
    if rest == 0:
        return image
    count[: first + 1] = 0
    return np.rint(np.cumsum(count) * (255 / rest)).astype(np.uint8)[image]
