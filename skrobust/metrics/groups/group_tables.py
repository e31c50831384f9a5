"""Comparison of groups: tables of values, gaps and ranges."""

import warnings
from itertools import combinations, islice

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._stacklevel import level_outside
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.metrics.comparison.paired import holm
from skrobust.metrics.groups.gaps import chance_of, fisher_chances
from skrobust.metrics.groups.group_limits import (
    bootstrap_limits,
    gap_limits,
    share_limits,
    widening,
)
from skrobust.metrics.intervals.bootstrap import Shares
from skrobust.metrics.intervals.clusters import FEW_CLUSTERS, Units
from skrobust.metrics.intervals.interval import IntervalRequest
from skrobust.metrics.labels import check_one_each, label_array

_SMALL_GROUP = 30  # samples below which a group is flagged
_CHUNK = 1 << 17  # counts held at a time: they fit the cache


class GroupComparison:
    """Groups of samples, compared by a statistic of the units of each.

    Shares of hits have Wilson intervals and Fisher's exact test; other statistics have
    those of the bootstrap (of the jackknife for few clusters), and permutation tests,
    as shares have with clusters.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        The group of each sample.
    clusters : array-like of shape (n_samples,) or None
        The cluster of each sample; each lies within one group.
    n_samples : int
        Number of samples of the data.
    draws : tuple
        Confidence, number of permutations and seed, as in the public functions.
    caller : str
        Name of the public function or class, for error messages.
    """

    greater_is_better = True

    def __init__(self, groups, clusters, n_samples, draws, caller):
        confidence, n_permutations, random_state = draws
        self.confidence = check_confidence(confidence, caller)
        self.n_permutations = check_count(n_permutations, "n_permutations", caller)
        seed = seed_number(random_state, caller)
        self._rng = np.random.default_rng(seed % 2**64)
        self.caller, self.clustered = caller, clusters is not None
        named = {"groups": groups, "clusters": clusters}
        for name, values in named.items():
            if values is not None:
                named[name] = values = label_array(values, caller, name)
                what = f"one entry of {name} per sample"
                check_one_each(values, n_samples, what, name, caller)
        groups, clusters = named.values()
        self.names, self.group_of_sample = np.unique(groups, return_inverse=True)
        if len(self.names) < 2:
            rule = "of at least two groups"
            raise invalid("groups", caller, rule, self.names.tolist())
        self._make_units(clusters)

    def _make_units(self, clusters):
        if clusters is None:
            clusters = np.arange(len(self.group_of_sample))
        _, unit = np.unique(clusters, return_inverse=True)
        self.sizes = np.bincount(unit)
        self.units = Units(unit, len(self.sizes), self.clustered)
        self.group = np.zeros(len(self.sizes), dtype=int)
        self.group[unit] = self.group_of_sample
        if (self.group[unit] != self.group_of_sample).any():
            raise ValueError(
                f"{self.caller} needs each cluster within one group; one lies in two."
            )
        self.n_units = np.bincount(self.group)
        self._members = [self.group == g for g in range(len(self.names))]
        if self.clustered and self.n_units.min() < FEW_CLUSTERS:
            warnings.warn(
                f"{self.caller} finds groups of fewer than {FEW_CLUSTERS} clusters "
                f"(the smallest has {self.n_units.min()}): intervals use t quantiles, "
                "and a group of one or two clusters has none.",
                UserWarning,
                stacklevel=level_outside(),
            )

    def classes_of_groups(self, y):
        """Return the classes that each group holds."""
        groups = range(len(self.names))
        return [np.unique(y[self.group_of_sample == g]) for g in groups]

    def warn_of_missing_classes(self, y):
        """Warn where a group lacks a class, since gaps then mix both."""
        classes = np.unique(y)
        for name, seen in zip(self.names, self.classes_of_groups(y), strict=True):
            missing = np.setdiff1d(classes, seen)
            if len(missing):
                text = (
                    f"{self.caller} compares groups of different classes: "
                    f"{name.item()!r} has no {missing[0].item()!r}, so gaps mix group "
                    "and class."
                )
                warnings.warn(text, UserWarning, stacklevel=level_outside())
                return

    def compare(self, of, **facts):
        """Return the tables of one value per group.

        Parameters
        ----------
        of : ndarray of shape (n_samples,) or callable
            Hits; or what makes a statistic of one value from the units.
        **facts : object
            What to add to the results.
        """
        rows, gaps, ranges = self._tables(of, (None,), None)
        heights = rows["value"] if self.greater_is_better else -rows["value"]
        worst = np.where(np.isnan(heights), np.inf, heights).argmin()
        return self._results(
            rows,
            gaps,
            range=float(ranges["range"][0]),
            range_by_chance=float(ranges["range_by_chance"][0]),
            range_p_value=float(ranges["p_value"][0]),
            worst_group=self.names[worst].item(),
            facts=facts,
        )

    def compare_columns(self, of, name, at, **facts):
        """Return the tables of several values per group, each ``at`` one number.

        Parameters
        ----------
        of : ndarray of shape (n_samples, n_columns) or callable
            Hits; or what makes a statistic of several values from the units.
        name : str
            What the numbers are, as "tolerance".
        at : ndarray of shape (n_columns,)
            The numbers.
        **facts : object
            What to add to the results.
        """
        rows, gaps, ranges = self._tables(of, at, name)
        ranges = Results(columns=(name, *ranges), **{name: at}, **ranges)
        return self._results(rows, gaps, ranges=ranges, facts=facts)

    def _results(self, rows, gaps, *, facts, **ranges):
        return Results(
            columns=tuple(rows),
            **rows,
            gaps=Results(columns=tuple(gaps), **gaps),
            **ranges,
            confidence=self.confidence,
            n_permutations=self.n_permutations,
            **facts,
        )

    def _tables(self, of, at, name):
        """Return the columns of rows and gaps, one block per number, and the ranges."""
        hits = not callable(of)
        statistic = Shares(of, self.units) if hits else of(self.units)
        values = self._values(statistic, [self.group])[0].T
        if hits and not self.clustered:
            parts = self.sizes, self.group
            chances = [fisher_chances(column, *parts) for column in statistic.sums.T]
        else:
            chances = self._pair_chances(statistic)
        limits, bands, wide = self._limits(statistic, values, hits)
        n = np.bincount(self.group, weights=self.sizes).astype(int)
        rows = {
            "group": self.names,
            "n_samples": n,
            "value": values,
            "low": limits[0],
            "high": limits[1],
            "band_low": bands[0],
            "band_high": bands[1],
            "is_small": n < _SMALL_GROUP,
        }
        if self.clustered:
            rows["n_clusters"] = self.n_units
        first, second = np.transpose(list(combinations(range(len(n)), 2)))
        extent = (-1, 1) if hits else (-np.inf, np.inf)
        low, high = gap_limits(values, limits, first, second, extent)
        band_low, band_high = gap_limits(values, wide, first, second, extent)
        p_adjusted = np.array([holm(column) for column in chances])
        unclear = p_adjusted > 1 - self.confidence
        gaps = {
            "first": self.names[first],
            "second": self.names[second],
            "gap": values[:, first] - values[:, second],
            "low": low,
            "high": high,
            # A gap that the adjusted p-value leaves to chance holds 0.
            "band_low": np.where(unclear, np.minimum(band_low, 0.0), band_low),
            "band_high": np.where(unclear, np.maximum(band_high, 0.0), band_high),
            "p_value": np.array(chances, dtype=np.float64),
            "p_adjusted": p_adjusted,
        }
        tables = []
        for table in (rows, gaps):
            shape = table["low"].shape
            columns = {k: np.broadcast_to(v, shape).flatten() for k, v in table.items()}
            at_rows = {} if name is None else {name: np.repeat(at, shape[1])}
            tables.append(at_rows | columns)
        return *tables, self._ranges(statistic, np.ptp(values, axis=1))

    def _limits(self, statistic, values, hits):
        """Return the limits of groups: of each, of all at once, and for all gaps.

        Groups are independent of each other (Sidak); gaps are not (Bonferroni).
        """
        n_groups, confidence = len(self.names), self.confidence
        n_gaps = n_groups * (n_groups - 1) / 2
        all_groups = confidence ** (1 / n_groups)
        levels = confidence, all_groups, 1 - (1 - confidence) / n_gaps
        if hits:
            parts = statistic.sums, self.sizes, self._members, self.clustered
            return [share_limits(*parts, level) for level in levels]
        settings = "auto", max(100, self.n_permutations), self._rng, self.caller
        request = IntervalRequest(None, confidence, *settings)
        limits = bootstrap_limits(statistic, len(values), self._members, request)
        factors = [
            widening(self.n_units, self.clustered, confidence, level)
            for level in levels[1:]
        ]
        return [limits, *[values + factor * (limits - values) for factor in factors]]

    def _pair_chances(self, statistic):
        """Return p-values of shape (n_pairs, n_columns).

        The units of a pair change groups at random; one set of permutations serves all
        columns.
        """
        chances = []
        for i, j in combinations(range(len(self.names)), 2):
            values = self._values(statistic, self._permuted_pair(i, j), (i, j))
            gaps = np.abs(values[:, 0] - values[:, 1])
            chances.append(chance_of(gaps[1:], gaps[0]))
        return np.array(chances).T

    def _permuted_pair(self, i, j):
        """Yield the groups of the units of a pair, as they are and then permuted."""
        pair = np.flatnonzero((self.group == i) | (self.group == j))
        yield self.group
        for _ in range(self.n_permutations):
            permuted = self.group.copy()
            permuted[pair] = self._rng.permutation(self.group[pair])
            yield permuted

    def _permuted(self):
        """Yield groups of units that were permuted; each keeps its number of units."""
        in_order = np.sort(self.group)
        for _ in range(self.n_permutations):
            group = np.empty_like(self.group)
            group[self._rng.permutation(len(group))] = in_order
            yield group

    def _ranges(self, statistic, observed):
        """Return the range of each column, its mean under permutation, and p-values."""
        permuted = np.ptp(self._values(statistic, self._permuted()), axis=1)
        return {
            "range": observed,
            "range_by_chance": permuted.mean(axis=0),
            "p_value": chance_of(permuted, observed),
            # The greatest range over all columns guards against picking the best one.
            "p_adjusted": chance_of(permuted.max(axis=1)[:, None], observed),
        }

    def _values(self, statistic, groupings, groups=None):
        """Return values of shape (n_groupings, n_groups, n_columns)."""
        groups = np.arange(len(self.names)) if groups is None else np.array(groups)
        groupings, parts = iter(groupings), []
        size = max(1, _CHUNK // (len(groups) * len(self.group)))
        while chunk := list(islice(groupings, size)):
            counts = np.array(chunk)[:, None] == groups[:, None]
            values = statistic(counts.reshape(-1, len(self.group)))
            parts.append(values.reshape(len(chunk), len(groups), -1))
        return np.concatenate(parts)
