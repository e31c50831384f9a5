"""Canny edges of images."""

from functools import lru_cache

import numpy as np
from scipy import ndimage

from skrobust._compiled.compiled import compiled
from skrobust._compiled.edge_kernels import (
    find_edges,
    grey_of_bytes,
    look_up_by_edge,
)
from skrobust.perturbations.images._color import grey_of, grey_weights
from skrobust.perturbations.images.byte_pixels import as_bytes, as_units
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.separable_filter import gaussian_kernel
from skrobust.perturbations.strength import Strength

_STD, _LOW, _HIGH = 1.0, 0.1, 0.2  # smoothing, and the two thresholds of the gradient


def _smooth(grey):
    # Zeros outside; dividing by the same of a white image undoes their darkening.
    return ndimage.gaussian_filter(grey, (0, _STD, _STD), mode="constant")


@lru_cache(maxsize=8)
def _smooth_white(height, width):
    return _smooth(np.ones((1, height, width)))


def _gradient(smooth, along, across):
    change = ndimage.correlate1d(smooth, [-1, 0, 1], axis=along, mode="reflect")
    return ndimage.correlate1d(change, [1, 2, 1], axis=across, mode="reflect")


def _ridges(size, down, right):
    """Return where the gradient is no smaller than on either side, along itself.

    Where it is smaller than ``_LOW`` it is no ridge.
    """
    steep = np.abs(down) >= np.abs(right)
    larger = np.where(steep, np.abs(down), np.abs(right))
    smaller = np.where(steep, np.abs(right), np.abs(down))
    share = smaller / np.where(larger > 0, larger, 1)
    i, j = np.where(down >= 0, 1, -1), np.where(right >= 0, 1, -1)
    padded = np.pad(size, ((0, 0), (1, 1), (1, 1)))
    image, row, column = np.ogrid[tuple(slice(s) for s in size.shape)]
    row, column = row + 1, column + 1
    ridge = size >= _LOW
    for sign in (1, -1):
        straight = padded[
            image,
            row + sign * np.where(steep, i, 0),
            column + sign * np.where(steep, 0, j),
        ]
        diagonal = padded[image, row + sign * i, column + sign * j]
        ridge &= size >= straight * (1 - share) + diagonal * share
    return ridge


def canny(grey, largest=None):
    """Return the edges of grey images of shape (n, height, width), as bool.

    J. Canny, "A Computational Approach to Edge Detection", 1986: smooth, take the
    gradient (Sobel), keep its ridges, and of these the connected ones that are strong
    somewhere. The parameters are the defaults of scikit-image, which MNIST-C uses.
    """
    grey = grey.astype(np.float64)
    white = _smooth_white(*grey.shape[1:])
    kernel = compiled(find_edges, grey.size)
    if kernel is not None:
        weights = gaussian_kernel(_STD)
        edges = np.empty(grey.shape, dtype=np.uint8)
        largest = float(np.abs(grey).max()) if largest is None else largest
        limits = (_LOW, _HIGH, max(1.0, largest))
        kernel(grey, weights[len(weights) // 2 :], white[0], *limits, edges)
        return edges.view(bool)
    smooth = _smooth(grey) / white
    down, right = _gradient(smooth, 1, 2), _gradient(smooth, 2, 1)
    size = np.hypot(down, right)
    weak = _ridges(size, down, right)
    weak[:, [0, -1]] = weak[:, :, [0, -1]] = False  # a ridge has neighbours all round
    near = np.zeros((3, 3, 3), dtype=bool)
    near[1] = True  # connected within an image, never from one image to the next
    label, n_labels = ndimage.label(weak, near)
    strong = np.zeros(n_labels + 1, dtype=bool)
    strong[label[weak & (size >= _HIGH)]] = True
    return strong[label] & weak


class CannyEdges(ImagePerturbation):
    """Canny edges in place of images, white on black.

    The edges are those of the grey image, in all channels alike. MNIST-C [1]_ has one
    strength: the edges alone, which is severity 5 here. At the lower severities, which
    are our own, picture and edges are mixed.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        A share of the edges of .2, .4, .6, .8 or 1 at severities 1 to 5; 0 changes
        nothing. 1 where ``share`` is not given either.
    share : float in [0, 1], default=None
        The share itself, in place of ``severity``.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    References
    ----------
    .. [1] N. Mu and J. Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision",
       arXiv 1906.02337, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import CannyEdges
    >>> image = np.zeros((1, 12, 12))
    >>> image[0, :, 6:] = 1
    >>> edges = CannyEdges(share=1).perturb(None, image)
    >>> np.flatnonzero(edges[0, 6]).tolist()
    [5, 6]
    """

    _strengths = {"share": Strength((0.2, 0.4, 0.6, 0.8, 1.0), high=1.0)}
    _noise = "fixed"
    _strong_params = {"share": 0.7}

    def _perturb_images(self, images, rng):
        edges = canny(grey_of(images)[..., 0])[..., None].astype(images.dtype)
        return self._mixed(images, edges, self._strength(images))

    @staticmethod
    def _mixed(images, edges, share):
        return images + (edges - images) * share

    def _perturb_bytes(self, images, rng):
        kernel = compiled(grey_of_bytes, images.size)
        if kernel is None:
            return None
        n, height, width, channels = images.shape
        flat = np.ascontiguousarray(images).reshape(-1, channels)
        grey = np.empty(len(flat))
        kernel(flat, np.array(grey_weights(channels), dtype=np.float32), grey)
        edges = canny(grey.reshape(n, height, width), 1.0).view(np.uint8).reshape(-1)
        units = as_units(np.arange(256, dtype=np.uint8))
        both = np.array([[0], [1]], dtype=np.float32)
        tables = as_bytes(self._mixed(units, both, self._strength(images)))
        out = np.empty_like(flat)
        compiled(look_up_by_edge, images.size)(tables.reshape(-1), edges, flat, out)
        return out.reshape(images.shape)
