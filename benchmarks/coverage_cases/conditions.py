"""Coverage of what is said of many conditions: index, summaries, bands, worst one."""

import numpy as np

from coverage_cases.draws import (
    clip_names,
    condition_means,
    grid,
    held,
    index,
    uniforms,
)
from skrobust.evaluation.core.summary_intervals import summary_intervals
from skrobust.metrics import (
    confidence_interval,
    simultaneous_intervals,
    worst_case_interval,
)
from skrobust.metrics.intervals.clusters import make_units

SHARED = 0.5  # correlation of the conditions of a sample


def asi(rng, n, clusters, conditions, spread):
    """The Accuracy-Stability Index of fixed conditions."""
    means = condition_means(0.8, spread, conditions)
    clips = clip_names(n, clusters)
    right = uniforms(rng, n, conditions, clips, SHARED, 0.3) < means
    found = confidence_interval("accuracy_stability_index", right, clusters=clips)
    return {"Accuracy-Stability Index": held(found, index(0.8, spread))}


def one_fails(rng, n, conditions):
    """The index where all conditions but one are nearly always right."""
    means = np.append(np.full(conditions - 1, 0.99), 0.01)
    right = uniforms(rng, n, conditions, None, SHARED) < means
    found = confidence_interval("accuracy_stability_index", right)
    truth = index(means.mean(), means.std())
    return {"Accuracy-Stability Index, one fails": held(found, truth)}


def drawn_conditions(rng, n, conditions, spread):
    """The index of conditions that are themselves drawn at random."""
    means = np.clip(0.8 + spread * rng.normal(size=conditions), 0, 1)
    right = uniforms(rng, n, conditions, None, SHARED) < means
    name, truth = "accuracy_stability_index", index(0.8, spread)
    fixed = confidence_interval(name, right)
    drawn = confidence_interval(name, right, resample_conditions=True)
    return {
        "Accuracy-Stability Index, drawn conditions": held(fixed, truth),
        "the same, resample_conditions": held(drawn, truth),
    }


_SEVERITIES = np.tile([1, 2, 3], 2)
_TABLE = {"corruption": np.repeat(["blur", "noise"], 3), "severity": _SEVERITIES}
_FALL = np.array([0.02, 0.08, 0.2, 0.05, 0.15, 0.3])
_CLEAN = 0.95


def summaries(rng, n, clusters):
    """Mean, variation, area and mean corruption error of two corruptions."""
    means, others = _CLEAN - _FALL, _CLEAN - 1.5 * _FALL
    ends = np.concatenate([[_CLEAN], means, others])
    clips = clip_names(n, clusters)
    right = uniforms(rng, n, ends.size, clips, SHARED, 0.3) < ends
    clean, right, other = right[:, 0], right[:, 1:7], right[:, 7:]
    reference = {"score": other.mean(axis=0), "correct": other}
    units = make_units(clips, n, "coverage")
    parts = _TABLE, right, clean, reference, units, 0.95
    found = summary_intervals(*parts)
    levels = np.column_stack([[_CLEAN] * 2, means.reshape(2, 3)])
    errors = [(1 - one).reshape(2, 3).sum(axis=1) for one in (means, others)]
    truths = {
        "mean": means.mean(),
        "coefficient_of_variation": means.std() / means.mean(),
        "area_under_severity_curve": np.trapezoid(levels, axis=1).mean() / 3,
        "mean_corruption_error": (errors[0] / errors[1]).mean(),
    }
    return {
        name.replace("_", " "): held(found[f"{name}_interval"], truth)
        for name, truth in truths.items()
    }


def bands(rng, n, clusters, conditions, share, data):
    """The band over all conditions, and the worst one."""
    means = np.full(conditions, share)
    if data == "one is worse":
        means[0] -= 0.2
    clips = clip_names(n, clusters)
    right = uniforms(rng, n, conditions, clips, SHARED, 0.3) < means
    band = simultaneous_intervals(right, clusters=clips)
    worst = worst_case_interval(right, clusters=clips)
    return {
        "one condition": held((band.low[-1], band.high[-1]), means[-1]),
        "all conditions, band": held((band.band_low, band.band_high), means),
        "worst condition": held(worst, means.min()),
    }


_NONE = {"clusters": (0,)}
_SPREADS = {"spread": (0.005, 0.02, 0.08)}
INDICES = [
    (asi, grid(n=(50, 200, 1000), **_NONE, conditions=(20,), **_SPREADS)),
    (asi, grid(n=(200,), **_NONE, conditions=(5,), **_SPREADS)),
    (asi, grid(n=(500,), clusters=(5, 10, 50), conditions=(20,), spread=(0.02, 0.08))),
    (one_fails, grid(n=(50, 200), conditions=(5,))),
    (drawn_conditions, grid(n=(200,), conditions=(20,), spread=(0.05,))),
]
SUMMARIES = [
    (summaries, grid(n=(50, 200, 1000), clusters=(0,))),
    (summaries, grid(n=(500,), clusters=(5, 10, 50))),
]
_DATA = {"data": ("all alike", "one is worse")}
BANDS = [
    (bands, grid(n=(50, 200, 1000), **_NONE, conditions=(5,), share=(0.8,), **_DATA)),
    (
        bands,
        grid(n=(200,), **_NONE, conditions=(69,), share=(0.8,), data=("all alike",)),
    ),
    (
        bands,
        grid(n=(200,), **_NONE, conditions=(5,), share=(0.98,), data=("all alike",)),
    ),
    (
        bands,
        grid(
            n=(500,),
            clusters=(5, 10, 50),
            conditions=(20,),
            share=(0.8,),
            data=("one is worse",),
        ),
    ),
]
