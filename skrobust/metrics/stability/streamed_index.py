"""Accuracy-Stability Index over batches."""

from dataclasses import replace

import numpy as np

from skrobust.metrics.registry import call_with_options
from skrobust.metrics.robust.sample_values import correctness
from skrobust.metrics.stability.asi_interval import asi_interval
from skrobust.metrics.streaming.compensated_sums import CompensatedSums
from skrobust.metrics.streaming.unit_sums import UnitSums

_TITLE = "accuracy_stability_index"


class StreamedIndex:
    """Index of the shares of correct samples under each condition.

    Parameters
    ----------
    function : callable
        The index of shares.
    params : dict
        Its options; ``resample_conditions`` for the interval.
    """

    per_row = ()

    def __init__(self, function, params):
        params = dict(params)
        self.over_conditions = params.pop("resample_conditions", False)
        self.function, self.params = function, params
        self.sums = self.of_units = None
        self.n_rows = 0

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        if rows:
            raise TypeError(
                f"{caller} of the {_TITLE} has no parameter {next(iter(rows))!r}."
            )
        correct = correctness(data, caller)
        k = correct.shape[1]
        if k < 2:
            raise ValueError(
                f"{caller} of the {_TITLE} needs correctness of shape (n_samples, "
                "n_conditions) with at least two conditions."
            )
        if self.sums is None:
            self.sums, self.of_units = CompensatedSums(k), UnitSums(k)
        elif k != len(self.sums.high):
            raise ValueError(
                f"{caller} of the {_TITLE} needs the same conditions in every batch; "
                f"there were {len(self.sums.high)}, and now there are {k}."
            )
        self.of_units.add(correct, clusters, caller)
        self.sums.add_totals(correct.sum(axis=0).astype(np.float64))
        self.n_rows += len(correct)

    def merge(self, other):
        """Add what another one gathered."""
        if self.sums is None:
            k = len(other.sums.high)
            self.sums, self.of_units = CompensatedSums(k), UnitSums(k)
        self.sums.merge(other.sums)
        self.of_units.merge(other.of_units)
        self.n_rows += other.n_rows

    def value(self, caller):
        """Return the index of the shares."""
        shares = (self.sums.totals / self.n_rows,)
        found = call_with_options(self.function, shares, self.params, caller, _TITLE)
        return float(found)

    def interval(self, request):
        """Return the interval over rows, groups of rows, or clusters."""
        units, means, _ = self.of_units.units()
        settings = {"method": request.method}
        settings["resample_conditions"] = self.over_conditions
        parts = means, units, request.confidence, request.caller
        return replace(asi_interval(*parts, **settings), **self.of_units.facts)
