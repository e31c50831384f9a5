"""Rotation of images."""

import functools

import numpy as np
from scipy.sparse import csr_array

from skrobust._compiled.compiled import compiled
from skrobust._compiled.warp_kernels import sample_four, sample_four_rgb
from skrobust._parameters import Choice, Flag
from skrobust.perturbations.images.device_filters import sample_tensor
from skrobust.perturbations.images.filling_perturbation import (
    FillingPerturbation,
    drawn_signs,
)
from skrobust.perturbations.images.warp import bilinear_operator
from skrobust.perturbations.strength import Strength


@functools.lru_cache(maxsize=8)
def _turn(degrees, fit, height, width, dtype):
    """Return the operator of a rotation and the share of fill of each pixel."""
    turn = np.deg2rad(degrees)
    cos, sin = np.cos(turn), np.sin(turn)
    # Rows grow downwards, so a counter-clockwise turn maps a place of the result
    # to the place in the picture that this clockwise formula gives.
    y, x = np.mgrid[:height, :width].astype(np.float64)
    y -= (height - 1) / 2
    x -= (width - 1) / 2
    if fit:
        # The bounding box of the turned picture, squeezed back into the canvas.
        y *= (abs(sin) * width + abs(cos) * height) / height
        x *= (abs(cos) * width + abs(sin) * height) / width
    rows = (cos * y + sin * x + (height - 1) / 2).round(9)
    columns = (cos * x - sin * y + (width - 1) / 2).round(9)
    operator, outside = bilinear_operator(rows.ravel(), columns.ravel(), height, width)
    return operator.astype(dtype), outside.astype(dtype)


@functools.cache
def _sums_are_plain():
    """Return whether a sparse product rounds each product before it adds it.

    On some machines it is compiled to fused operations, which no kernel repeats.
    """
    third = np.float32(1 / 3)
    operator = csr_array(np.array([[1, third]], dtype=np.float32))
    column = np.array([[-third * third], [third]], dtype=np.float32)
    return not (operator @ column).any()


@functools.lru_cache(maxsize=2)
def _four_taps(degrees, fit, height, width, dtype, channels):
    """Return the operator as places in flat images, and weights, four a pixel."""
    operator, outside = _turn(degrees, fit, height, width, dtype)
    taps = np.diff(operator.indptr)
    row = np.repeat(np.arange(len(taps)), taps)
    at = np.arange(len(row)) - np.repeat(operator.indptr[:-1], taps)
    places = np.zeros((len(taps), 4), dtype=np.int32)
    weights = np.zeros((len(taps), 4), dtype=dtype)
    places[row, at] = channels * operator.indices
    weights[row, at] = operator.data
    return places, weights, outside


class Rotation(FillingPerturbation):
    """Rotation of images about their centre, with bilinear interpolation.

    Parameters
    ----------
    angle : float, default=None
        Degrees; positive is counter-clockwise, as everywhere in Python.
    severity : float in [0, 5], default=None
        In place of ``angle``: 5, 10, 15, 30 and 60 degrees at severities 1 to 5. With
        neither, severity 1 holds.
    clockwise : bool, default=False
        Whether positive angles turn clockwise (as in the two-factor conditions of the
        Accuracy-Stability Index).
    both_ways : bool, default=False
        Whether a drawn half of the images turns the other way.
    canvas : {"keep", "fit"}, default="keep"
        Keep the scale and cut off what leaves the canvas, or fit the whole rotated
        picture into it (it then shrinks by abs(cos) + abs(sin)). Done in one
        resampling.
    fill : float in [0, 1], default=0
        Value of the corners, as a share of the data range; 0 is black.
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
    >>> from skrobust.perturbations import Rotation
    >>> image = np.array([[[0.0, 1.0], [0.0, 0.0]]])
    >>> Rotation(angle=90).perturb(None, image).round(6)
    array([[[1., 0.],
            [0., 0.]]])
    """

    _strengths = {"angle": Strength((5, 10, 15, 30, 60), low=None)}
    _parameter_rules = {
        "both_ways": Flag(),
        "clockwise": Flag(),
        "canvas": Choice("keep", "fit"),
    }
    _noise = "fixed"
    _strong_params = {"angle": 40}
    _grows_with_severity = False
    _test_params = ({"angle": 30},)

    def __init__(
        self,
        angle=None,
        *,
        severity=None,
        clockwise=False,
        both_ways=False,
        canvas="keep",
        **shared,
    ):
        super().__init__(severity, **shared)
        self.angle = angle
        self.clockwise = clockwise
        self.both_ways = both_ways
        self.canvas = canvas

    def _is_identity(self):
        return self._strength() % 360 == 0

    def _batch_rows(self, size):
        # Eight large images at a time share each look at the operator; the columns of
        # more small ones would leave the cache.
        return max(1, min(8, (1 << 21) // size), (1 << 18) // size)

    def _turn_of(self, height, width, dtype):
        degrees = -self._strength() if self.clockwise else self._strength()
        return degrees, self.canvas == "fit", height, width, np.dtype(dtype)

    def _turned(self, images, dtype, fill):
        """Turn images in units in which the corners have the value ``fill``."""
        n, height, width, channels = images.shape
        turn = self._turn_of(height, width, dtype)
        rounded = images.dtype == np.uint8
        colours = rounded and channels == 3
        kernel = compiled(sample_four_rgb if colours else sample_four, images.size)
        if kernel is not None and _sums_are_plain():
            places, weights, outside = _four_taps(*turn, 1 if colours else channels)
            flat = np.ascontiguousarray(images).reshape(n, -1)
            out = np.empty_like(flat)
            how = (places, weights, dtype.type(fill) * outside)
            if colours:
                kernel(flat, width, *how, out)
            else:
                kernel(flat, width, channels, *how, rounded, out)
            return out.reshape(images.shape)
        operator, outside = _turn(*turn)
        # The images side by side as columns, so that the operator reads them in rows.
        pixels = np.ascontiguousarray(images.reshape(n, -1).T).astype(dtype, copy=False)
        turned = operator @ pixels.reshape(height * width, channels * n)
        if fill:
            turned += dtype.type(fill) * outside[:, None]
        if rounded:
            # A mean of bytes is within their range, but for the last digit.
            np.rint(turned, out=turned)
        turned = turned.astype(images.dtype, copy=False).reshape(-1, n)
        return np.ascontiguousarray(turned.T).reshape(images.shape)

    def _perturb_tensor(self, images, rng):
        turn = _turn(*self._turn_of(*images.shape[2:], np.float64))
        if not self.both_ways:
            return sample_tensor(images, *turn, self.fill)
        signs = images.new_tensor(drawn_signs(len(images), rng)).reshape(-1, 1, 1, 1)
        turned = images.flip(3).where(signs < 0, images)
        turned = sample_tensor(turned, *turn, self.fill)
        return turned.flip(3).where(signs < 0, turned)

    def _perturb_images(self, images, rng):
        return self._either_way(images, rng, images.dtype, self.fill)

    def _perturb_bytes(self, images, rng):
        return self._either_way(images, rng, np.dtype(np.float32), self.fill * 255)

    def _either_way(self, images, rng, dtype, fill):
        """Turn images, some of them the other way: mirrored before and after."""
        if not self.both_ways:
            return self._turned(images, dtype, fill)
        other = drawn_signs(len(images), rng)[:, None, None, None] < 0
        turned = np.where(other, images[:, :, ::-1], images)
        turned = self._turned(turned, dtype, fill)
        return np.where(other, turned[:, :, ::-1], turned)
