"""Confidence interval of a smooth function of means over units, by jackknife."""

import numpy as np

from skrobust.metrics.intervals.bootstrap import jackknife_error
from skrobust.metrics.intervals.clusters import jackknife_df, t_quantile
from skrobust.metrics.intervals.interval import Interval

ALIKE = "No unit differs: the interval is only what that many units can exclude."
UNKNOWN = "The value is undefined without one of the units: there is no interval."


def interval_of_means(
    function,
    means,
    confidence,
    *,
    bounds,
    worst=0.0,
    best=1.0,
    unseen=None,
    n_seen=None,
    logarithmic=False,
):
    r"""Return the interval of a function of column means.

    .. math:: f(\bar x) \pm t_{df} s, \qquad
        s^2 = \frac{g - 1}{g} \sum_u \left(f_{-u} - \overline{f_-}\right)^2

    where :math:`f_{-u}` is the value without unit u. For the mean of one column and
    units of equal size s is the standard error of the mean.

    Parameters
    ----------
    function : callable
        Takes means of shape (n_rows, n_columns) and returns an array of shape
        (n_rows,); monotone from ``worst`` to ``best``.
    means : ColumnMeans
        The means, over two units or more.
    confidence : float
        Wanted coverage.
    bounds : tuple of float
        Lowest and highest value that the function can have.
    worst, best : float or ndarray of shape (n_columns,), default=0.0, 1.0
        Means of units that fail, or succeed, altogether.
    unseen : pair of float or ndarray of shape (n_columns,), or None, default=None
        Means of units that lower, or raise, the function most, where some of these may
        have been missed; None: ``worst`` and ``best``.
    n_seen : float or None, default=None
        Number of units of equal weight that say as much; None: the units.
    logarithmic : bool, default=False
        Whether limits are found for the logarithm, as suits quotients, where no value
        is 0.

    Returns
    -------
    Interval
        As sure at most as if all units failed or succeeded: so many units may have
        missed those that do not, in a share that they would miss with a chance of
        (1 - confidence) / 2. Where no unit differs that share makes the limits.
    """
    units, g = means.units, means.units.n
    value = float(function(means.mean[None])[0])
    notes = units.warnings()
    parts = {"confidence": confidence, "method": "jackknife", "n_units": g}
    parts["unit"] = units.name
    # The contributions are scaled differences to the means without each unit.
    without = means.mean - means.contributions * np.sqrt(g / (g - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = function(without)
    if not np.isfinite(found).all():
        nan = float("nan")
        return Interval(value, nan, nan, warnings=(*notes, UNKNOWN), **parts)
    error = float(jackknife_error(found))
    logarithmic = logarithmic and found.min() > 0
    scaled = np.log(found) if logarithmic else found
    half = float(jackknife_error(scaled))
    half *= t_quantile(confidence, jackknife_df(scaled - scaled.mean()))
    low, high = value - half, value + half
    if logarithmic:
        low, high = value * np.exp([-half, half])
    missed = 1 - ((1 - confidence) / 2) ** (1 / (g if n_seen is None else n_seen))
    extremes = np.stack(np.broadcast_arrays(worst, best, means.mean)[:2])
    surest = function(extremes + missed * (extremes[::-1] - extremes))
    low, high = min(low, surest.max()), max(high, surest.min())
    if error < 1e-12:
        others = (worst, best) if unseen is None else unseen
        others = np.stack(np.broadcast_arrays(*others, means.mean)[:2])
        moved = function(means.mean + missed * (others - means.mean))
        low, high = min(low, moved.min()), max(high, moved.max())
        notes += (ALIKE,)
    low, high = (float(np.clip(limit, *bounds)) for limit in (low, high))
    return Interval(value, low, high, error, warnings=notes, **parts)
