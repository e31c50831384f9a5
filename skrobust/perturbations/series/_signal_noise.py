"""What is added to a series: jitter, a wandering baseline, spikes, hum."""

import numpy as np

from skrobust._parameters import Choice, Number
from skrobust._validation import check_number, invalid
from skrobust.perturbations.series.series_perturbation import SeriesPerturbation, at_snr
from skrobust.perturbations.strength import SignalToNoise, Strength


class Jitter(SeriesPerturbation):
    r"""Add normal noise to every point of a series.

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
        What a severity is a level of.
    scale : {"train", "series"}, default="train"
        Whose standard deviation is :math:`\sigma`; see :class:`SeriesPerturbation`.
        Ratios in dB need none.
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

    def __init__(
        self,
        severity=None,
        *,
        std=None,
        snr_db=None,
        unit="sd",
        scale="train",
        random_state=None,
    ):
        self.severity = severity
        self.std = std
        self.snr_db = snr_db
        self.unit = unit
        self.scale = scale
        self.random_state = random_state

    def _perturb_series(self, series, rng):
        at = self._all_strengths()
        noise = rng.normal(size=series.shape)
        if self.snr_db is not None or (self.unit == "db" and self.std is None):
            return series + at_snr(series, noise, at.snr_db)
        return series + at.std * self._unit(series) * noise


class BaselineWander(SeriesPerturbation):
    """Add a slow drift of the baseline: an offset, a ramp or a wave.

    The drift of each series and channel is, at time share s in [0, 1] and with a
    random sign, ``amplitude`` (constant), ``amplitude * s`` (ramp), or
    ``amplitude * sin(2 pi (cycles * s + phase))`` with a random phase (sine), all in
    units of the standard deviation that ``scale`` names.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By steps of .1, .25, .5, 1, 2 standard deviations. 0 changes nothing. With
        neither this nor ``amplitude``, severity 1 holds.
    amplitude : float, default=None
        Largest size of the drift, in standard deviations.
    kind : {"sine", "ramp", "constant"}, default="sine"
        Form of the drift.
    cycles : float, default=1.0
        Waves over the length of a series; for the sine alone.
    scale : {"train", "series"}, default="train"
        Whose standard deviation counts; see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same drift for the same series.

    Attributes
    ----------
    scale_ : ndarray of shape (channels,)
        Standard deviation of each channel of the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import BaselineWander
    >>> X = np.array([[0.0, 1.0, 0.0, 1.0, 0.0]])
    >>> drift = BaselineWander(amplitude=2, kind="ramp", random_state=0).fit(X)
    >>> np.abs((drift.perturb(None, X) - X) / X.std()).round(3)
    array([[0. , 0.5, 1. , 1.5, 2. ]])
    """

    _strengths = {"amplitude": Strength((0.1, 0.25, 0.5, 1.0, 2.0))}
    _parameter_rules = {
        "kind": Choice("sine", "ramp", "constant"),
        "cycles": Number(low=0, low_open=True),
    }
    _learns_sd = True
    _strong_params = {"amplitude": 1.0}
    _test_params = ({"scale": "series"},)

    def __init__(
        self,
        severity=None,
        *,
        amplitude=None,
        kind="sine",
        cycles=1.0,
        scale="train",
        random_state=None,
    ):
        self.severity = severity
        self.amplitude = amplitude
        self.kind = kind
        self.cycles = cycles
        self.scale = scale
        self.random_state = random_state

    def _perturb_series(self, series, rng):
        n, length, n_channels = series.shape
        amplitude = self._strength()
        u = rng.random((n, 1, n_channels))
        share = np.linspace(0, 1, length)[:, None]
        if self.kind == "sine":
            form = np.sin(2 * np.pi * (self.cycles * share + u))
        else:
            form = np.where(u < 0.5, -1.0, 1.0)
            form = form * (share if self.kind == "ramp" else np.ones_like(share))
        return series + amplitude * self._unit(series) * form


class Spikes(SeriesPerturbation):
    """Add spikes of either sign to a share of the points.

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
    _test_params = ({"severity": 5},)

    def __init__(
        self,
        severity=None,
        *,
        share=None,
        height=5.0,
        scale="train",
        random_state=None,
    ):
        self.severity = severity
        self.share = share
        self.height = height
        self.scale = scale
        self.random_state = random_state

    def _perturb_series(self, series, rng):
        share = self._strength()
        selected = rng.random(series.shape) < share
        sign = np.where(rng.random(series.shape) < 0.5, -1.0, 1.0)
        return series + np.where(selected, self.height * self._unit(series) * sign, 0.0)


class MainsHum(SeriesPerturbation):
    """Add the hum of the mains: a sine of 50 or 60 Hz.

    The phase is random, and common to the channels of a series, as they hang on one
    mains.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By amplitudes of .05, .1, .2, .3, .5 standard deviations (our choice: no table
        is published). 0 changes nothing. With neither this nor ``amplitude``, severity
        1 holds.
    amplitude : float, default=None
        Peak of the hum, in standard deviations.
    sampling_rate : float, default=None
        Points per second; there is no default that is right, so it must be given.
    frequency : float, default=50.0
        Frequency of the mains in Hz, below half the sampling rate.
    scale : {"train", "series"}, default="train"
        Whose standard deviation counts; see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same phase for the same series.

    Attributes
    ----------
    scale_ : ndarray of shape (channels,)
        Standard deviation of each channel of the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import MainsHum
    >>> X = np.random.default_rng(0).normal(size=(2, 500))
    >>> hum = MainsHum(amplitude=1, sampling_rate=500, random_state=0).fit(X)
    >>> spectrum = np.abs(np.fft.rfft(hum.perturb(None, X) - X))
    >>> spectrum.argmax(axis=1).tolist()
    [50, 50]
    """

    _strengths = {"amplitude": Strength((0.05, 0.1, 0.2, 0.3, 0.5))}
    _parameter_rules = {
        "frequency": Number(low=0, low_open=True),
    }
    _learns_sd = True
    _strong_params = {"amplitude": 1.0, "sampling_rate": 200}
    _test_params = ({"sampling_rate": 200},)

    def __init__(
        self,
        severity=None,
        *,
        amplitude=None,
        sampling_rate=None,
        frequency=50.0,
        scale="train",
        random_state=None,
    ):
        self.severity = severity
        self.amplitude = amplitude
        self.sampling_rate = sampling_rate
        self.frequency = frequency
        self.scale = scale
        self.random_state = random_state

    def _check_parameters(self):
        super()._check_parameters()
        caller = "MainsHum"
        if self.sampling_rate is None:
            rule = "the number of points per second"
            raise invalid("sampling_rate", caller, rule, None)
        rate = check_number(
            self.sampling_rate, "sampling_rate", caller, low=0, low_open=True
        )
        if self.frequency >= rate / 2:
            rule = f"below half the sampling rate of {rate:g}"
            raise invalid("frequency", caller, rule, self.frequency)

    def _perturb_series(self, series, rng):
        n, length, _ = series.shape
        amplitude = self._strength()
        turns = np.arange(length)[:, None] * self.frequency / self.sampling_rate
        hum = np.sin(2 * np.pi * (turns + rng.random((n, 1, 1))))
        return series + amplitude * self._unit(series) * hum
