"""Changes of the time axis of series: shift, warp, resampling and permutation."""

import numpy as np
from scipy.interpolate import CubicSpline

from skrobust._parameters import Choice, Count
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.time_series.series_operations import (
    bridge,
    missing,
    read_at,
)
from skrobust.perturbations.time_series.series_perturbation import (
    SeriesPerturbation,
)


class TimeShift(SeriesPerturbation):
    """Random shift of series in time, forwards or backwards.

    The shift is a whole number of points, at least 1, and common to the channels.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 1, 2, 5, 10, 20 % of the length. 0 changes nothing. With neither
        this nor ``share``, severity 1 holds.
    share : float in [0, 1], default=None
        Size of the shift, as a share of the length.
    mode : {"pad", "roll"}, default="pad"
        Whether the points that leave are lost and the place they came from is filled,
        or they enter again at the other end.
    fill : {"hold", "zero", "nan"}, default="hold"
        What fills the free place under ``mode="pad"``: the nearest point of the series,
        0 or NaN.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same directions for the same series.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import TimeShift
    >>> X = np.array([[1, 2, 3, 4, 5]])
    >>> TimeShift(share=0.2, mode="roll", random_state=0).perturb(None, X)
    array([[2, 3, 4, 5, 1]])
    """

    _strengths = {"share": Strength((0.01, 0.02, 0.05, 0.1, 0.2), high=1)}
    _parameter_rules = {"mode": Choice("pad", "roll")}
    _keeps_time = False
    _strong_params = {"share": 0.2}
    _grows_with_severity = False
    _test_params = ({"severity": 5}, {"severity": 5, "mode": "roll"})

    def __init__(self, severity=None, *, share=None, mode="pad", fill="hold", **shared):
        super().__init__(severity, **shared)
        self.share = share
        self.mode = mode
        self.fill = fill

    def _moves_only(self):
        return self.mode == "roll" or self.fill != "nan"

    def _perturb_series(self, series, rng):
        n, length, _ = series.shape
        share = self._strength()
        size = max(1, round(share * length)) if share else 0
        forwards = rng.random((n, 1)) < 0.5
        source = np.arange(length) - np.where(forwards, size, -size)
        if self.mode == "roll":
            return np.take_along_axis(series, source[..., None] % length, axis=1)
        inside = np.clip(source, 0, length - 1)
        out = np.take_along_axis(series, inside[..., None], axis=1)
        if self.fill != "hold":
            out[inside != source] = 0 if self.fill == "zero" else np.nan
        return out


class TimeWarp(SeriesPerturbation):
    """Smooth random warping of the time axis.

    The logarithm of the speed is a cubic spline through ``knots`` equally spaced normal
    numbers of standard deviation ``std``; time is the integral of the speed, scaled so
    that both ends stay. So time never runs backwards, whatever the strength (a spline
    through the speeds themselves, as in [1]_, may). Values are read linearly between
    the points; a missing point moves with its time. The warp is common to the channels.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By values of std of .02, .05, .1, .15, .2. 0 changes nothing. With neither this
        nor ``std``, severity 1 holds.
    std : float, default=None
        Standard deviation of the logarithm of the speed at a knot.
    knots : int, default=4
        Number of knots, at least 2.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same warp for the same series.

    References
    ----------
    .. [1] T. T. Um et al., "Data Augmentation of Wearable Sensor Data for Parkinson's
       Disease Monitoring using Convolutional Neural Networks", ICMI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import TimeWarp
    >>> X = np.linspace(0, 1, 50)[None]
    >>> warped = TimeWarp(std=0.5, random_state=0).perturb(None, X)
    >>> warped[0, 0], warped[0, -1], bool((np.diff(warped) > 0).all())
    (np.float64(0.0), np.float64(1.0), True)
    """

    # Beyond, the exponential of the speed leaves the range of floats.
    _strengths = {"std": Strength((0.02, 0.05, 0.1, 0.15, 0.2), high=20.0)}
    _parameter_rules = {"knots": Count(low=2)}
    _keeps_time = False
    _strong_params = {"std": 0.5}

    def __init__(self, severity=None, *, std=None, knots=4, **shared):
        super().__init__(severity, **shared)
        self.std = std
        self.knots = knots

    def _warped_times(self, n, length, rng):
        """Return the time that is read at each step; increasing, ends kept."""
        knots = np.linspace(0, length - 1, self.knots)
        basis = CubicSpline(knots, np.eye(self.knots))(np.arange(length))
        # Knot by knot: the rounding of a matrix product depends on the number of rows.
        draws = rng.normal(size=(n, self.knots))
        speed = sum(draws[:, [k]] * basis[:, k] for k in range(self.knots))
        speed = np.exp(self._strength() * speed)
        passed = np.cumsum((speed[:, 1:] + speed[:, :-1]) / 2, axis=1)
        passed *= (length - 1) / passed[:, -1:]
        return np.concatenate([np.zeros((n, 1)), passed], axis=1)

    def _perturb_series(self, series, rng):
        n, length, _ = series.shape
        if length < 2:
            return series
        times = self._warped_times(n, length, rng)
        times[:, -1] = length - 1
        positions = self._positions
        if positions is not None:  # the same warp, read where the points are
            times = read_at(times[..., None], positions)[..., 0]
        out = read_at(bridge(series, positions), times, positions)
        holes = missing(series)
        if not holes.any():
            return out
        steps = times if positions is None else _nearest(times, positions)
        nearest = np.rint(steps).astype(np.intp)[..., None]
        return np.where(np.take_along_axis(holes, nearest, axis=1), np.nan, out)


def _nearest(times, positions):
    """Return for each time of each row the place of the nearest point."""
    middle = (positions[:, 1:] + positions[:, :-1]) / 2
    pairs = zip(middle, times, strict=True)
    return np.stack([np.searchsorted(edges, at) for edges, at in pairs])


class Resampling(SeriesPerturbation):
    """Resampling of series at fewer points, brought back to their length.

    Both ways are linear interpolation at equally spaced times, ends included, without
    a filter against aliases (as a cheap logger has none). Missing points are bridged by
    straight lines meanwhile and stay missing. Straight lines come back as they were.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By factors of 1.25, 1.5, 2, 3, 4 (the ends are published, the steps between
        them our choice). 0 changes nothing. With neither this nor ``factor``, severity
        1 holds.
    factor : float, default=None
        How many times fewer points, at least 1; at least two points are left.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : object, default=None
        Not used: nothing is random.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Resampling
    >>> Resampling(factor=2).perturb(None, np.array([[0.0, 9.0, 2.0, 9.0, 4.0]]))
    array([[0., 1., 2., 3., 4.]])
    """

    _strengths = {"factor": Strength((1.25, 1.5, 2.0, 3.0, 4.0), zero=1.0, low=1)}
    _noise = "fixed"
    _strong_params = {"factor": 3.0}
    _grows_with_severity = False

    def _perturb_series(self, series, rng):
        length = series.shape[1]
        n_left = min(length, max(2, int(np.ceil(length / self._strength()))))
        if n_left == length:
            return series
        down = np.linspace(0, length - 1, n_left)[None]
        back = np.linspace(0, n_left - 1, length)[None]
        if self._positions is not None:
            back = self._positions * ((n_left - 1) / (length - 1))
        few = read_at(bridge(series, self._positions), down, self._positions)
        return read_at(few, back)


class SegmentPermutation(SeriesPerturbation):
    """Random permutation of equally long segments.

    All orders of the segments are equally likely, the old one among them, so that with
    two segments half of the series stay as they are. The order is common to the
    channels.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By 2, 3, 4, 6, 8 segments, rounded between (1 at 0). 0 changes nothing. With
        neither this nor ``n_segments``, severity 1 holds.
    n_segments : int, default=None
        Number of segments, at most one a point; lengths differ by at most 1.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same order for the same series.

    References
    ----------
    .. [1] T. T. Um et al., "Data Augmentation of Wearable Sensor Data for Parkinson's
       Disease Monitoring using Convolutional Neural Networks", ICMI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import SegmentPermutation
    >>> X = np.arange(6)[None]
    >>> shuffled = SegmentPermutation(n_segments=3, random_state=0).perturb(None, X)
    >>> sorted(shuffled.reshape(3, 2).tolist())
    [[0, 1], [2, 3], [4, 5]]
    """

    _strengths = {"n_segments": Strength((2, 3, 4, 6, 8), zero=1, low=1, whole=True)}
    _keeps_time = False
    _strong_params = {"n_segments": 6}
    _grows_with_severity = False

    def _moves_only(self):
        return True

    def _perturb_series(self, series, rng):
        n, length, _ = series.shape
        count = min(round(self._strength()), length)
        segment = np.arange(length) * count // length
        # A stable sort by the number of its segment keeps the points of one in order.
        place = rng.random((n, count))[:, segment]
        order = np.argsort(place, axis=1, kind="stable")
        return np.take_along_axis(series, order[..., None], axis=1)
