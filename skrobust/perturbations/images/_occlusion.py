"""Occlusion of images by a rectangle."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.shape_kernels import cover_rectangles
from skrobust.perturbations.images.byte_pixels import layers_of
from skrobust.perturbations.images.filling_perturbation import FillingPerturbation
from skrobust.perturbations.strength import Strength


class Occlusion(FillingPerturbation):
    """Occlusion by a rectangle of the proportions of the image.

    Its place is drawn for each image, so that it lies inside and that a larger area
    covers all that a smaller one covers. Pixels on its edges are covered in part: the
    covered area is exact, and continuous in the severity.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        2, 5, 10, 20 or 30 % of the area at severities 1 to 5; levels are our choice.
        0 changes nothing. 1 where ``area`` is not given either.
    area : float in [0, 1], default=None
        Share of the area, in place of ``severity``.
    fill : float in [0, 1], default=0
        Value of the rectangle, as a share of the data range; 0 is black.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same draws for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Occlusion
    >>> covered = Occlusion(area=0.25, random_state=0).perturb(None, np.ones((1, 8, 8)))
    >>> round(float(covered.mean()), 6)
    0.75
    """

    _strengths = {"area": Strength((0.02, 0.05, 0.1, 0.2, 0.3), high=1.0)}
    _strong_params = {"area": 0.2}
    _in_place = True

    def _rectangles(self, images, rng):
        """Return rows and columns of the corners, of shape (n, 2), and the sides."""
        image_sides = np.array(images.shape[1:3])
        sides = np.sqrt(self._strength(images)) * image_sides
        return rng.random((len(images), 2)) * (image_sides - sides), sides

    def _covers(self, images, rng):
        """Return how far the rows and columns are covered, of shape (n, side)."""
        starts, sides = self._rectangles(images, rng)
        covers = []
        for axis in (0, 1):
            start, pixel = starts[:, axis, None], np.arange(images.shape[1 + axis])
            end = np.minimum(pixel + 1, start + sides[axis])
            covers.append(np.clip(end - np.maximum(pixel, start), 0, 1))
        return covers

    def _perturb_tensor(self, images, rng):
        covers = self._covers(images.movedim(1, -1), rng)
        rows, columns = (images.new_tensor(cover) for cover in covers)
        cover = rows[:, None, :, None] * columns[:, None, None]
        return images + (self.fill - images) * cover

    def _perturb_images(self, images, rng):
        rows, columns = self._covers(images, rng)
        cover = (rows[:, :, None] * columns[:, None])[..., None].astype(images.dtype)
        return images + (self.fill - images) * cover

    def _perturb_bytes(self, images, rng):
        kernel, layers = compiled(cover_rectangles, images.size), layers_of(images)
        if kernel is None or layers is None:
            return None
        fill, width = np.float32(self.fill), images.shape[2]
        kernel(*self._rectangles(images, rng), fill, width, layers)
        return images
