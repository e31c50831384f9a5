"""Chances of a repaired model: abstention at small margins, and calibration."""

import numpy as np

from skrobust.evaluation.repairs.repair_table import ORIGINAL, add_difference, limits_of
from skrobust.metrics.callable_metrics import mean_error
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.share_interval import share_interval


def abstention_table(scores, chosen, clusters, confidence, caller):
    """Return what a model gains where it does not answer below a margin.

    Parameters
    ----------
    scores : Scores
        On the rows that report, with margins.
    chosen : Scores
        On the rows that choose, which give the thresholds.
    clusters : ndarray of shape (n_samples,) or None
        Samples that belong together, of the rows that report.
    confidence : float
        Level of the intervals.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    dict of str to ndarray or None
        One entry a threshold; None for a model without probabilities.
    """
    if np.isnan(scores.margins[:, 0]).all() or np.isnan(chosen.margins[:, 0]).all():
        return None
    correct = np.column_stack([scores.clean, scores.correct])
    clusters = np.arange(len(correct)) if clusters is None else clusters
    rows = []
    for wanted in (1.0, 0.95, 0.9, 0.8):
        threshold = float(np.nanquantile(chosen.margins[:, 0], 1 - wanted))
        threshold = 0.0 if wanted == 1 else threshold
        answers = scores.margins >= threshold  # nan does not answer
        row = {"threshold": threshold}
        for name, columns in (("clean", slice(0, 1)), ("robust", slice(1, None))):
            there = answers[:, columns]
            if not there.shape[1]:
                continue
            row[f"{name}_coverage"] = float(there.mean())
            data = correct[:, columns], there, clusters
            found = _answered(*data, confidence, caller)
            row |= limits_of(f"{name}_accuracy", found)
        rows.append(row)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _answered(correct, there, clusters, confidence, caller):
    """Return the interval of the accuracy of the answers, over rows or clusters."""
    if not there.any():
        return None
    owners = clusters[np.nonzero(there)[0]]
    units = make_units(owners, int(there.sum()), caller)
    return share_interval(correct[there], units, confidence, caller)


def calibration_table(scores, kinds, clusters, confidence, seed):
    """Return the Brier scores of the original and of its calibrated copies.

    Parameters
    ----------
    scores : dict of str to Scores
        By name, the original first.
    kinds : dict of str to str
        The kind of each repair.
    clusters : ndarray of shape (n_samples,) or None
        Samples that belong together.
    confidence : float
        Level of the intervals.
    seed : int
        Seed of the resamples.

    Returns
    -------
    dict of str to ndarray or None
        One entry a model; None where the original has no probabilities, or no
        calibrated copy was kept.
    """
    names = [n for n in scores if kinds[n] in (ORIGINAL, "calibration")]
    if len(names) < 2 or np.isnan(scores[ORIGINAL].brier).any():
        return None
    settings = {"clusters": clusters, "confidence": confidence, "random_state": seed}
    rows = []
    for name in names:
        row = {"name": name}
        for part, columns in (("clean", slice(0, 1)), ("robust", slice(1, None))):
            values = scores[name].brier[:, columns]
            if not values.shape[1]:
                continue
            row[f"{part}_brier"] = float(values.mean())
            pair = scores[ORIGINAL].brier[:, columns].mean(axis=1), values.mean(axis=1)
            pair = (None, None) if name == ORIGINAL else pair
            add_difference(row, f"{part}_difference", pair, settings, mean_error)
        rows.append(row)
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
