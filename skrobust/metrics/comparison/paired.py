"""Limits and p-values of paired differences, with corrections for several."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtri

from skrobust.metrics.comparison.evidence import SAME, evidence_of_draws
from skrobust.metrics.comparison.exact_shares import PairedShares


@dataclass
class Differences:
    """Limits and p-values of differences, along one axis."""

    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    band_low: np.ndarray
    band_high: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray
    correction: str
    evidence: list  # one-sided p-values and limits of each difference
    by_band: bool = False  # whether the band decides, or the p-values by Holm's rule

    def decided(self, confidence):
        """Return which differences lie above and below 0, simultaneously."""
        if self.by_band:
            return self.band_low > 0, self.band_high < 0
        # Each side of each difference is a hypothesis of its own.
        one_sided = [
            np.where(side > 0, self.p_value / 2, 1 - self.p_value / 2)
            for side in (self.difference, -self.difference)
        ]
        sure = holm(np.concatenate(one_sided)) <= 1 - confidence + SAME
        above, below = np.split(sure, 2)
        return above & (self.difference > 0), below & (self.difference < 0)


def from_draws(difference, draws, confidence, n, is_share, stretch=(1.0, 1.0)):
    """Return limits from paired bootstrap draws of shape (n_resamples, n_differences).

    The limits are symmetric and hold 0 where the p-value is above 1 - confidence; the
    band and the adjusted p-values use the largest studentised deviation of all.
    ``stretch`` multiplies the deviations of the draws, for one difference and for all.
    """
    n_draws = len(draws)
    error = draws.std(axis=0, ddof=1)
    moved = np.abs(draws - difference) * stretch[0]
    # Equal numbers may differ by rounding after a resample.
    reach = np.abs(difference) - SAME
    p_value = (1 + (moved >= reach).sum(axis=0)) / (n_draws + 1)
    varies = error > SAME
    scale = np.where(varies, error, 1.0)
    largest = np.where(varies, moved / scale, 0.0).max(axis=1)
    largest *= stretch[1] / stretch[0]
    exceeded = largest[:, None] >= np.where(varies, reach / scale, np.inf)
    p_adjusted = (1 + exceeded.sum(axis=0)) / (n_draws + 1)
    constant = np.where(np.abs(difference) > SAME, 1 / (n_draws + 1), 1.0)
    chances = [np.where(varies, p, constant) for p in (p_value, p_adjusted)]
    stretched = difference + stretch[0] * (draws - difference)
    evidence = evidence_of_draws(difference, stretched, n, is_share)
    half = np.quantile(moved, confidence, axis=0, method="higher")
    wide = np.quantile(largest, confidence, method="higher") * error
    limits = [difference + side for side in (-half, half, -wide, wide)]
    for k in np.flatnonzero(~varies):
        for i, error in ((0, 1 - confidence), (2, (1 - confidence) / difference.size)):
            limits[i][k], limits[i + 1][k] = evidence[k].limits(error)
    correction = f"max-statistic over {difference.size} differences"
    found = *limits, *chances, correction
    return Differences(difference, *found, evidence, by_band=True)


def from_evidence(difference, evidence, confidence):
    """Return the limits and p-values of evidence, corrected by Holm's rule."""
    size = len(evidence)
    levels = (1 - confidence) / 2, (1 - confidence) / 2 / size
    limits = [np.array([e.limits(a) for e in evidence]).T for a in levels]
    p_value = np.array([one.p_two_sided() for one in evidence])
    chances = p_value, holm(p_value), f"Holm over {size} differences"
    return Differences(difference, *limits[0], *limits[1], *chances, evidence)


def from_shares(difference, pairs, confidence):
    """Return limits and exact p-values of shares, corrected by Holm's rule."""
    wide = 1 - (1 - confidence) / len(pairs)
    low, high, p_value = np.array([mcnemar(*pair, confidence) for pair in pairs]).T
    band = np.array([mcnemar(*pair, wide)[:2] for pair in pairs]).T
    evidence = [PairedShares(*pair) for pair in pairs]
    chances = p_value, holm(p_value), ""
    return Differences(difference, low, high, *band, *chances, evidence)


def undefined(difference):
    """Return nan for each limit and p-value."""
    nan = np.full(difference.shape, np.nan)
    return Differences(difference, *[nan] * 6, "none", [], by_band=True)


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
