"""Elastic deformation of images."""

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.place_kernels import bend_places
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.images.separable_filter import gaussian_filter
from skrobust.perturbations.images.warp import pixel_grid, warp
from skrobust.perturbations.strength import Strength, image_side

# The published large table is in units of 244 pixels, for images of 224.
_UNIT = 244 / 224


class ElasticDeformation(PublishedPerturbation):
    """Elastic deformation: a random affine map, then a random smooth field.

    Three corners of a square are moved by uniform numbers, which gives the affine map;
    every pixel is then moved by uniform noise that a Gaussian has smoothed (Simard,
    Steinkraus and Platt, 2003). What lies outside is mirrored. All lengths are shares
    of the side (geometric mean of height and width), so that any size works. The
    published strengths do not grow steadily: severity 2 bends the image far more than
    3.

    By default both are done in one bilinear resampling. The published code [1]_
    resamples twice, which blurs the image once more: ``published=True``. That harms
    more (ResNet-20 on CIFAR pictures at severity 3: accuracy .78 by default, .71 with
    the published code and with ``published=True``).

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength by the tables of CIFAR-10-C and ImageNet-C [1]_, interpolated by the
        side of the image; 0 changes nothing. 1 where no other strength is given.
    alpha : float, default=None
        Size of the noise before it is smoothed, in place of ``severity``.
    sigma : float, default=None
        Standard deviation of the smoothing, in place of ``severity``.
    affine : float, default=None
        How far the corners move at most, in place of ``severity``. Of the three, those
        left out have their values at severity 1.
    published : bool, default=False
        Whether to do what the published code does. The presets set it.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same draws for the same rows.

    References
    ----------
    .. [1] D. Hendrycks and T. Dietterich, "Benchmarking Neural Network Robustness to
       Common Corruptions and Perturbations", ICLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import ElasticDeformation
    >>> images = np.eye(32)[None]
    >>> bent = ElasticDeformation(3, random_state=0).perturb(None, images)
    >>> bent.shape, bool(0 <= bent.min() < bent.max() <= 1)
    ((1, 32, 32), True)
    """

    _strengths = {
        "alpha": Strength(
            (0, 0.05, 0.08, 0.1, 0.1),
            tuple(_UNIT * v for v in (2, 2, 0.05, 0.07, 0.12)),
        ),
        "sigma": Strength(
            (0.2, 0.2, 0.06, 0.04, 0.03),
            tuple(_UNIT * v for v in (0.7, 0.08, 0.01, 0.01, 0.01)),
            zero=0.2,
            high=10.0,
        ),
        "affine": Strength(
            (0.08, 0.07, 0.06, 0.05, 0.03),
            tuple(_UNIT * v for v in (0.1, 0.2, 0.02, 0.02, 0.02)),
        ),
    }
    _strong_params = {"alpha": 3.0, "sigma": 0.5}
    _grows_with_severity = False

    def _perturb_images(self, images, rng):
        at = self._all_strengths(images)
        n, height, width, _ = images.shape
        side = image_side(images.shape[1:3])
        corners = rng.uniform(-1, 1, size=(n, 2, 3)) * at.affine * side
        field = rng.uniform(-1, 1, size=(n, 2, height, width)).astype(np.float64)
        field = gaussian_filter(field, at.sigma * side, "reflect", truncate=3.0)
        if self.published:
            down, right = at.alpha * side * np.moveaxis(field, 1, 0)
            return _resampled_twice(images, corners, down, right)
        return warp(images, *_bent_places(field, at.alpha * side, corners, side / 3))


def _bent_places(field, scale, corners, unit):
    """Return the rows and columns that the field and the affine map lead to."""
    n, _, height, width = field.shape
    # The corners lie at (1, 1), (1, -1) and (-1, -1) in units of a third of the side;
    # this is the affine map that moves them as drawn, seen from the centre.
    first, second, third = np.moveaxis(corners, 2, 0)
    affine = np.stack([first + third, second - third, first - second], axis=2) / 2
    kernel = compiled(bend_places, field.size)
    if kernel is not None:
        rows, columns = np.empty((2, n, height, width))
        kernel(np.ascontiguousarray(field), scale, affine, unit, rows, columns)
        return rows, columns
    down, right = scale * np.moveaxis(field, 1, 0)
    rows, columns = pixel_grid(height, width)
    rows, columns = rows + down, columns + right
    far, aside = rows / unit, columns / unit
    places = []
    for axis, place in enumerate((rows, columns)):
        shift, by_row, by_column = affine[:, axis, :, None, None].swapaxes(0, 1)
        shift = shift + by_row * far + by_column * aside
        places.append(place + shift + (field.shape[2 + axis] - 1) / 2)
    return places


def _resampled_twice(images, corners, down, right):
    """Return images moved by the affine map and then by the field, as published."""
    n, height, width, _ = images.shape
    unit = min(height, width) // 3
    # The picture itself is moved, so each place looks where it came from: the inverse
    # of x + a + B x / unit, about the whole centre.
    first, second, third = np.moveaxis(corners, 2, 0)
    slope = np.stack([second - third, first - second], axis=2) / (2 * max(unit, 1))
    inverse = np.linalg.inv(np.eye(2) + slope)
    place = np.indices((height, width)).reshape(2, -1) - [[height // 2], [width // 2]]
    source = inverse @ (place - ((first + third) / 2)[:, :, None])
    rows, columns = source.reshape(n, 2, height, width).swapaxes(0, 1)
    images = warp(images, rows + height // 2, columns + width // 2)
    rows = _folded(np.arange(height)[:, None] + down, height)
    columns = _folded(np.arange(width) + right, width)
    return warp(images, rows, columns)


def _folded(place, side):
    """Fold places back into the image: ... b a | a b c | c b ..."""
    place = (place + 0.5) % (2 * side)
    return np.clip(np.minimum(place, 2 * side - place) - 0.5, 0, side - 1)
