"""Means and rank correlations over tables, with intervals by drawing the tables."""

import numpy as np
from scipy.stats import rankdata, t

N_DRAWS, LIMITS = 1000, (2.5, 97.5)


def drawn_rows(groups, seed=0, n_draws=N_DRAWS):
    """Yield positions of rows: all rows of groups that are drawn with replacement."""
    _, code = np.unique(groups, return_inverse=True)
    members = [np.flatnonzero(code == k) for k in range(code.max() + 1)]
    rng = np.random.default_rng(seed)
    for _ in range(n_draws):
        drawn = rng.integers(len(members), size=len(members))
        yield np.concatenate([members[k] for k in drawn])


def mean_interval(values, groups=None, seed=0):
    """Return a mean and its percentile interval over drawn groups.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Numbers; rows of nan are left out.
    groups : array-like of shape (n_rows,) or None, default=None
        What is drawn, such as names of tables; None: each row on its own.
    """
    values = np.asarray(values, dtype=float)
    groups = np.arange(len(values)) if groups is None else np.asarray(groups)
    known = np.isfinite(values)
    values, groups = values[known], groups[known]
    if not len(values):
        return np.nan, (np.nan, np.nan)
    means = [values[rows].mean() for rows in drawn_rows(groups, seed)]
    return values.mean(), tuple(np.percentile(means, LIMITS))


def together(values, n_intervals):
    """Return a mean over tables and its interval; so many of these hold together.

    Bonferroni on Student's t: of a dozen tables no draws tell tails that far out.
    """
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    if len(values) < 3 or values.std() == 0:
        return values.mean(), (np.nan, np.nan)
    error = values.std(ddof=1) / np.sqrt(len(values))
    confidence = 1 - 0.05 / n_intervals
    return values.mean(), t.interval(confidence, len(values) - 1, values.mean(), error)


def rank_correlation(scores, target):
    """Return Spearman's correlation over tables, the mean over the repeats.

    Parameters
    ----------
    scores : array of shape (n_tables, n_repeats)
        A repeat has one score of each table.
    target : array of shape (n_tables,) or (n_tables, n_repeats)
        What the scores should tell.
    """
    target = np.asarray(target).reshape(len(target), -1)
    ranks, of_target = rankdata(scores, axis=0), rankdata(target, axis=0)
    ranks = ranks - ranks.mean(axis=0)
    of_target = of_target - of_target.mean(axis=0)
    spread = np.sqrt((ranks**2).sum(axis=0) * (of_target**2).sum(axis=0))
    known = spread > 0  # a draw may hold one table alone
    if not known.any():
        return np.nan
    product = (of_target * ranks).sum(axis=0)
    return float(np.mean(product[known] / spread[known]))


def rank_intervals(scores, target, against, groups=None, seed=0):
    """Return each rank correlation, its interval, and that of the difference.

    Parameters
    ----------
    scores : dict of str to array of shape (n_tables, n_repeats)
        Kinds of scores.
    target : array of shape (n_tables,) or (n_tables, n_repeats)
        What the scores should tell.
    against : str
        The kind from which the differences are taken, over the same draws.
    groups : array-like of shape (n_tables,) or None, default=None
        What is drawn, where a table has several rows; None: each row on its own.

    Returns
    -------
    dict of str to (float, tuple, tuple)
        The correlation, its interval, and that of correlation minus correlation of
        ``against``.
    """
    groups = np.arange(len(target)) if groups is None else groups
    draws = list(drawn_rows(groups, seed, n_draws=400))
    found = {
        kind: np.array([rank_correlation(values[d], target[d]) for d in draws])
        for kind, values in scores.items()
    }
    return {
        kind: (
            rank_correlation(values, target),
            tuple(np.nanpercentile(found[kind], LIMITS)),
            tuple(np.nanpercentile(found[kind] - found[against], LIMITS)),
        )
        for kind, values in scores.items()
    }


def word(limits, middle=0.0, *, above, below, open_):
    """Return which of three texts an interval against a middle value supports."""
    if limits[0] > middle:
        return above
    return below if limits[1] < middle else open_
