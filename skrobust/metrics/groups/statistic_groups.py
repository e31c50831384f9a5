"""Comparison of groups by any statistic of their samples."""

from itertools import combinations, islice

import numpy as np

from skrobust.metrics.groups.gaps import chance_of
from skrobust.metrics.groups.group_tables import GroupComparison, range_columns
from skrobust.metrics.intervals.bootstrap import Statistic
from skrobust.metrics.intervals.bootstrap_interval import bootstrap_interval
from skrobust.metrics.intervals.clusters import Units
from skrobust.metrics.intervals.interval import IntervalRequest

_CHUNK = 1 << 22  # counts held at a time


class StatisticComparison(GroupComparison):
    """Groups of samples, compared by a statistic of the units of each.

    Limits are those of the bootstrap, or of the jackknife for few clusters; p-values
    are of units that change groups at random.
    """

    extent = (-np.inf, np.inf)

    def compare(self, make_statistic, **facts):
        """Return the tables of a statistic, made from the units."""
        self.units = Units(self._unit, len(self.sizes), self.clustered)
        statistic = make_statistic(self.units)
        rows, gaps = self.table(statistic, self.chances(statistic))
        return self._results(rows, gaps, self.ranges(statistic), facts)

    def values(self, statistic):
        """Return the value of each group."""
        return self._values(statistic, [self.group])[0]

    def bounds(self, statistic):
        """Return the limits of each group."""
        n = max(100, self.n_permutations)
        settings = self.confidence, "auto", n, self._rng, self.caller
        parts = [_Part(statistic, self.group == g) for g in range(len(self.names))]
        request = IntervalRequest(None, *settings)
        return [tuple(bootstrap_interval(part, request)) for part in parts]

    def chances(self, statistic):
        """Return p-values of the pairs, from permutations of the units of each pair."""
        chances = []
        for i, j in combinations(range(len(self.names)), 2):
            values = self._values(statistic, self._permuted_pair(i, j))
            gaps = np.abs(values[:, i] - values[:, j])
            defined = gaps[1:][np.isfinite(gaps[1:])]
            chance = chance_of(defined, gaps[0]) if np.isfinite(gaps[0]) else np.nan
            chances.append(float(chance))
        return chances

    def ranges(self, statistic):
        """Return the range of the values, what chance makes of it, and p-values."""
        draws = (self._rng.permutation(self.group) for _ in range(self.n_permutations))
        permuted = np.ptp(self._values(statistic, draws), axis=1)
        observed = np.array([np.ptp(self.values(statistic))])
        permuted = permuted[np.isfinite(permuted), None]
        if not len(permuted) or np.isnan(observed[0]):
            names = ("range", "range_by_chance", "p_value", "p_adjusted")
            return dict.fromkeys(names, np.array([np.nan]))
        return range_columns(permuted, observed)

    def _permuted_pair(self, i, j):
        """Yield the groups of the units of a pair, as they are and then permuted."""
        pair = np.flatnonzero((self.group == i) | (self.group == j))
        group = np.full(len(self.group), -1)  # units of other groups count nowhere
        group[pair] = self.group[pair]
        yield group
        for _ in range(self.n_permutations):
            permuted = group.copy()
            permuted[pair] = self._rng.permutation(self.group[pair])
            yield permuted

    def _values(self, statistic, groupings):
        """Return the values of the groups, one row per grouping of the units."""
        n_groups, groupings, parts = len(self.names), iter(groupings), []
        size = max(1, _CHUNK // (n_groups * len(self.group)))
        while chunk := list(islice(groupings, size)):
            counts = np.array(chunk)[:, None] == np.arange(n_groups)[:, None]
            counts = counts.reshape(-1, len(self.group)).astype(np.int64)
            parts.append(statistic(counts)[:, 0].reshape(-1, n_groups))
        return np.concatenate(parts)


class _Part(Statistic):
    """A statistic of some of the units."""

    def __init__(self, statistic, chosen):
        self._statistic, self._chosen = statistic, np.flatnonzero(chosen)
        n = len(self._chosen)
        self.units = Units(np.arange(n), n, statistic.units.clustered)

    def __call__(self, counts):
        every = np.zeros((len(counts), self._statistic.units.n), dtype=np.int64)
        every[:, self._chosen] = counts
        return self._statistic(every)
