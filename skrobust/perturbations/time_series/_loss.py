"""Losses in series: points, gaps and channels."""

import numpy as np

from skrobust._parameters import Flag
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.time_series.series_operations import (
    fill_lost,
)
from skrobust.perturbations.time_series.series_perturbation import (
    SeriesPerturbation,
)


class _Loss(SeriesPerturbation):
    """Base class of losses; integers stay integers unless filled by NaN."""

    def __init__(self, severity=None, *, fill="nan", **shared):
        super().__init__(severity, **shared)
        self.fill = fill

    def _moves_only(self):
        return self.fill != "nan"


class PointDropout(_Loss):
    """Loss of a share of the points of series.

    With one ``random_state`` the points lost at a low share stay lost at every higher
    one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 1, 2, 5, 10, 20 %. 0 changes nothing. With neither this nor
        ``share``, severity 1 holds.
    share : float in [0, 1], default=None
        Probability that a point is lost.
    fill : {"nan", "hold", "zero"}, default="nan"
        Value in place of a lost point: NaN, the last value observed before (the
        first point of the series holds where there is none), or 0.
    per_channel : bool, default=False
        Whether each channel loses points of its own, or all at the same time.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int loses the same points of the same series.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import PointDropout
    >>> X = np.arange(1, 9)[None]
    >>> PointDropout(share=0.5, fill="hold", random_state=3).perturb(None, X)
    array([[1, 2, 2, 2, 5, 5, 5, 5]])
    """

    _strengths = {"share": Strength((0.01, 0.02, 0.05, 0.1, 0.2), high=1)}
    _parameter_rules = {"per_channel": Flag()}
    _strong_params = {"share": 0.3}
    _test_params = ({"severity": 5}, {"severity": 5, "fill": "hold"})

    def __init__(
        self, severity=None, *, share=None, fill="nan", per_channel=False, **shared
    ):
        super().__init__(severity, fill=fill, **shared)
        self.share = share
        self.per_channel = per_channel

    def _perturb_series(self, series, rng):
        n, length, n_channels = series.shape
        size = (n, length, n_channels if self.per_channel else 1)
        return fill_lost(series, rng.random(size) < self._strength(), self.fill)


class Gap(_Loss):
    """Loss of one stretch of each series, at a random position.

    The stretch has a share of the length, rounded, at least one point. With one
    ``random_state`` a short gap lies inside every longer one. All channels lose it.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 2, 5, 10, 20, 30 % of the length. 0 changes nothing. With neither
        this nor ``share``, severity 1 holds.
    share : float in [0, 1], default=None
        Length of the gap, as a share of the length.
    fill : {"nan", "hold", "zero"}, default="nan"
        Value in the gap: NaN, the last value observed before (the first point
        of the series holds where there is none), or 0.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int puts the same gap into the same series.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Gap
    >>> X = np.arange(1.0, 9.0)[None]
    >>> Gap(share=0.25, random_state=3).perturb(None, X)
    array([[nan, nan,  3.,  4.,  5.,  6.,  7.,  8.]])
    """

    _strengths = {"share": Strength((0.02, 0.05, 0.1, 0.2, 0.3), high=1)}
    _strong_params = {"share": 0.3}

    def _perturb_series(self, series, rng):
        n, length, _ = series.shape
        share = self._strength()
        width = max(1, round(share * length)) if share else 0
        # As the gap grows by one point, its start goes back by at most one.
        start = np.floor(rng.random((n, 1)) * (length - width + 1))
        time = np.arange(length)
        lost = (time >= start) & (time < start + width)
        return fill_lost(series, lost[..., None], self.fill)


class ChannelLoss(_Loss):
    """Loss of whole channels of series, as when sensors fail.

    Of C channels each series loses ``share * C``, rounded at random up or down so that
    this is right on average (a series of one channel is lost with probability
    ``share``). With one ``random_state`` the channels lost at a low share stay lost at
    every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of 10, 20, 30, 40, 50 % (our choice: no table is published). 0
        changes nothing. With neither this nor ``share``, severity 1 holds.
    share : float in [0, 1], default=None
        Share of the channels that are lost.
    fill : {"nan", "hold", "zero"}, default="nan"
        Values of a lost channel: NaN, its first value for all time, or 0.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int loses the same channels of the same series.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import ChannelLoss
    >>> X = np.ones((3, 10, 4))
    >>> lost = ChannelLoss(share=0.25, random_state=0).perturb(None, X)
    >>> np.isnan(lost).all(axis=1).sum(axis=1).tolist()
    [1, 1, 1]
    """

    _strengths = {"share": Strength((0.1, 0.2, 0.3, 0.4, 0.5), high=1)}
    _strong_params = {"share": 0.5}

    def _perturb_series(self, series, rng):
        n, _, n_channels = series.shape
        count = np.floor(self._strength() * n_channels + rng.random((n, 1)))
        rank = rng.random((n, n_channels)).argsort(axis=1).argsort(axis=1)
        return fill_lost(series, (rank < count)[:, None, :], self.fill)
