"""Noise added to series: jitter and spikes."""

import numpy as np

from skrobust._parameters import Choice, Number
from skrobust.perturbations.strength import SignalToNoise, Strength
from skrobust.perturbations.time_series.series_operations import (
    at_snr,
)
from skrobust.perturbations.time_series.series_perturbation import (
    ScaledPerturbation,
)


class Jitter(ScaledPerturbation):
    r"""Gaussian noise on every point of series.

    .. math:: x'_t = x_t + \mathrm{std}\cdot\sigma\,\varepsilon_t,
        \qquad \varepsilon_t \sim N(0, 1)

    where :math:`\sigma` is the standard deviation that ``scale`` names. With ``snr_db``
    the noise of each series and channel is scaled to its own signal instead, so that
    the ratio of their mean squares is the given one exactly (not only in expectation):
    silence stays silent.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By steps of .05, .1, .2, .3, .5 standard deviations or, with ``unit="db"``,
        ratios of 30, 20, 15, 10, 5 dB. 0 changes nothing. With neither this nor a
        physical parameter, severity 1 holds.
    std : float, default=None
        Standard deviation of the noise in units of :math:`\sigma`.
    snr_db : float in [-300, 300], default=None
        Signal-to-noise ratio in dB, in place of ``std``.
    unit : {"sd", "db"}, default="sd"
        Unit of the levels by severity.
    scale : {"train", "series"}, default="train"
        Whose standard deviation is :math:`\sigma`; see :class:`SeriesPerturbation`.
        Ratios in dB need none.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same series.

    Attributes
    ----------
    scale_ : ndarray of shape (channels,)
        Standard deviation of each channel of the training data.

    References
    ----------
    .. [1] T. T. Um et al., "Data Augmentation of Wearable Sensor Data for Parkinson's
       Disease Monitoring using Convolutional Neural Networks", ICMI 2017, for jitter.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Jitter
    >>> X = np.sin(np.linspace(0, 20, 200)) * np.ones((3, 1))
    >>> noise = Jitter(snr_db=20, random_state=0).perturb(None, X) - X
    >>> bool(np.allclose((X**2).mean(axis=1) / (noise**2).mean(axis=1), 100))
    True
    """

    _strengths = {
        "std": Strength((0.05, 0.1, 0.2, 0.3, 0.5)),
        "snr_db": SignalToNoise(),
    }
    _either = (("std", "snr_db"),)
    _parameter_rules = {"unit": Choice("sd", "db")}
    _learns_sd = True
    _noise = "normal"
    _strong_params = {"std": 0.3}
    _test_params = ({}, {"severity": 5, "unit": "db"})

    def __init__(self, severity=None, *, std=None, snr_db=None, unit="sd", **shared):
        super().__init__(severity, **shared)
        self.std = std
        self.snr_db = snr_db
        self.unit = unit

    def _perturb_series(self, series, rng):
        at = self._all_strengths()
        noise = rng.normal(size=series.shape)
        if self.snr_db is not None or (self.unit == "db" and self.std is None):
            return series + at_snr(series, noise, at.snr_db)
        return series + at.std * self._unit(series) * noise


class Spikes(ScaledPerturbation):
    """Spikes of either sign at a share of the points.

    With one ``random_state`` the points selected at a low share stay selected, with the
    same sign, at every higher one.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By shares of .2, .5, 1, 2, 5 % of the points. 0 changes nothing. With neither
        this nor ``share``, severity 1 holds.
    share : float in [0, 1], default=None
        Probability that a point is selected.
    height : float, default=5.0
        Height of a spike, in standard deviations.
    scale : {"train", "series"}, default="train"
        Whose standard deviation counts; see :class:`SeriesPerturbation`.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same spikes for the same series.

    Attributes
    ----------
    scale_ : ndarray of shape (channels,)
        Standard deviation of each channel of the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Spikes
    >>> X = np.random.default_rng(0).normal(size=(4, 50))
    >>> spiked = Spikes(share=0.1, random_state=0).fit(X).perturb(None, X)
    >>> sorted(set(np.abs((spiked - X) / X.std()).round(6).ravel().tolist()))
    [0.0, 5.0]
    """

    _strengths = {"share": Strength((0.002, 0.005, 0.01, 0.02, 0.05), high=1)}
    _parameter_rules = {"height": Number(low=0)}
    _learns_sd = True
    _strong_params = {"share": 0.3}

    def __init__(self, severity=None, *, share=None, height=5.0, **shared):
        super().__init__(severity, **shared)
        self.share = share
        self.height = height

    def _perturb_series(self, series, rng):
        selected = rng.random(series.shape) < self._strength()
        sign = np.where(rng.random(series.shape) < 0.5, -1.0, 1.0)
        return series + np.where(selected, self.height * self._unit(series) * sign, 0.0)
