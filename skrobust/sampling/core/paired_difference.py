"""Difference of two models from the same weighted draws, with its interval."""

from dataclasses import replace

import numpy as np

from skrobust.sampling.core.answer_checks import FAILED, OPEN, SKIPPED
from skrobust.sampling.core.model_difference import ModelDifference
from skrobust.sampling.core.rate_estimator import RateEstimator, over_skipped
from skrobust.sampling.core.rate_interval import rare_bound, t_half_width

FEW = 10  # labels that tell the models apart, below which t alone is too narrow


def model_difference(sampler, names, statuses, apart, confidence, caller):
    """Return the estimated difference of the accuracies of two models.

    Parameters
    ----------
    sampler : AskTellSampler
        Fitted.
    names : (str, str)
        First and second model.
    statuses : list of two ndarray of shape (n_draws,)
        Status of each draw for each of them.
    apart : ndarray of shape (n_pool,), bool
        Inputs for which they predict different labels.
    confidence : float
        Of the interval.
    caller : str
        Name for error messages.
    """
    first, second = statuses
    outcome = (second == FAILED).astype(np.float64) - (first == FAILED)
    known = first != OPEN
    answered = sampler._draws.answered(known, known, sampler.n_pool_)
    ids, n_pool = answered.ids, answered.n_pool
    told = known & (first != SKIPPED)
    left = int(apart.sum()) - int((apart[sampler.ids_] & told).sum())
    sure = float(outcome[told].sum())
    limits = (sure - left) / n_pool, (sure + left) / n_pool
    skipped = np.flatnonzero((first[: answered.n] == SKIPPED) & apart[ids])
    answered = replace(
        answered.with_scaled_m(0.0), y=np.where(apart[ids], outcome[: answered.n], 0.0)
    )
    query = RateEstimator(
        sampler, answered, "default", "default", confidence, None, caller
    )
    notes = list(sampler._pool_notes)

    def evaluate(one):
        y = one.y.copy()
        y[skipped] = 2 * y[skipped] - 1  # a skipped answer is for one or the other
        return difference_bounds(sampler, replace(one, y=y), query)

    unbiased = np.nan
    if left == 0:
        # Exact; an estimate that is so for some draws only would not be unbiased.
        ends, method, error, value = limits, "census", 0.0, sure / n_pool
        unbiased = sampler._combine(answered).rate if answered.n else value
    elif answered.n < 2:
        notes.append("Fewer than two usable answers: nothing is estimated yet.")
        ends, method, error, value = limits, "none", np.nan, np.nan
    else:
        found = over_skipped(answered, skipped, evaluate)
        values = [one[0] for one in found]
        unbiased = (min(values) + max(values)) / 2
        values = np.clip(values, *limits)
        value = float(np.clip(unbiased, *limits))
        error = max(one[1] for one in found)
        low, high = min(one[2] for one in found), max(one[3] for one in found)
        low, high = np.clip([low, high], *limits)
        ends = min(low, *values), max(high, *values)
        method = found[0][4]
        notes += found[0][5]
        if len(skipped):
            notes.append(
                f"{len(skipped)} skipped answers could be for either model: the "
                f"estimate lies between {min(values):+.4f} and {max(values):+.4f}."
            )
    return ModelDifference(
        value=float(value),
        unbiased_value=float(value if np.isnan(unbiased) else unbiased),
        interval=tuple(map(float, ends)),
        std_error=float(error),
        first=names[0],
        second=names[1],
        only_first=int((outcome[told] > 0).sum()),
        only_second=int((outcome[told] < 0).sum()),
        n_used=answered.n,
        n_apart=int(apart.sum()),
        n_pool=n_pool,
        confidence=float(confidence),
        method=method,
        warnings=tuple(dict.fromkeys(notes)),
    )


def difference_bounds(design, answered, query):
    """Return value, standard error, low, high, method and notes of a difference."""
    found, tail = design._combine(answered), query.tail
    if design._caveat:
        return found.rate, found.std_error, -1.0, 1.0, "none", [design._caveat]
    if np.isnan(found.std_error):
        note = "One round alone does not tell its error: only counts bound it."
        return found.rate, np.nan, -1.0, 1.0, "none", [note]
    half = t_half_width(found.std_error, found.df, 1 - tail)
    low, high = found.rate - half, found.rate + half
    uniform = design._is_uniform
    n_apart = int(np.count_nonzero(answered.y))
    if not uniform and min(n_apart, found.effective_n) >= FEW:
        return found.rate, found.std_error, low, high, "t", []
    least, most = newcombe_bounds(design, answered, query, found, uniform)
    notes = []
    if n_apart < FEW:
        notes = [f"Only {n_apart} labels tell the models apart."]
    if uniform:
        return found.rate, found.std_error, least, most, "newcombe", notes
    low, high = min(low, least), max(high, most)
    return found.rate, found.std_error, low, high, "t, widened", notes


def newcombe_bounds(design, answered, query, found, uniform):
    r"""Return the ends that the intervals of the two parts of a difference give.

    With a and b the shares that the first and the second model alone have right,

    .. math::

        L = \hat\Delta - \sqrt{(\hat a - l_a)^2 + (u_b - \hat b)^2
            - 2 r (\hat a - l_a)(u_b - \hat b)}

    and U likewise, with r the correlation of their estimates.
    """
    shares, ends, errors = [], [], []
    for sign in (1, -1):
        one = replace(answered, y=(answered.y == sign).astype(np.float64))
        estimate = design._combine(one)
        if uniform:
            wilson = replace(query, method="wilson")
            low, high = design._interval(one, estimate, wilson)[:2]
        else:
            half = t_half_width(estimate.std_error, estimate.df, 1 - query.tail)
            beyond = rare_bound(design, one, query)[0]
            low = max(estimate.rate - half, 0.0)
            high = max(estimate.rate + half, beyond)
        shares.append(estimate.rate)
        ends.append((low, high))
        errors.append(estimate.std_error)
    product = 2 * errors[0] * errors[1]
    shared = errors[0] ** 2 + errors[1] ** 2 - found.std_error**2
    r = float(np.clip(shared / product, -1, 1)) if product > 0 else 0.0
    (a, b), ((low_a, high_a), (low_b, high_b)) = shares, ends

    def length(x, y):
        return np.sqrt(max(x**2 + y**2 - 2 * r * x * y, 0.0))

    value = found.rate
    return value - length(a - low_a, high_b - b), value + length(high_a - a, b - low_b)
