"""8-bit pixels as planes of their shares of 255 and back."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.plane_kernels import bytes_of_planes, planes_of_bytes


def through_planes(images, change):
    """Return what a change of planes in [0, 1] makes of uint8 images.

    Parameters
    ----------
    images : ndarray of shape (n, height, width, channels), uint8
        Images.
    change : callable
        From planes of shape (n, channels, height, width), float32, to new ones.

    Returns
    -------
    ndarray of the shape of images, uint8, or None
        The new images; None without numba.
    """
    kernel = compiled(planes_of_bytes, images.size)
    if kernel is None:
        return None
    n, height, width, channels = images.shape
    flat = np.ascontiguousarray(images).reshape(n, -1, channels)
    planes = np.empty((n, channels, height, width), dtype=np.float32)
    kernel(flat, planes.reshape(n, channels, -1))
    planes, out = np.ascontiguousarray(change(planes)), np.empty_like(flat)
    kernel = compiled(bytes_of_planes, images.size)
    kernel(planes.reshape(n, channels, -1), out)
    return out.reshape(images.shape)
