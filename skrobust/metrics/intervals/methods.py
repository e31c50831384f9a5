"""Which interval belongs to which metric."""

import dataclasses

import numpy as np

from skrobust._validation import (
    check_number,
    check_same_length,
    check_scores,
    check_weights,
    invalid,
)
from skrobust.metrics.intervals.bootstrap import Scores
from skrobust.metrics.intervals.bootstrap_interval import callable_interval
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.proportion_clustered import share_interval
from skrobust.metrics.labels import label_array
from skrobust.metrics.normalized.scores import (
    normalized_accuracy_score,
    normalized_clustering_score,
    normalized_r2_score,
)
from skrobust.metrics.robust.inputs import (
    check_tolerance,
    correctness,
    is_per_row,
    shifts,
    take,
)
from skrobust.metrics.stability.asi_interval import asi_interval
from skrobust.metrics.stability.period_scores import period_scores
from skrobust.metrics.stability.trend_interval import Trend, trend_interval

_NORMALIZED = {
    "normalized_accuracy": normalized_accuracy_score,
    "normalized_r2": normalized_r2_score,
    "normalized_clustering": normalized_clustering_score,
}


def known_name(metric, caller):
    """Return the name under which a metric is known, None for another callable."""
    if callable(metric):
        name = getattr(metric, "__name__", "")
        if not getattr(metric, "__module__", "").startswith("skrobust.metrics"):
            return None
        if name == "robust_ratio_curve":
            raise ValueError(f"{caller} takes one value; use robust_ratio_band.")
        if name == "coefficient_of_variation":
            raise ValueError(
                f"{caller} is over samples, not over the scores of conditions; use "
                "accuracy_stability_index with the correctness of each sample."
            )
    else:
        name = metric
    short = name.removesuffix("_score") if isinstance(name, str) else name
    short = "accuracy_stability_index" if short == "asi" else short
    if isinstance(short, str) and short in METHODS:
        return short
    if callable(metric):
        return None
    listed = ", ".join(METHODS)
    raise invalid("metric", caller, f"a callable or one of {listed}", metric)


def any_callable(metric, data, params, settings, per_row=("sample_weight",)):
    """Return the bootstrap or jackknife interval of a callable of arrays."""
    caller = settings["caller"]
    arrays = [np.asarray(array) for array in data]
    if any(array.ndim == 0 for array in arrays):
        raise ValueError(f"{caller} needs arrays whose first axis is the samples.")
    params = dict(params)
    rows = {}
    for name in list(params):
        # What has one entry per sample is drawn with the samples.
        value = params[name]
        if (name in per_row and value is not None) or is_per_row(value, len(arrays[0])):
            rows[name] = np.asarray(params.pop(name))
    named = {f"array {i + 1}": array for i, array in enumerate(arrays)}
    check_same_length(caller, **named, **rows)
    units = make_units(settings["clusters"], len(arrays[0]), caller)
    return callable_interval(
        Scores(metric, arrays, units, rows, params), **_without_clusters(settings)
    )


def _without_clusters(settings):
    return {name: value for name, value in settings.items() if name != "clusters"}


def _robust_accuracy(data, params, settings):
    caller = settings["caller"]
    params = take(params, caller, "the robust accuracy", sample_weight=None)
    hits = correctness(data, caller).all(axis=1)
    return _share(hits, params["sample_weight"], settings)


def _robust_ratio(data, params, settings):
    caller = settings["caller"]
    params = take(
        params,
        caller,
        "the robust ratio",
        tolerance=None,
        reference="predicted",
        y_true=None,
        labels=None,
        sample_weight=None,
    )
    weight = params.pop("sample_weight")
    tolerance = check_tolerance(params.pop("tolerance"), caller)
    shift, atol = shifts(data, caller, **params)
    return _share(shift <= tolerance + atol, weight, settings)


def _share(hits, weight, settings):
    caller = settings["caller"]
    weight = check_weights(weight, len(hits), caller)
    clusters = settings["clusters"]
    if weight is not None and not weight.all():  # rows of weight 0 count as absent
        check_same_length(caller, data=hits, clusters=clusters)
        kept = weight > 0
        hits, weight = hits[kept], weight[kept]
        clusters = None if clusters is None else np.asarray(clusters)[kept]
    units = make_units(clusters, len(hits), caller)
    return share_interval(
        hits, weight, units, settings["confidence"], settings["method"], caller
    )


def _asi(data, params, settings):
    caller = settings["caller"]
    params = take(
        params, caller, "the accuracy_stability_index", resample_conditions=False
    )
    correct = correctness(data, caller)
    if correct.shape[1] < 2:
        raise ValueError(
            f"{caller} of the accuracy_stability_index needs correctness of shape "
            "(n_samples, n_conditions) with at least two conditions."
        )
    units = make_units(settings["clusters"], len(correct), caller)
    return asi_interval(
        correct,
        units,
        settings["confidence"],
        settings["method"],
        params["resample_conditions"],
        caller,
    )


def _stability_index(data, params, settings):
    caller, rng = settings["caller"], settings["rng"]
    params = take(
        params,
        caller,
        "the stability_index",
        falling_rate_weight=12,
        variability_weight=0.5,
        times=None,
        periods=None,
        score=None,
    )
    fall = check_number(params["falling_rate_weight"], "falling_rate_weight", caller)
    scatter = check_number(params["variability_weight"], "variability_weight", caller)
    for name, weight in (("falling_rate", fall), ("variability", scatter)):
        check_number(weight, f"{name}_weight", caller, low=0)
    times, periods, clusters = params["times"], params["periods"], settings["clusters"]
    warnings, noise = (), None
    if periods is None:
        if clusters is not None or len(data) != 1:
            raise ValueError(
                f"{caller} of the stability_index takes one score per period; for "
                "rows, "
                "and clusters of rows, pass periods=."
            )
        scores = check_scores(data[0], caller)
        kept = np.arange(len(scores))
        n_times = len(scores)
    else:
        arrays = tuple(np.asarray(array) for array in data)
        names, scores, noise, warnings = period_scores(
            arrays, periods, params["score"], clusters, rng, caller
        )
        everything = np.unique(label_array(periods, caller, "periods"))
        kept = np.searchsorted(everything, names)
        n_times = len(everything)
    if times is not None:
        times = check_scores(times, caller, name="times")
        if len(times) != n_times:
            raise ValueError(
                f"{caller} needs one time per period; times has {len(times)}, the data "
                f"have {n_times}."
            )
        times = times[kept]
    else:
        times = np.arange(len(scores), dtype=np.float64)
    if len(times) > 1 and times.min() == times.max():
        raise invalid("times", caller, "times that are not all equal", float(times[0]))
    # Neighbours are neighbours in time, in whatever order the scores came.
    order = np.argsort(times, kind="stable")
    scores, times = scores[order], times[order]
    noise = None if noise is None else noise[:, order]
    rest = _without_clusters(settings)
    interval = trend_interval(scores, Trend(times, fall, scatter), noise, **rest)
    return dataclasses.replace(interval, warnings=warnings + interval.warnings)


def _normalized(name):
    def of_name(data, params, settings):
        params = {"n_samples": None, **params}
        if params["n_samples"] is None:
            params["n_samples"] = len(data[0])
        if name == "normalized_accuracy":
            y_true = label_array(data[0], settings["caller"], "y_true")
            params = _with_class_sizes(y_true, params)
        per_row = ("sample_weight", "X")
        return any_callable(_NORMALIZED[name], data, params, settings, per_row)

    return of_name


def _with_class_sizes(y_true, params):
    # The class sizes are the data set's: a resample may miss a class.
    if params.get("class_counts") is None:
        weight = params.get("sample_weight")
        _, codes = np.unique(y_true, return_inverse=True)
        params["class_counts"] = np.bincount(codes, weights=weight)
    return params


METHODS = {
    "accuracy": _robust_accuracy,
    "robust_accuracy": _robust_accuracy,
    "robust_ratio": _robust_ratio,
    "accuracy_stability_index": _asi,
    "stability_index": _stability_index,
    **{name: _normalized(name) for name in _NORMALIZED},
}
