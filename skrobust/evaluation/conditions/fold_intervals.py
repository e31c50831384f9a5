"""Intervals over the folds of a cross-validation, and over its test rows."""

from dataclasses import replace

import numpy as np

from skrobust.evaluation.core import score_summary
from skrobust.evaluation.core.summary_intervals import (
    summary_intervals,
    summary_outcomes,
)
from skrobust.metrics.intervals.bootstrap import jackknife_error
from skrobust.metrics.intervals.clusters import make_units, t_quantile
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.labels import label_pair

NOTE = (
    "Intervals over folds are those of Student's t. Folds share most of their training "
    "rows, so their scores are not independent and the intervals are too narrow."
)


def fold_limits(scores, confidence):
    """Return the limits of Student's t over the first axis, inside [0, 1] as scores."""
    n = len(scores)
    if n < 2:
        return np.full((2, scores.shape[1]), np.nan)
    half = t_quantile(confidence, n - 1) * scores.std(axis=0, ddof=1) / np.sqrt(n)
    low, high = scores.mean(axis=0) - half, scores.mean(axis=0) + half
    if scores.min() >= 0 and scores.max() <= 1:
        low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    return low, high


def fold_intervals(table, scores, clean, rival, confidence):
    """Return the intervals of the summary over the folds, by name.

    Parameters
    ----------
    table : dict
        Columns of the conditions, with ``corruption`` and ``severity``.
    scores : ndarray of shape (n_folds, n_conditions)
        Scores, means of the repeats.
    clean : ndarray of shape (n_folds,)
        Clean scores.
    rival : Results or None
        Results of the reference model.
    confidence : float
        Wanted coverage.

    Returns
    -------
    dict
        Mean and, where there are such, area under the severity curve and mean
        corruption error: Student's t of the delete-one-fold jackknife, which is that
        of the scores of the folds for all but quotients.
    """
    base = None if rival is None else 1.0 - _rival_scores(rival, len(scores))
    is_share = min(scores.min(), clean.min()) >= 0
    is_share &= max(scores.max(), clean.max()) <= 1
    found = {}
    for name, outcomes in summary_outcomes(table, scores, clean, base).items():
        bounds = outcomes.bounds if is_share else (-np.inf, np.inf)
        found[name] = _over_folds(outcomes, bounds, confidence)
    return found


def _over_folds(outcomes, bounds, confidence):
    values, function = outcomes.columns, outcomes.function
    n, nan = len(values), float("nan")
    value = float(function(values.mean(axis=0)[None])[0])
    facts = {"confidence": confidence, "method": "t over folds", "n_units": n}
    facts["unit"] = "folds"
    if n < 2:
        notes = ("One fold allows no interval.",)
        return Interval(value, nan, nan, warnings=notes, **facts)
    error = float(jackknife_error(function((values.sum(axis=0) - values) / (n - 1))))
    half = t_quantile(confidence, n - 1) * error
    ends = (float(np.clip(end, *bounds)) for end in (value - half, value + half))
    return Interval(value, *ends, error, warnings=(NOTE,), **facts)


def _rival_scores(rival, n_folds):
    """Return the scores of the reference by fold, or those of conditions as known."""
    table = rival.get("conditions", rival)
    if rival.get("n_folds") != n_folds:
        return table["score"]
    k = len(table["score"])
    return rival["score"].reshape(k, n_folds, -1).mean(axis=2).T


def row_facts(folds, done, splits, size, groups, caller):
    """Return correctness by test row and the units of the rows.

    Parameters
    ----------
    folds, done : list, dict
        The fits, and the parts by fold, condition and repeat.
    splits : list of (ndarray, ndarray)
        Training and test rows.
    size : (int, int, int)
        Numbers of folds, conditions and repeats.
    groups : ndarray of shape (n_samples,) or None
        Samples that belong together.
    caller : str
        Name of the public function.

    Returns
    -------
    rows : ndarray of shape (n_test_rows,)
        Row of X, ascending.
    correct : ndarray of shape (n_test_rows, n_conditions, n_repeats)
        Which predictions are correct.
    clean : ndarray of shape (n_test_rows,)
        Which predictions for the clean rows are correct.
    units : Units
        The rows or groups.
    """
    n_folds, n_conditions, n_repeats = size
    rows = np.concatenate([test for _, test in splits])
    by_fold, clean = [], []
    for f in range(n_folds):
        places = np.ndindex(n_conditions, n_repeats)
        parts = np.stack([done[f, c, r][0]["correct"] for c, r in places], axis=1)
        by_fold.append(parts.reshape(-1, n_conditions, n_repeats))
        fold = folds[f][0]
        clean.append(np.equal(*label_pair(fold.y, fold.clean, caller)))
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    correct, clean = (np.concatenate(parts)[order] for parts in (by_fold, clean))
    # A row that is tested on several folds is one unit.
    clusters = rows if groups is None else groups[rows]
    return rows, correct, clean, make_units(clusters, len(rows), caller)


def add_rows(results, facts, table, rival, caller):
    """Add the intervals over test rows, which hold for the fitted models, to results.

    Those over folds are widened to them: few folds may agree by chance.
    """
    rows, correct, clean, units = facts
    confidence, means = results.confidence, correct.mean(axis=2)
    parts = means, units, confidence, caller
    results.update(score_summary.correctness_intervals(*parts))
    other = None
    if rival is not None:
        other = {"score": rival.get("conditions", rival)["score"]}
        if np.array_equal(rival.get("rows"), rows):
            other["correct"] = rival["correct"].mean(axis=2)
    found = summary_intervals(table, means, clean, other, units, confidence)
    for name, of_rows in found.items():
        of_folds = results.get(name)
        results[name] = of_rows if of_folds is None else _wider(of_folds, of_rows)
    results["rows"], results["correct"] = rows, correct


def _wider(of_folds, of_rows):
    """Return the interval over folds, widened to that over rows, or the known one."""
    if of_rows is None or np.isnan(of_rows.low):
        return of_folds
    if np.isnan(of_folds.low):
        return replace(of_rows, value=of_folds.value)
    notes = tuple(dict.fromkeys((*of_folds.warnings, *of_rows.warnings)))
    low, high = min(of_folds.low, of_rows.low), max(of_folds.high, of_rows.high)
    return replace(of_folds, low=low, high=high, warnings=notes)
