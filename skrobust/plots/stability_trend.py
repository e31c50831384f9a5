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


def trend_table(scores, periods):
    """Return the columns of the periods, nan where the metric is undefined."""
    places, known, trend, _ = trend_of(scores)
    n = len(scores)
    table = {
        "period": np.arange(n) if periods is None else periods,
        "score": scores,
        "trend": np.full(n, np.nan),
        "residual": np.full(n, np.nan),
    }
    table["trend"][places], table["residual"][places] = trend, known - trend
    return table


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


def legend_title(terms, found):
    """Return the terms of the index and, where there are any, the patterns as text."""
    text = (
        f"index {terms['index']:.3f} = mean {terms['mean']:.3f} "
        f"- fall {abs(terms['falling']):.3f} "
        f"- scatter {abs(terms['variability']):.3f}"
    )
    if found is None:
        return text
    if np.isnan(found.probability).any():
        return f"{text}\npattern: {found.most_probable} (no probability)"
    shares = dict(zip(found.pattern, found.probability, strict=True))
    parts = [f"{name} ({shares[name]:.2f})" for name in found.confidence_set]
    return f"{text}\npattern: {' or '.join(parts)}"
