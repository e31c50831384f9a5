"""Translation, scaling and shear of images."""

import functools

import numpy as np

from skrobust._parameters import Flag, NamedOr, Number
from skrobust.perturbations.images.device_filters import (
    shift_tensor,
    warp_tensor,
    zoom_tensor,
)
from skrobust.perturbations.images.filling_perturbation import (
    FillingPerturbation,
    drawn_signs,
)
from skrobust.perturbations.images.separable_filter import zoom_images, zoom_pairs
from skrobust.perturbations.images.warp import (
    pixel_grid,
    shift,
    shift_parts,
    warp,
)
from skrobust.perturbations.strength import Strength, image_side


class Translation(FillingPerturbation):
    """Translation of images, with bilinear interpolation.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        A distance of 2, 5, 10, 15 or 20 % of the side at severities 1 to 5; levels
        are our choice. 0 changes nothing. 1 where ``distance`` is not given either.
    distance : float, default=None
        How far, as a share of the side (geometric mean of height and width), in place
        of ``severity``.
    direction : float or "diagonal", default=None
        Degrees, counter-clockwise: 0 moves the picture to the right, 90 upwards. None
        draws it for each image, "diagonal" draws one of 45, 135, 225 and 315.
    fill : float in [0, 1], default=0
        Value of what comes in, as a share of the data range; 0 is black.
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
    >>> from skrobust.perturbations import Translation
    >>> image = np.array([[[1.0, 0.0, 0.0, 0.0]] * 4])
    >>> Translation(distance=0.5, direction=0).perturb(None, image)[0, 0].tolist()
    [0.0, 0.0, 1.0, 0.0]
    """

    _strengths = {"distance": Strength((0.02, 0.05, 0.1, 0.15, 0.2))}
    _parameter_rules = {"direction": NamedOr(("diagonal",), Number(optional=True))}
    _strong_params = {"distance": 0.3}

    def __init__(self, severity=None, *, distance=None, direction=None, **shared):
        super().__init__(severity, **shared)
        self.distance = distance
        self.direction = direction

    def _lengths(self, images, rng):
        """Return how far each image goes down and to the right, in pixels."""
        distance = self._strength(images) * image_side(images.shape[1:3])
        if self.direction is None:
            turn = rng.uniform(0, 2 * np.pi, size=len(images))
        elif self.direction == "diagonal":
            turn = (np.floor(4 * rng.random(size=len(images))) + 0.5) * (np.pi / 2)
        else:
            turn = np.full(len(images), np.deg2rad(float(self.direction)))
        up = (distance * np.sin(turn)).round(9)
        right = (distance * np.cos(turn)).round(9)
        return -up, right

    def _perturb_tensor(self, images, rng):
        lengths = self._lengths(images.movedim(1, -1), rng)
        parts = shift_parts(*lengths, *images.shape[2:])
        return shift_tensor(images, *parts, self.fill)

    def _perturb_images(self, images, rng):
        return shift(images, *self._lengths(images, rng), self.fill)


class Scaling(FillingPerturbation):
    """Scaling of images about their true centre, with bilinear interpolation.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        A factor of 1.05, 1.1, 1.2, 1.35 or 1.5 at severities 1 to 5; levels are our
        choice. 0 changes nothing. 1 where ``factor`` is not given either.
    factor : float, default=None
        The factor itself, in place of ``severity``; below 1 the picture shrinks.
    fill : float in [0, 1], default=0
        Value of what comes in where it shrinks, as a share of the data range.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Unused, as nothing is drawn; present for a common interface.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Scaling
    >>> image = np.array([[[0.0, 0.5, 1.0]]])
    >>> Scaling(factor=2).perturb(None, image).tolist()
    [[[0.25, 0.5, 0.75]]]
    """

    _strengths = {
        "factor": Strength((1.05, 1.1, 1.2, 1.35, 1.5), zero=1.0, low_open=True)
    }
    _noise = "fixed"
    _strong_params = {"factor": 1.5}

    def _perturb_tensor(self, images, rng):
        pairs = [
            zoom_pairs(side, self._strength(), "float64") for side in images.shape[2:]
        ]
        return zoom_tensor(images - self.fill, pairs) + self.fill

    def _perturb_images(self, images, rng):
        # Zooming what lies above the fill needs no rule for the rim.
        return zoom_images(images - self.fill, self._strength(images)) + self.fill


@functools.lru_cache(maxsize=2)
def _sheared(shear, height, width, stretch):
    """Return the rows and columns that the pixels of a sheared image come from."""
    rows, columns = pixel_grid(height, width)
    rows = rows / stretch
    # Rows count downwards: a row above the centre has a negative number.
    columns = (columns + shear * rows + (width - 1) / 2).round(9)
    return (rows + (height - 1) / 2).round(9), columns


class Shear(FillingPerturbation):
    """Horizontal shear of images about their centre.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        A shear of .05, .1, .2, .3 or .4 at severities 1 to 5; levels are our choice.
        0 changes nothing. 1 where ``shear`` is not given either.
    shear : float, default=None
        Pixels to the right per pixel upwards, in place of ``severity``: positive
        slants like italics, negative the other way.
    stretch : float in [1e-6, 1e6], default=1
        Upright magnification, as part of the shear.
    both_ways : bool, default=False
        Whether a drawn half of the images is sheared the other way.
    fill : float in [0, 1], default=0
        Value of what comes in, as a share of the data range; 0 is black.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same draws for the same rows, with ``both_ways``.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Shear
    >>> image = np.array([[[0.0, 1.0, 0.0]] * 3])
    >>> Shear(shear=1).perturb(None, image)
    array([[[0., 0., 1.],
            [0., 1., 0.],
            [1., 0., 0.]]])
    """

    _strengths = {"shear": Strength((0.05, 0.1, 0.2, 0.3, 0.4), low=None)}
    _parameter_rules = {
        "stretch": Number(low=1e-6, high=1e6),
        "both_ways": Flag(),
    }
    _noise = "fixed"
    _strong_params = {"shear": 0.4}

    def __init__(
        self, severity=None, *, shear=None, stretch=1.0, both_ways=False, **shared
    ):
        super().__init__(severity, **shared)
        self.shear = shear
        self.stretch = stretch
        self.both_ways = both_ways

    def _perturb_tensor(self, images, rng):
        ways = []
        for shear in (self._strength(), -self._strength()):
            rows, columns = _sheared(shear, *images.shape[2:], self.stretch)
            ways.append(warp_tensor(images, rows, columns, self.fill))
            if not self.both_ways:
                return ways[0]
        signs = images.new_tensor(drawn_signs(len(images), rng)).reshape(-1, 1, 1, 1)
        return ways[0].where(signs > 0, ways[1])

    def _perturb_images(self, images, rng):
        shear, (height, width) = self._strength(images), images.shape[1:3]
        rows, columns = _sheared(shear, height, width, self.stretch)
        if self.both_ways:
            _, other = _sheared(-shear, height, width, self.stretch)
            signs = drawn_signs(len(images), rng)[:, None, None]
            columns = np.where(signs > 0, columns, other)
        else:
            columns = columns[None]
        return warp(images, rows[None], columns, fill=self.fill)
