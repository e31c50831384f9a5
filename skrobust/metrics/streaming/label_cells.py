"""Metrics of a table of pairs of labels, over batches."""

import warnings
from contextlib import suppress
from dataclasses import replace

import numpy as np

from skrobust._array_checks import check_weights
from skrobust.metrics.intervals.bootstrap import Statistic, bootstrap_interval
from skrobust.metrics.labels import label_pair
from skrobust.metrics.registry import call_with_options
from skrobust.metrics.streaming.compensated_sums import CompensatedSums
from skrobust.metrics.streaming.unit_sums import CellRows, UnitSums, clusters_at


class LabelCells:
    """Metric of true and predicted labels that weights can stand for equal rows in.

    Rows of one pair of labels count together: the metric of the pairs, each with the
    sum of its weights, is that of the rows.

    Parameters
    ----------
    function : callable
        Takes both labels of the pairs and ``sample_weight=``, and the options.
    title : str
        Title of the metric, for error messages.
    params : dict
        Its options.
    """

    per_row = ("sample_weight",)

    def __init__(self, function, title, params):
        self.function, self.title, self.params = function, title, params
        self.places = {}  # of the pairs of labels
        self.sums, self.of_units = CompensatedSums(0), UnitSums(0)
        self.n_rows = 0

    def update(self, data, rows, clusters, caller):
        """Add a batch."""
        first, second = self.check(data, caller)
        weight = check_weights(rows.get("sample_weight"), len(first), caller)
        if weight is not None:  # rows of weight 0 count as absent
            kept = weight > 0
            first, second, weight = first[kept], second[kept], weight[kept]
            clusters = clusters_at(clusters, kept, caller)
        cells, codes = cells_of(first, second)
        places = self._places(cells)
        block = CellRows(places[codes], weight, len(self.places))
        self.of_units.add(block, clusters, caller)
        totals = np.bincount(codes, weights=weight, minlength=len(cells))
        self.sums.add_totals(self._spread(totals, places))
        self.n_rows += len(codes)

    def merge(self, other):
        """Add what another one gathered."""
        places = self._places(list(other.places))
        for totals in (other.sums.high, other.sums.low):
            self.sums.add_totals(self._spread(totals, places))
        units = UnitSums(0)
        vars(units).update(vars(other.of_units))
        units.sums = np.zeros((len(units.sums), len(self.places)))
        units.sums[:, places] = other.of_units.sums
        self.of_units.merge(units)
        self.n_rows += other.n_rows

    def check(self, data, caller):
        """Return both arrays of labels, or raise."""
        if len(data) != 2:
            raise ValueError(
                f"{caller} of the {self.title} takes true and predicted labels. Got "
                f"{len(data)} arrays."
            )
        return label_pair(*data, caller)

    def _places(self, cells):
        """Return the columns of pairs of labels; new ones are added."""
        places = [self.places.setdefault(c, len(self.places)) for c in cells]
        missing = len(self.places) - len(self.sums.high)
        for name in ("high", "low"):
            totals = getattr(self.sums, name)
            setattr(self.sums, name, np.pad(totals, (0, missing)))
        self.of_units.widen(len(self.places))
        return np.array(places, dtype=np.intp)

    def _spread(self, totals, places):
        spread = np.zeros(len(self.places))
        spread[places] = totals
        return spread

    def of_weights(self, weights, caller, more):
        """Return the metric of weights of the pairs, with further options."""
        pairs = zip(self.places, weights > 0, strict=True)
        first, second = zip(*(pair for pair, kept in pairs if kept), strict=True)
        given = self.params | {"sample_weight": weights[weights > 0]} | more
        data = self.check((np.array(first), np.array(second)), caller)
        found = call_with_options(self.function, data, given, caller, self.title)
        return float(found)

    def value(self, caller):
        """Return the metric."""
        return self.of_weights(self.sums.totals, caller, self.of_whole())

    def of_whole(self):
        """Return what the function is told of all rows."""
        return {}

    def of_resamples(self, caller):
        """Return what the function is told of resamples."""
        return {}

    def interval(self, request):
        """Return the interval over rows, groups of rows, or clusters."""
        units, _, sums = self.of_units.units()
        statistic = FunctionOfSums(units, sums, self._statistic(request.caller))
        found = bootstrap_interval(statistic, request)
        return replace(found, value=self.value(request.caller), **self.of_units.facts)

    def _statistic(self, caller):
        more = self.of_resamples(caller)
        return lambda weights: self.of_weights(weights, caller, more)


def cells_of(first, second):
    """Return the pairs of labels that occur, and the pair of each row."""
    names = [np.unique(labels, return_inverse=True) for labels in (first, second)]
    n = len(names[1][0])
    cells, codes = np.unique(names[0][1] * n + names[1][1], return_inverse=True)
    pairs = names[0][0][cells // n].tolist(), names[1][0][cells % n].tolist()
    return list(zip(*pairs, strict=True)), codes


class FunctionOfSums(Statistic):
    """A function of sums of columns over resampled units.

    Parameters
    ----------
    units : Units
        The units.
    sums : ndarray of shape (n_units, n_columns)
        Their sums.
    function : callable
        Takes sums of shape (n_columns,) and returns a float; a ValueError says that it
        is undefined.
    """

    def __init__(self, units, sums, function):
        self.units, self.sums, self.function = units, sums, function

    def whole(self):
        """Return the metric of all units; its warnings are the user's."""
        return np.array([self.function(self.sums.sum(axis=0))])

    def __call__(self, counts):
        """Return the metric of each resample, nan where it is undefined."""
        values = np.full((len(counts), 1), np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for i, sums in enumerate(counts.astype(np.float64) @ self.sums):
                with suppress(ValueError):
                    values[i] = self.function(sums)
        return values
