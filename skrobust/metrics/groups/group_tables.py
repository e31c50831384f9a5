"""Tables of a comparison of groups."""

import warnings
from itertools import combinations

import numpy as np

from skrobust._keyed_noise.generator import seed_number
from skrobust._results import Results
from skrobust._validation import check_confidence, check_count, invalid
from skrobust.metrics.comparison.paired import holm
from skrobust.metrics.groups.gaps import (
    chance_of,
    fisher_chances,
    newcombe,
    pair_chances,
    permuted_ranges,
    share_interval,
)
from skrobust.metrics.intervals.clusters import FEW_CLUSTERS
from skrobust.metrics.labels import label_array

_SMALL_GROUP = 30  # samples below which a group is flagged


class GroupComparison:
    """Groups of samples, compared by the share of hits in each.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        The group of each sample.
    clusters : array-like of shape (n_samples,) or None
        The cluster of each sample; each lies within one group.
    n_samples : int
        Number of samples of the data.
    confidence, n_permutations, random_state
        As in the public functions.
    caller : str
        Name of the public function or class, for error messages.
    stacklevel : int, default=5
        Of a warning about few clusters.
    """

    extent = (-1, 1)  # of gaps
    greater_is_better = True

    def __init__(
        self,
        groups,
        clusters,
        n_samples,
        *,
        confidence,
        n_permutations,
        random_state,
        caller,
        stacklevel=5,
    ):
        self.confidence = check_confidence(confidence, caller)
        self.n_permutations = check_count(n_permutations, "n_permutations", caller)
        seed = seed_number(random_state, caller)
        self._rng = np.random.default_rng(seed % 2**64)
        self.caller, self.clustered = caller, clusters is not None
        named = {"groups": groups, "clusters": clusters}
        for name, values in named.items():
            if values is not None:
                named[name] = label_array(values, caller, name)
                if len(named[name]) != n_samples:
                    raise ValueError(
                        f"{caller} needs one entry of {name} per sample; {name} has "
                        f"{len(named[name])}, the data {n_samples}."
                    )
        self.names, self.group_of_sample = np.unique(
            named["groups"], return_inverse=True
        )
        if len(self.names) < 2:
            raise invalid(
                "groups", caller, "of at least two groups", self.names.tolist()
            )
        self._make_units(named["clusters"], stacklevel)

    def _make_units(self, clusters, stacklevel):
        if clusters is None:
            self._unit = np.arange(len(self.group_of_sample))
        else:
            _, self._unit = np.unique(clusters, return_inverse=True)
        self.sizes = np.bincount(self._unit)
        self.group = np.zeros(len(self.sizes), dtype=int)
        self.group[self._unit] = self.group_of_sample
        if (self.group[self._unit] != self.group_of_sample).any():
            raise ValueError(
                f"{self.caller} needs each cluster within one group; one lies in two."
            )
        self.n_units = np.bincount(self.group)
        if self.clustered and self.n_units.min() < FEW_CLUSTERS:
            warnings.warn(
                f"{self.caller} finds groups of fewer than {FEW_CLUSTERS} clusters "
                f"(the smallest has {self.n_units.min()}): intervals use t quantiles, "
                "and a group of one or two clusters has none.",
                UserWarning,
                stacklevel=stacklevel,
            )

    def hits_of_units(self, hits):
        """Return successes per unit of shape (n_units, n_columns)."""
        hits = hits.reshape(len(hits), -1)
        totals = np.zeros((len(self.sizes), hits.shape[1]), dtype=np.int64)
        np.add.at(totals, self._unit, hits)
        return totals

    def chances(self, hits):
        """Return p-values of the pairs in each column of hits.

        Clusters are permuted; samples have Fisher's exact test.
        """
        if not self.clustered:
            parts = self.sizes, self.group
            return [fisher_chances(column, *parts) for column in hits.T]
        parts = hits, self.sizes, self.group, self.n_permutations, self._rng
        return pair_chances(*parts).T

    def values(self, hits):
        """Return the value of each group."""
        n = np.bincount(self.group, weights=self.sizes).astype(int)
        return np.bincount(self.group, weights=hits) / n

    def bounds(self, hits):
        """Return the limits of each group."""
        settings = {"clustered": self.clustered, "confidence": self.confidence}
        parts = [self.group == g for g in range(len(self.names))]
        return [share_interval(hits[p], self.sizes[p], **settings) for p in parts]

    def table(self, hits, chances):
        """Return the columns of one row a group, and of one row a pair.

        Parameters
        ----------
        hits : ndarray of shape (n_units,)
            Successes of each unit.
        chances : array-like of shape (n_pairs,)
            See :meth:`chances`.

        Returns
        -------
        rows, gaps : dict of ndarrays
            The columns of both tables.
        """
        n = np.bincount(self.group, weights=self.sizes).astype(int)
        values, bounds = self.values(hits), self.bounds(hits)
        rows = {
            "group": self.names,
            "n_samples": n,
            "value": values,
            "low": np.array([low for low, _ in bounds]),
            "high": np.array([high for _, high in bounds]),
            "is_small": n < _SMALL_GROUP,
        }
        if self.clustered:
            rows["n_clusters"] = self.n_units
        first, second = zip(*combinations(range(len(n)), 2), strict=True)
        limits = [
            newcombe(values[i], bounds[i], values[j], bounds[j], self.extent)
            for i, j in zip(first, second, strict=True)
        ]
        gaps = {
            "first": self.names[list(first)],
            "second": self.names[list(second)],
            "gap": values[list(first)] - values[list(second)],
            "low": np.array([low for low, _ in limits]),
            "high": np.array([high for _, high in limits]),
            "p_value": np.array(chances, dtype=np.float64),
            "p_adjusted": holm(chances),
        }
        return rows, gaps

    def ranges(self, hits):
        """Return the range of each column, what chance makes of it, and p-values."""
        permuted = permuted_ranges(
            hits, self.sizes, self.group, self.n_permutations, self._rng
        )
        observed = np.ptp([self.values(column) for column in hits.T], axis=1)
        return range_columns(permuted, observed)

    def compare(self, hits, **facts):
        """Return the tables of one column of hits of shape (n_samples,)."""
        units = self.hits_of_units(hits)
        rows, gaps = self.table(units[:, 0], self.chances(units)[0])
        return self._results(rows, gaps, self.ranges(units), facts)

    def _results(self, rows, gaps, ranges, facts):
        heights = rows["value"] if self.greater_is_better else -rows["value"]
        worst = np.where(np.isnan(heights), np.inf, heights).argmin()
        return Results(
            columns=tuple(rows),
            **rows,
            gaps=Results(columns=tuple(gaps), **gaps),
            range=float(ranges["range"][0]),
            range_by_chance=float(ranges["range_by_chance"][0]),
            range_p_value=float(ranges["p_value"][0]),
            worst_group=self.names[int(worst)].item(),
            confidence=self.confidence,
            n_permutations=self.n_permutations,
            **facts,
        )

    def compare_columns(self, hits, name, values, **facts):
        """Return the tables of several columns of hits, named by one value each."""
        units = self.hits_of_units(hits)
        found = zip(units.T, self.chances(units), strict=True)
        parts = [self.table(column, chances) for column, chances in found]
        tables = []
        for place in (0, 1):
            columns = {
                key: np.concatenate([part[place][key] for part in parts])
                for key in parts[0][place]
            }
            n_rows = len(parts[0][place]["low"])
            tables.append({name: np.repeat(values, n_rows), **columns})
        rows, gaps = tables
        ranges = {name: values, **self.ranges(units)}
        return Results(
            columns=tuple(rows),
            **rows,
            gaps=Results(columns=tuple(gaps), **gaps),
            ranges=Results(columns=tuple(ranges), **ranges),
            confidence=self.confidence,
            n_permutations=self.n_permutations,
            **facts,
        )


def range_columns(permuted, observed):
    """Return the columns about the ranges of some columns of values."""
    return {
        "range": observed,
        "range_by_chance": permuted.mean(axis=0),
        "p_value": chance_of(permuted, observed),
        # The greatest range over all columns guards against picking the best one.
        "p_adjusted": chance_of(permuted.max(axis=1)[:, None], observed),
    }
