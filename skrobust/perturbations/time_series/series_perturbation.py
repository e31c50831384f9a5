"""Base class of perturbations of time series, and operations on series."""

from abc import abstractmethod

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from skrobust._parameters import Choice
from skrobust.base import BasePerturbation
from skrobust.base.row_kind import (
    column_without_numbers,
    describe_rows,
    shape_or_none,
)
from skrobust.perturbations.safe_unit import safe_unit


def missing(series):
    """Return which points are NaN; integers have none."""
    if series.dtype.kind != "f":
        return np.zeros(series.shape, dtype=bool)
    return np.isnan(series)


def _mean_of_observed(values, observed, axis):
    total = np.where(observed, values, 0.0).sum(axis=axis, keepdims=True)
    return total / np.maximum(observed.sum(axis=axis, keepdims=True), 1)


def spread(series, axis):
    """Return the standard deviation (ddof 0) of what is observed, axes kept.

    A constant stretch has 0 exactly, whatever rounding its mean suffers, and so has
    one without any observed point.
    """
    observed = ~missing(series)
    high = np.fmax.reduce(series, axis=axis, keepdims=True)
    low = np.fmin.reduce(series, axis=axis, keepdims=True)
    unit = safe_unit(low, high)
    if (unit != 1).any():
        series = series / unit
    mean = _mean_of_observed(series, observed, axis)
    variance = _mean_of_observed((series - mean) ** 2, observed, axis)
    return np.where(high > low, np.sqrt(variance) * unit, 0.0)


def at_snr(series, noise, snr_db):
    """Scale noise so that each series and channel has this ratio of powers exactly.

    Power is the mean square of the observed points. Silence has none, so its noise is
    zero, too.
    """
    noise = noise.astype(np.float64)  # long rows are drawn in single precision
    observed = ~missing(series)
    low = np.fmin.reduce(series, axis=1, keepdims=True)
    unit = safe_unit(low, np.fmax.reduce(series, axis=1, keepdims=True))
    signal = _mean_of_observed((series / unit) ** 2, observed, 1)
    power = _mean_of_observed(noise**2, observed, 1)
    gain = signal / np.where(power > 0, power, 1.0) * 10.0 ** (-snr_db / 10)
    return noise * (np.sqrt(gain) * unit)


def fill_lost(series, lost, fill):
    """Put NaN, zero or the last value observed before in place of lost points.

    Where nothing was observed before, the first point of the series holds.
    """
    if fill == "nan":
        return np.where(lost, np.nan, series)
    if fill == "zero":
        return np.where(lost, series.dtype.type(0), series)
    time = np.arange(series.shape[1])[:, None]
    kept = ~np.broadcast_to(lost, series.shape) & ~missing(series)
    source = np.maximum.accumulate(np.where(kept, time, 0), axis=1)
    return np.where(lost, np.take_along_axis(series, source, axis=1), series)


def bridge(series):
    """Return the series with missing points on straight lines between neighbours."""
    holes = missing(series)
    out = series
    rows = np.flatnonzero(holes.any(axis=(1, 2)))
    if rows.size:
        out = series.copy()
    time = np.arange(series.shape[1])
    for row in rows:
        for channel in np.flatnonzero(holes[row].any(axis=0)):
            hole = holes[row, :, channel]
            if not hole.all():
                line = np.interp(time[hole], time[~hole], series[row, ~hole, channel])
                out[row, hole, channel] = line
    return out


def read_at(series, at):
    """Read series between their points, linearly.

    Parameters
    ----------
    series : ndarray of shape (n, time, channels)
        With at least two points in time.
    at : ndarray of shape (n, m) or (1, m)
        Times in [0, time - 1].
    """
    left = np.minimum(at.astype(np.intp), series.shape[1] - 2)
    share = (at - left)[..., None]
    rows = np.arange(len(series))[:, None]
    before, after = series[rows, left], series[rows, left + 1]
    # Both ends exact: before + share * step would miss the right one by rounding.
    return np.where(share < 1, before + share * (after - before), after)


class SeriesPerturbation(BasePerturbation):
    """Base class of perturbations of time series.

    A subclass writes ``_perturb_series(series, rng)``. It gets series of shape
    (n, time, channels) as float64, and returns the same shape.

    The base accepts arrays of shape (n, time) and (n, time, channels) and frames with a
    column per point in time. NaN marks missing points: they stay missing, and no
    statistic looks at them; infinity is refused. float32 stays float32. Integers turn
    to float64, except under perturbations that only move or repeat values, which keep
    them (a subclass says so with ``_moves_only``, and gets the dtype that came in).

    A parameter ``scale``, where there is one, says whose standard deviation is the unit
    of a strength: ``"train"`` that of the training data, per channel (learned in
    ``fit``), ``"series"`` that of each series and channel itself. A constant series
    has none, and is left alone under ``"series"``.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Strength, for a subclass with ``_strengths``; 0 changes nothing.
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
    _parameter_rules = {
        "scale": Choice("train", "series"),
        "fill": Choice("nan", "hold", "zero"),
    }

    def __init__(self, severity=None, *, random_state=None):
        self.severity = severity
        self.random_state = random_state

    def _refusal(self, X):
        shape = shape_or_none(X)
        if shape is None or len(shape) not in (2, 3):
            return f"it takes series, and X is {describe_rows(X)}"
        other = column_without_numbers(X) if len(shape) == 2 else None
        if other is not None:
            what = f"{describe_rows(X)}, of which {other} holds no numbers"
            return f"it takes series, a number for each point in time, and X is {what}"
        return None

    def _check(self, X, *, reset=False):
        caller = type(self).__name__
        options = {"dtype": "numeric", "allow_nd": True, "ensure_all_finite": False}
        if isinstance(X, np.ndarray) and X.ndim == 0:
            X = X.item()  # a sparse matrix that numpy wrapped: to be named below
        if not reset and not hasattr(self, "n_features_in_"):
            X = check_array(X, input_name="X", estimator=caller, **options)
        else:
            X = validate_data(self, X, reset=reset, **options)
        if X.ndim not in (2, 3):
            raise ValueError(
                f"{caller} takes series of shape (n, time) or (n, time, channels). Got "
                f"an array of shape {X.shape}."
            )
        if 0 in X.shape[1:]:  # scikit-learn looks at two dimensions alone
            raise ValueError(
                f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 "
                f"is required by {caller}."
            )
        infinite = np.isinf(X).reshape(len(X), -1).any(axis=1)
        if infinite.any():
            raise ValueError(
                f"{caller} takes NaN for missing points, but no infinity; X contains "
                f"infinity, first in row {int(infinite.argmax())}."
            )
        n_channels = X.shape[2] if X.ndim == 3 else 1
        if not reset and n_channels != getattr(self, "n_channels_", n_channels):
            raise ValueError(
                f"{caller} was fitted on series of {self.n_channels_} channels; these "
                f"have {n_channels}."
            )
        return X

    def _learn(self, values):
        series = self._as_series(values)
        self.n_channels_ = series.shape[2]
        if self._learns_sd:
            flat = series.reshape(1, -1, self.n_channels_)
            self.scale_ = spread(flat.astype(np.float64), axis=1)[0, 0]

    @staticmethod
    def _as_series(values):
        return values if values.ndim == 3 else values[..., None]

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

    def __init__(self, severity=None, *, scale="train", random_state=None):
        super().__init__(severity, random_state=random_state)
        self.scale = scale
