"""Values of compared models and their paired differences, by each method."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from skrobust.metrics.comparison import paired
from skrobust.metrics.comparison.evidence import SAME, evidence_of_errors
from skrobust.metrics.comparison.weighted_means import weighted_differences
from skrobust.metrics.intervals.bootstrap import (
    bootstrap,
    defined_draws,
    jackknife,
    jackknife_error,
)


@dataclass
class PairedRun:
    """Values and differences of models, and how they were made."""

    found: paired.Differences
    values: np.ndarray  # of shape (n_models, n_tolerances)
    method: str
    n: int
    unit: str
    notes: tuple
    flip_rates: np.ndarray
    ranking_kept: np.ndarray


def compare_trends(data, pairs, confidence):
    """Compare scores over the same periods."""
    trends = data.trends
    values = trends.values
    difference = np.array([values[a] - values[b] for a, b in pairs])
    evidence = [trends.evidence(*pair) for pair in pairs]
    found = paired.from_evidence(difference, evidence, confidence)
    turned = [min(one.p_at_most(0.0), one.p_at_least(0.0)) for one in evidence]
    flips = np.where(np.abs(difference) > SAME, turned, np.nan)
    about = "autoregressive trends", trends.n, "periods", trends.warnings()
    return PairedRun(found, values[:, None], *about, flips, np.array([np.nan]))


def compare_samples(data, pairs, units, n_resamples, confidence, rng, caller):
    """Compare models over the same samples or clusters."""
    notes = units.warnings()
    statistics = [make(units) for make in data.makers]
    values = np.stack([statistic.whole() for statistic in statistics])
    if not np.isfinite(values).all():
        raise ValueError(f"{caller} needs a metric that is defined for each model.")
    # The same units are drawn for every model.
    seed = int(rng.integers(2**62))
    draws = [bootstrap(s, n_resamples, np.random.default_rng(seed)) for s in statistics]
    draws, missing = defined_draws(np.stack(draws, axis=1), "resamples")
    if len(draws) < 2:
        raise ValueError(f"{caller} found no resample with a defined metric.")
    first, second = (list(side) for side in zip(*pairs, strict=True))
    difference = (values[first] - values[second]).ravel()
    moved = (draws[:, first] - draws[:, second]).reshape(len(draws), -1)
    about = units.n, data.is_share
    if not units.enough:
        method, found = "none", paired.undefined(difference)
    elif data.hits is not None and not units.clustered:
        method = "exact McNemar"
        hits = [(data.hits[a], data.hits[b]) for a, b in pairs]
        found = paired.from_shares(difference, hits, confidence)
    elif data.weight is not None and data.is_mean:
        method = "linearised, t"
        both = [(data.values[a], data.values[b]) for a, b in pairs]
        parts = weighted_differences(both, data.weight, units, data.is_share)
        evidence = evidence_of_errors(*parts, *about)
        found = paired.from_evidence(difference, evidence, confidence)
    elif units.few:
        left_out = np.stack([jackknife(s) for s in statistics], axis=1)
        error = jackknife_error(left_out[:, first] - left_out[:, second]).ravel()
        method = "paired jackknife, t"
        evidence = evidence_of_errors(difference, error, units.n - 1, *about)
        found = paired.from_evidence(difference, evidence, confidence)
    else:
        method = "paired bootstrap"
        stretch = _stretches(units, confidence, difference.size)
        found = paired.from_draws(difference, moved, confidence, *about, stretch)
    if data.tolerances is None and units.enough:
        found.p_adjusted = paired.holm(found.p_value)
        found.correction = f"Holm over {len(pairs)} pairs"
    flips, kept = paired.flip_rates(difference, moved), _ranking_kept(values, draws)
    return PairedRun(
        found, values, method, units.n, units.name, notes + missing, flips, kept
    )


def _stretches(units, confidence, n_differences):
    """Return by how much draws vary too little, for one difference and for all.

    Draws have the quantiles of a normal, not those of t, and their variance is that
    with the divisor n of n units.
    """
    levels = 1 - (1 - confidence) / np.array([1, n_differences])
    ratios = [units.quantile(level) / ndtri((1 + level) / 2) for level in levels]
    return np.array(ratios) * np.sqrt(units.n / (units.n - 1))


def _ranking_kept(values, draws):
    order = np.argsort(values, axis=0, kind="stable")
    ranked = np.take_along_axis(draws, order[None], axis=1)
    step = np.diff(ranked, axis=1)
    # A tie is half a change, as in the flip rate.
    return ((step > SAME) + 0.5 * (np.abs(step) <= SAME)).prod(axis=1).mean(axis=0)
