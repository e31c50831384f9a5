"""Tests of each part of a stream against all before, with levels that add up."""

import numpy as np
from scipy.stats import fisher_exact

from skrobust._results import Results
from skrobust.sampling.core.reporting import ACCURACY

ENOUGH = 20  # permutations as extreme, after which a p-value is known well enough
BELOW = 4  # a p-value can fall this many times below its level
CHUNK = 2000  # permutations at a time
MOST_VALUES = 64  # distinct losses; more are grouped by their ranks


def levels_of_tests(n, alpha):
    """Return the levels of tests 1, 2, ..., n: of infinitely many the sum is alpha."""
    return 6 * alpha / (np.pi * np.arange(1, n + 1)) ** 2


def alarm_facts(scale, at=None, changed_at=None, before=None, after=None):
    """Return what is said of an alarm, or of none where ``at`` is None.

    ``before`` and ``after`` are rates of failures, or losses in [0, 1].
    """
    worse, none = at is not None and after > before, at is None
    return {
        "alarm": not none,
        "alarm_at": at,
        "changed_at": changed_at,
        f"{scale.name}_before": None if none else float(scale.shown(before)),
        f"{scale.name}_after": None if none else float(scale.shown(after)),
        "direction": None if none else "worse" if worse else "better",
    }


def part_drift(outcomes, parts, alpha, scale=ACCURACY, rng=None):
    """Return the drift found by exact tests of the parts.

    Parameters
    ----------
    outcomes : ndarray of shape (n,)
        0 or 1, or losses scaled to [0, 1], in the order of time.
    parts : ndarray of shape (n,)
        Part of each label, never falling.
    alpha : float
        Of all tests together.
    scale : Loss or Accuracy
        Of what is reported.
    rng : Generator
        Of permutations; needed where outcomes lie between 0 and 1.
    """
    names, sizes = np.unique(parts, return_counts=True)
    ends = np.cumsum(sizes)
    sums = np.diff(np.r_[0, np.cumsum(outcomes)[ends - 1]]) if len(ends) else ends
    graded = not np.isin(outcomes, (0, 1)).all()
    levels = levels_of_tests(max(len(names) - 1, 0), alpha)
    p_value = np.ones(len(names))
    for k in range(1, len(names)):
        f, n = sums[:k].sum(), ends[k - 1]
        if graded:
            one, two = outcomes[:n], outcomes[n : ends[k]]
            p_value[k] = permutation_p_value(one, two, levels[k - 1], rng)
        else:
            table = [[sums[k], sizes[k] - sums[k]], [f, n - f]]
            p_value[k] = fisher_exact(table)[1]
    return drift_of_parts(names, sizes, sums / sizes, p_value, alpha, scale)


def permutation_p_value(one, two, level, rng):
    r"""Return the p-value of a studentised permutation test of two means.

    The statistic is :math:`|\bar x - \bar y| / \sqrt{s_x^2 / n + s_y^2 / m}` (Janssen
    1997; Chung and Romano 2013), so that the test is exact while the distribution stays
    the same, and asymptotically valid while the mean does. Where there are many
    distinct values they are grouped by rank and replaced by the means of the groups,
    which no permutation changes. Permutations are drawn until ``ENOUGH`` are as extreme
    (Besag and Clifford 1991), or so many that p falls well below the level if few are.
    """
    values, which = np.unique(np.r_[one, two], return_inverse=True)
    counts = np.bincount(which)
    if len(values) > MOST_VALUES:
        middle = np.cumsum(counts) - (counts + 1) / 2
        group = np.minimum(middle * MOST_VALUES // counts.sum(), MOST_VALUES - 1)
        group = np.unique(group, return_inverse=True)[1]
        values = np.bincount(group, counts * values) / np.bincount(group, counts)
        which = group[which]
        counts = np.bincount(which)
    n, total = len(two), counts.sum()

    def statistic(picked):  # how often each value is in the second part
        parts = []
        for times, size in ((picked, n), (counts - picked, total - n)):
            mean = times @ values / size
            parts.append((mean, np.maximum(times @ values**2 / size - mean**2, 0)))
        (mean, spread), (other, rest) = parts
        error = spread / max(n - 1, 1) + rest / max(total - n - 1, 1)
        distance = np.abs(mean - other)
        distance[distance < 1e-12] = 0
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(distance / np.sqrt(error), nan=0.0, posinf=np.inf)

    seen = statistic(np.bincount(which[total - n :], minlength=len(values))[None])[0]
    most, extreme, drawn = int(np.ceil(BELOW / level)), 0, 0
    while drawn < most:
        picked = rng.multivariate_hypergeometric(counts, n, min(CHUNK, most - drawn))
        at = np.flatnonzero(statistic(picked) >= seen * (1 - 1e-9))
        if extreme + len(at) >= ENOUGH:
            return ENOUGH / (drawn + int(at[ENOUGH - extreme - 1]) + 1)
        extreme, drawn = extreme + len(at), drawn + len(picked)
    return (extreme + 1) / (drawn + 1)


def drift_of_parts(names, sizes, rate, p_value, alpha, scale, before=None):
    """Return the results of tests of the parts from the second one on.

    ``before`` is the rate up to each part; None weights the parts by their labels.
    """
    level = np.r_[np.nan, levels_of_tests(len(names) - 1, alpha)][: len(names)]
    ends = np.cumsum(sizes)
    if before is None:
        before = np.r_[np.nan, (np.cumsum(sizes * rate) / ends)[:-1]]
        before = before[: len(names)]
    about, found = alarm_facts(scale), np.flatnonzero(p_value <= level)
    if len(found):
        k = int(found[0])
        facts = int(ends[k]), int(ends[k - 1]), float(before[k]), float(rate[k])
        about = alarm_facts(scale, *facts)
    return Results(
        columns=("part", "n", scale.name, "p_value", "level"),
        **{scale.name: np.array([scale.shown(one) for one in rate])},
        part=np.asarray(names),
        n=sizes,
        p_value=p_value,
        level=level,
        **about,
        alpha=alpha,
        baseline=None,
    )
