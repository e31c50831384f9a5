"""Scores of periods from their rows, with their sampling noise."""

import numpy as np

from skrobust._validation import invalid
from skrobust.metrics.callable_metrics import (
    is_loss,
    is_scorer,
    name_of,
    read_callable,
)
from skrobust.metrics.intervals.bootstrap import Scores, Shares, bootstrap
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.stability.period_rows import rows_of_periods

_DRAWS = 200


def period_scores(arrays, periods, score, clusters, rng, caller):
    """Return scores of the periods, the noise and number of their rows, and warnings.

    Parameters
    ----------
    arrays : tuple of ndarray
        Rows; one array of numbers when ``score`` is None, which takes their mean.
    periods : array-like of shape (n_rows,)
        The period of each row.
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
    kept : ndarray of bool of shape (n_periods,)
        Which periods have a defined score.
    scores : ndarray of shape (n_kept,)
        Their scores.
    noise : ndarray of shape (n_draws, n_kept)
        Deviations of the resampled scores from their mean.
    sizes : ndarray of shape (n_kept,)
        Number of rows, or of clusters, of each.
    warnings : tuple of str
        How many periods had no score.
    """
    names, rows_of = rows_of_periods(periods, len(arrays[0]), caller, name="periods")
    clusters = make_units(clusters, len(arrays[0]), caller).codes
    if score is None and len(arrays) != 1:
        raise ValueError(
            f"{caller} of the stability index takes one array of rows, whose mean is "
            f"the score of a period; to score {len(arrays)} arrays, such as labels and "
            "predictions, pass a function as score=, such as "
            "sklearn.metrics.accuracy_score."
        )
    if score is not None and not callable(score):
        rule = "None or a function of the rows of a period"
        raise invalid("score", caller, rule, score)
    if score is not None and is_loss(score):
        rule = "a scorer, or a function of which greater values are better"
        raise invalid("score", caller, rule, name_of(score))
    if score is not None and is_scorer(score):
        score = read_callable(score, caller).of_arrays(arrays, caller)
    if score is None and arrays[0].ndim != 1:
        rule = "1-D without score=, as each period's score is then the mean"
        raise invalid("data", caller, rule, arrays[0].shape)
    values, noise, sizes = [], [], []
    for rows in rows_of:
        units = make_units(clusters[rows], len(rows), caller)
        parts = tuple(array[rows] for array in arrays)
        if score is None:
            statistic = Shares(parts[0], units)
        else:
            statistic = Scores(score, parts, units)
        value = statistic(np.ones((1, units.n), dtype=np.int64))[0, 0]
        values.append(value)
        if not np.isfinite(value):
            continue
        sizes.append(units.n)
        draws = bootstrap(statistic, _DRAWS, rng)[:, 0]
        draws = np.where(np.isfinite(draws), draws, value)
        # n - 1 resampled units would vary as much as n drawn ones.
        noise.append((draws - draws.mean()) * np.sqrt(units.n / max(1, units.n - 1)))
    values = np.array(values)
    kept = np.isfinite(values)
    left_out = int((~kept).sum())
    warnings = ()
    if left_out:
        warnings = (f"{left_out} of {len(names)} periods have no score; left out.",)
    if not kept.any():
        raise ValueError(f"{caller} found no period whose score is defined.")
    return kept, values[kept], np.column_stack(noise), np.array(sizes), warnings
