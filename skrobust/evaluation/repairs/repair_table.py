"""Table of repairs on rows that neither fitted nor chose them."""

import warnings

import numpy as np

from skrobust.evaluation.core import score_summary
from skrobust.evaluation.core.summary_intervals import summary_intervals
from skrobust.metrics import compare_models
from skrobust.metrics.callable_metrics import mean_score
from skrobust.metrics.comparison.paired import holm
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.share_interval import share_interval

ORIGINAL = "original"


def repair_columns(scores, table, clusters, criterion, confidence, seed, caller):
    """Return the scores of each model with intervals, and differences to the original.

    Parameters
    ----------
    scores : dict of str to Scores
        By name, the original first.
    table : dict or None
        Columns that describe the conditions; None where there are none.
    clusters : ndarray of shape (n_samples,) or None
        Samples that belong together.
    criterion : {"mean", "attack"}
        What is compared beside the clean accuracy.
    confidence : float
        Level of the intervals.
    seed : int
        Seed of the resamples.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    dict of str to ndarray
        One entry a model.
    """
    units = make_units(clusters, len(scores[ORIGINAL].clean), caller)
    settings = units, confidence, caller
    rows = [_row(one, table, criterion, *settings) for one in scores.values()]
    pairs = {"clusters": clusters, "confidence": confidence, "random_state": seed}
    original = scores[ORIGINAL]
    for row, one in zip(rows, scores.values(), strict=True):
        clean = original.clean, None if one is original else one.clean
        add_difference(row, "clean_difference", clean, pairs)
        values = original.per_row(criterion), one.per_row(criterion)
        values = (None, None) if one is original else values
        add_difference(row, "difference", values, pairs)
        row["p_value"] = row.pop("difference_p")
        del row["clean_difference_p"]
    p_value = np.array([row["p_value"] for row in rows])
    known = np.flatnonzero(~np.isnan(p_value))
    adjusted = np.full(len(rows), np.nan)
    if len(known):
        adjusted[known] = holm(p_value[known])
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    columns["p_adjusted"] = adjusted
    columns["is_on_front"] = pareto_front(columns["clean"], columns["robust"])
    return columns


def pareto_front(clean, robust):
    """Return which points no other is at least as good as in both, and better in one.

    Parameters
    ----------
    clean, robust : ndarray of shape (n_points,)
        Scores, of which greater is better; nan is never on the front.

    Returns
    -------
    ndarray of bool of shape (n_points,)
        The points on the front.

    Examples
    --------
    >>> import numpy as np
    >>> pareto_front(np.array([0.9, 0.8, 0.8]), np.array([0.5, 0.7, 0.6])).tolist()
    [True, True, False]
    """
    as_good = (clean[:, None] >= clean) & (robust[:, None] >= robust)
    better = (clean[:, None] > clean) | (robust[:, None] > robust)
    return np.isfinite(robust) & ~(as_good & better).any(axis=0)


def _row(scores, table, criterion, units, confidence, caller):
    """Return the scores of one model with their limits."""
    nan = float("nan")
    clean = share_interval(scores.clean, units, confidence, caller)
    row = {"clean": clean.value, "clean_low": clean.low, "clean_high": clean.high}
    names = [] if scores.attacked is None else ["attacked"]
    attacked = None
    if names:
        attacked = share_interval(scores.attacked, units, confidence, caller)
    if table is None:
        return row | limits_of("robust", attacked) | limits_of("attacked", attacked)
    correct = scores.correct
    with warnings.catch_warnings():  # an unresolved index has no lower limit
        warnings.simplefilter("ignore")
        data = correct, units, confidence, caller
        found = score_summary.correctness_intervals(*data)
        facts = table | {"score": correct.mean(axis=0)}
        more = summary_intervals(facts, correct, scores.clean, None, units, confidence)
    mean = more["mean_interval"]
    if correct.shape[1] == 1:
        mean = share_interval(correct[:, 0], units, confidence, caller)
    row |= limits_of("robust", attacked if criterion == "attack" else mean)
    row |= limits_of("worst", found["worst_interval"])
    row["worst_condition"] = str(table["name"][correct.mean(axis=0).argmin()])
    row |= limits_of("asi", found["accuracy_stability_index_interval"])
    row["answered"] = float(scores.answered.min()) if len(scores.answered) else nan
    return row | limits_of("attacked", attacked)


def limits_of(name, interval):
    """Return the value and the limits of an interval by name, nan for None."""
    nan = float("nan")
    found = (nan, nan, nan)
    if interval is not None:
        found = interval.value, interval.low, interval.high
    return dict(zip((name, f"{name}_low", f"{name}_high"), found, strict=True))


def add_difference(row, name, values, settings, mean=mean_score):
    """Add a paired difference to the original, with its limits and p-value."""
    before, after = values
    names = name, f"{name}_low", f"{name}_high", f"{name}_p"
    if before is None or after is None:
        row.update(dict.fromkeys(names, float("nan")))
        return
    if np.array_equal(before, after):  # as from a repair that never acts
        row.update(zip(names, (0.0, float("nan"), float("nan"), 1.0), strict=True))
        return
    pair = {"repair": after, ORIGINAL: before}
    metric = "robust_accuracy" if after.dtype == bool else mean
    if after.dtype == bool and settings["clusters"] is None:  # an exact test, no draws
        settings = {**settings, "n_resamples": 100}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few clusters, which limits show
        found = compare_models(pair, metric=metric, **settings)
    parts = (found[k][0] for k in ("difference", "low", "high", "p_value"))
    row.update(zip(names, map(float, parts), strict=True))
