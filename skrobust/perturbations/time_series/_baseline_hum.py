"""Baseline wander and mains hum: slow and periodic signals added to series."""

import numpy as np

from skrobust._parameters import Choice, Number
from skrobust._validation import check_number, invalid
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.time_series.series_perturbation import ScaledPerturbation


class BaselineWander(ScaledPerturbation):
    """Baseline wander of series: an offset, a ramp or a wave.

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
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
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
        self, severity=None, *, amplitude=None, kind="sine", cycles=1.0, **shared
    ):
        super().__init__(severity, **shared)
        self.amplitude = amplitude
        self.kind = kind
        self.cycles = cycles

    def _perturb_series(self, series, rng):
        n, length, n_channels = series.shape
        u = rng.random((n, 1, n_channels))
        if self._positions is None:
            share = np.linspace(0, 1, length)[None, :, None]
        else:
            share = self._positions[..., None] / max(length - 1, 1)
        if self.kind == "sine":
            form = np.sin(2 * np.pi * (self.cycles * share + u))
        else:
            form = np.where(u < 0.5, -1.0, 1.0)
            form = form * (share if self.kind == "ramp" else np.ones_like(share))
        return series + self._strength() * self._unit(series) * form


class MainsHum(ScaledPerturbation):
    """Mains hum in series: a sine of 50 or 60 Hz.

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
        Points per second, on average where they are not equally spaced; there is no
        default that is right, so it must be given.
    frequency : float, default=50.0
        Frequency of the mains in Hz, below half the sampling rate.
    scale : {"train", "series"}, default="train"
        Whose standard deviation counts; see :class:`SeriesPerturbation`.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
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
    _parameter_rules = {"frequency": Number(low=0, low_open=True)}
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
        **shared,
    ):
        super().__init__(severity, **shared)
        self.amplitude = amplitude
        self.sampling_rate = sampling_rate
        self.frequency = frequency

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
        turns = self._times(length)[..., None] * self.frequency / self.sampling_rate
        hum = np.sin(2 * np.pi * (turns + rng.random((n, 1, 1))))
        return series + self._strength() * self._unit(series) * hum
