"""Limits and p-values of paired differences, with corrections for several."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtri

from skrobust.metrics.intervals.clusters import t_p_value


@dataclass
class Differences:
    """Limits and p-values of differences, along one axis."""

    low: np.ndarray
    high: np.ndarray
    band_low: np.ndarray
    band_high: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray
    correction: str


def from_draws(difference, draws, confidence):
    """Return limits from paired bootstrap draws of shape (n_resamples, n_differences).

    The limits are symmetric and hold 0 where the p-value is above 1 - confidence; the
    band and the adjusted p-values use the largest studentised deviation of all.
    """
    n = len(draws)
    error = draws.std(axis=0, ddof=1)
    moved = np.abs(draws - difference)
    # Equal numbers may differ by rounding after a resample.
    reach = np.abs(difference) - 1e-12
    p_value = (1 + (moved >= reach).sum(axis=0)) / (n + 1)
    half = np.quantile(moved, confidence, axis=0, method="higher")
    varies = error > 1e-12
    scale = np.where(varies, error, 1.0)
    largest = np.where(varies, moved / scale, 0.0).max(axis=1)
    wide = np.quantile(largest, confidence, method="higher")
    wide = wide * np.where(varies, error, 0.0)
    exceeded = largest[:, None] >= np.where(varies, reach / scale, np.inf)
    p_adjusted = (1 + exceeded.sum(axis=0)) / (n + 1)
    constant = np.where(np.abs(difference) > 1e-12, 1 / (n + 1), 1.0)
    chances = [np.where(varies, p, constant) for p in (p_value, p_adjusted)]
    correction = f"max-statistic over {difference.size} differences"
    return Differences(*_limits(difference, half, wide), *chances, correction)


def from_jackknife(difference, error, units, confidence):
    """Return jackknife limits with quantiles of t, corrected by Holm's rule."""
    size = difference.size
    half = units.quantile(confidence) * error
    wide = units.quantile(1 - (1 - confidence) / size) * error
    varies = error > 1e-12
    statistic = np.where(varies, difference / np.where(varies, error, 1.0), 0.0)
    p_value = t_p_value(statistic, units.n - 1)
    # All units show the same difference: there is no spread to take limits from, and
    # the p-value is that of their signs.
    same = ~varies & (np.abs(difference) > 1e-12)
    p_value = np.where(same, min(1.0, 2.0 ** (1 - units.n)), p_value)
    half, wide = np.where(same, np.nan, half), np.where(same, np.nan, wide)
    chances = p_value, holm(p_value)
    correction = f"Holm over {size} differences"
    return Differences(*_limits(difference, half, wide), *chances, correction)


def _limits(difference, half, wide):
    return [difference + side for side in (-half, half, -wide, wide)]


def undefined(difference):
    """Return nan for each limit and p-value."""
    nan = np.full(difference.shape, np.nan)
    return Differences(*[nan] * 6, "none")


def mcnemar(first, second, confidence):
    """Return limits and the exact p-value of the difference of two paired shares.

    The limits are Wald's with one success added to each discordant count (Bonett and
    Price).
    """
    only_first = int(np.sum(first & ~second))
    only_second = int(np.sum(second & ~first))
    discordant = only_first + only_second
    p_value = 1.0
    if discordant:
        tail = float(bdtr(min(only_first, only_second), discordant, 0.5))
        p_value = min(1.0, 2 * tail)
    n = len(first) + 2
    a, b = (only_first + 1) / n, (only_second + 1) / n
    half = ndtri((1 + confidence) / 2) * np.sqrt((a + b - (a - b) ** 2) / n)
    return max(-1.0, a - b - half), min(1.0, a - b + half), p_value


def holm(p_values):
    """Return Holm's step-down adjusted p-values."""
    p_values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p_values)
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def flip_rates(difference, draws):
    """Return the share of resamples that reverse the order; a tie counts half."""
    side = np.sign(difference)
    turned = draws * side
    rate = (turned < -1e-12).mean(axis=0) + (np.abs(turned) <= 1e-12).mean(axis=0) / 2
    return np.where(np.abs(difference) > 1e-12, rate, np.nan)
