"""Distance of two samples of rows, column by column, in units of the first."""

import numpy as np

from skrobust._keyed_noise.row_hash import is_missing
from skrobust.base.table_change import read_column, table_columns

_DAY = np.timedelta64(1, "D")


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
        keys = [np.unique(_ranked(c), return_inverse=True)[1] for c in self.columns]
        return np.lexsort(keys[::-1])

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


def _as_numbers(kind, values):
    """Return values with dates as days and NaN for what is missing."""
    if kind != "dates":
        return values
    days = (values - np.datetime64("1970-01-01")) / _DAY
    return np.where(np.isnat(values), np.nan, days)


def _floats(values):
    return np.full(len(values), np.nan) if values.dtype.kind == "O" else values


def _unit(kind, values):
    """Return the standard deviation, 0 for a constant column, 1 for categories."""
    if kind == "categories":
        return 1.0
    known = values[np.isfinite(values)]
    spread = known.size and known.min() < known.max()
    return float(known.std()) if spread else 0.0


def _lost(values):
    """Return 1.0 where a value is missing and else 0.0."""
    if values.dtype.kind == "O":
        return np.array([is_missing(v) for v in values], dtype=np.float64)
    return np.isnan(values).astype(np.float64)


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
