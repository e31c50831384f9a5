"""Coverage of the stability index of a series of periods."""

import numpy as np

from coverage_cases.draws import autoregression, grid, held
from skrobust.metrics import compare_models, confidence_interval

SPREAD = 0.03


def series(rng, n, correlation, slope, method="auto"):
    """One score per period."""
    time = np.arange(n) - (n - 1) / 2
    scores = 0.85 + slope * time + SPREAD * autoregression(rng, n, correlation)[0]
    truth = 0.85 + 12 * min(0, slope) - 0.5 * SPREAD
    found = confidence_interval("stability_index", scores, method=method)
    return {"stability index": held(found, truth)}


def rows(rng, n, correlation, rows):
    """Rows of each period, whose noise is removed."""
    share = 0.85 + SPREAD * autoregression(rng, n, correlation)[0]
    right = rng.random((n, rows)) < np.clip(share, 0, 1)[:, None]
    periods = np.repeat(np.arange(n), rows)
    found = confidence_interval(
        "stability_index", right.ravel() * 1.0, periods=periods, random_state=0
    )
    return {"stability index": held(found, 0.85 - 0.5 * SPREAD)}


def difference(rng, n, correlation, slope):
    """Two models over the same periods, whose deviations are independent."""
    time = np.arange(n) - (n - 1) / 2
    noise = SPREAD * autoregression(rng, n, correlation, 2)
    scores = np.array([[0.85], [0.83]]) + slope * time + noise
    models = dict(zip("ab", scores, strict=True))
    found = compare_models(models, metric="stability_index")
    return {"stability index, difference": held((found.low, found.high), 0.02)}


_CORRELATIONS = (0, 0.6, 0.9)
_SLOPES = (0, -0.005)
PERIODS = [
    (series, grid(n=(6, 12, 36), correlation=_CORRELATIONS, slope=_SLOPES)),
    (series, grid(n=(12,), correlation=_CORRELATIONS, slope=(0,), method=("delta",))),
    (rows, grid(n=(12,), correlation=(0.6,), rows=(100,))),
]
OVER_PERIODS = [
    (difference, grid(n=(12, 30), correlation=_CORRELATIONS, slope=_SLOPES))
]
