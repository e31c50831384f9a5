"""From a severity in [0, 5] to physical strength, by the published tables."""

import numpy as np

# Hendrycks and Dietterich (2019): CIFAR-10-C is for a side of 32 pixels, ImageNet-C
# for 224.
_SMALL_SIDE, _LARGE_SIDE = 32.0, 224.0


def strength(severity, levels, *, zero=0.0):
    """Interpolate linearly between the tabulated levels 1 to 5; 0 is ``zero``.

    Parameters
    ----------
    severity : float in [0, 5]
        Any real severity.
    levels : sequence of 5 floats
        Published strengths at severities 1 to 5.
    zero : float, default=0.0
        Strength that changes nothing.

    Returns
    -------
    float
        Strength at this severity.
    """
    return float(np.interp(severity, np.arange(6), [zero, *levels]))


def strength_by_side(severity, side, small, large, *, zero=0.0):
    """Interpolate between the tables of small and of large images, too.

    The two published tables differ since the same strength harms a small image more.
    Between sides of 32 and 224 pixels the strength is interpolated in the logarithm of
    the side; beyond, the nearer table holds (our choice).
    """
    share = np.log(side / _SMALL_SIDE) / np.log(_LARGE_SIDE / _SMALL_SIDE)
    share = float(np.clip(share, 0, 1))
    return (1 - share) * strength(severity, small, zero=zero) + share * strength(
        severity, large, zero=zero
    )
