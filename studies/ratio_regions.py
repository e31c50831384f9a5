"""Regions of operation of the robust ratio, by eye and beyond chance."""

import warnings

import numpy as np

from skrobust.metrics import robust_ratio_regions


def regions_of(shifts, clips):
    """Return regions by eye and those that remain, and the result of the package.

    A region by eye is a run of tolerances at which one model is better than each other
    one; it remains where this model leads beyond chance at one of them or more.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of probabilities that stay at 1
        result = robust_ratio_regions(shifts, clusters=clips, random_state=0)
    alone = np.asarray(result["margin"]) > 1e-9  # else tied: no region
    best, leads = np.where(alone, result["best"], ""), np.asarray(result["leader"])
    run = np.cumsum(np.r_[True, best[1:] != best[:-1]])
    regions = result["regions"]
    columns = [regions[key] for key in ("model", "start", "stop")]
    told = [f"{m} {a:.2f}-{b:.2f}" for m, a, b in zip(*columns, strict=True)]
    kinds, counts = np.unique(
        leads[leads != ""] if (leads != "").any() else best[alone], return_counts=True
    )
    row = {
        "models": len(shifts),
        "by eye": len(np.unique(run[alone])),
        "remain": len(np.unique(run[leads != ""])),
        "tolerances led": (leads != "").mean(),
        "leaders": "; ".join(told) or "none",
        "widest": str(kinds[counts.argmax()]) if len(kinds) else "none",
    }
    return row, result
