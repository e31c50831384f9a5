"""Coverage of shares: plain, weighted and over clusters."""

import warnings
from functools import cache

import numpy as np
from scipy.special import betaincinv, ndtr

from coverage_cases.draws import clip_names, grid, held, uniforms
from skrobust.metrics import confidence_interval, robust_ratio_band

TOLERANCES = np.linspace(0, 0.2, 5)


def plain(rng, n, share):
    """A plain share."""
    right = rng.random(n) < share
    exact = confidence_interval("accuracy", right, method="exact")
    return {
        "share": held(confidence_interval("accuracy", right), share),
        "share, exact": held(exact, share),
    }


def rare_class(rng, n, share):
    """Class-balanced weights: a class of 2 % of the samples counts half."""
    positive = rng.random(n) < 0.02
    right = np.where(positive, rng.random(n) < share, True)
    weight = np.where(positive, 0.5 / 0.02, 0.5 / 0.98)
    found = confidence_interval("accuracy", right, sample_weight=weight)
    return {"share, weighted to balance": held(found, 0.5 * share + 0.5)}


def inverse(rng, n, share):
    """Inverse-probability weights: failures are sampled more often."""
    u = rng.random(6 * n)
    u = u[rng.random(6 * n) < (0.05 + u) / 1.05][:n]
    right = rng.random(n) > 3 * (1 - share) * u**2
    found = confidence_interval("accuracy", right, sample_weight=1 / (0.05 + u))
    return {"share, inverse probability": held(found, share)}


def apart(rng, n, share):
    """Weights that have nothing to do with the outcome."""
    weight = rng.lognormal(size=n)
    found = confidence_interval("accuracy", rng.random(n) < share, sample_weight=weight)
    return {"share, unrelated weights": held(found, share)}


def clustered(rng, clusters, share, correlation, sizes):
    """A share over clusters of 50 samples on average."""
    share_of, n = _clips(rng, clusters, share, correlation, sizes)
    clips = np.repeat(np.arange(clusters), n)
    right = rng.random(len(clips)) < share_of[clips]
    truth = share
    if sizes == "go with the outcome":
        truth = _truth(share, correlation)
    found = confidence_interval("accuracy", right, clusters=clips)
    return {"share over clusters": held(found, truth)}


def _clips(rng, clusters, share, correlation, sizes):
    z = rng.normal(size=clusters)
    n = np.full(clusters, 50)
    if sizes != "equal":
        n = np.ceil(50 * np.exp(z - 0.5)).astype(int)
    if not correlation:
        return np.full(clusters, share), n
    s = 1 / correlation - 1
    if sizes == "go with the outcome":  # the larger the worse
        return betaincinv(share * s, (1 - share) * s, ndtr(-z)), n
    return rng.beta(share * s, (1 - share) * s, clusters), n


@cache
def _truth(share, correlation):
    rng = np.random.default_rng(0)
    sizes = "go with the outcome"
    share_of, n = _clips(rng, 1_000_000, share, correlation, sizes)
    return float(share_of @ n / n.sum())


def ratio(rng, n, clusters, share, data):
    """The robust-ratio curve, its band and its area; ``share`` is its value at 0."""
    clips = clip_names(n, clusters)
    u = uniforms(rng, n, clips=clips)[:, 0]
    shift = np.where(u < share, 0.0, 0.3 * (u - share) / (1 - share))
    weight = rng.lognormal(size=n) if data == "weights" else None
    with warnings.catch_warnings():  # rows that did not move are no doubt of limits
        warnings.simplefilter("ignore")
        found = robust_ratio_band(
            shift, tolerances=TOLERANCES, sample_weight=weight, clusters=clips
        )
    truth = share + (1 - share) * TOLERANCES / 0.3
    low, high, said = found.low[2], found.high[2], found.warnings
    band = found.band_low, found.band_high
    return {
        "robust ratio at 0.1": held((low, high), truth[2], said),
        "robust-ratio band": held(band, truth, said),
        "area under the robust ratio": held(found.area, share + (1 - share) / 3),
    }


SHARES = [(plain, grid(n=(20, 100, 1000), share=(0.5, 0.9, 0.99)))]
RATIOS = [
    (ratio, grid(n=(50, 200, 1000), clusters=(0,), share=(0.1, 0.9), data=("",))),
    (ratio, grid(n=(200,), clusters=(0,), share=(0.1, 0.9), data=("weights",))),
    (ratio, grid(n=(500,), clusters=(10, 50), share=(0.9,), data=("",))),
]
WEIGHTS = [
    (rare_class, grid(n=(50, 200, 1000, 5000), share=(0.6, 0.9))),
    (inverse, grid(n=(50, 200, 1000), share=(0.9, 0.98))),
    (apart, grid(n=(50, 200, 1000), share=(0.9, 0.98))),
]
_SHARES = {"clusters": (5, 10, 20, 50), "share": (0.9, 0.98)}
CLUSTERS = [
    (clustered, grid(**_SHARES, correlation=(0.6,), sizes=("equal",))),
    (clustered, grid(**_SHARES, correlation=(0.6,), sizes=("go with the outcome",))),
    (
        clustered,
        grid(
            clusters=(5, 10, 20, 50),
            share=(0.9,),
            correlation=(0, 0.6),
            sizes=("lognormal",),
        ),
    ),
]
