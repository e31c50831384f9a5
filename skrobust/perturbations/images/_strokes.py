"""Stripes, dotted lines and zigzags of MNIST-C."""

from abc import abstractmethod

import numpy as np

from skrobust._compiled.compiled import compiled
from skrobust._compiled.shape_kernels import add_white, invert_columns
from skrobust.perturbations.images.byte_pixels import as_bytes, as_units, layers_of
from skrobust.perturbations.images.device_filters import index_tensor
from skrobust.perturbations.images.image_perturbation import ImagePerturbation
from skrobust.perturbations.images.published_perturbation import (
    PublishedPerturbation,
)
from skrobust.perturbations.strength import Strength, image_side

# MNIST-C is drawn in pixels of images of 28 x 28.
_SIDE = 28


class Stripe(ImagePerturbation):
    """Inverted stripes at the left and right edge of images.

    MNIST-C [1]_ has one strength: a quarter of the width on either side, which is
    severity 5 here. The lower severities are our own. A column that lies partly in a
    stripe is inverted in part.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        5, 10, 15, 20 or 25 % of the width on either side at severities 1 to 5; 0
        changes nothing. 1 where ``width`` is not given either.
    width : float in [0, .5], default=None
        Width of each stripe as a share of that of the image, in place of ``severity``.
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
    >>> from skrobust.perturbations import Stripe
    >>> Stripe(width=0.25).perturb(None, np.zeros((1, 1, 4))).tolist()
    [[[1.0, 0.0, 0.0, 1.0]]]
    """

    _strengths = {"width": Strength((0.05, 0.1, 0.15, 0.2, 0.25), high=0.5)}
    _noise = "fixed"
    _strong_params = {"width": 0.5}
    _in_place = True

    def _share(self, images):
        width = images.shape[2]
        left = np.clip(self._strength(images) * width - np.arange(width), 0, 1)
        return left + left[::-1]

    def _perturb_tensor(self, images, rng):
        share = images.new_tensor(self._share(images.movedim(1, -1)))
        return images + (1 - 2 * images) * share

    def _perturb_images(self, images, rng):
        share = self._share(images).astype(images.dtype)[:, None]
        return images + (1 - 2 * images) * share

    def _perturb_bytes(self, images, rng):
        share = self._share(images).astype(np.float32)
        kernel, layers = compiled(invert_columns, images.size), layers_of(images)
        if kernel is not None and layers is not None:
            first = np.flatnonzero(np.diff(share, prepend=np.nan))
            kernel(np.append(first, len(share)), share[first], len(share), layers)
            return images
        share = share[:, None]
        whole = np.count_nonzero(share[: -(-len(share) // 2)] == 1)
        right = max(len(share) - whole, whole)  # the middle column is one of the left
        for inverted in (images[:, :, :whole], images[:, :, right:]):
            np.subtract(255, inverted, out=inverted)
        for k in np.flatnonzero((share > 0) & (share < 1)):
            unit = as_units(images[:, :, k])
            images[:, :, k] = as_bytes(unit + (1 - 2 * unit) * share[k])
        return images


class _Stroke(PublishedPerturbation):
    """Base class of white strokes along row = curve(column).

    Their brightness falls like log(1 - d / reach) + 1 with the vertical distance d, as
    in MNIST-C.
    """

    _strengths = {"opacity": Strength((0.2, 0.4, 0.6, 0.8, 1.0), high=1.0)}
    _strong_params = {"opacity": 1.0}
    _in_place = True

    @abstractmethod
    def _curve(self, n, height, width, side, rng):
        """Return the row at each column, of shape (n, width), and which are hidden."""

    def _stroke(self, images, rng):
        """Return what is drawn around each column: rows, columns and added white.

        Rows and white have shape (n, number of columns, pixels); rows may lie outside.
        """
        n, height, width, _ = images.shape
        side = image_side((height, width))
        curve, hidden = self._curve(n, height, width, side, rng)
        reach = max(2.3 * side / _SIDE, 1.0)
        columns = np.flatnonzero(~hidden)
        curve = curve[:, columns, None]
        # The brightness is 0 from a distance of (1 - 1 / e) reach on.
        rim = int(np.ceil(0.6322 * reach + 0.5))
        around = np.arange(-rim, rim + 1)
        rows = np.rint(curve).astype(np.int64) + around
        share = rows - curve
        np.abs(share, out=share)
        share /= reach
        np.subtract(1, share, out=share)
        fading = np.log(np.maximum(share, 1e-9, out=share), out=share)
        fading += 1
        white = np.clip(fading, 0, 1, out=fading)
        white *= self._strength(images)
        return rows, columns, white

    def _pixels(self, images, rng):
        """Return the pixels that the stroke reaches, and how much white they get."""
        rows, columns, white = self._stroke(images, rng)
        drawn = (white > 0) & (rows >= 0) & (rows < images.shape[1])
        image, column, k = np.nonzero(drawn)
        place = (image, rows[image, column, k], columns[column])
        return place, white[image, column, k][:, None]

    def _perturb_tensor(self, images, rng):
        place, white = self._pixels(images.movedim(1, -1), rng)
        image, row, column = (index_tensor(images, places) for places in place)
        out = images.clone()
        out[image, :, row, column] += images.new_tensor(white)
        return out

    def _perturb_images(self, images, rng):
        place, white = self._pixels(images, rng)
        out = images.copy()
        out[place] += white.astype(images.dtype)
        return out

    def _perturb_bytes(self, images, rng):
        kernel, layers = compiled(add_white, images.size), layers_of(images)
        if kernel is not None and layers is not None:
            kernel(*self._stroke(images, rng), images.shape[2], layers)
            return images
        place, white = self._pixels(images, rng)
        images[place] = as_bytes(as_units(images[place]) + white.astype(np.float32))
        return images


def _faded(curve, height, side):
    """Return white that fades with the distance from the row of each column."""
    reach = max(2.3 * side / _SIDE, 1.0)
    distance = np.abs(np.arange(height)[None, :, None] - curve[:, None, :])
    return np.clip(np.log(np.maximum(1 - distance / reach, 1e-9)) + 1, 0, 1)


def _drawn_row(drawn, side):
    """Return a row as MNIST-C draws it: a whole number from 0 to 26, of 28."""
    return np.floor((_SIDE - 1) * drawn) * (side / _SIDE)


class DottedLine(_Stroke):
    """White dotted line across images.

    It goes from a drawn row at the left edge to a drawn row at the right edge, with
    dots and gaps of a fourteenth of the side each (two pixels in MNIST-C [1]_).
    MNIST-C has one strength: full white, which is severity 5 here. The lower
    severities are our own. With ``published=True`` the rows are whole numbers and the
    last column stays free, as there.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Opacity of .2, .4, .6, .8 or 1 at severities 1 to 5; 0 changes nothing. 1 where
        ``opacity`` is not given either.
    opacity : float in [0, 1], default=None
        Share of white that is added, in place of ``severity``.
    published : bool, default=False
        Whether to draw as the published code does. The preset sets it.
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
    .. [1] N. Mu and J. Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision",
       arXiv 1906.02337, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import DottedLine
    >>> dotted = DottedLine(5, random_state=0).perturb(None, np.zeros((1, 28, 28)))
    >>> bool((dotted.max(axis=1) == 0).any() and dotted.max() > 0.5)
    True
    """

    def _curve(self, n, height, width, side, rng):
        ends = rng.random((n, 2))
        ends = _drawn_row(ends, side) if self.published else ends * (height - 1)
        along = np.linspace(0, 1, width)
        dot = max(2 * side / _SIDE, 1.0)
        hidden = np.floor(np.arange(width) / dot) % 2 == 0
        if self.published:
            hidden[-1] = True
        return ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * along, hidden


class Zigzag(_Stroke):
    """White zigzag line across images.

    It starts at a drawn row, ends at most 5/28 of the side higher or lower, and has
    teeth of 2/28 of the side in height and 4/28 in width. MNIST-C [1]_ has one
    strength: full white, which is severity 5 here. The lower severities are our own.
    A slanted zigzag is sheared by default. MNIST-C turns it, and its pieces overlap
    in a column, which is whiter: ``published=True``.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Opacity of .2, .4, .6, .8 or 1 at severities 1 to 5; 0 changes nothing. 1 where
        ``opacity`` is not given either.
    opacity : float in [0, 1], default=None
        Share of white that is added, in place of ``severity``.
    published : bool, default=False
        Whether to draw as the published code does. The preset sets it.
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
    .. [1] N. Mu and J. Gilmer, "MNIST-C: A Robustness Benchmark for Computer Vision",
       arXiv 1906.02337, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Zigzag
    >>> drawn = Zigzag(5, random_state=0).perturb(None, np.zeros((1, 28, 28)))
    >>> bool(drawn.max() > 0.5 and (drawn[0, :, 0] == 0).all())
    True
    """

    def _curve(self, n, height, width, side, rng):
        start, climb = rng.random((n, 2)).T[..., None]
        tooth = max(2 * side / _SIDE, 1.0)
        # From column 2 to column 25 of 28.
        first, last = 2 / 27 * (width - 1), 25 / 27 * (width - 1)
        column = np.arange(width) - first
        phase = column / tooth % 4
        teeth = np.where(phase < 1, phase, np.where(phase < 3, 2 - phase, phase - 4))
        slope = (2 * climb - 1) * 5 * side / _SIDE / max(last - first, 1.0)
        curve = start * (height - 1) + slope * column + tooth * teeth
        return curve, (column < 0) | (np.arange(width) > last)

    def _stroke(self, images, rng):
        if not self.published:
            return super()._stroke(images, rng)
        n, height, width, _ = images.shape
        white = self._turned(n, height, width, rng) * self._strength(images)
        rows = np.broadcast_to(np.arange(height), (n, width, height))
        return rows, np.arange(width), white.transpose(0, 2, 1)

    def _turned(self, n, height, width, rng):
        """Return strokes in [0, 1], turned as in MNIST-C, (n, height, width)."""
        side, drawn = image_side((height, width)), rng.random((n, 2))
        climb = np.floor(10 * drawn[:, 1]) - 5
        turn = np.arctan(climb / 23)  # from column 2 to column 25 of 28
        length = 23 / np.cos(turn)
        # The corners of a straight zigzag, the last one cut off at its length.
        along = np.tile([0.0, 2, 6, 10, 14, 18, 22, 0], (n, 1))
        across = np.tile([0.0, 2, -2, 2, -2, 2, -2, 0], (n, 1))
        along[:, -1], across[:, -1] = length, -1 / (length - 20)
        cos, sin, unit = np.cos(turn)[:, None], np.sin(turn)[:, None], side / _SIDE
        columns = (cos * along - sin * across + 2) * unit
        rows = (sin * along + cos * across) * unit
        rows += _drawn_row(drawn[:, :1], side)
        stroke, column = np.zeros((n, height, width)), np.arange(width)
        for k in range(columns.shape[1] - 1):
            left, right = columns[:, k : k + 1], columns[:, k + 1 : k + 2]
            slope = (rows[:, k + 1 : k + 2] - rows[:, k : k + 1]) / (right - left)
            piece = _faded(rows[:, k : k + 1] + slope * (column - left), height, side)
            within = (column >= np.floor(left)) & (column < np.ceil(right))
            stroke += piece * within[:, None]
        return np.minimum(stroke, 1)
