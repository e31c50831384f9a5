"""Distance of two samples of rows, column by column, in units of the first."""

import numpy as np

from skrobust._containers import is_missing, missing_mask
from skrobust.base.table_change import (
    DAY,
    read_column,
    standard_deviation,
    table_columns,
)


class KindError(ValueError):
    """A column holds one kind of values in one sample and another in the other."""


class DriftDistance:
    """Distance of samples of rows to a reference, and its draws under resampling.

    For a column of numbers or dates it is the first Wasserstein distance of the two
    samples in standard deviations of the reference; for categories the total variation
    distance of their frequencies. With ``missing`` it is the difference of the shares
    of missing values instead, and else missing values are left out. The distance of
    samples is the mean over columns.

    Parameters
    ----------
    reference : data frame or ndarray of shape (n_samples, n_features)
        Rows that give the units.
    places : sequence of int
        The columns that count.
    missing : bool
        Whether only missing values count.
    """

    def __init__(self, reference, places, missing):
        self.places, self.missing = list(places), missing
        self.kinds, self.columns, self.units = [], [], []
        columns = table_columns(reference)
        for j in self.places:
            kind, values = read_column(columns[j])
            values = _as_numbers(kind, values)
            self.kinds.append(kind)
            self.columns.append(values)
            self.units.append(_unit(kind, values))
        self.left_out = [
            j
            for j, unit in zip(self.places, self.units, strict=True)
            if not (unit > 0 or missing)
        ]

    def order(self):
        """Return the rows in an order that units and the order given do not change."""
        return _sorting(self.columns)

    def pairs(self, rows):
        """Return for each column that counts a :class:`_ColumnPair` with other rows."""
        columns, found = table_columns(rows), {}
        parts = zip(self.places, self.kinds, self.columns, self.units, strict=True)
        for j, kind, old, unit in parts:
            if j in self.left_out:
                continue
            other, new = read_column(columns[j])
            new = _as_numbers(other, new)
            if self.missing:
                found[j] = _ColumnPair(*map(_lost, (old, new)), 1.0)
            elif other != kind and not _lost(new).all():
                raise KindError(j, kind, other)
            elif kind == "categories":
                found[j] = _CategoryPair(old, new)
            else:
                found[j] = _ColumnPair(old, _floats(new), unit)
        return found


class PooledDistance:
    """Distance of the rows of two samples, dealt out anew.

    The unit of a column is that of the rows that are dealt to the first sample, so that
    all deals are alike where the samples are of one source.

    Parameters
    ----------
    known : DriftDistance
        Of the first sample.
    rows : data frame or ndarray of shape (n_samples, n_features)
        The other sample.
    """

    def __init__(self, known, rows):
        columns, pooled = table_columns(rows), []
        parts = zip(known.places, known.kinds, known.columns, strict=True)
        for j, kind, old in parts:
            if j in known.left_out:
                continue
            new = _as_numbers(*read_column(columns[j]))
            if known.missing:
                old, new = _lost(old), _lost(new)
            elif kind != "categories":
                new = _floats(new)
            pooled.append(np.concatenate([old, new]))
        order = _sorting(pooled)
        self._columns = [column[order] for column in pooled]
        self._has_units = not known.missing

    def p_value(self, distance, n, n_deals, draws, most):
        """Return how often deals at random are as far apart.

        Parameters
        ----------
        distance : float
            Observed.
        n : int
            Rows of the first sample.
        n_deals : int
            Number of deals.
        draws : Generator
            Deals.
        most : int
            Numbers that may be held at once.

        Returns
        -------
        float
            The observed deal counts as one of them.
        """
        size = len(self._columns[0])
        once = (np.arange(size) < n).astype(np.float64)
        step, as_far = max(1, most // (4 * size)), 0
        for start in range(0, n_deals, step):
            deals = np.tile(once, (min(step, n_deals - start), 1))
            found = self.distances(draws.permuted(deals, axis=1))
            as_far += int((found >= distance * (1 - 1e-9)).sum())
        return (1 + as_far) / (1 + n_deals)

    def distances(self, first):
        """Return the mean distances, for deals of shape (n_draws, n + m) of 0 and 1."""
        found = np.array([self._one(column, first) for column in self._columns])
        known = ~np.isnan(found)
        total = np.where(known, found, 0.0).sum(axis=0)
        return total / np.maximum(known.sum(axis=0), 1)

    def _one(self, column, first):
        if column.dtype.kind == "O":
            return _CategoryPair(column, column).distance(first, 1 - first)
        there = ~np.isnan(column)
        column, first = column[there], first[:, there]
        unit = _unit(None, column)
        if not unit:
            return np.full(len(first), np.nan)
        values = (column - column.mean()) / unit
        apart = _ColumnPair(values, values, 1.0).distance(first, 1 - first)
        if not self._has_units:
            return apart * unit
        n = np.maximum(first.sum(axis=1), 1)
        middle = first @ values / n
        spread = np.sqrt(np.maximum(first @ values**2 / n - middle**2, 0))
        return apart / np.where(spread > 1e-12, spread, np.nan)


def _sorting(columns):
    """Return the order of rows by the ranks of their values."""
    keys = [np.unique(_ranked(c), return_inverse=True)[1] for c in columns]
    return np.lexsort(keys[::-1])


def _as_numbers(kind, values):
    """Return values with dates as days and NaN for what is missing."""
    if kind != "dates":
        return values
    days = (values - np.datetime64("1970-01-01")) / DAY
    return np.where(np.isnat(values), np.nan, days)


def _floats(values):
    return np.full(len(values), np.nan) if values.dtype.kind == "O" else values


def _unit(kind, values):
    """Return the standard deviation, 0 for a constant column, 1 for categories."""
    return 1.0 if kind == "categories" else standard_deviation(values)


def _lost(values):
    """Return 1.0 where a value is missing and else 0.0."""
    return missing_mask(values).astype(np.float64)


def _ranked(values):
    """Return values that sort: text for what is no number."""
    if values.dtype.kind != "O":
        return values
    return np.array([str(v) for v in values])


class _ColumnPair:
    """Wasserstein distance of two samples of numbers under any weights of their rows.

    Parameters
    ----------
    x, z : ndarray of float of shape (n,) and (m,)
        The samples; NaN does not count.
    unit : float
        What the distance is divided by.
    """

    def __init__(self, x, z, unit):
        both = np.concatenate([x, z]) / unit
        self.n = len(x)
        self.place = np.argsort(both, kind="stable")
        self.place = self.place[~np.isnan(both[self.place])]
        with np.errstate(invalid="ignore"):  # the distance to infinity is no number
            self.gaps = np.diff(both[self.place])

    def distance(self, first, second):
        """Return the distance for weights of shape (n_draws, n) and (n_draws, m)."""
        ahead = self.place < self.n
        shares = []
        for weights, own in ((first, ahead), (second, ~ahead)):
            rows = self.place[own] - (0 if own is ahead else self.n)
            part = np.zeros((len(weights), len(self.place)))
            part[:, own] = weights[:, rows]
            total = part.sum(axis=1, keepdims=True)
            shares.append(np.cumsum(part, axis=1) / np.where(total > 0, total, np.nan))
        apart = np.abs(shares[0] - shares[1])[:, :-1]
        return apart @ self.gaps


class _CategoryPair:
    """Total variation distance of two samples of categories under any weights."""

    def __init__(self, x, z):
        names = {v: i for i, v in enumerate(dict.fromkeys(_known(x) + _known(z)))}
        self.codes = [
            np.array([names.get(v, -1) for v in side], dtype=np.intp) for side in (x, z)
        ]
        self.size = len(names)

    def distance(self, first, second):
        """Return the distance for weights of shape (n_draws, n) and (n_draws, m)."""
        shares = []
        for weights, codes in zip((first, second), self.codes, strict=True):
            known = codes >= 0
            parts = (np.bincount(codes[known], w, self.size) for w in weights[:, known])
            counts = np.array(list(parts)).reshape(len(weights), self.size)
            total = counts.sum(axis=1, keepdims=True)
            shares.append(counts / np.where(total > 0, total, np.nan))
        return np.abs(shares[0] - shares[1]).sum(axis=1) / 2


def _known(values):
    return [v for v in values.tolist() if not is_missing(v)]
