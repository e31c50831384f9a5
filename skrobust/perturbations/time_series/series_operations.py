"""Operations on series: missing points, spread, signal-to-noise ratio and reading."""

import numpy as np

from skrobust.perturbations.safe_unit import safe_unit


def missing(series):
    """Return which points are NaN; integers have none."""
    if series.dtype.kind != "f":
        return np.zeros(series.shape, dtype=bool)
    return np.isnan(series)


def _mean_of_observed(values, observed, axis):
    total = np.where(observed, values, 0.0).sum(axis=axis, keepdims=True)
    return total / np.maximum(observed.sum(axis=axis, keepdims=True), 1)


def spread(series, axis):
    """Return the standard deviation (ddof 0) of what is observed, axes kept.

    A constant stretch has 0 exactly, whatever rounding its mean suffers, and so has
    one without any observed point.
    """
    observed = ~missing(series)
    high = np.fmax.reduce(series, axis=axis, keepdims=True)
    low = np.fmin.reduce(series, axis=axis, keepdims=True)
    unit = safe_unit(low, high)
    if (unit != 1).any():
        series = series / unit
    mean = _mean_of_observed(series, observed, axis)
    variance = _mean_of_observed((series - mean) ** 2, observed, axis)
    return np.where(high > low, np.sqrt(variance) * unit, 0.0)


def at_snr(series, noise, snr_db):
    """Scale noise so that each series and channel has this ratio of powers exactly.

    Power is the mean square of the observed points. Silence has none, so its noise is
    zero, too.
    """
    noise = noise.astype(np.float64)  # long rows are drawn in single precision
    observed = ~missing(series)
    low = np.fmin.reduce(series, axis=1, keepdims=True)
    unit = safe_unit(low, np.fmax.reduce(series, axis=1, keepdims=True))
    signal = _mean_of_observed((series / unit) ** 2, observed, 1)
    power = _mean_of_observed(noise**2, observed, 1)
    gain = signal / np.where(power > 0, power, 1.0) * 10.0 ** (-snr_db / 10)
    return noise * (np.sqrt(gain) * unit)


def fill_lost(series, lost, fill):
    """Put NaN, zero or the last value observed before in place of lost points.

    Where nothing was observed before, the first point of the series holds.
    """
    if fill == "nan":
        return np.where(lost, np.nan, series)
    if fill == "zero":
        return np.where(lost, series.dtype.type(0), series)
    time = np.arange(series.shape[1])[:, None]
    kept = ~np.broadcast_to(lost, series.shape) & ~missing(series)
    source = np.maximum.accumulate(np.where(kept, time, 0), axis=1)
    return np.where(lost, np.take_along_axis(series, source, axis=1), series)


def bridge(series, positions=None):
    """Return the series with missing points on straight lines between neighbours.

    ``positions`` are those of the points, of shape (n, time); None is equally spaced.
    """
    holes = missing(series)
    out = series
    rows = np.flatnonzero(holes.any(axis=(1, 2)))
    if rows.size:
        out = series.copy()
    time = np.arange(series.shape[1])
    for row in rows:
        time = time if positions is None else positions[row]
        for channel in np.flatnonzero(holes[row].any(axis=0)):
            hole = holes[row, :, channel]
            if not hole.all():
                line = np.interp(time[hole], time[~hole], series[row, ~hole, channel])
                out[row, hole, channel] = line
    return out


def read_at(series, at, positions=None):
    """Read series between their points, linearly.

    Parameters
    ----------
    series : ndarray of shape (n, time, channels)
        With at least two points in time.
    at : ndarray of shape (n, m) or (1, m)
        Positions in [0, time - 1].
    positions : ndarray of shape (n, time), default=None
        Those of the points, increasing from 0 to time - 1; None is 0, 1, ...
    """
    rows = np.arange(len(series))[:, None]
    if positions is None:
        left = np.minimum(at.astype(np.intp), series.shape[1] - 2)
        share = at - left
    else:
        at = np.broadcast_to(at, (len(series), at.shape[1]))
        pairs = zip(positions, at, strict=True)
        left = np.stack([np.searchsorted(p, a, "right") - 1 for p, a in pairs])
        left = np.clip(left, 0, series.shape[1] - 2)
        start, end = positions[rows, left], positions[rows, left + 1]
        share = (at - start) / (end - start)
    share = share[..., None]
    before, after = series[rows, left], series[rows, left + 1]
    # Both ends exact: before + share * step would miss the right one by rounding.
    return np.where(share < 1, before + share * (after - before), after)
