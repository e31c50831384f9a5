"""Metrics that are functions of the means of outcomes, one row per sample."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from skrobust._array_checks import check_same_length
from skrobust._validation import check_choice
from skrobust.metrics.intervals.absent_rows import present_rows
from skrobust.metrics.intervals.bootstrap import Statistic
from skrobust.metrics.intervals.clusters import make_units
from skrobust.metrics.intervals.column_means import ColumnMeans
from skrobust.metrics.intervals.function_of_means import interval_of_means
from skrobust.metrics.intervals.interval import Interval
from skrobust.metrics.registry import call_with_options
from skrobust.metrics.streaming.outcome_means import OutcomeMeans


@dataclass
class RowOutcomes:
    """Outcomes of samples, and the metric as a function of their means.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        Outcomes in [0, 1].
    function : callable
        Takes means of shape (n_rows, n_columns) and returns an array of shape
        (n_rows,).
    bounds : (float, float)
        Lowest and highest value of the function.
    worst, best : float or ndarray of shape (n_columns,), default=0.0, 1.0
        Means of samples that fail, or succeed, altogether.
    unseen : pair of float or ndarray of shape (n_columns,), or None, default=None
        As in :func:`interval_of_means`.
    logarithmic : bool, default=False
        Whether limits are found for the logarithm.
    weight : ndarray of shape (n_samples,) or None, default=None
        Weights of the samples, as fixed by their design.
    parts : ndarray of shape (n_samples, n_columns) or None, default=None
        The samples, by 0 and 1, of which each column is the mean; None: all of them.
    settle : callable or None, default=None
        Takes the means of all samples, of shape (n_columns,), and returns those of the
        parameters above that depend on them, ``worst`` to ``logarithmic``, by name; or
        raises where the metric is undefined.
    """

    columns: np.ndarray
    function: Callable
    bounds: tuple
    worst: object = 0.0
    best: object = 1.0
    unseen: tuple | None = None
    logarithmic: bool = False
    weight: np.ndarray | None = None
    parts: np.ndarray | None = None
    settle: Callable | None = None

    def settled(self):
        """Return the same with what depends on the means of all samples."""
        if self.settle is None:
            return self
        return replace(self, settle=None, **self.settle(self._whole(slice(None))))

    def weighted(self):
        """Return weighted outcomes and their weights, which are summed over batches.

        Returns
        -------
        ndarray of shape (n_samples, 2 * n_columns)
            The outcomes times their weights; the weights.
        """
        parts = np.ones(self.columns.shape) if self.parts is None else self.parts
        weight = np.ones(len(parts)) if self.weight is None else self.weight
        weights = weight[:, None] * parts
        return np.hstack([self.columns * weights, weights])

    def interval(self, request):
        """Return the interval that a request asks for."""
        check_choice(request.method, "method", request.caller, ("auto", "jackknife"))
        clusters, caller = request.clusters, request.caller
        if clusters is not None:
            check_same_length(caller, data=self.columns, clusters=clusters)
        kept, clusters = present_rows(self.weight, clusters, caller)
        units = make_units(clusters, len(self.columns[kept]), caller)
        return self.over(units, request.confidence, kept)

    def over(self, units, confidence, kept=slice(None), n_seen=None):
        """Return the interval over some units of the samples, weights included.

        The means of weighted columns are quotients of two means, whose jackknife is
        that of the linearised quotient. ``n_seen`` is the number of equal units that
        say as much, where it is not that of these units.
        """
        self = self.settled()
        if not units.enough:
            value = float(self.function(self._whole(kept)[None])[0])
            nan, facts = float("nan"), {"warnings": units.warnings()}
            facts |= {"n_units": units.n, "unit": units.name, "method": "jackknife"}
            return Interval(value, nan, nan, confidence=confidence, **facts)
        columns, weights = self.columns[kept], self._weights()[kept]
        k = columns.shape[1]
        means = ColumnMeans(np.hstack([columns * weights, weights]), units)
        share = means.mean[k:]
        if n_seen is None:
            of_units = units.sums(weights)
            n_seen = of_units.sum(axis=0) ** 2 / (of_units**2).sum(axis=0)  # after Kish
            n_seen = float(n_seen.min())
        ends = [self.worst, self.best, *(self.unseen or (self.worst, self.best))]
        worst, best, *unseen = (
            np.append(np.broadcast_to(end, k) * share, share) for end in ends
        )
        settings = {"bounds": self.bounds, "logarithmic": self.logarithmic}
        settings |= {"worst": worst, "best": best, "unseen": unseen}
        settings["n_seen"] = n_seen
        return interval_of_means(self._of_quotients, means, confidence, **settings)

    def statistic(self, units):
        """Return the metric as a function of counts of units."""
        return _OfCounts(self, units)

    def _weights(self):
        weight = np.ones(len(self.columns))
        if self.weight is not None:
            weight = self.weight / self.weight.max()
        parts = np.ones(self.columns.shape) if self.parts is None else self.parts
        return weight[:, None] * parts

    def _whole(self, kept):
        weights = self._weights()[kept]
        with np.errstate(invalid="ignore"):  # columns without any weight
            return (self.columns[kept] * weights).sum(axis=0) / weights.sum(axis=0)

    def _of_quotients(self, means):
        k = means.shape[1] // 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.function(means[:, :k] / means[:, k:])


class _OfCounts(Statistic):
    """The metric of resamples."""

    def __init__(self, outcomes, units):
        self.units, self._of = units, outcomes._of_quotients
        weights = outcomes._weights()
        self._sums = units.sums(np.hstack([outcomes.columns * weights, weights]))

    def __call__(self, counts):
        """Return the values, shape (n_counts, 1)."""
        return self._of(counts.astype(np.float64) @ self._sums)[:, None]


def outcome_spec(make, title):
    """Return ``interval``, ``compare`` and ``streaming`` of the spec of a metric.

    Parameters
    ----------
    make : callable
        Takes the data, options and ``caller``, and returns :class:`RowOutcomes`.
    title : str
        Title of the metric, for error messages.

    Returns
    -------
    dict of str to callable
        Both, and ``streaming``, as ``MetricSpec`` takes them.
    """

    def interval(data, request, **options):
        made = call_with_options(make, data, options, request.caller, title)
        return made.interval(request)

    def compare(*data, caller, **options):
        made = call_with_options(make, data, options, caller, title)
        return made.settled().statistic

    streaming = partial(OutcomeMeans, make, title)
    return {"interval": interval, "compare": compare, "streaming": streaming}
