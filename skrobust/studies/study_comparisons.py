"""Comparisons of the detectors of the study under one attack: pairs, leads, spreads."""

import numpy as np

from skrobust.metrics import (
    by_group,
    compare_models,
    confidence_interval,
    probability_shift,
    robust_ratio_regions,
)
from skrobust.studies.study_numbers import TOLERANCES, Clips, quietly

MARGIN = 0.05  # a difference of robust accuracy or ratio that does not matter
_DRAWS = {"n_resamples": 999, "random_state": 0}


def compare_detectors(detectors, cells):
    """Return who differs from whom under one attack at one budget.

    Parameters
    ----------
    detectors : dict of str to Detector
        At least two, tested on the same images.
    cells : dict of str to dict
        One cell of each.

    Returns
    -------
    dict
        ``accuracy_pairs``, the paired differences of robust accuracy; ``images`` and
        ``clips``, each with ``regions`` (runs of tolerances in which one detector
        leads), ``n_apart`` (tolerances at which some pair differs, in the band for all
        pairs and tolerances) and ``is_alike`` (whether that band lies within 0.05);
        ``spread``.
    """
    faces = next(iter(detectors.values())).faces
    clips, first = Clips(faces), next(iter(cells.values()))
    out = {key: first[key] for key in ("attack", "norm", "eps")}
    right = {name: cell["robust"] for name, cell in cells.items()}
    settings = {"clusters": faces.video, "margin": MARGIN, **_DRAWS}
    found = quietly(compare_models, right, **settings)
    keys = ("first", "second", "difference", "low", "high", "p_adjusted", "verdict")
    out["accuracy_pairs"] = {key: found[key] for key in keys}
    pairs = {name: (d.p, cells[name]["moved"]) for name, d in detectors.items()}
    out["images"] = _regions(pairs, faces.video)
    means = {name: tuple(map(clips.mean, two)) for name, two in pairs.items()}
    out["clips"] = _regions(means, clips.video)
    out["spread"] = _spread(right, pairs, faces.video)
    return out


def _regions(pairs, video):
    found = quietly(
        robust_ratio_regions, pairs, tolerances=TOLERANCES, clusters=video, **_DRAWS
    )
    table = found.pairs
    apart = (table.band_low > 0) | (table.band_high < 0)
    at = np.unique(table.tolerance[apart])
    widest = np.maximum(np.abs(table.band_low), np.abs(table.band_high)).max()
    regions = found.regions
    return {
        "n_apart": len(at),
        "is_alike": bool(widest <= MARGIN),
        "regions": [
            {"detector": str(model), "start": float(start), "stop": float(stop)}
            for model, start, stop in zip(
                regions.model, regions.start, regions.stop, strict=True
            )
        ],
    }


def _spread(right, pairs, video):
    """Return how far the detectors lie apart in robust accuracy and in robust ratio."""
    bounds, columns = TOLERANCES[1:] + 1e-9, []
    for name, correct in right.items():
        shift = probability_shift(*pairs[name])
        columns += [correct[:, None], shift[:, None] <= bounds]
    table = np.concatenate(columns, axis=1).astype(np.float64)
    gain = quietly(
        confidence_interval, Gain(len(right)), table, clusters=video, **_DRAWS
    )
    accuracy, ratio = Gain(len(right)).spreads(table)
    return {
        "accuracy": accuracy,
        "ratio": float(ratio.mean()),
        "largest_ratio": float(ratio.max()),
        "gain": {"value": gain.value, "low": gain.low, "high": gain.high},
    }


class Gain:
    """Mean spread of the robust ratio over the tolerances, less that of accuracy.

    Parameters
    ----------
    n_models : int
        Models, whose columns stand side by side: robust accuracy, then the tolerances.
    """

    __name__ = "gain_score"  # larger is more

    def __init__(self, n_models):
        self.n_models = n_models

    def spreads(self, table):
        """Return the spread of accuracy, and that of the ratio at each tolerance."""
        means = table.mean(axis=0).reshape(self.n_models, -1)
        spread = np.ptp(means, axis=0)
        return float(spread[0]), spread[1:]

    def __call__(self, table):
        """Return the difference of the two spreads."""
        accuracy, ratio = self.spreads(table)
        return float(ratio.mean() - accuracy)


def group_numbers(detector, cell):
    """Return robust accuracy and robust ratio of each group, or None without groups.

    Images without a group are left out. The tables tell the labels of each group, since
    a group of real faces alone has a rate of true answers and no accuracy.
    """
    faces = detector.faces
    known = faces.group != ""
    groups = faces.group[known]
    if len(np.unique(groups)) < 2:
        return None
    # A video and its fakes are one unit, unless they show persons of two groups.
    video = faces.video[known]
    several = any(len(np.unique(groups[video == v])) > 1 for v in np.unique(video))
    unit = faces.clip[known] if several else video
    settings = {"groups": groups, "clusters": unit, "random_state": 0}
    rate = quietly(by_group, "robust_accuracy", cell["robust"][known], **settings)
    p, q = detector.p[known], cell["moved"][known]
    ratio = quietly(by_group, "robust_ratio", p, q, tolerance=TOLERANCES, **settings)
    y, clean = faces.y[known], detector.correct[known]
    rows = []
    for k, name in enumerate(rate["group"].tolist()):
        own = groups == name
        row = {"group": name, "n_images": int(own.sum())}
        row["n_clips"] = len(np.unique(faces.clip[known][own]))
        row["n_fake"], row["n_real"] = np.bincount(y[own], minlength=2).tolist()
        row["clean"] = float(clean[own].mean())
        row["accuracy"] = {e: rate[e][k] for e in ("value", "low", "high")}
        at = ratio["group"] == name
        row["ratio"] = {e: ratio[e][at] for e in ("value", "low", "high")}
        rows.append(row)
    gaps = rate.gaps
    pairs = zip(gaps["first"], gaps["second"], gaps.gap, gaps.p_adjusted, strict=True)
    return {
        **{key: cell[key] for key in ("detector", "attack", "norm", "eps")},
        "rows": rows,
        "one_label": len(np.unique(y)) == 1,
        "range": rate.range,
        "range_by_chance": rate.range_by_chance,
        "range_p_value": rate.range_p_value,
        "ratio_range": ratio.ranges["range"],
        "ratio_range_by_chance": ratio.ranges["range_by_chance"],
        "ratio_range_p_value": ratio.ranges["p_value"],
        "gaps": [
            {"first": str(a), "second": str(b), "gap": float(g), "p": float(p)}
            for a, b, g, p in pairs
            if p < 0.05
        ],
    }
