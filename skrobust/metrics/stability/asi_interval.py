"""Confidence interval of the Accuracy-Stability Index, corrected for sampling noise."""

import numpy as np
from scipy.special import ndtri, stdtrit
from scipy.stats import f

from skrobust._array_checks import check_weights
from skrobust._validation import check_choice
from skrobust.metrics.intervals import bootstrap
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.robust.sample_values import correctness

UNRESOLVED = (
    "The index is unresolved: the spread of the conditions is near the noise of "
    "sampling; take more samples."
)
UNRESOLVED_VARIATION = (
    "The variation is unresolved: the spread of the conditions is near the noise of "
    "sampling; take more samples."
)
ALIKE = (
    "All units show the same differences between conditions: the interval is only what "
    "that many units can exclude."
)


def correctness_interval(data, request, *, resample_conditions=False):
    """Return the interval of the index from correctness, or labels and predictions."""
    correct = _conditions(data, request.caller)
    units = make_units(request.clusters, len(correct), request.caller)
    settings = {"method": request.method, "resample_conditions": resample_conditions}
    return asi_interval(correct, units, request.confidence, request.caller, **settings)


def index_statistic(*data, caller, sample_weight=None):
    """Return a function of the units that makes the statistic, for comparisons."""
    correct = _conditions(data, caller)
    weight = check_weights(sample_weight, len(correct), caller)
    return lambda units: _Index(correct, units, weight)


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

    def __init__(self, correct, units, weight):
        self.units = units
        self.moments = bootstrap.NoiseCorrected(correct, units, weight)

    def __call__(self, counts):
        mean, _, variance = self.moments(counts).T
        return index(mean, variance)[:, None]


def asi_interval(
    correct, units, confidence, caller, *, method="auto", resample_conditions=False
):
    """Return the noise-corrected interval of the index.

    The ratio of the variance to the fourth power of the mean, of which the index is a
    function, has limits as those of Wilson: the error is that at the limit.
    """
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
        error = float(bootstrap.jackknife_error(index(moments[:, 0], moments[:, 2])))
        means = ColumnMeans(correct, units)
        df, over_conditions = means.df, None
        if resample_conditions:
            over_conditions = _without_conditions(correct, units)
            df = min(df, correct.shape[1] - 1)
        level = (1 + confidence) / 2
        quantile = float(ndtri(level) if np.isinf(df) else stdtrit(df, level))
        reach = _reach(means, mean, variance, quantile)
        if over_conditions is not None:
            others = bootstrap.jackknife_error(over_conditions)
            error = float(np.hypot(error, others[1]))
            reach = np.hypot(reach, quantile * others[0])
        ratio = variance / mean**4
        below, above = _margins(means, mean, level)
        low = min(value, _of_ratio(_end(ratio, reach[0], below, 1)))
        high = max(value, _of_ratio(_end(ratio, reach[1], above, -1)))
        if above == 0:
            warnings += (ALIKE,)
        elif ratio <= above:
            warnings += (UNRESOLVED,)
    parts = value, float(low), float(high), error, confidence
    method = "noise-corrected score"
    return Interval(*parts, method, units.n, warnings, units.name, plug_in)


def index(mean, variance):
    """Return the index of a mean and a variance, which may be below zero."""
    mean = np.asarray(mean, dtype=np.float64)
    spread = np.sqrt(np.maximum(0.0, variance))
    total = mean**2 + spread
    defined = total > 0
    return np.where(defined, mean**2 - spread, -1.0) / np.where(defined, total, 1.0)


def variation_interval(correct, units, confidence):
    """Return the noise-corrected interval of the coefficient of variation.

    It is the root of the ratio of the variance to the squared mean, whose limits are
    found as those of the index.
    """
    statistic = bootstrap.NoiseCorrected(correct, units)
    mean, plain, variance = statistic.whole()
    warnings = units.warnings()
    value = plug_in = low = high = error = float("nan")
    if mean == 0:
        warnings += ("The variation is undefined when every prediction is wrong.",)
    else:
        value, plug_in = np.sqrt([max(0.0, variance), plain]) / mean
    if mean > 0 and units.enough:
        moments = statistic.left_out()
        root = np.sqrt(np.maximum(0.0, moments[:, 2]))
        with np.errstate(divide="ignore", invalid="ignore"):  # one unit with successes
            error = float(bootstrap.jackknife_error(root / moments[:, 0]))
        means, level = ColumnMeans(correct, units), (1 + confidence) / 2
        quantile = means.t_quantile(level)
        reach = _reach(means, mean, variance, quantile, power=1)
        below, above = _margins(means, mean, level, power=1)
        ratio = variance / mean**2
        ends = _end(ratio, reach[1], above, -1), _end(ratio, reach[0], below, 1)
        low, high = np.sqrt(np.maximum(0.0, ends))
        most = np.sqrt(correct.shape[1] - 1)  # one condition alone has successes
        low, high = min(value, low), max(value, min(high, most))
        if above == 0:
            warnings += (ALIKE,)
        elif ratio <= above:
            warnings += (UNRESOLVED_VARIATION,)
    parts = float(value), float(low), float(high), error, confidence
    method = "noise-corrected score"
    return Interval(*parts, method, units.n, warnings, units.name, float(plug_in))


def _reach(means, mean, variance, quantile, power=2):
    """Return how far the root ratio may be above and below, at a fixed direction.

    The ratio is that of the variance to the mean raised to twice the power.

    The root of the ratio is linear in the means of the conditions, along the direction
    in which they differ. Wilson's limits of each condition are joined by their
    correlations (Zou and Donner), so that a condition without a failure counts, too.
    """
    k, root = means.mean.size, np.sqrt(max(0.0, variance)) / mean**power
    off = means.mean - mean
    length = np.sqrt((off**2).sum())
    direction = off / length if length > 0 else off
    slope = direction / (np.sqrt(k) * mean**power) - power * root / (k * mean)
    low, high = means.wilson(quantile)
    # The wider side on both, up to 0 and 1: so a contrast of like conditions is narrow.
    widest = np.maximum(means.mean - low, high - means.mean)
    below, above = np.minimum(widest, means.mean), np.minimum(widest, 1 - means.mean)
    observed = means.contributions.T @ means.contributions
    unseen = quantile / (2 * means.n_effective)
    joint = [observed, observed + np.outer(unseen, unseen)]
    found = []
    for side in (1, -1):
        distance = slope * np.where(side * slope > 0, above, below)
        squares = [distance @ _correlation(one) @ distance for one in joint]
        found.append(np.sqrt(max(0.0, *squares)))
    return np.array(found)


def _correlation(covariance):
    error = np.sqrt(np.diag(covariance))
    scale = np.where(error > 1e-12, error, np.inf)
    found = covariance / np.outer(scale, scale)
    np.fill_diagonal(found, 1.0)
    return found


def _margins(means, mean, level, power=2):
    """Return how far below and above 0 noise alone may take the ratio."""
    centred = means.contributions - means.contributions.mean(axis=1, keepdims=True)
    squares = np.linalg.eigvalsh(centred.T @ centred)
    total, n = squares.sum(), means.units.n
    own = (centred**2).sum(axis=1)
    n_differing = own.sum() ** 2 / (own**2).sum() if own.any() else 0.0
    # As many units as may have been missed could differ, by half their share as spread;
    # the more units differ already, the better the noise is known without them.
    hidden = 1 - (2 * (1 - level)) ** (1 / n)
    unseen = (hidden / 2) ** 2 / (1 + n_differing)
    below = above = 0.0
    if total > 1e-20:  # not rounding
        df = total**2 / (squares**2).sum()
        ends = f.ppf([1 - level, level], df, df * (n - 1))
        noise = total / means.mean.size
        below, above = noise * (1 - ends[0]), noise * (ends[1] - 1)
    return np.array([np.hypot(below, unseen), above]) / mean ** (2 * power)


def _end(ratio, reach, margin, side):
    """Return the ratio whose distance from the estimate is that of its own error."""
    square = margin**2 + 4 * reach**2 * ratio + 4 * reach**4
    return ratio + 2 * reach**2 + side * np.sqrt(max(0.0, square))


def _of_ratio(ratio):
    root = np.sqrt(max(0.0, ratio))
    return (1 - root) / (1 + root)


def _without_conditions(correct, units):
    """Return the root ratio and the index without each condition."""
    others = [np.delete(correct, k, axis=1) for k in range(correct.shape[1])]
    parts = np.stack([bootstrap.NoiseCorrected(part, units).whole() for part in others])
    mean, variance = np.maximum(parts[:, 0], 1e-12), np.maximum(parts[:, 2], 0.0)
    return np.column_stack([np.sqrt(variance) / mean**2, index(mean, variance)])
