"""Tilt of images in space."""

import functools

import numpy as np

from skrobust.perturbations.images.device_filters import warp_tensor
from skrobust.perturbations.images.filling_perturbation import FillingPerturbation
from skrobust.perturbations.images.warp import pixel_grid, warp
from skrobust.perturbations.strength import Strength


@functools.lru_cache(maxsize=1)
def _tilted(degrees, height, width):
    """Return the rows and columns that the pixels of a tilted image come from."""
    angle = np.deg2rad(degrees)
    sin, cos = np.sin(angle), np.cos(angle)
    turn_y = np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
    turn_x = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
    diagonal = np.hypot(height, width)
    # From the plane of the picture to places on the screen, and back.
    forth = np.diag([diagonal, diagonal, 1]) @ (
        (turn_x @ turn_y) * [1, 1, 0] + [[0, 0, 0], [0, 0, 0], [0, 0, diagonal]]
    )
    back = np.linalg.inv(forth)
    y, x = pixel_grid(height, width)
    columns, rows, depth = np.einsum("ij,jhw->ihw", back, [x, y, np.ones_like(x)])
    rows = (rows / depth + (height - 1) / 2).round(9)
    columns = (columns / depth + (width - 1) / 2).round(9)
    return rows, columns


class Tilt(FillingPerturbation):
    r"""Tilt of images in space, as of a picture that hangs askew before the camera.

    The image, at the distance of its diagonal from the camera, is turned by the angle
    about its vertical axis and then about its horizontal axis, and projected back, with
    bilinear interpolation: pixel (x, y), seen from the centre of the image of diagonal
    f, comes to

    .. math:: \frac{f}{f + Z} (X, Y), \quad
        (X, Y, Z)^\top = R_x(\alpha) R_y(\alpha) (x, y, 0)^\top

    This is the tilt of ImageNet-P [1]_, whose frames go from -15 to 15 degrees. Its
    code puts the picture one pixel further away and its centre half a pixel off; that
    an angle of 0 changes nothing is our choice.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        3, 6, 9, 12 and 15 degrees at severities 1 to 5 (our choice), linear between; 0
        changes nothing. 1 where ``angle`` is not given either.
    angle : float in [-60, 60], default=None
        Degrees, in place of ``severity``; positive moves the right and the lower side
        away from the camera.
    fill : float in [0, 1], default=0
        Value of what comes in, as a share of the data range; 0 is black.
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
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking neural network robustness to
       common corruptions and perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Tilt
    >>> tilted = Tilt(angle=30).perturb(None, np.ones((1, 41, 41)))[0]
    >>> sides = tilted[:, [0, -1]].mean(axis=0), tilted[[0, -1]].mean(axis=1)
    >>> bool(sides[0][0] > sides[0][1]), bool(sides[1][0] > sides[1][1])
    (True, True)
    """

    _strengths = {"angle": Strength((3, 6, 9, 12, 15), low=-60, high=60)}
    _noise = "fixed"
    _strong_params = {"angle": 15}
    _grows_with_severity = False

    def _perturb_tensor(self, images, rng):
        places = _tilted(self._strength(), *images.shape[2:])
        return warp_tensor(images, *places, self.fill)

    def _perturb_images(self, images, rng):
        rows, columns = _tilted(self._strength(), *images.shape[1:3])
        return warp(images, rows[None], columns[None], fill=self.fill)
