"""Base class of image perturbations of single pixel values."""

from abc import abstractmethod

import numpy as np

from skrobust.perturbations.images.byte_pixels import (
    as_units,
    through_table,
    through_tables,
)
from skrobust.perturbations.images.image_perturbation import ImagePerturbation


class PointPerturbation(ImagePerturbation):
    """Base class of image perturbations of single pixel values.

    A subclass writes ``_point(values, known)``, which turns old pixel values, as shares
    of the data range, into new ones; results outside [0, 1] are clipped. Where
    statistics of each image are needed, such as its mean, the subclass also writes
    ``_image_statistics(images)``: it gets images of shape (n, height, width, channels)
    and returns an array of shape (n, 1, 1, channels) or (n, 1, 1, 1), or a tuple with
    such arrays in it, which arrives as ``known``; without it ``known`` is None.
    ``values`` may have any shape that fits ``known``.

    8-bit images then go through tables of the 256 levels; the results are those of the
    plain formula to the last bit.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength, for a subclass with ``_strengths``; 0 changes nothing.
    image_shape : tuple of int, default=None
        (height, width), with channels first or last, for flat rows.
    channel_axis : {1, -1}, default=None
        Axis of the channels, if the shape is ambiguous.
    data_range : "auto" or (low, high), default="auto"
        Range of the raw pixels; see :class:`ImagePerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import PointPerturbation
    >>> class Flatten(PointPerturbation):
    ...     def __init__(self, share=0.5, *, image_shape=None, channel_axis=None,
    ...                  data_range="auto", random_state=None):
    ...         self.share, self.image_shape = share, image_shape
    ...         self.channel_axis, self.data_range = channel_axis, data_range
    ...         self.random_state = random_state
    ...     def _image_statistics(self, images):
    ...         return images.mean(axis=(1, 2), keepdims=True)
    ...     def _point(self, values, known):
    ...         return known + (1 - self.share) * (values - known)
    >>> image = np.array([[[0, 100], [50, 250]]], dtype=np.uint8)
    >>> Flatten().perturb(None, image).tolist()
    [[[50, 100], [75, 175]]]
    """

    _image_statistics = None
    _in_place = True

    @abstractmethod
    def _point(self, values, known):
        """Return new values of pixels."""

    def _perturb_images(self, images, rng):
        return self._point(
            images,
            None if self._image_statistics is None else self._image_statistics(images),
        )

    def _tables(self, known):
        """Return new bytes for old ones, of shape (n or 1, 256, 1, channels or 1)."""
        levels = (np.arange(256, dtype=np.float32) / 255).reshape(1, 256, 1, 1)
        tables = np.asarray(self._point(levels, known)) * 255
        return np.clip(np.rint(tables), 0, 255).astype(np.uint8)

    def _table_of_bytes(self):
        own_way = type(self)._perturb_bytes is not PointPerturbation._perturb_bytes
        if own_way or self._image_statistics is not None:
            return None
        return self._tables(None).ravel()

    def _perturb_bytes(self, images, rng):
        known = None
        if self._image_statistics is not None:
            known = self._byte_statistics(images)
        tables = self._tables(known)
        if tables.size == 256:
            return through_table(images, tables.ravel(), out=images)
        shape = (len(images), 256, 1, images.shape[3])
        tables = np.broadcast_to(tables, shape)
        through_tables(images, np.moveaxis(tables[:, :, 0], 1, -1))
        return images

    def _byte_statistics(self, images):
        return self._image_statistics(as_units(images))
