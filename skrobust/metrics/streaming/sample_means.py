"""Means of the values of samples over batches: shares, or numbers."""

from dataclasses import replace

import numpy as np

from skrobust._array_checks import check_weights
from skrobust.metrics.intervals.bootstrap import Shares, bootstrap_interval
from skrobust.metrics.intervals.share_interval import (
    share_interval_of_clusters,
    share_interval_of_sums,
)
from skrobust.metrics.registry import get_metric
from skrobust.metrics.streaming.compensated_sums import CompensatedSums
from skrobust.metrics.streaming.unit_sums import UnitSums, clusters_at


class SampleMean:
    """Weighted mean of the values that ``per_sample`` of a metric gives.

    Of 0 and 1 the sums of weights and of their squares give the interval of the share,
    and with clusters the sums of each; of numbers sums over rows or groups of rows do.

    Parameters
    ----------
    name : str
        Name of the metric in the registry, where it is looked up.
    params : dict
        Its options.
    """

    per_row = ("sample_weight",)

    def __init__(self, name, params):
        self.name, self.params = name, params
        self.sums = CompensatedSums(4)
        self.of_units = UnitSums(2)
        self.n_rows, self.is_share = 0, None
        self.largest, self.has_unweighted = None, False  # of the weights

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        rows = dict(rows)
        weight = rows.pop("sample_weight", None)
        values = get_metric(self.name).values(data, self.params | rows, caller)
        if values.ndim != 1:
            raise ValueError(f"{caller} needs options with one value each.")
        weight = check_weights(weight, len(values), caller)
        if weight is not None:  # rows of weight 0 count as absent
            kept = weight > 0
            values, weight = values[kept], weight[kept]
            clusters = clusters_at(clusters, kept, caller)
        is_share = values.dtype == bool
        values = values.astype(np.float64)
        own = np.ones(len(values)) if weight is None else weight
        weighted = np.column_stack([values * own, own])
        if clusters is not None or not is_share:
            self.of_units.add(weighted, clusters, caller)
        if weight is None:
            n, total = float(len(values)), float(values.sum())
            self.sums.add_totals(np.array([n, n, total, total]))
            self.has_unweighted = True
        else:
            squares = weighted * weight[:, None]
            # Of weights, their squares, weights of successes, and their squares.
            self.sums.add(np.hstack([weighted, squares])[:, [1, 3, 0, 2]])
            self.largest = max(self.largest or 0.0, float(weight.max()))
        self.is_share = is_share if self.is_share is None else self.is_share & is_share
        self.n_rows += len(values)

    def merge(self, other):
        """Add what another one gathered."""
        if not other.n_rows:
            return
        self.n_rows += other.n_rows
        self.sums.merge(other.sums)
        self.of_units.merge(other.of_units)
        known = [one for one in (self.largest, other.largest) if one is not None]
        self.largest = max(known, default=None)
        self.has_unweighted |= other.has_unweighted
        both = self.is_share in (None, True) and other.is_share
        self.is_share = bool(both)

    def value(self, caller):
        """Return the mean."""
        total, _, hits, _ = self.sums.totals
        return float(hits / total)

    def interval(self, request):
        """Return the interval over samples or clusters."""
        units, means, sums = self.of_units.units()
        if self.is_share:
            return self._share_interval(units, sums, request)
        shares = np.divide(*means.T, out=np.zeros(len(means)), where=means[:, 1] > 0)
        statistic = Shares(shares, units, means[:, 1])
        found = bootstrap_interval(statistic, request)
        return replace(found, value=self.value(request.caller), **self.of_units.facts)

    def _share_interval(self, units, sums, request):
        totals = tuple(float(total) for total in self.sums.totals)
        if units.clustered:
            n_equal = totals[0] ** 2 / totals[1]
            return share_interval_of_clusters(units, *sums.T, n_equal, request)
        largest = self.largest
        if largest is not None and self.has_unweighted:
            largest = max(1.0, largest)
        return share_interval_of_sums(self.n_rows, totals, largest, request)
