"""The interval of the Accuracy-Stability Index, with the noise of sampling removed."""

import numpy as np

from skrobust._validation import check_choice
from skrobust.metrics.intervals.bootstrap import NoiseCorrected, jackknife_error
from skrobust.metrics.intervals.clusters import t_quantile
from skrobust.metrics.intervals.interval import Interval

UNRESOLVED = (
    "The index is unresolved: the spread of the conditions is near the noise of "
    "sampling; take more samples."
)


def asi_interval(correct, units, confidence, method, resample_conditions, caller):
    """Return the noise-corrected jackknife interval of the index."""
    check_choice(method, "method", caller, ("auto", "jackknife"))
    statistic = NoiseCorrected(correct, units)
    mean, plain, variance = statistic.whole()
    value, plug_in = float(index(mean, variance)), float(index(mean, plain))
    warnings = units.warnings()
    low = high = error = float("nan")
    if mean == 0:
        warnings += ("The index is undefined when every prediction is wrong.",)
    elif units.enough:
        moments = statistic.left_out()
        errors = _errors(moments)
        df = units.n - 1
        if resample_conditions:
            errors = np.hypot(errors, _errors(_without_conditions(correct, units)))
            df = min(df, correct.shape[1] - 1)
        quantile = t_quantile(confidence, df)
        error, ratio_error = (float(e) for e in errors)
        low, high = value - quantile * error, value + quantile * error
        ratio = variance / mean**4
        if error == 0 and ratio_error == 0:
            # Each image fared alike under all conditions. As many units as may have
            # been missed could differ, by at most half their share as spread.
            hidden = 1 - (1 - confidence) ** (1 / units.n)
            low = min(low, float(index(mean, (hidden / 2) ** 2)))
            warnings += (
                "No unit tells one condition from another: the interval is only what "
                "that many units can exclude.",
            )
        elif ratio < quantile * ratio_error:
            warnings += (UNRESOLVED,)
            # The root has no derivative at zero, so that the jackknife of the index
            # fails there; that of the squared ratio does not.
            low = min(low, _of_ratio(ratio + quantile * ratio_error))
            high = max(high, _of_ratio(ratio - quantile * ratio_error))
        low, high = max(-1.0, low), min(1.0, high)
    return Interval(
        value,
        float(low),
        float(high),
        error,
        confidence,
        "noise-corrected jackknife",
        units.n,
        warnings,
        units.name,
        plug_in,
    )


def index(mean, variance):
    """Return the index of a mean and a variance, which may be below zero."""
    mean = np.asarray(mean, dtype=np.float64)
    spread = np.sqrt(np.maximum(0.0, variance))
    total = mean**2 + spread
    defined = total > 0
    return np.where(defined, mean**2 - spread, -1.0) / np.where(defined, total, 1.0)


def _errors(moments):
    mean, _, variance = moments.T
    ratio = variance / np.maximum(mean, 1e-12) ** 4
    return jackknife_error(np.column_stack([index(mean, variance), ratio]))


def _of_ratio(ratio):
    root = np.sqrt(max(0.0, ratio))
    return (1 - root) / (1 + root)


def _without_conditions(correct, units):
    return np.stack(
        [
            NoiseCorrected(np.delete(correct, k, axis=1), units).whole()
            for k in range(correct.shape[1])
        ]
    )
