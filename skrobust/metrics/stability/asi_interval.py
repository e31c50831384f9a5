"""Confidence interval of the Accuracy-Stability Index, corrected for sampling noise."""

import numpy as np

from skrobust._validation import check_choice
from skrobust.metrics.intervals import bootstrap
from skrobust.metrics.intervals.clusters import make_units, t_quantile
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.robust.sample_values import correctness

UNRESOLVED = (
    "The index is unresolved: the spread of the conditions is near the noise of "
    "sampling; take more samples."
)


def correctness_interval(data, request, *, resample_conditions=False):
    """Return the interval of the index from correctness, or labels and predictions."""
    correct = _conditions(data, request.caller)
    units = make_units(request.clusters, len(correct), request.caller)
    settings = {"method": request.method, "resample_conditions": resample_conditions}
    return asi_interval(correct, units, request.confidence, request.caller, **settings)


def index_statistic(*data, caller):
    """Return a function of the units that makes the statistic, for comparisons."""
    correct = _conditions(data, caller)
    return lambda units: _Index(correct, units)


def _conditions(data, caller):
    correct = correctness(data, caller)
    if correct.shape[1] < 2:
        raise ValueError(
            f"{caller} of the accuracy_stability_index needs correctness of shape "
            "(n_samples, n_conditions) with at least two conditions."
        )
    return correct


class _Index(bootstrap.Statistic):
    """The noise-corrected index of a correctness matrix."""

    def __init__(self, correct, units):
        self.units = units
        self.moments = bootstrap.NoiseCorrected(correct, units)

    def __call__(self, counts):
        mean, _, variance = self.moments(counts).T
        return index(mean, variance)[:, None]


def asi_interval(
    correct, units, confidence, caller, *, method="auto", resample_conditions=False
):
    """Return the noise-corrected jackknife interval of the index."""
    check_choice(method, "method", caller, ("auto", "jackknife"))
    statistic = bootstrap.NoiseCorrected(correct, units)
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
    parts = value, float(low), float(high), error, confidence
    method = "noise-corrected jackknife"
    return Interval(*parts, method, units.n, warnings, units.name, plug_in)


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
    return bootstrap.jackknife_error(np.column_stack([index(mean, variance), ratio]))


def _of_ratio(ratio):
    root = np.sqrt(max(0.0, ratio))
    return (1 - root) / (1 + root)


def _without_conditions(correct, units):
    others = [np.delete(correct, k, axis=1) for k in range(correct.shape[1])]
    return np.stack([bootstrap.NoiseCorrected(part, units).whole() for part in others])
