"""Results of several parts of a pool, joined by size."""

import numpy as np
from scipy.special import ndtr

from skrobust._results import Results
from skrobust.sampling.core.draws import bisect
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
        if np.isnan(one.accuracy):
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
    if not kept:
        return SamplingResult(
            accuracy=np.nan,
            interval=(0.0, 1.0),
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

    value = mean([one.accuracy for one in results])
    errors = np.array([one.std_error for one in results])
    below = weights * [one.accuracy - one.interval[0] for one in results]
    above = weights * [one.interval[1] - one.accuracy for one in results]
    ends = np.clip(
        [value - np.hypot.reduce(below), value + np.hypot.reduce(above)], 0, 1
    )
    pieces = weights**2 * errors**2
    n_eff = np.array([max(one.effective_n, 1.0) for one in results])
    total = pieces.sum()
    return SamplingResult(
        accuracy=value,
        interval=(float(min(ends[0], value)), float(max(ends[1], value))),
        std_error=float(np.sqrt(total)),
        n_pool=n_pool,
        method=results[0].method if len(results) == 1 else "parts joined",
        effective_n=float(total**2 / (pieces**2 / n_eff).sum()) if total else 0.0,
        n_used=sum(one.n_used for one in results),
        accuracy_bounds=tuple(
            mean([one.accuracy_bounds[side] for one in results]) for side in (0, 1)
        ),
        **about,
    )


def table_of_parts(found, confidence):
    """Return the ``SamplingResult`` of each part as a table."""
    table = {
        "part": np.arange(len(found)),
        "n_pool": np.array([one.n_pool for one in found]),
        "n_labels": np.array([one.n_labels for one in found]),
        "accuracy": np.array([one.accuracy for one in found]),
        "low": np.array([one.interval[0] for one in found]),
        "high": np.array([one.interval[1] for one in found]),
    }
    return Results(columns=tuple(table), **table, confidence=confidence)


def drift_of_samplers(parts, alpha):
    """Return the drift between parts with samplers of their own."""
    names, answers = [], []
    for k, part in enumerate(parts):
        answered, skipped = part._answered()
        y = np.delete(answered.y, skipped)
        if len(y) >= 2:
            names.append(k)
            answers.append(y)
    if all(part._is_uniform for part in parts):
        labels = np.repeat(names, [len(y) for y in answers])
        return part_drift(np.concatenate([*answers, []]), labels, alpha)
    found = [parts[k].result() for k in names]
    accuracy = np.array([one.accuracy for one in found])
    sizes = np.array([one.n_pool for one in found])
    of_pool = np.clip(accuracy * (1 - accuracy), 0, None) / sizes
    variance = np.array([one.std_error for one in found]) ** 2 + of_pool
    p_value, before = np.ones(len(found)), np.full(len(found), np.nan)
    for k in range(1, len(found)):
        weights = sizes[:k] / sizes[:k].sum()
        before[k] = weights @ accuracy[:k]
        spread = variance[k] + weights**2 @ variance[:k]
        if spread > 0:  # without any variation nothing is known of the error
            z = abs(accuracy[k] - before[k]) / np.sqrt(spread)
            p_value[k] = 2 * ndtr(-z)
    used = np.array([len(y) for y in answers], dtype=np.intp)
    return drift_of_parts(np.array(names), used, accuracy, p_value, alpha, before)
