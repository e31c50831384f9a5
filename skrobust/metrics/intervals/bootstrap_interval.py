"""Bootstrap and jackknife intervals of any metric of arrays."""

import numpy as np
from scipy.special import ndtr, ndtri

from skrobust._validation import check_choice, check_same_length
from skrobust.metrics.intervals.bootstrap import (
    Scores,
    bootstrap,
    defined_draws,
    jackknife,
    jackknife_error,
    split_rows,
)
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.interval import Interval

_METHODS = ("auto", "bca", "percentile", "jackknife")
_GROUPS = 200  # the acceleration of BCa needs no more leave-outs than this


def function_interval(function, data, request, *, per_row=("sample_weight",), **params):
    """Return the interval of a function of arrays whose first axis is the samples.

    Options with one entry per sample are drawn with the samples; those named in
    ``per_row`` always are.
    """
    caller = request.caller
    arrays = [np.asarray(array) for array in data]
    if any(array.ndim == 0 for array in arrays):
        raise ValueError(f"{caller} needs arrays whose first axis is the samples.")
    rows, params = split_rows(params, len(arrays[0]), per_row)
    named = {f"array {i + 1}": array for i, array in enumerate(arrays)}
    check_same_length(caller, **named, **rows)
    units = make_units(request.clusters, len(arrays[0]), caller)
    return bootstrap_interval(Scores(function, arrays, units, rows, params), request)


def bootstrap_interval(statistic, request):
    """Return the interval of a statistic over its units."""
    method, confidence, rng = request.method, request.confidence, request.rng
    check_choice(method, "method", request.caller, _METHODS)
    units = statistic.units
    value = float(statistic.whole()[0])
    warnings = units.warnings()
    if method == "auto":
        method = "jackknife" if units.few else "bca"
    low = high = error = float("nan")
    if units.enough and method == "jackknife":
        left_out, undefined = _defined(jackknife(statistic), "leave-outs")
        warnings += undefined
        error = float(jackknife_error(left_out))
        half = units.quantile(confidence) * error
        low, high = value - half, value + half
    elif units.enough:
        draws = bootstrap(statistic, request.n_resamples, rng)
        draws, undefined = _defined(draws, "resamples")
        warnings += undefined
        error = float(draws.std(ddof=1))
        levels = np.array([1 - confidence, 1 + confidence]) / 2
        if method == "bca":
            levels = _bca_levels(statistic, value, draws, levels, rng)
        low, high = (float(q) for q in np.quantile(draws, levels))
        if draws.min() == draws.max():
            warnings += (
                "Every resample gives the same value: there is no spread to take an "
                "interval from.",
            )
    return Interval(
        value, low, high, error, confidence, method, units.n, warnings, units.name
    )


def _defined(values, what):
    found, warnings = defined_draws(values[:, 0], what)
    if len(found) < 2:
        return np.full(2, np.nan), (f"The metric is undefined in all {what}.",)
    return found, warnings


def _bca_levels(statistic, value, draws, levels, rng):
    below = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    half_draw = 0.5 / len(draws)
    bias = ndtri(np.clip(below, half_draw, 1 - half_draw))
    n = statistic.units.n
    groups = rng.permutation(n) % min(n, _GROUPS)
    left_out, _ = _defined(jackknife(statistic, groups), "")
    d = left_out.mean() - left_out
    squares = (d**2).sum()
    speed = (d**3).sum() / (6 * squares**1.5) if squares > 0 else 0.0
    z = bias + ndtri(levels)
    return ndtr(bias + z / (1 - speed * z))
