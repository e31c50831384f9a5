"""Coverage of differences of models and groups, and errors of decisions."""

import numpy as np

from coverage_cases.draws import (
    clip_names,
    condition_means,
    grid,
    held,
    index,
    uniforms,
)
from skrobust.metrics import (
    by_group,
    compare_models,
    robust_ratio_regions,
    threshold_test,
)

SHARED = 0.5  # correlation of two models on a sample


def accuracy(rng, n, clusters, share, data):
    """Four models on the same samples: one pair, and all pairs at once."""
    means = share - np.array([0, 0, 0.05, 0.1])
    clips = clip_names(n, clusters)
    right = uniforms(rng, n, 4, clips, SHARED, 0.3) < means
    weight = rng.lognormal(size=n) if data == "weights" else None
    models = dict(zip("abcd", right.T, strict=True))
    settings = {"sample_weight": weight, "clusters": clips, "random_state": 0}
    # The draws make no limits where there are exact or linearised ones.
    settings["n_resamples"] = 2000 if clusters and not data else 100
    found = compare_models(models, **settings)
    truth = np.array([means[i] - means[j] for i in range(4) for j in range(i + 1, 4)])
    return {
        "accuracy, difference": held((found.low[1], found.high[1]), truth[1]),
        "accuracy, all differences": held((found.band_low, found.band_high), truth),
    }


def asi(rng, n, conditions):
    """Two models by the Accuracy-Stability Index."""
    spreads = 0.03, 0.08
    means = [condition_means(0.8, spread, conditions) for spread in spreads]
    right = uniforms(rng, n, 2 * conditions, None, SHARED) < np.concatenate(means)
    models = {"a": right[:, :conditions], "b": right[:, conditions:]}
    found = compare_models(models, metric="accuracy_stability_index", random_state=0)
    truth = index(0.8, spreads[0]) - index(0.8, spreads[1])
    return {
        "Accuracy-Stability Index, difference": held((found.low, found.high), truth)
    }


def ratio(rng, n):
    """Two models by the robust ratio at three tolerances."""
    scale, tolerances = np.array([0.3, 0.4]), np.array([0.05, 0.1, 0.2])
    shift = uniforms(rng, n, 2, None, SHARED) * scale
    found = compare_models(
        {"a": shift[:, 0], "b": shift[:, 1]},
        metric="robust_ratio",
        tolerance=tolerances,
        random_state=0,
    )
    truth = tolerances / scale[0] - tolerances / scale[1]
    return {
        "robust ratio, difference": held((found.low[1], found.high[1]), truth[1]),
        "robust ratio, band": held((found.band_low, found.band_high), truth),
    }


def regions(rng, n, clusters):
    """Two equal models, of which none leads at any tolerance."""
    clips = clip_names(n, clusters)
    shift = 0.3 * uniforms(rng, n, 2, clips, SHARED, 0.3)
    found = robust_ratio_regions(dict(zip("ab", shift.T, strict=True)), clusters=clips)
    nobody = not any(found.leader)
    return {"robust_ratio_regions finds no leader": (nobody, np.nan, False)}


def groups(rng, n, clusters, share, data):
    """Four groups of n samples each: one gap, and all gaps at once."""
    means = np.full(4, share)
    if data == "one is worse":
        means[0] -= 0.15
    group = np.repeat(np.arange(4), n)
    clips = clip_names(4 * n, 4 * clusters)
    right = uniforms(rng, 4 * n, 1, clips, 0, 0.3)[:, 0] < means[group]
    found = by_group(
        "accuracy",
        right,
        groups=group,
        clusters=clips,
        n_permutations=1,
        random_state=0,
    )
    gaps = found.gaps
    truth = np.array([means[i] - means[j] for i in range(4) for j in range(i + 1, 4)])
    return {
        "group": held((found.low[0], found.high[0]), means[0]),
        "gap of two groups": held((gaps.low[0], gaps.high[0]), truth[0]),
        "all gaps of groups": held((gaps.band_low, gaps.band_high), truth),
    }


def threshold(rng, n, clusters, share):
    """A model at the threshold, that must not pass: the error of the test."""
    clips = clip_names(n, clusters)
    right = uniforms(rng, n, 1, clips, 0, 0.3)[:, 0] < share
    found = threshold_test("accuracy", right, threshold=share, clusters=clips)
    held_back = found.verdict != "passes", np.nan, bool(found.warnings)
    return {"threshold_test does not pass": held_back}


_DATA = {"data": ("",)}
COMPARISONS = [
    (accuracy, grid(n=(20, 100, 1000), clusters=(0,), share=(0.8, 0.98), **_DATA)),
    (accuracy, grid(n=(100, 1000), clusters=(0,), share=(0.9,), data=("weights",))),
]
RESAMPLED = [
    (accuracy, grid(n=(500,), clusters=(5, 10, 20, 50), share=(0.9,), **_DATA)),
    (asi, grid(n=(50, 200), conditions=(20,))),
    (ratio, grid(n=(50, 200))),
]
GROUPS = [
    (groups, grid(n=(20,), clusters=(0,), share=(0.8, 0.98), data=("all alike",))),
    (groups, grid(n=(100,), clusters=(0,), share=(0.8,), data=("one is worse",))),
]
DECISIONS = [
    (threshold, grid(n=(50, 500), clusters=(0,), share=(0.8, 0.95))),
    (threshold, grid(n=(500,), clusters=(50,), share=(0.8,))),
    (regions, grid(n=(40,), clusters=(0,))),
]
