"""Data drawn for tests of intervals, and the coverage of what they give."""

import warnings

import numpy as np
from scipy.stats import norm


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def coverage(draw, truth, repetitions):
    """Share of the drawn intervals that hold the truth, and their warnings."""
    inside = 0
    for _ in range(repetitions):
        low, high = quiet(draw)
        inside += low <= truth <= high
    return inside / repetitions


def asi_of(mean, spread):
    return (mean**2 - spread) / (mean**2 + spread)


def condition_means(mean, spread, n):
    z = norm.ppf((np.arange(n) + 0.5) / n)
    return mean + spread * (z - z.mean()) / z.std()


def draw_images(rng, n, means, shared=0.5):
    """Correctness with the given means; images have a difficulty of their own."""
    own = rng.normal(size=(n, len(means)))
    difficulty = rng.normal(size=(n, 1))
    return np.sqrt(shared) * difficulty + np.sqrt(1 - shared) * own < norm.ppf(means)


def draw_clusters(rng, n_clusters, size, correlation, share):
    a = share * (1 - correlation) / correlation
    b = (1 - share) * (1 - correlation) / correlation
    p = rng.beta(a, b, n_clusters)
    hits = rng.random((n_clusters, size)) < p[:, None]
    return hits.ravel(), np.repeat(np.arange(n_clusters), size)


def draw_series(rng, n, slope, correlation=0.0, spread=0.02):
    e = rng.normal(size=n + 50)
    for i in range(1, n + 50):
        e[i] = correlation * e[i - 1] + np.sqrt(1 - correlation**2) * e[i]
    return 0.8 + slope * (np.arange(n) - (n - 1) / 2) + spread * e[50:]


def agreement_score(a, b):
    return np.mean(a == b)


ROWS = [True, False, True]
