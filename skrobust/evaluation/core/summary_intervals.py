"""Intervals of the summary of many accuracies, over the samples or their clusters."""

import numpy as np

from skrobust.evaluation.core.score_summary import curve_areas, curve_names
from skrobust.metrics.intervals.row_outcomes import RowOutcomes
from skrobust.metrics.robust.corruption_outcomes import error_means
from skrobust.metrics.stability.asi_interval import variation_interval


def summary_intervals(table, correct, clean, other, units, confidence):
    """Return intervals of the summary, by name.

    Parameters
    ----------
    table : dict
        Columns of the conditions, with ``corruption`` and ``severity``.
    correct : ndarray of shape (n_samples, n_conditions)
        Which predictions are correct.
    clean : ndarray of shape (n_samples,)
        Which predictions for the clean rows are correct.
    other : Results or None
        Results of the reference model.
    units : Units
        The samples or clusters.
    confidence : float
        Wanted coverage.

    Returns
    -------
    dict
        Mean, coefficient of variation (None for one condition), and where there are
        such, area under the severity curve and mean corruption error. None where there
        are too few units.
    """
    found = dict.fromkeys(("mean_interval", "coefficient_of_variation_interval"))
    if correct.shape[1] > 1:
        variation = variation_interval(correct, units, confidence)
        found["coefficient_of_variation_interval"] = variation
    has_curves = bool(curve_names(table))
    if has_curves:
        found["area_under_severity_curve_interval"] = None
    if other is not None:
        found["mean_corruption_error_interval"] = None
    if not units.enough:
        return found

    base = None
    if other is not None:
        # Scored on the same rows, or on others that are independent of them; with
        # another number of rows its errors count as known.
        drawn = np.shape(other.get("correct")) == correct.shape
        base = 1.0 - (other["correct"] if drawn else other["score"])
    for name, outcomes in summary_outcomes(table, correct, clean, base).items():
        found[name] = outcomes.over(units, confidence)
    return found


def summary_outcomes(table, scores, clean, base):
    """Return the outcomes whose means make mean, area and mean corruption error.

    Parameters
    ----------
    table : dict
        Columns of the conditions, with ``corruption`` and ``severity``.
    scores : ndarray of shape (n_rows, n_conditions)
        Correctness of samples, or scores of folds.
    clean : ndarray of shape (n_rows,)
        The same on the clean rows.
    base : ndarray of shape (n_rows, n_conditions) or (n_conditions,), or None
        Errors of the reference model; of the second shape they count as known.

    Returns
    -------
    dict of str to RowOutcomes
        By the name of the interval in the results.
    """

    def area(means):
        return curve_areas(table, means[:, 1:], means[:, 0]).mean(axis=-1)

    found = {"mean_interval": RowOutcomes(scores, _mean, (0.0, 1.0))}
    if curve_names(table):
        columns = np.column_stack([clean, scores])
        name = "area_under_severity_curve_interval"
        found[name] = RowOutcomes(columns, area, (0.0, 1.0))
    if base is not None:
        on = table["severity"] > 0
        names = table["corruption"][on]
        outcomes = error_means(1.0 - scores[:, on], base[..., on], names)
        found["mean_corruption_error_interval"] = outcomes
    return found


def _mean(means):
    return means.mean(axis=1)
