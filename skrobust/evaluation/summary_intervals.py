"""Intervals of the summary of many accuracies, over the samples or their clusters."""

import numpy as np

from skrobust.evaluation.score_summary import curve_areas, curve_names
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.function_of_means import interval_of_means
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

    settings = {"confidence": confidence, "bounds": (0.0, 1.0)}
    means = ColumnMeans(correct, units)
    found["mean_interval"] = interval_of_means(_mean, means, **settings)
    if has_curves:
        means = ColumnMeans(np.column_stack([clean, correct]), units)
        interval = interval_of_means(area, means, **settings)
        found["area_under_severity_curve_interval"] = interval
    if other is not None:
        parts = table, correct, other, units, confidence
        found["mean_corruption_error_interval"] = _mean_error_interval(*parts)
    return found


def _mean(means):
    return means.mean(axis=1)


def _mean_error_interval(table, correct, other, units, confidence):
    """Return the interval of the mean corruption error.

    The reference was scored on the same rows, or on others that are independent of
    them; with another number of rows its errors count as known.
    """
    known = 1 - other["score"]
    drawn = np.shape(other.get("correct")) == correct.shape
    both = np.hstack([correct, other["correct"]]) if drawn else correct
    k, worst, best = correct.shape[1], 0.0, 1.0
    if drawn:
        score = other["correct"].mean(axis=0)
        worst, best = (np.append(np.full(k, end), score) for end in (worst, best))
    corruption, positive = table["corruption"], table["severity"] > 0
    names = dict.fromkeys(corruption[positive].tolist())

    def mean_error(means):
        own = 1 - means[:, :k]
        base = 1 - means[:, k:] if drawn else np.broadcast_to(known, own.shape)
        parts = []
        for name in names:
            on = (corruption == name) & positive
            total = base[:, on].sum(axis=1)
            total = np.where(total > 1e-12, total, np.nan)
            parts.append(own[:, on].sum(axis=1) / total)
        return np.mean(parts, axis=0)

    settings = {"bounds": (0.0, np.inf), "worst": worst, "best": best}
    means = ColumnMeans(both, units)
    return interval_of_means(
        mean_error, means, confidence, logarithmic=True, **settings
    )
