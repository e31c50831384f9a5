"""Confidence intervals of failure rates estimated from weighted draws."""

from typing import NamedTuple

import numpy as np
from scipy.special import pdtri, stdtrit

from skrobust.metrics.intervals.proportion import wilson_bounds
from skrobust.sampling.core.anytime import betting_interval
from skrobust.sampling.core.draws import first_where, running_sum
from skrobust.sampling.core.estimates import z_values
from skrobust.sampling.core.graded_bounds import compound_upper

FEW_RESIDUALS = 10
RESAMPLES = 2000


class Bounds(NamedTuple):
    """Interval of a failure rate, with its method and notes."""

    low: float
    high: float
    method: str
    notes: list


def rate_interval(design, answered, estimate, query):
    """Return the t, bootstrap or anytime interval of an estimate.

    A design whose draws all have a lowest probability says so in ``_floor``; then the
    default interval also covers what rare draws could not have met (unless
    ``_widened`` is False), and there is an anytime interval.
    """
    method, tail = query.method, query.tail
    if design._caveat:
        return Bounds(0.0, 1.0, "none", [design._caveat])
    if method == "anytime":
        return anytime_bounds(design, answered, query)
    if estimate.std_error == 0:
        return unvaried_bounds(design, answered, tail)
    if np.isnan(estimate.std_error):
        note = "One round alone does not tell its error: only counts bound the rate."
        return Bounds(0.0, 1.0, "none", [note])
    notes = []
    if estimate.effective_n < FEW_RESIDUALS:
        notes.append(
            f"The interval rests on {estimate.effective_n:.1f} effective residuals "
            f"(fewer than {FEW_RESIDUALS}) and may be too narrow."
        )
    if method == "bootstrap":
        ends = bootstrap_ends(design, answered, estimate, query)
        return Bounds(*ends, method, notes)
    half = t_half_width(estimate.std_error, estimate.df, 1 - tail)
    low, high = estimate.rate - half, estimate.rate + half
    if method == "default" and (answered.y == answered.y[0]).all():
        # Residuals may vary while the outcomes do not, and the latter counts more.
        least, most, _, more = unvaried_bounds(design, answered, tail)
        return Bounds(min(low, least), max(high, most), "t, widened", [*notes, *more])
    if method == "default" and design._widened:
        beyond, note = rare_bound(design, answered, query)
        if beyond > high:
            return Bounds(low, beyond, "t, widened", [note])
    return Bounds(low, high, "t", notes)


def t_half_width(std_error, df, level):
    """Return the quantile of Student's t at a level, times the standard error."""
    return stdtrit(min(max(df, 1.0), 1e9), level) * std_error


def score_bounds(estimate, rate, found, expected, quantile):
    """Return Wilson's interval or the plain one, whichever reaches further.

    Parameters
    ----------
    estimate, rate : float
        Of the failure rate: unbiased, and as the curves expect it.
    found, expected : float
        Variance of the estimate: from the outcomes, and as the curves expect it.
    quantile : float
        Multiple of a standard error.
    """
    centre = float(np.clip(estimate, 0, 1))
    n = rate * (1 - rate) / expected if expected > 0 else np.inf
    if found > 0:
        # Of the two rates the one closer to a half: what was found varies by it.
        n = min(n, max(one * (1 - one) for one in (rate, centre)) / found)
    low, high = wilson_bounds(centre, n, quantile)
    half = quantile * np.sqrt(found)
    return min(low, estimate - half), max(high, estimate + half)


def unvaried_bounds(design, answered, tail):
    """Return the bounds where all outcomes agree (the rule of three)."""
    y, low, high = answered.y, 0.0, 1.0
    if (y == y[0]).all():
        floor = design._floor(answered.n)
        low, high = unseen_bounds(y[0], floor, answered.n_pool, tail)
    kind = "variation" if y.any() else "mispredictions"
    if answered.graded and not y.any():
        kind = "outcomes worse than the best one"
    note = f"No {kind} seen: the interval is only what that allows."
    return Bounds(low, high, "rule of three", [note])


def unseen_bounds(seen, floor, n_pool, tail):
    """Bound the failure rate when all n outcomes are the same number in [0, 1].

    Had K inputs another outcome, each draw would have met one with probability at
    least K * floor; K is the largest number for which n misses keep a chance of more
    than ``tail``.
    """

    def unlikely(k):
        return np.prod(np.clip(1 - k * floor, 0, 1)) <= tail

    share = (first_where(unlikely, 1, n_pool - len(floor) + 1) - 1) / n_pool
    return (seen * (1 - share), seen + (1 - seen) * share)


def rare_bound(design, answered, query):
    """Bound the failure rate by the information of draws at the lowest probability.

    A t interval ignores mispredictions among inputs that are rarely drawn until it
    meets some. Had K of them been there, the number met would be about Poisson with
    mean K times the sum of the lowest probabilities. Where predictions enter the
    estimate the bound counts only while few were met: with more of them the t interval
    is the better informed one.
    """
    floor, failed = design._floor(answered.n), answered.y > 0
    if not floor.any():
        return 0.0, ""
    # The floor is of one draw, pi of a round.
    rare = answered.pi <= 2 * floor * np.repeat(answered.sizes, answered.sizes)
    seen = int((failed & rare).sum())
    if query.estimator in ("difference", "ppi", "learned") and seen >= FEW_RESIDUALS:
        return 0.0, ""
    if answered.graded:
        hidden = compound_upper(answered.y[failed & rare], query.tail) / floor.sum()
    else:
        hidden = pdtri(seen, query.tail) / floor.sum()
    share = (answered.y[failed & ~rare].sum() + hidden) / answered.n_pool
    one, many = "misprediction", "mispredictions"
    if answered.graded:
        one, many = (
            "outcome worse than the best one",
            "outcomes worse than the best one",
        )
    met = f"1 {one} was" if seen == 1 else f"{seen} {many} were"
    note = (
        f"{met} met in what amounts to "
        f"{floor.sum() * answered.n_pool:.0f} uniform draws; the interval is widened "
        "by what these cannot exclude."
    )
    return min(share, 1.0), note


def anytime_bounds(design, answered, query):
    """Return the anytime-valid interval: it holds at every look."""
    floor = design._floor(answered.n)
    if not (floor > 0).all():
        raise ValueError(
            f"{type(design).__name__}.result: method='anytime' needs draws with a "
            "lowest probability above 0 for every free input, and these have none."
        )
    z, span = z_values(answered), answered.m_span
    starts, n_pool = answered.starts, answered.n_pool
    known = running_sum(answered.y)[starts] + answered.m_free
    reach = 1 / np.minimum.reduceat(floor, starts)  # how far one z can go
    least = (known - np.maximum(span[:, 1], 0) * reach) / n_pool
    most = (known + (1 - np.minimum(span[:, 0], 1)) * reach) / n_pool
    ends = betting_interval(z, least, most, query.confidence)
    return Bounds(min(ends), max(ends), "anytime", [])


def bootstrap_ends(design, answered, estimate, query):
    """Return the percentile interval of resampled residuals.

    Rounds of one unit resample the z, larger ones the expanded residuals within each
    round. The seed is fixed by the draws, so the same answers give the same interval.
    Finite pools are not corrected for.
    """
    if estimate.z is None:
        raise ValueError(
            f"{type(design).__name__}.result: method='bootstrap' needs an estimate "
            "made of one value per round, and this one is not."
        )
    rng = np.random.default_rng(answered.ids.tolist())
    apart = design._sequential or len(estimate.z) == answered.n
    if apart or (answered.sizes == 1).any():  # one unit has no spread
        parts = [(estimate.weights * len(estimate.z), estimate.z)]
    else:
        e = answered.residuals / answered.pi
        weights = estimate.weights * answered.sizes / answered.n_pool
        rounds = zip(weights, answered.starts, answered.ends, strict=True)
        parts = [(weight, e[i:j]) for weight, i, j in rounds]
    moved = np.zeros(RESAMPLES)
    for weight, value in parts:
        deviation = weight * (value - value.mean())
        step = max(1, 2_000_000 // len(value))
        for first in range(0, RESAMPLES, step):
            rows = min(step, RESAMPLES - first)
            drawn = rng.integers(len(value), size=(rows, len(value)))
            moved[first : first + rows] += deviation[drawn].mean(axis=1)
    low, high = np.quantile(estimate.rate + moved, [query.tail, 1 - query.tail])
    return float(low), float(high)
