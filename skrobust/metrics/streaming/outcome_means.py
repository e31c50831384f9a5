"""Functions of means of outcomes, such as ratios of accuracies, over batches."""

from dataclasses import replace

import numpy as np

from skrobust._validation import check_choice
from skrobust.metrics.registry import call_with_options
from skrobust.metrics.streaming.compensated_sums import CompensatedSums
from skrobust.metrics.streaming.unit_sums import UnitSums, clusters_at


class OutcomeMeans:
    """Metric that is a function of (weighted) means of outcomes of samples.

    Parameters
    ----------
    make : callable
        Takes the data of a batch, options and ``caller``, and returns ``RowOutcomes``.
    title : str
        Title of the metric, for error messages.
    params : dict
        Options of the metric.
    """

    per_row = ("sample_weight",)

    def __init__(self, make, title, params):
        self.make, self.title, self.params = make, title, params
        self.outcomes = self.sums = self.of_units = None
        self.n_rows = 0

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        parts = self.make, data, self.params | rows, caller, self.title
        made = call_with_options(*parts)
        values = made.weighted()
        k = values.shape[1]
        if self.sums is None:
            self.sums, self.of_units = CompensatedSums(k + k // 2), UnitSums(k)
            # What the function takes of the options; the rows are not kept.
            none = {"columns": made.columns[:0], "weight": None, "parts": None}
            self.outcomes = replace(made, **none)
        elif k != self.of_units.sums.shape[1]:
            known = self.of_units.sums.shape[1] // 2
            raise ValueError(
                f"{caller} of the {self.title} needs the same conditions in every "
                f"batch; there were {known} columns, and now there are {k // 2}."
            )
        kept = values[:, k // 2 :].any(axis=1)  # rows of weight 0 count as absent
        if not kept.all():
            values = values[kept]
            clusters = clusters_at(clusters, kept, caller)
        self.of_units.add(values, clusters, caller)
        self.sums.add(np.hstack([values, values[:, k // 2 :] ** 2]))
        self.n_rows += len(values)

    def merge(self, other):
        """Add what another one gathered."""
        if other.sums is None:
            return
        if self.sums is None:
            self.sums = CompensatedSums(len(other.sums.high))
            self.of_units = UnitSums(other.of_units.sums.shape[1])
            self.outcomes = other.outcomes
        self.n_rows += other.n_rows
        self.sums.merge(other.sums)
        self.of_units.merge(other.of_units)

    def _means(self):
        sums, weights, _ = np.split(self.sums.totals, 3)
        with np.errstate(invalid="ignore"):  # columns without any weight
            return sums / weights

    def value(self, caller):
        """Return the metric."""
        means = self._means()
        if self.outcomes.settle is not None:
            self.outcomes.settle(means)  # raises where it is undefined
        return float(self.outcomes.function(means[None])[0])

    def interval(self, request):
        """Return the interval over rows, groups of rows, or clusters."""
        check_choice(request.method, "method", request.caller, ("auto", "jackknife"))
        units, means, _ = self.of_units.units()
        sums, weights = np.split(means, 2, axis=1)
        columns = np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0)
        settings = {"columns": columns, "parts": weights / weights.max()}
        if self.outcomes.settle is not None:
            settings |= self.outcomes.settle(self._means()) | {"settle": None}
        n_seen = self._n_seen() if self.of_units.grouped else None
        made = replace(self.outcomes, **settings)
        found = made.over(units, request.confidence, n_seen=n_seen)
        return replace(found, value=self.value(request.caller), **self.of_units.facts)

    def _n_seen(self):
        """Return how many samples of equal weight say as much, after Kish."""
        _, weights, squares = np.split(self.sums.totals, 3)
        return float((weights**2 / squares).min())
