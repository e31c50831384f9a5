"""Base class of perturbations of time series."""

import copy
from abc import abstractmethod

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from skrobust._containers import (
    is_frame,
    like,
    named_once,
    refuse_ragged,
    shape_or_none,
    to_array,
)
from skrobust._keyed_noise.generator import NoiseKey, seed_number
from skrobust._keyed_noise.splitmix import row_keys
from skrobust._parameters import Choice
from skrobust.base import BasePerturbation
from skrobust.base.checked_numbers import checked_numbers
from skrobust.base.row_kind import column_without_numbers, describe_rows
from skrobust.perturbations.time_series.long_panels import is_long, read_long
from skrobust.perturbations.time_series.panels import (
    Panel,
    is_nested,
    read_nested,
    read_wide,
    refuse_text_columns,
)
from skrobust.perturbations.time_series.series_operations import missing, spread


class SeriesPerturbation(BasePerturbation):
    """Base class of perturbations of time series.

    A subclass writes ``_perturb_series(series, rng)``. It gets series of shape
    (n, time, channels) as float64, and returns the same shape.

    The base accepts arrays of shape (n, time), (n, time, channels) as in tslearn and
    (n, channels, time) as in sktime and aeon; frames with a column per point in time;
    nested frames of pandas, with a column per channel and series, arrays or lists
    for cells; and frames of pandas in the long format of sktime, with a column per
    channel and a row per point, whose index has the time as its last level and names
    the series before it. Lengths may differ between the series of the latter two. The
    same series have the same noise in each. An array whose channels could be either
    axis, since there are not fewer channels than points in the last one, needs
    ``channel_axis``.

    Rows of a frame without levels in its index are series: a column whose name has no
    digit, which is no point in time, gets a warning, and one of no numbers an error.

    The index of a series in a cell is time, so is the last level of a long frame, and
    so are columns labelled by dates, durations or floats. Times need not be equally
    spaced: what has a course in time (a ramp, a wave, a warp, resampling, the bridging
    of missing points) follows them, with the mean distance of two points as unit;
    shifts, gaps, windows and segments count points. NaN marks missing points: they
    stay missing, and no statistic looks at them; infinity is refused. float32 stays
    float32. Integers turn to float64, except under perturbations that only move or
    repeat values, which keep them (a subclass says so with ``_moves_only``, and gets
    the dtype that came in).

    A parameter ``scale``, where there is one, says whose standard deviation is the unit
    of a strength: ``"train"`` that of the training data, per channel (learned in
    ``fit``), ``"series"`` that of each series and channel itself. A constant series
    has none, and is left alone under ``"series"``.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength, for a subclass with ``_strengths``; 0 changes nothing.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array of three axes: 1 for (n, channels, time), -1
        for (n, time, channels). None is -1 where there are fewer channels than points,
        and an error otherwise.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import SeriesPerturbation
    >>> class Reverse(SeriesPerturbation):
    ...     def __init__(self, random_state=None):
    ...         self.random_state = random_state
    ...     def _perturb_series(self, series, rng):
    ...         return series[:, ::-1]
    >>> Reverse().perturb(None, np.array([[1.0, 2.0, 3.0]]))
    array([[3., 2., 1.]])
    """

    _takes = "series"
    # At severity 1 short series may stay as they are.
    _test_params = ({"severity": 5},)
    # In a sequence each step checks what it gets, since only some steps take NaN.
    _any_container = True
    # Whether point t of the result is about point t of the input, so that a missing
    # point must stay missing.
    _keeps_time = True
    # Whether ``fit`` learns the standard deviation of each channel.
    _learns_sd = False
    # Of classes without these parameters.
    scale = "series"
    fill = "nan"
    channel_axis = None
    # Positions of the points of the series at hand, of shape (n, time) and from 0 to
    # time - 1; None: equally spaced.
    _positions = None
    _parameter_rules = {
        "channel_axis": Choice(None, 1, -1),
        "scale": Choice("train", "series"),
        "fill": Choice("nan", "hold", "zero"),
    }

    def __init__(self, severity=None, *, channel_axis=None, random_state=None):
        self.severity = severity
        self.channel_axis = channel_axis
        self.random_state = random_state

    def _refusal(self, X):
        if is_nested(X):
            return None
        shape = shape_or_none(X)
        if shape is None or len(shape) not in (2, 3):
            cure = ""
            if shape is None:
                cure = ": put them into the cells of a data frame of pandas"
            return f"it takes series, and X is {describe_rows(X)}{cure}"
        other = column_without_numbers(X) if len(shape) == 2 else None
        if other is not None:
            what = f"{describe_rows(X)}, of which {other} holds no numbers"
            return f"it takes series, a number for each point in time, and X is {what}"
        return None

    def _check(self, X, *, reset=False):
        caller = type(self).__name__
        nested = is_nested(X)
        refuse_ragged(X, caller)
        if isinstance(X, np.ndarray) and X.ndim == 0:
            X = X.item()  # a sparse matrix that numpy wrapped: to be named below
        try:
            if not nested:
                values = checked_numbers(self, X, reset=reset)
            elif reset or hasattr(self, "n_features_in_"):
                validate_data(self, named_once(X), reset=reset, skip_check_array=True)
        except (TypeError, ValueError):  # names no column
            if not nested:
                refuse_text_columns(X, caller)
            raise
        values = read_nested(X, caller) if nested else self._checked(values, X)
        flat = values.points() if nested else values.reshape(len(values), -1)
        infinite = np.isinf(flat).any(axis=1)
        if infinite.any():
            where = "" if nested else f", first in row {int(infinite.argmax())}"
            raise ValueError(
                f"{caller} takes NaN for missing points, but no infinity; X contains "
                f"infinity{where}."
            )
        if not nested:
            read = read_long if is_long(X) else read_wide
            values = read(X, values, caller)
        n_channels = self._n_channels(values)
        if not reset and n_channels != getattr(self, "n_channels_", n_channels):
            raise ValueError(
                f"{caller} was fitted on series of {self.n_channels_} channels; these "
                f"have {n_channels}."
            )
        return values

    def _checked(self, values, X):
        """Return an array of series, or say why it is none."""
        caller, shape = type(self).__name__, values.shape
        if values.ndim not in (2, 3):
            raise ValueError(
                f"{caller} takes series of shape (n, time), (n, time, channels) or, "
                f"with channel_axis=1, (n, channels, time). Got an array of shape "
                f"{shape}."
            )
        if 0 in shape[1:]:  # scikit-learn looks at two dimensions alone
            raise ValueError(
                f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 "
                f"is required by {caller}."
            )
        if values.ndim == 3 and self.channel_axis is None and shape[2] >= shape[1]:
            raise ValueError(
                f"{caller} cannot tell time from channels in series of shape {shape}; "
                "pass channel_axis=1 for (n, channels, time), the order of sktime and "
                "aeon, or channel_axis=-1 for (n, time, channels), that of tslearn."
            )
        return values

    def _learn(self, values):
        self.n_channels_ = self._n_channels(values)
        if self._learns_sd:
            points = self._points(values).astype(np.float64)
            self.scale_ = spread(points[None], axis=1)[0, 0]

    def _n_channels(self, values):
        if isinstance(values, Panel):
            return values.n_channels
        return (
            1 if values.ndim == 2 else values.shape[1 if self.channel_axis == 1 else 2]
        )

    def _points(self, values):
        """Return the points of all series, of shape (n_points, channels)."""
        if isinstance(values, Panel):
            return values.points()
        series = self._as_series(self._channels_last(values))
        return series.reshape(-1, series.shape[2])

    def _channels_last(self, values):
        if values.ndim == 3 and self.channel_axis == 1:
            return np.ascontiguousarray(np.moveaxis(values, 1, 2))
        return values

    @staticmethod
    def _as_series(values):
        return values if values.ndim == 3 else values[..., None]

    def _perturb_container(self, X, key):
        caller = type(self).__name__
        self._check_parameters()
        values = self._check(X if is_frame(X) else to_array(X, "X", caller))
        out = self._run(values, key)
        return out if is_frame(out) else like(out, X)

    def _rows(self, values):
        if isinstance(values, Panel):
            return values.rebuilt([part.series for part in values.parts], True)
        return values

    def _run(self, values, key):
        if not isinstance(values, Panel):
            moved = self._channels_last(values)
            out = super()._run(moved, key)
            return out if moved is values else np.ascontiguousarray(out.swapaxes(1, 2))
        self._check_parameters()
        if self._is_identity():
            return self._rows(values)
        if key is None:
            caller = type(self).__name__
            seed = seed_number(self.random_state, caller)
            key = NoiseKey.from_keys(values.keys, seed).derive(caller, 0)
        new = []
        for part in values.parts:
            one = copy.copy(self)
            one._positions = part.positions
            run = super(SeriesPerturbation, one)._run
            new.append(run(part.series, key.take(part.rows)))
        return values.rebuilt(new, self._moves_only())

    def _content_keys(self, X):
        """Return a hash of the content of each row, the same in every container."""
        values = self._check(X)
        if isinstance(values, Panel):
            return values.keys()
        return row_keys(self._channels_last(values))

    def _times(self, length):
        """Return the positions of the points, to broadcast over the rows."""
        return np.arange(length)[None] if self._positions is None else self._positions

    def _perturb(self, X, rng):
        series = self._as_series(X)
        work = series if self._moves_only() else series.astype(np.float64)
        out = np.asarray(self._perturb_series(work, rng))
        if out.shape != series.shape:
            raise ValueError(
                f"{type(self).__name__}._perturb_series must keep the shape "
                f"{series.shape}; it returned {out.shape}."
            )
        if self._keeps_time:
            holes = missing(series)
            out = np.where(holes, np.nan, out) if holes.any() else out
        return out.reshape(X.shape)

    def _moves_only(self):
        """Return whether values are only moved or repeated: integers can stay then."""
        return False

    def _unit(self, series):
        """Return the standard deviations that ``scale`` asks for, to broadcast."""
        if self.scale == "series":
            return spread(series, axis=1)
        self._need("scale_", "standard deviation")
        return self.scale_

    def _must_learn(self):
        return self.scale == "train"

    def _need(self, attribute, what):
        if not hasattr(self, attribute):
            caller = type(self).__name__
            raise NotFittedError(
                f"{caller} needs the {what} of the training data: fit it on them "
                "first, or pass scale='series' to take that of each series."
            )

    @abstractmethod
    def _perturb_series(self, series, rng):
        """Return perturbed series of shape (n, time, channels)."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class ScaledPerturbation(SeriesPerturbation):
    """Base class of perturbations in units of training data or of each series."""

    def __init__(
        self, severity=None, *, scale="train", channel_axis=None, random_state=None
    ):
        super().__init__(severity, channel_axis=channel_axis, random_state=random_state)
        self.scale = scale
