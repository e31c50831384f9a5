"""Background noise and gain on sound."""

import numpy as np

from skrobust._parameters import Choice
from skrobust.perturbations.strength import SignalToNoise, Strength
from skrobust.perturbations.time_series.series_operations import (
    at_snr,
)
from skrobust.perturbations.time_series.series_perturbation import (
    SeriesPerturbation,
)

# Exponent of the frequency in the power spectrum.
_COLORS = {"white": 0.0, "pink": 1.0, "brown": 2.0}


class _Audio(SeriesPerturbation):
    """Base class for sound: floats in [-1, 1] or signed integers, clipped."""

    def _moves_only(self):
        return True  # the dtype that came in is wanted here

    def _perturb_series(self, series, rng):
        if series.dtype.kind not in "if":
            raise ValueError(
                f"{type(self).__name__} takes sound as floats in [-1, 1] or as signed "
                f"integers. Got {series.dtype}; unsigned samples rest at the middle of "
                "their range, so subtract it and divide by it first."
            )
        out = self._perturb_sound(series.astype(np.float64), rng)
        if series.dtype.kind == "i":
            low, high = np.iinfo(series.dtype).min, np.iinfo(series.dtype).max
            out = np.rint(out)
            # float64 cannot hold the highest int64.
            loud = out >= high
            out = np.where(loud, 0, np.maximum(out, low)).astype(series.dtype)
            return np.where(loud, series.dtype.type(high), out)
        # A recording beyond full scale keeps its own peak as the limit.
        peak = np.fmax.reduce(np.abs(series), axis=(1, 2), keepdims=True)
        limit = np.fmax(peak, 1.0)
        return np.clip(out, -limit, limit)


class BackgroundNoise(_Audio):
    """White, pink or brown noise on sound at a signal-to-noise ratio.

    The power spectrum of the noise is flat (white), falls as 1 / f (pink) or as
    1 / f ** 2 (brown); coloured noise has mean 0. It is scaled so that for each
    recording and channel the ratio of the mean squares of signal and noise is the given
    one exactly, before clipping; silence stays silent. Floats are clipped to [-1, 1]
    (or to the peak of a recording that goes beyond), signed integers are rounded,
    clipped to their type and kept.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By ratios of 30, 20, 15, 10, 5 dB. 0 changes nothing. With neither this nor
        ``snr_db``, severity 1 holds.
    snr_db : float in [-300, 300], default=None
        Signal-to-noise ratio in dB.
    color : {"white", "pink", "brown"}, default="white"
        Form of the spectrum.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same recording.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import BackgroundNoise
    >>> tone = (9000 * np.sin(np.arange(800) / 5)).astype(np.int16)[None]
    >>> noisy = BackgroundNoise(snr_db=20, color="pink", random_state=0).perturb(
    ...     None, tone)
    >>> noise = noisy - tone.astype(float)
    >>> noisy.dtype, round(10 * np.log10((tone**2.0).mean() / (noise**2).mean()), 2)
    (dtype('int16'), np.float64(20.0))
    """

    _strengths = {"snr_db": SignalToNoise()}
    _parameter_rules = {"color": Choice(*_COLORS)}
    _noise = "normal"
    _strong_params = {"snr_db": 5.0}
    _test_params = ({"severity": 5}, {"severity": 5, "color": "pink"})

    def __init__(self, severity=None, *, snr_db=None, color="white", **shared):
        super().__init__(severity, **shared)
        self.snr_db = snr_db
        self.color = color

    def _perturb_sound(self, series, rng):
        noise = rng.normal(size=series.shape)
        exponent = _COLORS[self.color]
        if exponent and series.shape[1] > 1:
            spectrum = np.fft.rfft(noise, axis=1)
            frequency = np.arange(spectrum.shape[1])
            shape = np.zeros(len(frequency))
            shape[1:] = frequency[1:] ** (-exponent / 2)
            noise = np.fft.irfft(spectrum * shape[:, None], series.shape[1], axis=1)
        return series + at_snr(series, noise, self._strength())


class Gain(_Audio):
    """Random gain of each recording, in decibels.

    The gain is drawn evenly from ``[-gain_db, gain_db]`` for each recording. What goes
    beyond full scale is clipped, as in :class:`BackgroundNoise`.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        By 3, 6, 9, 12, 18 dB (our choice: no table is published). 0 changes nothing.
        With neither this nor ``gain_db``, severity 1 holds.
    gain_db : float in [0, 300], default=None
        Largest gain and loss in dB.
    channel_axis : {1, -1}, default=None
        Axis of the channels of an array, see :class:`SeriesPerturbation`.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same gain for the same recording.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Gain
    >>> tone = np.full((1, 4), 0.1)
    >>> out = Gain(gain_db=6, random_state=0).perturb(None, tone)
    >>> bool(abs(20 * np.log10(out[0, 0] / 0.1)) <= 6)
    True
    """

    _strengths = {"gain_db": Strength((3.0, 6.0, 9.0, 12.0, 18.0), high=300)}
    _strong_params = {"gain_db": 6.0}

    def _perturb_sound(self, series, rng):
        gain_db = self._strength()
        db = rng.uniform(-gain_db, gain_db, size=(len(series), 1, 1))
        return series * 10.0 ** (db / 20)
