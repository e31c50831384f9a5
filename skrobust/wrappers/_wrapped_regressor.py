"""Trained model of another library as a fitted regressor."""

import numpy as np
from sklearn.base import RegressorMixin

from skrobust._responses import respond
from skrobust.wrappers.wrapped_model import CALLER, WrappedModel


class WrappedRegressor(RegressorMixin, WrappedModel):
    """Trained model of another library as a fitted regressor.

    :func:`skrobust.wrap <skrobust.wrappers.wrap>` makes it, and has the parameters.

    Parameters
    ----------
    model : object
        What is wrapped.
    classes : None
        Of classifiers alone.
    response : {"values"}
        What the model answers.
    n_outputs : int, default=None
        Numbers that a torch module answers a row.
    input_shape, layout, dtype, data_range, batch_size, device, output : object
        As for :func:`skrobust.wrap <skrobust.wrappers.wrap>`.

    Attributes
    ----------
    capabilities_ : object
        What the model is and can do; a table in notebooks.
    wrapped_estimator_ : estimator
        The estimator with gradients inside, of torch modules and estimators alone.

    Examples
    --------
    >>> import numpy as np
    >>> import skrobust
    >>> def price(rows):
    ...     return 3 * rows[:, 0] + 1
    >>> model = skrobust.wrap(price, response="values")
    >>> model.predict(np.array([[1.0], [2.0]])).tolist()
    [4.0, 7.0]
    """

    def predict(self, X):
        """Return the predicted values.

        Parameters
        ----------
        X : array-like, data frame or list of str of shape (n_samples, ...)
            Rows.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            One number a row, or several.
        """
        if hasattr(self, "wrapped_estimator_"):
            values = np.asarray(respond(self.wrapped_estimator_, "predict", X))
            return values[:, 0] if values.shape[1:] == (1,) else values
        return as_values(self._answers(X))


def as_values(answers):
    """Return finite numbers, or say what the model answered instead."""
    if answers.dtype.kind not in "fiu":
        raise ValueError(
            f"{CALLER} was told that the model answers with values, and got "
            f"{answers.dtype} such as {answers.ravel()[0]!r}. Pass response='labels'."
        )
    if not np.isfinite(answers).all():
        raise ValueError(f"{CALLER} got values that hold NaN or infinity.")
    return answers.astype(np.float64)
