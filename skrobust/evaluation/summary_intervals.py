"""Intervals of the summary of many accuracies, over the samples or their clusters."""

import numpy as np

from skrobust.evaluation.score_summary import curve_areas, curve_names
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

    def area(means):
        return curve_areas(table, means[:, 1:], means[:, 0]).mean(axis=-1)

    def interval_of(columns, function):
        return RowOutcomes(columns, function, (0.0, 1.0)).over(units, confidence)

    found["mean_interval"] = interval_of(correct, _mean)
    if has_curves:
        columns = np.column_stack([clean, correct])
        found["area_under_severity_curve_interval"] = interval_of(columns, area)
    if other is not None:
        outcomes = against_other(table, correct, other)
        found["mean_corruption_error_interval"] = outcomes.over(units, confidence)
    return found


def _mean(means):
    return means.mean(axis=1)


def against_other(table, correct, other):
    """Return the outcomes of the mean corruption error against a reference model.

    The reference was scored on the same rows, or on others that are independent of
    them; with another number of rows its errors count as known.
    """
    on = table["severity"] > 0
    own, base = 1.0 - correct[:, on], 1.0 - other["score"][on]
    if np.shape(other.get("correct")) == correct.shape:
        base = 1.0 - other["correct"][:, on]
    return error_means(own, base, table["corruption"][on])
