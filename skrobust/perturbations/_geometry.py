"""Perturbations that move pixels: rotation."""

import numpy as np
from scipy.sparse import csr_array

from skrobust._validation import check_choice, check_number
from skrobust.perturbations._images import ImagePerturbation
from skrobust.perturbations._severity import strength


def bilinear_operator(rows, columns, height, width):
    """Return the sparse matrix that samples an image bilinearly at given places.

    Parameters
    ----------
    rows, columns : ndarray of shape (m,)
        Places in pixels, (0, 0) being the centre of the first pixel.
    height, width : int
        Of the image.

    Returns
    -------
    operator : csr_array of shape (m, height * width)
        Weights; what lies outside of the image has none, so a row that sums to less
        than 1 is partly fill.
    """
    top, left = np.floor(rows), np.floor(columns)
    target, source, weight = [], [], []
    place = np.arange(rows.size)
    for down in (0, 1):
        for right in (0, 1):
            r, c = top + down, left + right
            w = (1 - np.abs(rows - r)) * (1 - np.abs(columns - c))
            inside = (r >= 0) & (r < height) & (c >= 0) & (c < width) & (w > 0)
            target.append(place[inside])
            source.append((r * width + c)[inside].astype(np.int64))
            weight.append(w[inside])
    index = (np.concatenate(target), np.concatenate(source))
    return csr_array((np.concatenate(weight), index), shape=(rows.size, height * width))


class Rotation(ImagePerturbation):
    """Rotate images about their centre, with bilinear interpolation.

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
    canvas : {"keep", "fit"}, default="keep"
        Keep the scale and cut off what leaves the canvas, or fit the whole rotated
        picture into it (it then shrinks by abs(cos) + abs(sin)). Done in one
        resampling.
    fill : float in [0, 1], default=0
        Value of the corners, as a share of the data range; 0 is black.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Where the channels are, if the shape leaves it open.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : None
        Rotation draws nothing; the parameter is there so that all are seeded alike.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Rotation
    >>> image = np.array([[[0.0, 1.0], [0.0, 0.0]]])
    >>> Rotation(angle=90).perturb(None, image).round(6)
    array([[[1., 0.],
            [0., 0.]]])
    """

    _physical = ("angle",)

    def __init__(
        self,
        angle=None,
        *,
        severity=None,
        clockwise=False,
        canvas="keep",
        fill=0.0,
        image_shape=None,
        channel_axis=None,
        data_range="auto",
        random_state=None,
    ):
        self.angle = angle
        self.severity = severity
        self.clockwise = clockwise
        self.canvas = canvas
        self.fill = fill
        self.image_shape = image_shape
        self.channel_axis = channel_axis
        self.data_range = data_range
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        if self.angle is not None:
            check_number(self.angle, "angle", "Rotation")
        check_choice(self.canvas, "canvas", "Rotation", ("keep", "fit"))
        check_number(self.fill, "fill", "Rotation", low=0, high=1)

    def _is_identity(self):
        return self._degrees() % 360 == 0

    def _degrees(self):
        severity = self._severity()
        if severity is None:
            return self.angle
        return strength(severity, (5, 10, 15, 30, 60))

    def _perturb_images(self, images, rng):
        n, height, width, channels = images.shape
        turn = np.deg2rad(self._degrees())
        if self.clockwise:
            turn = -turn
        cos, sin = np.cos(turn), np.sin(turn)
        # Rows grow downwards, so a counter-clockwise turn maps a place of the result
        # to the place in the picture that this clockwise formula gives.
        y, x = np.mgrid[:height, :width].astype(np.float64)
        y -= (height - 1) / 2
        x -= (width - 1) / 2
        if self.canvas == "fit":
            # The bounding box of the turned picture, squeezed back into the canvas.
            y *= (abs(sin) * width + abs(cos) * height) / height
            x *= (abs(cos) * width + abs(sin) * height) / width
        rows = (cos * y + sin * x + (height - 1) / 2).round(9)
        columns = (cos * x - sin * y + (width - 1) / 2).round(9)
        operator = bilinear_operator(rows.ravel(), columns.ravel(), height, width)
        pixels = images.reshape(n, height * width, channels)
        pixels = np.moveaxis(pixels, 1, 0).reshape(height * width, n * channels)
        outside = 1.0 - np.asarray(operator.sum(axis=1)).ravel()
        turned = operator @ pixels + (self.fill * outside)[:, None]
        turned = turned.reshape(height, width, n, channels)
        return np.moveaxis(turned, 2, 0).astype(images.dtype, copy=False)
