"""Tests of each part of a stream against all before, with levels that add up."""

import numpy as np
from scipy.stats import fisher_exact

from skrobust._results import Results


def levels_of_tests(n, alpha):
    """Return the levels of tests 1, 2, ..., n: of infinitely many the sum is alpha."""
    return 6 * alpha / (np.pi * np.arange(1, n + 1)) ** 2


def alarm_facts(at=None, changed_at=None, before=None, after=None):
    """Return what is said of an alarm, or of none where ``at`` is None."""
    worse = at is not None and after < before
    return {
        "alarm": at is not None,
        "alarm_at": at,
        "changed_at": changed_at,
        "accuracy_before": before,
        "accuracy_after": after,
        "direction": None if at is None else "worse" if worse else "better",
    }


def part_drift(failed, parts, alpha):
    """Return the drift found by exact tests of the parts.

    Parameters
    ----------
    failed : ndarray of shape (n,)
        0 or 1, in the order of time.
    parts : ndarray of shape (n,)
        Part of each label, never falling.
    alpha : float
        Of all tests together.
    """
    names, sizes = np.unique(parts, return_counts=True)
    ends = np.cumsum(sizes)
    counts = np.diff(np.r_[0, np.cumsum(failed)[ends - 1]]) if len(ends) else ends
    p_value = np.ones(len(names))
    for k in range(1, len(names)):
        f, n = counts[:k].sum(), ends[k - 1]
        table = [[counts[k], sizes[k] - counts[k]], [f, n - f]]
        p_value[k] = fisher_exact(table)[1]
    return drift_of_parts(names, sizes, 1 - counts / sizes, p_value, alpha)


def drift_of_parts(names, sizes, accuracy, p_value, alpha, before=None):
    """Return the results of tests of the parts from the second one on.

    ``before`` is the accuracy up to each part; None weights the parts by their labels.
    """
    level = np.r_[np.nan, levels_of_tests(len(names) - 1, alpha)][: len(names)]
    ends = np.cumsum(sizes)
    if before is None:
        before = np.r_[np.nan, (np.cumsum(sizes * accuracy) / ends)[:-1]]
        before = before[: len(names)]
    about, found = alarm_facts(), np.flatnonzero(p_value <= level)
    if len(found):
        k = int(found[0])
        about = alarm_facts(
            int(ends[k]), int(ends[k - 1]), float(before[k]), float(accuracy[k])
        )
    return Results(
        columns=("part", "n", "accuracy", "p_value", "level"),
        part=np.asarray(names),
        n=sizes,
        accuracy=accuracy,
        p_value=p_value,
        level=level,
        **about,
        alpha=alpha,
        baseline=None,
    )
