"""Confidence interval of the stability index, from scores or from rows of periods."""

import dataclasses

import numpy as np

from skrobust._validation import check_number, check_scores, invalid
from skrobust.metrics.labels import check_one_each
from skrobust.metrics.stability.period_rows import time_values
from skrobust.metrics.stability.period_scores import period_scores
from skrobust.metrics.stability.trend_interval import Trend, trend_interval


def index_interval(
    data,
    request,
    *,
    falling_rate_weight=12,
    variability_weight=0.5,
    times=None,
    periods=None,
    score=None,
):
    """Return the interval of the stability index."""
    caller = request.caller
    fall = check_number(falling_rate_weight, "falling_rate_weight", caller, low=0)
    scatter = check_number(variability_weight, "variability_weight", caller, low=0)
    warnings, noise = (), None
    if periods is None:
        if request.clusters is not None or len(data) != 1:
            raise ValueError(
                f"{caller} of the stability index takes one score per period; for "
                "rows, and clusters of rows, pass periods=."
            )
        scores = check_scores(data[0], caller)
        kept = np.ones(len(scores), dtype=bool)
    else:
        arrays = tuple(np.asarray(array) for array in data)
        kept, scores, noise, warnings = period_scores(
            arrays, periods, score, request.clusters, request.rng, caller
        )
    if times is not None:
        times = time_values(times, caller)
        what, other = "one time per period", "the data have"
        check_one_each(times, len(kept), what, "times", caller, other=other)
        times = times[kept]
    else:
        times = np.arange(len(scores), dtype=np.float64)
    if len(times) > 1 and times.min() == times.max():
        raise invalid("times", caller, "times that are not all equal", float(times[0]))
    # Neighbours are neighbours in time, in whatever order the scores came.
    order = np.argsort(times, kind="stable")
    scores, times = scores[order], times[order]
    noise = None if noise is None else noise[:, order]
    interval = trend_interval(scores, Trend(times, fall, scatter), noise, request)
    return dataclasses.replace(interval, warnings=warnings + interval.warnings)
