"""Transformer from tables and images to the input of nets."""

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from skrobust._containers import on_device
from skrobust._parameters import Flag, check_parameters
from skrobust._validation import invalid


class ToNetInput(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Transformer to float32 arrays, as nets need them.

    Nets of torch take float32 and no data frames; this transformer stands before one in
    a Pipeline. It loads no torch, and attacks see through it.

    Parameters
    ----------
    image_shape : tuple of int, default=None
        (channels, height, width) or (height, width) for one channel: flat rows become
        images of shape (n, channels, height, width). None leaves the shape alone.
    channels_last : bool, default=False
        Images come as (n, height, width, channels), and ``image_shape`` as (height,
        width, channels); they leave with the channels first.
    data_range : (low, high), default=None
        Values in this range become values in [0, 1]: (0, 255) for 8-bit images. None
        leaves the values alone. Attacks stand before this step, so their budget and
        their own ``data_range`` count in the units of the input.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.nets import ToNetInput
    >>> images = ToNetInput(image_shape=(8, 8)).fit_transform(np.zeros((5, 64)))
    >>> images.shape, images.dtype
    ((5, 1, 8, 8), dtype('float32'))

    8-bit images as they come from files:

    >>> photos = np.full((2, 16, 16, 3), 255, dtype=np.uint8)
    >>> step = ToNetInput(channels_last=True, data_range=(0, 255))
    >>> images = step.fit_transform(photos)
    >>> images.shape, float(images.max())
    ((2, 3, 16, 16), 1.0)
    """

    _parameter_rules = {"channels_last": Flag()}
    is_affine = True  # each number is scaled, shifted and moved, and no more

    def __init__(self, image_shape=None, *, channels_last=False, data_range=None):
        self.image_shape = image_shape
        self.channels_last = channels_last
        self.data_range = data_range

    def fit(self, X, y=None):
        """Check the input and remember its width.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Training data.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        X = validate_data(self, X, dtype="numeric", allow_nd=True, reset=True)
        self._range()
        self._shape(X.shape)
        return self

    def transform(self, X):
        """Return the rows as float32, as images where ``image_shape`` is given.

        Parameters
        ----------
        X : array-like, data frame or tensor of shape (n_samples, ...)
            Rows.

        Returns
        -------
        X_new : ndarray of float32
            Of shape (n_samples, ...) or (n_samples, channels, height, width). Of a
            tensor on a GPU it is a tensor there.
        """
        check_is_fitted(self)
        if on_device(X):
            first = np.zeros((min(len(X), 1), *X.shape[1:]), dtype=np.float32)
            validate_data(self, first, allow_nd=True, reset=False)
            return self.differentiable_transform(X.float())
        X = validate_data(self, X, dtype=np.float32, allow_nd=True, reset=False)
        # torch warns of arrays that it could write to by mistake, as frames give.
        X = np.require(X, requirements=["C", "W"])
        return np.ascontiguousarray(self.differentiable_transform(X))

    def differentiable_transform(self, x):
        """Scale and reshape a batch, differentiably.

        Parameters
        ----------
        x : ndarray or tensor of shape (n_samples, ...)
            Rows.

        Returns
        -------
        x_new : ndarray or tensor
            The same numbers in the scale and shape of :meth:`transform`.
        """
        low, width = self._range()
        if (low, width) != (0, 1):
            x = (x - low) / width
        shape = self._shape(x.shape)
        if shape is not None:
            x = x.reshape((len(x), *shape))
        # Both numpy and torch know swapaxes.
        return x.swapaxes(1, 3).swapaxes(2, 3) if self.channels_last else x

    def differentiable_pullback(self, x, slope):
        """Return the gradient by the input, from that by the output.

        Parameters
        ----------
        x : ndarray of shape (n_samples, ...)
            Rows.
        slope : ndarray of the shape of the output
            Slope by the output.

        Returns
        -------
        slope : ndarray of the shape of x
            Slope by the rows.
        """
        if self.channels_last:
            slope = slope.swapaxes(2, 3).swapaxes(1, 3)
        return slope.reshape(x.shape) / self._range()[1]

    def _range(self):
        if self.data_range is None:
            return 0, 1
        rule = "None or (low, high) with low < high"
        try:
            low, high = (float(end) for end in self.data_range)
        except (TypeError, ValueError, OverflowError):
            raise invalid("data_range", "ToNetInput", rule, self.data_range) from None
        if not np.isfinite([low, high]).all() or low >= high:
            raise invalid("data_range", "ToNetInput", rule, self.data_range)
        return low, high - low

    def _shape(self, found):
        """Return the shape that a row gets before its channels move, or None."""
        check_parameters(self)
        if self.image_shape is None:
            if self.channels_last and len(found) != 4:
                raise ValueError(
                    "ToNetInput with channels_last=True takes images of shape (n, "
                    "height, width, channels), or flat rows with image_shape. Got "
                    f"shape {tuple(found)}."
                )
            return None
        try:
            shape = tuple(int(side) for side in self.image_shape)
        except (TypeError, ValueError):
            shape = ()
        if len(shape) not in (2, 3) or min(shape) < 1:
            rule = "None, (height, width) or (channels, height, width)"
            if self.channels_last:
                rule = "None, (height, width) or (height, width, channels)"
            raise invalid("image_shape", "ToNetInput", rule, self.image_shape)
        if len(shape) == 2:
            shape = (*shape, 1) if self.channels_last else (1, *shape)
        n_values = int(np.prod(found[1:]))
        if int(np.prod(shape)) != n_values:
            raise ValueError(
                "The 'image_shape' parameter of ToNetInput must hold as many values as "
                f"a row. Got {tuple(self.image_shape)} for rows of {n_values} values."
            )
        return shape

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
