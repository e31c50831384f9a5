"""Results of several parts of a pool, joined by size."""

import numpy as np
from scipy.special import ndtr

from skrobust._results import Results
from skrobust.sampling.core.draws import bisect
from skrobust.sampling.core.reporting import ACCURACY
from skrobust.sampling.core.sampling_result import SamplingResult
from skrobust.sampling.living.part_tests import drift_of_parts, part_drift


def shares_of_parts(sizes, asked, n):
    """Divide n labels so that all come near to being in proportion to sizes.

    Parameters
    ----------
    sizes, asked : ndarray of shape (n_parts,)
        Rows of each part, and how many were asked.
    n : int
        At most what is left.
    """
    free = sizes - asked

    def wanted_at(share):  # of its rows, up to which each part is filled
        return np.clip(share * sizes - asked, 0, free)

    wanted = wanted_at(bisect(lambda s: wanted_at(s).sum() <= n, 0.0, 1.0, 60))
    shares = np.minimum(np.floor(wanted + 1e-6), free).astype(np.int64)
    rest = np.argsort(-(wanted - shares), kind="stable")
    while shares.sum() < n:  # what rounding left, the largest remainders first
        for k in rest:
            if shares.sum() < n and shares[k] < free[k]:
                shares[k] += 1
    return shares


def joined_result(found, places, starts, confidence):
    """Return the ``SamplingResult`` of parts, weighted by their sizes.

    Parameters
    ----------
    found : list of SamplingResult
        Of each part.
    places : list of int
        Their numbers.
    starts : ndarray
        Id of the first row of each part.
    confidence : float
        Of all intervals.
    """
    notes, kept = [], []
    for place, one in zip(places, found, strict=True):
        notes += [f"part {place}: {text}" for text in one.warnings]
        if np.isnan(one.value):
            text = f"part {place}, of {one.n_pool} inputs, is left out: it has fewer"
            notes.append(f"{text} than two usable answers.")
        else:
            kept.append((place, one))
    n_pool = sum(one.n_pool for _, one in kept)
    about = {
        "n_labels": sum(one.n_labels for one in found),
        "n_failures": sum(one.n_failures for one in found),
        "failures": np.concatenate(
            [starts[k] + one.failures for k, one in zip(places, found, strict=True)]
        ).astype(np.intp),
        "confidence": float(confidence),
        "warnings": tuple(dict.fromkeys(notes)),
        "n_skipped": sum(one.n_skipped for one in found),
    }
    loss_range = (kept[0][1] if kept else found[0]).loss_range
    of_losses, (low, high) = loss_range is not None, loss_range or (0.0, 1.0)
    if of_losses:
        told = [one.losses for one in found if one.losses is not None]
        about |= {"loss_range": loss_range, "losses": np.concatenate(told)}
    if not kept:
        return SamplingResult(
            accuracy=np.nan,
            interval=(low, high),
            std_error=np.nan,
            n_pool=sum(one.n_pool for one in found),
            method="none",
            effective_n=0.0,
            **about,
        )
    results = [one for _, one in kept]
    weights = np.array([one.n_pool / n_pool for one in results])

    def mean(values):
        return float(weights @ np.array(values, dtype=np.float64))

    unbiased = mean([one.unbiased_value for one in results])
    value = float(np.clip(unbiased, low, high))
    bounds = [one.loss_bounds if of_losses else one.accuracy_bounds for one in results]
    between = tuple(mean([one[side] for one in bounds]) for side in (0, 1))
    if of_losses:
        about |= {"accuracy": np.nan, "accuracy_bounds": (np.nan, np.nan)}
        about |= {"mean_loss": value, "loss_bounds": between}
    else:
        about |= {"accuracy": value, "accuracy_bounds": between}
    errors = np.array([one.std_error for one in results])
    below = weights * [one.value - one.interval[0] for one in results]
    above = weights * [one.interval[1] - one.value for one in results]
    ends = [value - np.hypot.reduce(below), value + np.hypot.reduce(above)]
    ends = np.clip(ends, low, high)
    pieces = weights**2 * errors**2
    n_eff = np.array([max(one.effective_n, 1.0) for one in results])
    total = pieces.sum()
    return SamplingResult(
        interval=(float(min(ends[0], value)), float(max(ends[1], value))),
        std_error=float(np.sqrt(total)),
        n_pool=n_pool,
        method=results[0].method if len(results) == 1 else "parts joined",
        effective_n=float(
            # Without variance there is nothing to weigh them by but their sizes.
            total**2 / (pieces**2 / n_eff).sum() if total else n_eff.sum()
        ),
        n_used=sum(one.n_used for one in results),
        unbiased_value=unbiased,
        **about,
    )


def table_of_parts(found, confidence):
    """Return the ``SamplingResult`` of each part as a table."""
    of_losses = any(not np.isnan(one.mean_loss) for one in found)
    name = "mean_loss" if of_losses else "accuracy"
    table = {
        "part": np.arange(len(found)),
        "n_pool": np.array([one.n_pool for one in found]),
        "n_labels": np.array([one.n_labels for one in found]),
        name: np.array([one.value for one in found]),
        "low": np.array([one.interval[0] for one in found]),
        "high": np.array([one.interval[1] for one in found]),
    }
    return Results(columns=tuple(table), **table, confidence=confidence)


def drift_of_samplers(parts, alpha, rng):
    """Return the drift between parts with samplers of their own."""
    names, answers, scale = [], [], ACCURACY
    for k, part in enumerate(parts):
        answered, skipped = part._answered()
        y = np.delete(answered.y, skipped)
        if len(y) >= 2:
            names.append(k)
            answers.append(y)
            scale = part._scale()
    if all(part._is_uniform for part in parts):
        labels = np.repeat(names, [len(y) for y in answers])
        outcomes = np.concatenate([*answers, []])
        return part_drift(outcomes, labels, alpha, scale, rng)
    found = [parts[k].result() for k in names]
    rate = np.array([scale.rate(one.unbiased_value) for one in found])
    sizes = np.array([one.n_pool for one in found])
    # Of losses with this mean in their range, none vary more.
    of_pool = np.clip(rate * (1 - rate), 0, None) / sizes
    variance = np.array([one.std_error / scale.span for one in found]) ** 2 + of_pool
    p_value, before = np.ones(len(found)), np.full(len(found), np.nan)
    for k in range(1, len(found)):
        weights = sizes[:k] / sizes[:k].sum()
        before[k] = weights @ rate[:k]
        spread = variance[k] + weights**2 @ variance[:k]
        if spread > 0:  # without any variation nothing is known of the error
            z = abs(rate[k] - before[k]) / np.sqrt(spread)
            p_value[k] = 2 * ndtr(-z)
    used = np.array([len(y) for y in answers], dtype=np.intp)
    return drift_of_parts(np.array(names), used, rate, p_value, alpha, scale, before)
