"""Scores of periods from their rows, and how far sampling the rows moves them."""

import numpy as np

from skrobust._validation import check_same_length, invalid
from skrobust.metrics.intervals.bootstrap import Scores, Shares, bootstrap
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.labels import label_array

_DRAWS = 200


def period_scores(arrays, periods, score, clusters, rng, caller):
    """Return names and scores of the periods, the noise of their rows, and warnings.

    Parameters
    ----------
    arrays : tuple of ndarray
        Rows; one array of numbers when ``score`` is None, which takes their mean.
    periods : array-like of shape (n_rows,)
        The period of each row; sorted, they are the order of time.
    score : callable or None
        Takes the rows of a period, returns a float.
    clusters : array-like of shape (n_rows,) or None
        What is drawn together inside a period.
    rng : Generator
        For the resamples.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    names, scores : ndarray of shape (n_periods,)
        Periods with a defined score.
    noise : ndarray of shape (n_draws, n_periods)
        Deviations of the resampled scores from their mean.
    warnings : tuple of str
        How many periods had no score.
    """
    periods = label_array(periods, caller, "periods")
    check_same_length(caller, data=arrays[0], periods=periods)
    if clusters is not None:
        clusters = label_array(clusters, caller, "clusters")
        check_same_length(caller, data=arrays[0], clusters=clusters)
    if score is None and len(arrays) != 1:
        raise ValueError(
            f"{caller} needs score=callable to score {len(arrays)} arrays per period."
        )
    if score is None and arrays[0].ndim != 1:
        rule = "1-D without score=, as each period's score is then the mean"
        raise invalid("data", caller, rule, arrays[0].shape)
    names = np.unique(periods)
    kept, values, noise = [], [], []
    for name in names:
        rows = np.flatnonzero(periods == name)
        units = make_units(None if clusters is None else clusters[rows], len(rows), "")
        parts = tuple(array[rows] for array in arrays)
        if score is None:
            statistic = Shares(parts[0], units)
        else:
            statistic = Scores(score, parts, units)
        value = statistic(np.ones((1, units.n), dtype=np.int64))[0, 0]
        if not np.isfinite(value):
            continue
        draws = bootstrap(statistic, _DRAWS, rng)[:, 0]
        draws = np.where(np.isfinite(draws), draws, value)
        kept.append(name)
        values.append(value)
        # n - 1 resampled units would vary as much as n drawn ones.
        noise.append((draws - draws.mean()) * np.sqrt(units.n / max(1, units.n - 1)))
    left_out = len(names) - len(kept)
    warnings = ()
    if left_out:
        warnings = (f"{left_out} of {len(names)} periods have no score; left out.",)
    if not kept:
        raise ValueError(f"{caller} found no period whose score is defined.")
    return np.array(kept), np.array(values), np.column_stack(noise), warnings
