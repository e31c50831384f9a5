"""The step between a table and a net."""

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from skrobust._validation import invalid


class ToNetInput(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Turn a data frame or an array of any dtype into the float32 array nets need.

    Nets of torch take float32 and no data frames; this transformer stands before one in
    a Pipeline. It loads no torch, and attacks see through it.

    Parameters
    ----------
    image_shape : tuple of int, default=None
        (channels, height, width) or (height, width) for one channel: flat rows become
        images of shape (n, channels, height, width). None leaves the shape alone.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.nets import ToNetInput
    >>> images = ToNetInput(image_shape=(8, 8)).fit_transform(np.zeros((5, 64)))
    >>> images.shape, images.dtype
    ((5, 1, 8, 8), dtype('float32'))
    """

    def __init__(self, image_shape=None):
        self.image_shape = image_shape

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
        self._shape(int(np.prod(X.shape[1:])))
        return self

    def transform(self, X):
        """Return the rows as float32, as images where ``image_shape`` is given.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, ...)
            Rows.

        Returns
        -------
        X_new : ndarray of float32
            Of shape (n_samples, ...) or (n_samples, channels, height, width).
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, allow_nd=True, reset=False)
        # torch warns of arrays that it could write to by mistake, as frames give.
        X = np.require(X, requirements=["C", "W"])
        return self.differentiable_transform(X)

    def differentiable_transform(self, x):
        """Reshape a batch: what attacks differentiate through.

        Parameters
        ----------
        x : ndarray or tensor of shape (n_samples, ...)
            Rows.

        Returns
        -------
        x_new : ndarray or tensor
            The same numbers in the shape of :meth:`transform`.
        """
        if self.image_shape is None:
            return x
        return x.reshape((len(x), *self._shape(int(np.prod(x.shape[1:])))))

    def _shape(self, n_values):
        if self.image_shape is None:
            return None
        try:
            shape = tuple(int(side) for side in self.image_shape)
        except (TypeError, ValueError):
            shape = ()
        if len(shape) not in (2, 3) or min(shape) < 1:
            rule = "None, (height, width) or (channels, height, width)"
            raise invalid("image_shape", "ToNetInput", rule, self.image_shape)
        if len(shape) == 2:
            shape = (1, *shape)
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
