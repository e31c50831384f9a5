"""Sums over the independent units of rows that come in batches."""

from dataclasses import dataclass

import numpy as np

from skrobust._array_checks import check_same_length
from skrobust.metrics.intervals.clusters import Units
from skrobust.metrics.labels import label_array

MOST_UNITS = 2048  # up to which each row is a unit of its own
GROUPS = 1024  # of rows at random, beyond that
_MOST_NUMBERS = 1 << 22  # held for groups of rows


@dataclass(frozen=True)
class SummedUnits(Units):
    """Units of which each row is the mean, and which have their numbers of rows."""

    sizes: np.ndarray = None

    def sums(self, values):
        """Return the sums over the samples of each unit, of means of these."""
        values = np.asarray(values, dtype=np.float64)
        return values * (self.sizes if values.ndim == 1 else self.sizes[:, None])


class UnitSums:
    r"""Sums of columns over clusters, rows, or groups of rows drawn at random.

    With clusters there is one unit for each. Without them a row is a unit, up to 2,048
    rows; more rows are put into 1,024 groups at random, whose spread tells that of the
    rows: the standard error of a jackknife over g groups has itself a relative error of
    about :math:`1 / \sqrt{2 g}`, which is 2 % here.

    Parameters
    ----------
    n_columns : int
        Number of columns; it may grow.
    """

    def __init__(self, n_columns):
        self.sums, self.sizes = np.zeros((0, n_columns)), np.zeros(0)
        self.labels = None  # the place of each cluster
        self.grouped, self.n_rows = False, 0

    def add(self, rows, clusters, caller):
        """Add rows of shape (n_rows, n_columns) of some clusters, or of none."""
        n = len(rows)
        if clusters is not None:
            clusters = label_array(clusters, caller, "clusters")
            check_same_length(caller, data=rows, clusters=clusters)
        self.n_rows += n
        if clusters is not None:
            names, codes = np.unique(clusters, return_inverse=True)
            sizes = np.bincount(codes, minlength=len(names)).astype(np.float64)
            sums = summed(rows, codes, len(names))
            self._add_clusters(names.tolist(), sums, sizes)
        elif not self.grouped and len(self.sums) + n <= self._most():
            self._append(summed(rows, np.arange(n), n), np.ones(n))
        else:
            self._group()
            g = len(self.sums)
            kind = np.uint16 if g <= 1 << 16 else np.int64
            codes = self._rng().integers(g, size=n, dtype=kind)
            self.sums += summed(rows, codes, g)
            self.sizes += np.bincount(codes, minlength=g)

    def merge(self, other):
        """Add the units of another object."""
        if not other.n_rows:
            return
        self.n_rows += other.n_rows
        if other.labels is not None:
            n = len(other.labels)  # beyond that there is room for more
            self._add_clusters(list(other.labels), other.sums[:n], other.sizes[:n])
        elif (self.grouped or other.grouped) or (
            len(self.sums) + len(other.sums) > self._most()
        ):
            self._group()
            codes = self._rng().integers(len(self.sums), size=len(other.sums))
            if other.grouped:  # group by group: the sizes stay about equal
                codes = np.arange(len(other.sums)) % len(self.sums)
            np.add.at(self.sums, codes, other.sums)
            np.add.at(self.sizes, codes, other.sizes)
        else:
            self._append(other.sums, other.sizes)

    def widen(self, n_columns):
        """Add columns of 0 until there are so many."""
        missing = n_columns - self.sums.shape[1]
        if missing > 0:
            self.sums = np.pad(self.sums, ((0, 0), (0, missing)))

    def units(self):
        """Return the units, the means of their columns, and their sums."""
        seen = np.flatnonzero(self.sizes)
        if self.labels is not None:  # in the order of their names
            names = np.array(list(self.labels))
            seen = np.argsort(names, kind="stable")
        sums, sizes = self.sums[seen], self.sizes[seen]
        clustered = self.grouped or len(sums) < self.n_rows
        units = SummedUnits(np.arange(len(sums)), len(sums), clustered, sizes)
        return units, sums / sizes[:, None], sums

    @property
    def facts(self):
        """What an interval says of its units, where these are groups of rows."""
        if not self.grouped:
            return {}
        return {"n_units": self.n_rows, "unit": "samples"}

    def _most(self):
        return max(64, min(MOST_UNITS, _MOST_NUMBERS // max(1, self.sums.shape[1])))

    def _rng(self):
        return np.random.default_rng(self.n_rows)

    def _append(self, sums, sizes):
        self.sums = np.concatenate([self.sums, sums])
        self.sizes = np.concatenate([self.sizes, sizes])

    def _group(self):
        """Put rows into groups at random, and keep no more groups than fit."""
        g = max(32, min(GROUPS, self._most() // 2))
        if self.grouped and len(self.sums) <= 2 * g:
            return
        codes = self._rng().integers(g, size=len(self.sums))
        self.sums = summed(self.sums, codes, g)
        self.sizes = np.bincount(codes, weights=self.sizes, minlength=g).astype(float)
        self.grouped = True

    def _add_clusters(self, names, sums, sizes):
        if self.labels is None:
            self.labels = {}
        places = np.array([self.labels.setdefault(n, len(self.labels)) for n in names])
        missing = len(self.labels) - len(self.sums)
        if missing > 0:  # twice as many, so that most batches add none
            room = max(missing, len(self.sums))
            self._append(np.zeros((room, self.sums.shape[1])), np.zeros(room))
        self.sums[places] += sums
        self.sizes[places] += sizes


def clusters_at(clusters, kept, caller):
    """Return the clusters of the rows that are kept, or None."""
    if clusters is None:
        return None
    clusters = label_array(clusters, caller, "clusters")
    check_same_length(caller, data=kept, clusters=clusters)
    return clusters[kept]


@dataclass(frozen=True)
class CellRows:
    """Rows of 0 but for one column, where they have their weight."""

    columns: np.ndarray
    weight: np.ndarray | None
    n_columns: int

    def __len__(self):
        return len(self.columns)


def summed(rows, codes, n):
    """Return the sums of the rows of each of n units, shape (n, n_columns).

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns) or CellRows
        The rows.
    codes : ndarray of int of shape (n_rows,)
        The unit of each.
    n : int
        Number of units.
    """
    if isinstance(rows, CellRows):
        k = rows.n_columns
        places = codes.astype(np.int64) * k + rows.columns
        counts = np.bincount(places, weights=rows.weight, minlength=n * k)
        return counts.astype(np.float64).reshape(n, k)
    columns = np.asarray(rows, dtype=np.float64).T
    sums = [np.bincount(codes, weights=column, minlength=n) for column in columns]
    return np.array(sums, dtype=np.float64).reshape(len(columns), n).T
