"""Warning of a best model that is less accurate than another, or than a constant."""

from dataclasses import dataclass

import numpy as np

from skrobust.metrics.comparison.evidence import SAME, evidence_of_errors
from skrobust.metrics.comparison.weighted_means import weighted_differences
from skrobust.metrics.labels import label_array, true_columns
from skrobust.metrics.robust.sample_values import correctness
from skrobust.metrics.scorers.constant_guard import constant_accuracy


@dataclass(frozen=True)
class RowAccuracies:
    """Mean accuracy of each model and its differences on the same rows."""

    rows: list  # for each model the share of right answers of each row
    weight: np.ndarray
    constant: float | None  # of the best constant prediction, where it is known
    kind = "mean accuracy"

    @property
    def means(self):
        """Return the mean of each model."""
        return np.array([np.average(one, weights=self.weight) for one in self.rows])

    def p_value(self, first, second, units):
        """Return the two-sided p-value against equal means of two models."""
        pair = self.rows[first], self.rows[second]
        is_share = all(np.isin(one, (0, 1)).all() for one in pair)
        parts = weighted_differences([pair], self.weight, units, is_share)
        return evidence_of_errors(*parts, units.n, is_share)[0].p_two_sided()


class TrendMeans:
    """Mean score of each model over the same periods and its differences."""

    kind, constant = "mean score", None

    def __init__(self, trends):
        self.trends, self.means = trends, trends.scores.mean(axis=1)

    def p_value(self, first, second, units):
        """Return the two-sided p-value against equal means of two models."""
        return self.trends.evidence(first, second, of_means=True).p_two_sided()


def row_accuracies(spec, data, params, weight, caller):
    """Return the accuracies that the data of a metric hold, or None.

    Parameters
    ----------
    spec : MetricSpec or None
        The metric. Those that are an accuracy themselves, and those of values, give
        None.
    data : list of tuple of array-like
        The data of each model, as ``compare_models`` passes them to the metric.
    params : dict
        Options of the metric.
    weight : ndarray of shape (n_samples,) or None
        Weights.
    caller : str
        Name of the public function.
    """
    if spec is None or spec.task != "classification":
        return None
    try:
        if "probabilities" in spec.needs:
            rows, y = _of_probabilities(data, params, caller)
        elif "labels" in spec.needs and spec.per_sample is None:
            rows = [correctness(one, caller).mean(axis=1) for one in data]
            y = data[0][0] if len(data[0]) == 2 else None
        else:
            return None
        weight = np.ones(len(rows[0])) if weight is None else weight
        constant = None
        if y is not None:
            constant = constant_accuracy(label_array(y, caller, "y_true"), weight)
    except ValueError:  # these data are no labels
        return None
    return RowAccuracies(rows, weight, constant)


def _of_probabilities(data, params, caller):
    y, labels = params.get("y_true"), params.get("labels")
    if y is None or any(len(one) != 2 for one in data):
        raise ValueError(f"{caller} has no labels of the rows.")
    rows = []
    for clean, _ in data:
        clean = np.asarray(clean)
        column = true_columns(y, labels, caller, y_prob=clean)
        rows.append((clean.argmax(axis=1) == column).astype(np.float64))
    return rows, y


def order_warnings(names, data, values, units, confidence):
    """Return a sentence, or none, on a best model that is not the most accurate.

    The other model must be more accurate beyond doubt: the p-value of the paired
    difference is below ``1 - confidence``, over the number of other models.

    Parameters
    ----------
    names : list of str
        Of the models.
    data : Comparison
        Their data.
    values : ndarray of shape (n_models, n_tolerances)
        The metric.
    units : Units or None
        Samples or clusters; None for periods.
    confidence : float
        Of the comparison.

    Returns
    -------
    tuple of str
        Of length 0 or 1; of several tolerances, that of the first with such a model.
    """
    accuracy = data.accuracies
    if data.trends is not None:
        accuracy = TrendMeans(data.trends)
    if accuracy is None:
        return ()
    means = accuracy.means
    top = int(np.argmax(means))
    for column, bound in zip(values.T, np.atleast_1d(data.tolerances), strict=True):
        led = data.sign * column
        tied = np.flatnonzero(led >= led.max() - SAME)
        best = int(tied[np.argmax(means[tied])])
        faults = []
        if means[top] > means[best] + SAME and (units is None or units.enough):
            limit = (1 - confidence) / (len(names) - 1)
            if accuracy.p_value(top, best, units) < limit:
                other = f"{means[top]:.3g} of {names[top]!r}"
                faults.append(f"less than the {other}, which has {column[top]:.3g}")
        constant = accuracy.constant
        if constant is not None and means[best] <= constant + SAME:
            faults.append(f"not more than the {constant:.3g} of the best constant "
                          "prediction")  # fmt: skip
        if faults:
            at = "" if bound is None else f" at tolerance {bound:g}"
            same = "rows" if units is not None else "periods"
            return (
                f"{names[best]!r} has the best {data.title}{at}, {column[best]:.3g}, "
                f"but on the same {same} its {accuracy.kind} is {means[best]:.3g}, "
                f"{', and '.join(faults)}.",
            )
    return ()
