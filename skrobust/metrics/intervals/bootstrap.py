"""Bootstrap and jackknife of statistics of independent units, and their intervals."""

import warnings
from contextlib import suppress

import numpy as np
from scipy.special import ndtr, ndtri

from skrobust._array_checks import check_same_length
from skrobust._containers import to_array
from skrobust._validation import check_choice
from skrobust.metrics.intervals.absent_rows import present_rows
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.interval import Interval

_METHODS = ("auto", "bca", "percentile", "jackknife")
_CHUNK = 1 << 22  # counts held at a time
_GROUPS = 200  # the acceleration of BCa needs no more leave-outs than this


def bootstrap(statistic, n_resamples, rng):
    """Return the statistic of resamples, shape (n_resamples, n_values)."""
    n = statistic.units.n

    def draw(_, size):
        draws = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        return np.bincount(draws.ravel(), minlength=size * n).reshape(size, n)

    return _in_chunks(statistic, n_resamples, draw)


def jackknife(statistic, groups=None):
    """Return the statistic without each unit, or without each group of units."""
    groups = np.arange(statistic.units.n) if groups is None else groups

    def leave_out(start, size):
        left_out = np.arange(start, start + size)
        return (groups != left_out[:, None]).astype(np.int64)

    return _in_chunks(statistic, int(groups.max()) + 1, leave_out)


def _in_chunks(statistic, n, counts):
    """Return the statistic of n rows of ``counts(start, size)``, some at a time."""
    size = max(1, _CHUNK // statistic.units.n)
    parts = (counts(start, min(size, n - start)) for start in range(0, n, size))
    return np.concatenate([statistic(part) for part in parts])


def defined_draws(values, what):
    """Return the draws along the first axis that are finite, and any warning."""
    defined = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    missing = int((~defined).sum())
    if not missing:
        return values, ()
    text = f"The metric is undefined in {missing} of {len(values)} {what}."
    return values[defined], (text,)


def jackknife_error(left_out):
    """Return the standard error from leave-one-out values, along the first axis."""
    n = len(left_out)
    deviations = left_out - left_out.mean(axis=0)
    return np.sqrt((n - 1) / n * (deviations**2).sum(axis=0))


class Statistic:
    """A function of counts of shape (n_counts, n_units)."""

    def whole(self):
        """Return the values of the data as they are, shape (n_values,)."""
        return self(np.ones((1, self.units.n), dtype=np.int64))[0]


class Shares(Statistic):
    """Weighted means of columns."""

    def __init__(self, values, units, weight=None):
        values = np.asarray(values, dtype=np.float64)
        values = values.reshape(len(values), -1)
        weight = np.ones(len(values)) if weight is None else weight
        self.units = units
        self.sums = units.sums(values * weight[:, None])
        self.sizes = units.sums(weight)

    def __call__(self, counts):
        """Return the means, shape (n_counts, n_columns)."""
        counts = counts.astype(np.float64)
        return (counts @ self.sums) / (counts @ self.sizes)[:, None]


class NoiseCorrected(Shares):
    """Mean, plug-in variance and noise-corrected variance of the condition means.

    The corrected variance sums the products of different units only. Without clusters
    it is the plug-in variance less the estimated noise variance of the condition
    means, from their joint covariance; it is unbiased and may be negative. With
    weights, a product has those of both units.
    """

    def __init__(self, correct, units, weight=None):
        super().__init__(correct, units, weight)
        self.own = self.sums.var(axis=1)

    def __call__(self, counts):
        """Return the three columns, shape (n_counts, 3)."""
        counts = counts.astype(np.float64)
        own, own_size = (counts**2 @ part for part in (self.own, self.sizes**2))
        return self._moments(counts @ self.sums, counts @ self.sizes, own, own_size)

    def left_out(self):
        """Return the three columns without each unit."""
        parts = self.sums, self.sizes, self.own, self.sizes**2
        return self._moments(*(part.sum(axis=0) - part for part in parts))

    @staticmethod
    def _moments(total, size, own, own_size):
        variance = total.var(axis=1)
        pairs = size**2 - own_size
        # A resample of one unit has no pairs and says nothing about the variance.
        known = pairs > 0
        corrected = np.where(known, variance - own, 0.0) / np.where(known, pairs, 1.0)
        parts = total.mean(axis=1) / size, variance / size**2, corrected
        return np.column_stack(parts)


class Scores(Statistic):
    """Any callable of arrays whose first axis is the samples."""

    def __init__(self, metric, arrays, units, rows=None, params=None):
        self.metric = metric
        self.arrays = arrays
        self.units = units
        self.rows = rows or {}
        self.params = params or {}

    def value(self, index=slice(None)):
        """Return the metric of some of the samples."""
        rows = {name: array[index] for name, array in self.rows.items()}
        value = self.metric(*(a[index] for a in self.arrays), **rows, **self.params)
        if shape := np.shape(value):
            raise ValueError(
                f"The metric must return one number; it returned shape {shape}."
            )
        if value is None or isinstance(value, str):
            raise ValueError(f"The metric must return one number, not {value!r:.60}.")
        return float(value)

    def whole(self):
        """Return the metric of all samples; its errors and warnings are the user's."""
        return np.array([self.value()])

    def __call__(self, counts):
        """Return the metric of each resample, nan where it is undefined."""
        values = np.full((len(counts), 1), np.nan)
        samples = np.arange(len(self.units.codes))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for i, count in enumerate(counts):
                with suppress(ValueError):
                    values[i] = self.value(np.repeat(samples, count[self.units.codes]))
        return values


def function_statistic(function, *data, **params):
    """Return what makes the statistic of a function of arrays from the units."""
    arrays = [to_array(array, "data", "a function of arrays") for array in data]
    if any(not array.ndim for array in arrays):
        raise ValueError("A metric needs arrays whose first axis is the samples.")
    if len({len(array) for array in arrays}) > 1:
        sizes = ", ".join(str(len(array)) for array in arrays)
        raise ValueError(f"A metric needs arrays of equal length. Got {sizes} rows.")
    rows, params = split_rows(params, len(arrays[0]))
    return lambda units: Scores(function, arrays, units, rows, params)


def split_rows(params, n_samples, per_row=()):
    """Split options into those with one entry per sample, as arrays, and the rest."""
    rows = {
        name: to_array(value, name, "a function of arrays")
        for name, value in params.items()
        if (name in per_row and value is not None) or _is_per_row(value, n_samples)
    }
    return rows, {name: v for name, v in params.items() if name not in rows}


def _is_per_row(value, n_samples):
    is_listed = hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict))
    return is_listed and len(value) == n_samples


def function_interval(function, data, request, *, per_row=("sample_weight",), **params):
    """Return the interval of a function of arrays whose first axis is the samples.

    Options with one entry per sample are drawn with the samples; those named in
    ``per_row`` always are.
    """
    caller = request.caller
    arrays = [to_array(array, "data", "a function of arrays") for array in data]
    if any(array.ndim == 0 for array in arrays):
        raise ValueError(f"{caller} needs arrays whose first axis is the samples.")
    rows, params = split_rows(params, len(arrays[0]), per_row)
    named = {f"array {i + 1}": array for i, array in enumerate(arrays)}
    check_same_length(caller, **named, **rows)
    weight = rows.get("sample_weight")
    kept, clusters = present_rows(weight, request.clusters, caller)
    arrays = [array[kept] for array in arrays]
    rows = {name: array[kept] for name, array in rows.items()}
    units = make_units(clusters, len(arrays[0]), caller)
    return bootstrap_interval(Scores(function, arrays, units, rows, params), request)


def bootstrap_interval(statistic, request):
    """Return the interval of a statistic over its units."""
    method, confidence, rng = request.method, request.confidence, request.rng
    check_choice(method, "method", request.caller, _METHODS)
    units = statistic.units
    value = request.once("value", lambda: float(statistic.whole()[0]))
    warnings = units.warnings()
    if method == "auto":
        method = "jackknife" if units.few else "bca"
    low = high = error = float("nan")
    if units.enough and method == "jackknife":
        left_out = request.once("left out", lambda: jackknife(statistic))
        left_out, undefined = _defined(left_out, "leave-outs")
        warnings += undefined
        error = float(jackknife_error(left_out))
        half = units.quantile(confidence) * error
        low, high = value - half, value + half
    elif units.enough:
        size = request.n_resamples
        draws = request.once("draws", lambda: bootstrap(statistic, size, rng))
        draws, undefined = _defined(draws, "resamples")
        warnings += undefined
        error = float(draws.std(ddof=1))
        levels = np.array([1 - confidence, 1 + confidence]) / 2
        if method == "bca":
            groups = request.once("groups", lambda: _left_out_groups(statistic, rng))
            levels = _bca_levels(value, draws, levels, groups)
        low, high = (float(q) for q in np.quantile(draws, levels))
    if low == high:  # a sample that shows no failure does not prove that there is none
        low = high = float("nan")
        warnings += (
            "Every resample gives the same value: there is no spread to take an "
            "interval from, and the limits are unknown.",
        )
    found = value, low, high, error, confidence
    return Interval(*found, method, units.n, warnings, units.name)


def _defined(values, what):
    found, warnings = defined_draws(values[:, 0], what)
    if len(found) < 2:
        return np.full(2, np.nan), (f"The metric is undefined in all {what}.",)
    return found, warnings


def _left_out_groups(statistic, rng):
    """Return the statistic without each of some groups of units."""
    n = statistic.units.n
    groups = rng.permutation(n) % min(n, _GROUPS)
    return _defined(jackknife(statistic, groups), "")[0]


def _bca_levels(value, draws, levels, left_out):
    below = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    half_draw = 0.5 / len(draws)
    bias = ndtri(np.clip(below, half_draw, 1 - half_draw))
    d = left_out.mean() - left_out
    squares = (d**2).sum()
    speed = (d**3).sum() / (6 * squares**1.5) if squares > 0 else 0.0
    z = bias + ndtri(levels)
    return ndtr(bias + z / (1 - speed * z))
