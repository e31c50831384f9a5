"""Draws of data with a known truth, shared by the cases of coverage."""

import itertools

import numpy as np
from scipy.special import ndtr, ndtri


def held(interval, truth, warnings=()):
    """Return whether limits hold the truth, their width, and whether they warn.

    Limits and truths that are arrays must hold altogether.
    """
    low, high = (np.asarray(limit) for limit in interval)
    inside = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    said = bool(getattr(interval, "warnings", warnings))
    return bool(inside.all()), float(np.mean(high - low)), said


def grid(**axes):
    """Return all combinations of some axes, as dictionaries."""
    return [
        dict(zip(axes, values, strict=True))
        for values in itertools.product(*axes.values())
    ]


def clip_names(n, clusters):
    """Return the cluster of each of n samples, None for none."""
    return None if not clusters else np.arange(n) * clusters // n


def uniforms(rng, n, columns=1, clips=None, shared=0.0, correlation=0.6):
    """Return uniform numbers of shape (n, columns).

    ``shared`` is the correlation of the columns of a sample, ``correlation`` that of
    the samples of a cluster (both of normal scores).
    """
    z = rng.normal(size=(n, columns))
    if shared:
        z = np.sqrt(1 - shared) * z + np.sqrt(shared) * rng.normal(size=(n, 1))
    if clips is not None:
        common = rng.normal(size=(clips[-1] + 1, 1))[clips]
        z = np.sqrt(1 - correlation) * z + np.sqrt(correlation) * common
    return ndtr(z)


def autoregression(rng, n_periods, correlation, n_series=1):
    """Return stationary series of variance 1, of shape (n_series, n_periods)."""
    noise = rng.normal(size=(n_series, n_periods))
    for i in range(1, n_periods):
        fresh = np.sqrt(1 - correlation**2) * noise[:, i]
        noise[:, i] = correlation * noise[:, i - 1] + fresh
    return noise


def condition_means(mean, spread, n):
    """Return means of conditions at normal quantiles, with exactly this spread."""
    z = ndtri((np.arange(n) + 0.5) / n)
    return mean + spread * (z - z.mean()) / z.std()


def index(mean, spread):
    """Return the Accuracy-Stability Index of a mean and a standard deviation."""
    return (mean**2 - spread) / (mean**2 + spread)
