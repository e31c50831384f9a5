"""Trend of a metric over time and the terms of its stability index."""

import numpy as np

from skrobust.metrics import stability_index


def trend_of(scores):
    """Return places, scores, trend and slope of the periods that have a score."""
    # Periods without a score are left out, and the step is from one to the next.
    is_known = np.isfinite(scores)
    places, scores = np.flatnonzero(is_known), scores[is_known]
    steps = np.arange(len(scores))
    slope, intercept = np.polyfit(steps, scores, 1)
    return places, scores, slope * steps + intercept, slope


def index_terms(scores, falling_rate_weight, variability_weight):
    """Return the mean, the two penalties (at most 0) and the index, their sum."""
    _, scores, trend, slope = trend_of(scores)
    index = stability_index(
        scores,
        falling_rate_weight=falling_rate_weight,
        variability_weight=variability_weight,
    )
    scatter = float((scores - trend).std())
    return {
        "mean": float(scores.mean()),
        "falling": float(falling_rate_weight * min(0.0, slope)),
        "variability": -float(variability_weight * scatter),
        "index": index,
    }
