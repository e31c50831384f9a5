"""Trend of a metric over time and the terms of its stability index."""

from collections.abc import Mapping

import numpy as np

from skrobust._array_checks import refuse_missing
from skrobust._containers import one_per_row
from skrobust._responses import respond
from skrobust._validation import invalid
from skrobust.metrics import stability_index
from skrobust.metrics.callable_metrics import (
    is_scorer,
    response_of,
    response_values,
)
from skrobust.metrics.stability.period_metrics import takes_scores
from skrobust.plots.drawing import color_of


def answers_and_times(estimator, X, times, metric, caller):
    """Return what a metric of periods takes of a classifier, and the times of rows."""
    if isinstance(times, str):
        if times not in getattr(X, "columns", ()):
            rule = "periods, or the name of a column of X"
            raise invalid("times", caller, rule, times)
        times = np.asarray(X[times])
    if takes_scores(metric):
        return np.asarray(respond(estimator, "predict_proba", X))[:, 1], times
    if callable(metric) and is_scorer(metric):
        rule = "a name or a function; score the periods of a scorer with it"
        raise invalid("metric", caller, rule, metric)
    response = response_of(metric) if callable(metric) else "predict"
    return response_values(estimator, X, response, caller), times


def checked_periods(scores, periods, limits, caller):
    """Return the names of the periods or None, after a look at limits, too."""
    if limits is not None and np.shape(limits) != (2, len(scores)):
        rule = f"of shape (2, {len(scores)}), or None"
        raise invalid("limits", caller, rule, np.shape(limits))
    if periods is None:
        return None
    periods = one_per_row(periods)
    refuse_missing(periods, caller, "periods")
    if periods.shape != scores.shape:
        rule = f"one name for each of the {len(scores)} scores"
        raise invalid("periods", caller, rule, periods.tolist())
    return periods


def series_of(results):
    """Return results with their scores, and parameters from a band of periods."""
    if not isinstance(results, Mapping) or "band_low" not in results:
        return results, {}
    limits = np.array([results["band_low"], results["band_high"]])
    series = {"score": results["value"]}
    if "period" in results:  # not those of conditions
        series["period"] = results["period"]
    return series, {"limits": limits, "score_name": "accuracy"}


def draw_limits(ax, places, limits):
    """Draw the limits of the periods that have a score as bars, None for no limits."""
    if limits is None:
        return None
    low, high = np.asarray(limits)[:, places]
    style = {"color": color_of(0), "lw": 0.8, "alpha": 0.6}
    return ax.vlines(places, low, high, label="limits of all periods at once", **style)


def trend_of(scores):
    """Return places, scores, trend and slope of the periods that have a score."""
    # Periods without a score are left out, and the step is from one to the next.
    is_known = np.isfinite(scores)
    places, scores = np.flatnonzero(is_known), scores[is_known]
    steps = np.arange(len(scores))
    slope, intercept = np.polyfit(steps, scores, 1)
    return places, scores, slope * steps + intercept, slope


def trend_table(scores, periods, limits=None):
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
    if limits is not None:
        table["low"], table["high"] = np.asarray(limits)
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
