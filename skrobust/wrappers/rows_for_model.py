"""Step from rows as a user has them to the input of a wrapped model."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from skrobust._array_checks import number_array
from skrobust._containers import is_frame, shape_of, to_array
from skrobust._one_line import one_line
from skrobust._validation import invalid

CALLER = "skrobust.wrap"
LAYOUTS = ("NCHW", "NHWC", "NHWC->NCHW", "NCHW->NHWC")
_CHANNELS = (1, 2, 3, 4)


class RowsForModel(TransformerMixin, BaseEstimator):
    """Transformer of range, order of axes, shape and dtype; it learns nothing.

    Attacks see through it: it is differentiable in numpy and in torch.

    Parameters
    ----------
    input_shape : tuple of int, "flat" or None
        Shape of one row at the model.
    layout : str or None
        Order of the axes at the model, or of the rows and at the model.
    dtype : dtype or None
        Of the model's input; rows are rounded to one of integers.
    data_range : (low, high) or None
        Values in this range become values in [0, 1].
    """

    def __init__(self, input_shape=None, layout=None, dtype=None, data_range=None):
        self.input_shape = input_shape
        self.layout = layout
        self.dtype = dtype
        self.data_range = data_range

    @property
    def is_idle(self):
        """Whether rows pass as they are, frames and texts included."""
        settings = self.input_shape, self.layout, self.dtype, self.data_range
        return all(value is None for value in settings)

    @property
    def is_affine(self):
        """Whether each number is scaled, shifted and moved, and no more."""
        return self.dtype is None or np.dtype(self.dtype).kind == "f"

    def fit(self, X, y=None):
        """Return itself.

        Parameters
        ----------
        X : array-like
            Ignored.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The step.
        """
        return self

    def transform(self, X):
        """Return rows as the model takes them.

        Parameters
        ----------
        X : array-like, data frame or tensor of shape (n_samples, ...)
            Rows; never changed.

        Returns
        -------
        X_new : container of shape (n_samples, ...)
            The rows themselves where nothing is to be done.
        """
        if self.is_idle or self._is_flat_already(X):
            return X
        values = to_array(X)
        dtype = None if self.dtype is None else np.dtype(self.dtype)
        if dtype is not None and dtype.kind == "f":
            values = _as_numbers(values, dtype)
        values = self.differentiable_transform(values)
        if dtype is not None:
            values = _cast(values, dtype)
        return np.require(values, requirements=["C", "W"])  # torch warns of others

    def _is_flat_already(self, X):
        """Say whether rows only were to be flattened, and are: names stay."""
        others = self.layout, self.dtype, self.data_range
        flattens = isinstance(self.input_shape, str) and others == (None, None, None)
        return flattens and (is_frame(X) or len(shape_of(X)) == 2)

    def differentiable_transform(self, x):
        """Scale, turn and reshape a batch, differentiably.

        Parameters
        ----------
        x : ndarray or tensor of shape (n_samples, ...)
            Rows.

        Returns
        -------
        x_new : ndarray or tensor
            The rows at the model, in the dtype of x.
        """
        if self.data_range is not None:
            low, high = self.data_range
            x = (x - low) / (high - low)
        before, turn, after = self._way(tuple(x.shape[1:]))
        x = x.reshape((len(x), *before))
        if turn == "NHWC->NCHW":
            x = x.swapaxes(1, 3).swapaxes(2, 3)
        elif turn:
            x = x.swapaxes(1, 3).swapaxes(1, 2)
        return x.reshape((len(x), *after))

    def differentiable_pullback(self, x, slope):
        """Return the gradient by the rows, from that by the model's input.

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
        before, turn, _ = self._way(tuple(x.shape[1:]))
        if turn:
            slope = slope.reshape((len(x), *_turned(before, turn)))
        if turn == "NHWC->NCHW":
            slope = slope.swapaxes(1, 3).swapaxes(1, 2)
        elif turn:
            slope = slope.swapaxes(1, 3).swapaxes(2, 3)
        slope = slope.reshape(x.shape)
        if self.data_range is None:
            return slope
        return slope / (self.data_range[1] - self.data_range[0])

    def _way(self, given):
        """Return the shape before axes turn, how they turn ("": not), and the last."""
        source, _, target = (self.layout or "").rpartition("->")
        shape = self.input_shape
        if isinstance(shape, str):
            return given, "", (int(np.prod(given)),)
        if shape is not None and np.prod(shape) != np.prod(given):
            raise ValueError(
                f"skrobust.wrap got rows of shape {given}, and the model takes "
                f"{tuple(shape)}. Pass input_shape= and layout= of the model, and rows "
                "with as many values."
            )
        if len(given) == 2 and target:  # one channel
            given = (1, *given) if target == "NCHW" else (*given, 1)
            return given, "", given if shape is None else shape
        if not target:
            return given, "", self._reshaped(given, shape)
        if len(given) != 3:
            given = self._image_of(given, shape, source, target)
        source = source or self._source(given, shape, target)
        turn = "" if source == target else f"{source}->{target}"
        turned = _turned(given, turn)
        return given, turn, turned if shape is None else shape

    @staticmethod
    def _reshaped(given, shape):
        if shape is None or tuple(shape) == given:
            return given
        if len(given) == len(shape) == 3:
            raise ValueError(
                f"skrobust.wrap got rows of shape {given}, and the model takes "
                f"{tuple(shape)}. Pass the order of the axes at the model, "
                "layout='NCHW' or 'NHWC'."
            )
        return shape

    @staticmethod
    def _image_of(given, shape, source, target):
        """Return the shape of an image in its own order, of a flat row."""
        if shape is None or len(shape) != 3:
            raise ValueError(
                f"skrobust.wrap got rows of shape {given} for a model of images in "
                f"{target}. Pass the shape of one image at the model as input_shape=."
            )
        one_channel = (shape[0] if target == "NCHW" else shape[-1]) == 1
        if not source and not one_channel:
            raise ValueError(
                f"skrobust.wrap cannot see the order of the axes in rows of shape "
                f"{given}. Pass both orders, layout='NHWC->NCHW' for values with the "
                "channels last and a model with the channels first."
            )
        if source in ("", target):
            return tuple(shape)
        return _turned(shape, f"{target}->{source}")

    @staticmethod
    def _source(given, shape, target):
        """Return the order of axes of rows, from where their channels are."""
        if shape is not None and len(shape) == 3:
            c = shape[0] if target == "NCHW" else shape[-1]
            first, last = given[0] == c, given[-1] == c
        else:
            first, last = given[0] in _CHANNELS, given[-1] in _CHANNELS
        if first != last:
            return "NCHW" if first else "NHWC"
        if shape is not None and tuple(shape) == given and c == 1:
            return target
        raise ValueError(
            f"skrobust.wrap cannot see which axis of rows of shape {given} holds the "
            "channels. Pass both orders, layout='NHWC->NCHW' for rows with the "
            "channels last and a model with the channels first."
        )


def _turned(shape, turn):
    """Return the shape of an image whose axes have turned."""
    if not turn:
        return tuple(shape)
    if turn == "NHWC->NCHW":
        return (shape[2], shape[0], shape[1])
    return (shape[1], shape[2], shape[0])


def _as_numbers(values, dtype):
    if values.dtype.kind in "fiub":
        # Range and offset are taken in double precision, as attacks do.
        return values.astype(np.float64, copy=False)
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"skrobust.wrap got rows of {values.dtype} for a model that takes "
            f"{dtype} numbers: {one_line(error)}. Encode X first."
        ) from None


def _cast(values, dtype):
    if dtype.kind in "iu" and values.dtype.kind == "f":
        info = np.iinfo(dtype)
        values = np.rint(values).clip(info.min, info.max)
    return values.astype(dtype, copy=False)


def check_input(input_shape, layout, dtype, caller):
    """Raise for parameters of the input that break their rules."""
    is_flat = isinstance(input_shape, str) and input_shape == "flat"
    if input_shape is not None and not is_flat:
        rule = "None, 'flat' or a tuple of positive integers"
        sides = input_shape if isinstance(input_shape, (tuple, list)) else (0,)
        if not sides or any(
            not isinstance(n, (int, np.integer)) or n < 1 for n in sides
        ):
            raise invalid("input_shape", caller, rule, input_shape)
    if layout is not None and not (isinstance(layout, str) and layout in LAYOUTS):
        rule = f"None or one of {', '.join(map(repr, LAYOUTS))}"
        raise invalid("layout", caller, rule, layout)
    if dtype is not None:
        try:
            np.dtype(dtype)
        except Exception:  # of numpy, which asks the object
            rule = "None or a dtype of numpy, such as 'float32'"
            raise invalid("dtype", caller, rule, dtype) from None


def checked_range(data_range, caller):
    """Return None, or the two ends of a range as floats; or raise."""
    if data_range is None:
        return None
    rule = "None or (low, high) with low < high"
    ends = number_array(data_range, "data_range", caller, what=rule)
    if ends.shape != (2,) or not np.isfinite(ends).all() or ends[0] >= ends[1]:
        raise invalid("data_range", caller, rule, data_range)
    return float(ends[0]), float(ends[1])
