"""Sensor errors in series: scaling, quantization, clipping and smoothing."""

import numpy as np

from skrobust._parameters import Flag
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.time_series.series_operations import (
    bridge,
    missing,
)
from skrobust.perturbations.time_series.series_perturbation import (
    ScaledPerturbation,
    SeriesPerturbation,
)

_QUANTILES = np.linspace(0, 1, 2001)


class SeriesScaling(SeriesPerturbation):
    r"""Random scaling of series, as by a sensor of another gain.

    .. math:: x'_t = x_t \, e^{\mathrm{std}\cdot\varepsilon},
        \qquad \varepsilon \sim N(0, 1)

    with one :math:`\varepsilon` a series. The log-normal factor is our reading of
    "scaling by std": it has median 1 and never turns a series upside down.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By values of std of .05, .1, .2, .3, .5. 0 changes nothing. With neither this
        nor ``std``, severity 1 holds.
    std : float, default=None
        Standard deviation of the logarithm of the factor.
    per_channel : bool, default=False
        Whether each channel has a factor of its own.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same factor for the same series.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import SeriesScaling
    >>> X = np.array([[1.0, -2.0, 4.0]])
    >>> scaled = SeriesScaling(std=0.5, random_state=0).perturb(None, X)
    >>> np.round(scaled / scaled[0, 0], 6)
    array([[ 1., -2.,  4.]])
    """

    _strengths = {"std": Strength((0.05, 0.1, 0.2, 0.3, 0.5))}
    _parameter_rules = {"per_channel": Flag()}
    _strong_params = {"std": 0.5}

    def __init__(self, severity=None, *, std=None, per_channel=False, **shared):
        super().__init__(severity, **shared)
        self.std = std
        self.per_channel = per_channel

    def _perturb_series(self, series, rng):
        size = (len(series), 1, series.shape[2] if self.per_channel else 1)
        return series * np.exp(self._strength() * rng.normal(size=size))


class SeriesQuantization(ScaledPerturbation):
    """Quantization of series to a converter of few bits.

    The range of each channel is divided into 2 ** bits - 1 equal steps, and every
    value is rounded to the nearest end of a step. Values beyond the range are rounded
    to the same grid, continued (saturation is what :class:`SeriesClipping` does); so
    no value moves by more than half a step.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By 8, 7, 6, 5, 4 bits, interpolated (from 16 bits at 0, our choice). 0 changes
        nothing. With neither this nor ``bits``, severity 1 holds.
    bits : float in [1, 64], default=None
        Bits; need not be whole.
    scale : {"train", "series"}, default="train"
        Whether the range of a channel is that of the training data or that of each
        series; a range of 0 rounds nothing.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : object, default=None
        Not used: nothing is random.

    Attributes
    ----------
    range_ : ndarray of shape (2, channels)
        Lowest and highest value of each channel of the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import SeriesQuantization
    >>> X = np.array([[0.0, 0.3, 0.4, 1.0]])
    >>> SeriesQuantization(bits=1, scale="series").perturb(None, X)
    array([[0., 0., 0., 1.]])
    """

    _strengths = {"bits": Strength((8, 7, 6, 5, 4), zero=16, low=1, high=64)}
    _noise = "fixed"
    _strong_params = {"bits": 2}

    def _learn(self, values):
        super()._learn(values)
        points = self._points(values).astype(np.float64)  # no integer may wrap
        self.range_ = np.stack(
            [extreme.reduce(points, axis=0) for extreme in (np.fmin, np.fmax)]
        )

    def _perturb_series(self, series, rng):
        if self.scale == "series":
            low = np.fmin.reduce(series, axis=1, keepdims=True)
            high = np.fmax.reduce(series, axis=1, keepdims=True)
        else:
            self._need("range_", "range")
            low, high = self.range_
        step = (high - low) / (2.0 ** self._strength() - 1)
        known = step > 0
        steps = np.rint((series - low) / np.where(known, step, 1.0))
        return np.where(known, low + steps * step, series)


class SeriesClipping(ScaledPerturbation):
    """Clipping of series at two quantiles, as by a sensor of a narrow range.

    With ``keep=0.9`` the limits are the quantiles .05 and .95 of each channel.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By central shares of 99, 95, 90, 85, 80 % (the ends are published, the steps
        between them our choice). 0 changes nothing. With neither this nor ``keep``,
        severity 1 holds.
    keep : float in [0, 1], default=None
        Central share of the values that stays as it is.
    scale : {"train", "series"}, default="train"
        Whether the quantiles are those of the training data or of each series.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : object, default=None
        Not used: nothing is random.

    Attributes
    ----------
    quantiles_ : ndarray of shape (2001, channels)
        Quantiles of each channel of the training data, in steps of .0005; between
        them the limits are interpolated.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import SeriesClipping
    >>> X = np.arange(11.0)[None]
    >>> SeriesClipping(keep=0.8).fit(X).perturb(None, X)
    array([[1., 1., 2., 3., 4., 5., 6., 7., 8., 9., 9.]])
    """

    _strengths = {"keep": Strength((0.99, 0.95, 0.9, 0.85, 0.8), zero=1.0, high=1)}
    _noise = "fixed"
    _strong_params = {"keep": 0.5}

    def _learn(self, values):
        super()._learn(values)
        points = self._points(values).astype(np.float64)  # no integer may wrap
        self.quantiles_ = np.full((len(_QUANTILES), self.n_channels_), np.nan)
        for channel, column in enumerate(points.T):
            observed = column[~missing(column)]
            if observed.size:
                self.quantiles_[:, channel] = np.quantile(observed, _QUANTILES)

    def _limits(self, series, share):
        if self.scale == "train":
            self._need("quantiles_", "quantiles")
            return [np.interp(share, _QUANTILES, q) for q in self.quantiles_.T]
        # Missing points sort to the end; a place beyond the observed ones is not read.
        ordered = np.sort(series, axis=1)
        last = (~missing(series)).sum(axis=1, keepdims=True) - 1
        place = np.maximum(share * last, 0)
        before = np.take_along_axis(ordered, np.floor(place).astype(int), axis=1)
        after = np.take_along_axis(ordered, np.ceil(place).astype(int), axis=1)
        return before + (place - np.floor(place)) * (after - before)

    def _perturb_series(self, series, rng):
        keep = self._strength()
        low = self._limits(series, (1 - keep) / 2)
        high = self._limits(series, (1 + keep) / 2)
        return np.fmin(np.fmax(series, low), high)


class Smoothing(SeriesPerturbation):
    """Moving-average smoothing of series.

    The window is centred and of odd length, at least 3; at the ends, and around
    missing points, the mean is over the points that are there. A constant series stays
    what it is.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By windows of 1, 2, 5, 10, 20 % of the length. 0 changes nothing. With neither
        this nor ``share``, severity 1 holds.
    share : float in (0, 1], default=None
        Length of the window, as a share of the length of a series.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : object, default=None
        Not used: nothing is random.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Smoothing
    >>> Smoothing(share=0.6).perturb(None, np.array([[0.0, 3.0, 0.0, 3.0, 6.0]]))
    array([[1.5, 1. , 2. , 3. , 4.5]])
    """

    _strengths = {
        "share": Strength((0.01, 0.02, 0.05, 0.1, 0.2), high=1, low_open=True)
    }
    _noise = "fixed"
    _strong_params = {"share": 0.2}

    def _perturb_series(self, series, rng):
        length = series.shape[1]
        half = max(1, round((self._strength() * length - 1) / 2))
        time = np.arange(length)
        first, last = np.maximum(time - half, 0), np.minimum(time + half + 1, length)
        # About a value of the series itself, so that constants meet no rounding.
        level = bridge(series, self._positions)[:, :1]
        level = np.where(np.isnan(level), 0.0, level)
        holes = missing(series)
        with np.errstate(over="ignore", invalid="ignore"):
            sums, counts = (
                np.concatenate([np.zeros_like(level), np.cumsum(part, axis=1)], axis=1)
                for part in (np.where(holes, 0.0, series - level), ~holes)
            )
        total = sums[:, last] - sums[:, first]
        if not np.isfinite(total).all():
            raise ValueError("Smoothing needs X whose sums are finite: scale X down.")
        return level + total / np.maximum(counts[:, last] - counts[:, first], 1)
