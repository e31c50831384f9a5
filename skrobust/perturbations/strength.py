"""Strength of a perturbation: a physical parameter with its levels by severity."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from skrobust._validation import (
    as_float,
    check_count,
    check_flag,
    check_number,
    invalid,
)

# Hendrycks and Dietterich (2019): CIFAR-10-C is for a side of 32 pixels, ImageNet-C
# for 224.
_SMALL_SIDE, _LARGE_SIDE = 32.0, 224.0
MOST = 1e12  # what computes with a strength beyond this could overflow
# Smaller severities count as this one: the inverse of their strength could overflow.
_LEAST_SEVERITY = 1e-12
MOST_PIXELS = 1e4  # of the width of a filter, whose weights are kept in memory


def interpolate(severity, levels, zero=0.0):
    """Interpolate linearly between the tabulated levels 1 to 5; 0 is ``zero``.

    Parameters
    ----------
    severity : float in [0, 5]
        Any real severity.
    levels : tuple of 5 floats
        Strengths at severities 1 to 5.
    zero : float, default=0.0
        Strength that changes nothing.

    Returns
    -------
    float
        Strength at this severity.
    """
    table = [float(level) for level in (zero, *levels)]
    severity = max(severity, _LEAST_SEVERITY) if severity > 0 else 0.0
    return float(np.interp(severity, np.arange(6), table))


@dataclass(frozen=True)
class Strength:
    """Declaration of one physical parameter: its levels by severity and its bounds.

    Parameters
    ----------
    levels : tuple of 5 floats, default=()
        Values of the parameter at severities 1 to 5, for images those of a side of 32
        pixels; empty where the severity does not set it.
    large : tuple of 5 floats, default=()
        Values for a side of 224 pixels; empty where one table serves all sides.
    zero : float, default=0.0
        Value that changes nothing, at severity 0.
    low, high : float or None, default=(0.0, None)
        Bounds of the values that a user may give; without them, 1e12 of either sign.
    low_open : bool, default=False
        Whether ``low`` itself is excluded.
    whole : bool, default=False
        Whether a user must give an integer.
    measure : callable, default=None
        What turns values into the strength in force, in which levels are interpolated;
        None is the identity.

    Examples
    --------
    >>> from skrobust.perturbations import Strength
    >>> share = Strength((0.01, 0.02, 0.05, 0.1, 0.2), high=1)
    >>> share.at(2), share.at(0.5), share.in_force(0.7, severity=None)
    (0.02, 0.005, 0.7)
    """

    levels: tuple = ()
    large: tuple = ()
    zero: float = 0.0
    low: float | None = 0.0
    high: float | None = None
    low_open: bool = False
    whole: bool = False
    measure: Callable | None = None

    def __post_init__(self):
        caller = type(self).__name__
        for name in ("levels", "large"):
            levels = getattr(self, name)
            fits = isinstance(levels, tuple) and len(levels) in (0, 5)
            if not fits or not all(math.isfinite(as_float(one)) for one in levels):
                raise invalid(name, caller, "() or a tuple of 5 numbers", levels)
        for name in ("zero", "low", "high"):
            bound = getattr(self, name)
            if math.isnan(as_float(bound)) and (bound is not None or name == "zero"):
                rule = "a number" if name == "zero" else "None or a number"
                raise invalid(name, caller, rule, bound)
        for name in ("low_open", "whole"):
            check_flag(getattr(self, name), name, caller)
        if self.measure is not None and not callable(self.measure):
            raise invalid("measure", caller, "None or a function", self.measure)

    def __call__(self, value, name, caller):
        """Raise unless a user may give the value; None is not given."""
        if value is None:
            return
        if self.whole:
            check_count(value, name, caller, low=int(self.low))
            return
        number = check_number(
            value, name, caller, low=self.low, high=self.high, low_open=self.low_open
        )
        if abs(number) > MOST:
            raise invalid(name, caller, f"a number of at most {MOST:g}", value)

    def in_force(self, value, severity, size=None):
        """Return the strength of a given value or else of the severity.

        Parameters
        ----------
        value : float or None
            The value that a user gave, if any.
        severity : float in [0, 5] or None
            The severity in force otherwise; None is 1.
        size : (int, int), default=None
            Height and width of the images, where the levels differ by it.

        Returns
        -------
        float
            The strength, in the units of ``measure``.
        """
        if value is None:
            return self.at(1.0 if severity is None else float(severity), size)
        number = as_float(value)
        if math.isnan(number):
            raise invalid("value", "Strength.in_force", "None or a number", value)
        return number if self.measure is None else self.measure(number)

    def at(self, severity, size=None):
        """Return the strength at a severity, for images of this height and width.

        The two published tables differ since the same strength harms a small image
        more. Between sides of 32 and 224 pixels the strength is interpolated in the
        logarithm of the side; beyond, the nearer table holds (our choice).

        Parameters
        ----------
        severity : float in [0, 5]
            Any real severity.
        size : (int, int), default=None
            Height and width of the images, where the levels differ by it.

        Returns
        -------
        float
            The strength, in the units of ``measure``.
        """
        caller, number = "Strength.at", as_float(severity)
        if math.isnan(number):
            raise invalid("severity", caller, "a number", severity)
        if size is not None or self.large:
            sides = size if isinstance(size, (tuple, list)) and len(size) == 2 else ()
            if not sides or not all(0 < as_float(side) < math.inf for side in sides):
                rule = "the height and the width of images in pixels"
                raise invalid("size", caller, rule, size)
            size = tuple(map(float, sides))
        return self._at(number, size)

    @functools.lru_cache(maxsize=1024)  # noqa: B019 (declarations live with classes)
    def _at(self, severity, size):
        """Return the strength at a checked severity, for images of a size."""
        if not self.levels:
            return self.zero
        small, large, zero = self.levels, self.large, self.zero
        if self.measure is not None:
            small, large = (tuple(self.measure(np.array(t))) for t in (small, large))
            zero = self.measure(zero)
        level = interpolate(severity, small, zero)
        if not self.large:
            return level
        side = image_side(size)
        share = np.log(side / _SMALL_SIDE) / np.log(_LARGE_SIDE / _SMALL_SIDE)
        share = float(np.clip(share, 0, 1))
        return (1 - share) * level + share * interpolate(severity, large, zero)


def image_side(size):
    """Return the side of images: the geometric mean of height and width."""
    return float(np.sqrt(size[0] * size[1]))


@dataclass(frozen=True)
class SignalToNoise(Strength):
    """Ratio of the powers of signal and noise in dB, with its levels by severity.

    Levels are interpolated in dB; below severity 1 the amplitude of the noise falls
    linearly to 0.
    """

    levels: tuple = (30.0, 20.0, 15.0, 10.0, 5.0)
    zero: float = np.inf
    low: float | None = -300.0
    high: float | None = 300.0

    def at(self, severity, size=None):
        """Return the ratio in dB at a severity."""
        if severity < 1:
            return float(self.levels[0] - 20 * np.log10(severity))
        return interpolate(severity, self.levels, np.nan)
