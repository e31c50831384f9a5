"""Statistics and categories of training columns."""

import numbers
import warnings
from collections import Counter

import numpy as np

from skrobust._containers import is_missing
from skrobust._keyed_noise.row_hash import is_categorical, object_cells
from skrobust.perturbations.safe_unit import safe_unit
from skrobust.perturbations.tables.array_table import listed

_DISCRETE = 20  # a column of at most this many values counts as discrete


class ColumnStatistics:
    """Statistics of numeric training columns; missing values are left out.

    Parameters
    ----------
    block : ndarray of shape (n_samples, n_columns)
        Training values of the selected columns.
    needs : set of {"scale", "order", "plausible"}
        What is computed: ``"scale"`` gives ``mean``, ``sd``, ``low`` and ``high``, each
        of shape (n_columns,); ``"order"`` gives the sorted values, from which
        ``quantile``, ``iqr``, ``share_below`` and ``discrete`` follow; ``"plausible"``
        gives ``least`` and ``most``, and ``whole``, whether all values are whole
        numbers. A column without a value has mean, spread and range 0, and no limits.
    """

    def __init__(self, block, needs=("scale", "order")):
        if "scale" in needs:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # columns of NaN alone
                self.low, self.high = np.nanmin(block, axis=0), np.nanmax(block, axis=0)
                unit = safe_unit(self.low, self.high)
                if (unit != 1).any():
                    block = block / unit
                self.mean = np.nanmean(block, axis=0) * unit
                self.sd = np.nanstd(block, axis=0) * unit
            for name in ("mean", "sd", "low", "high"):
                setattr(self, name, np.nan_to_num(getattr(self, name)))
            # Rounding must not give a constant column a spread.
            self.sd[self.low == self.high] = 0
        if "plausible" in needs:
            known = ~np.isnan(block)
            self.least = np.min(block, axis=0, where=known, initial=np.inf)
            self.most = np.max(block, axis=0, where=known, initial=-np.inf)
            self.whole = (~known | (block == np.rint(block))).all(axis=0)
            empty = ~known.any(axis=0)
            self.least[empty], self.most[empty] = -np.inf, np.inf
        if "order" in needs:
            self.sorted = [np.sort(c[~np.isnan(c)]) for c in block.T]
            self.distinct = [c.size and (np.diff(c) > 0).all() for c in self.sorted]
            self.discrete = np.array([_is_discrete(c) for c in self.sorted], dtype=bool)

    def quantile(self, q, *, empty=0.0):
        """Return one quantile of every column; ``empty`` for one without a value."""
        return np.array([np.quantile(c, q) if c.size else empty for c in self.sorted])

    @property
    def iqr(self):
        """Distance of the quartiles, or the sd where that is 0."""
        iqr = self.quantile(0.75) - self.quantile(0.25)
        return np.where(iqr > 0, iqr, [_sd(c) for c in self.sorted])

    def share_below(self, j, x):
        """Return the shares of training values below x, and not above x.

        Missing x are given 0 and 1: nothing is known of their place.
        """
        values = self.sorted[j]
        n = max(len(values), 1)
        low = np.searchsorted(values, x, "left")
        if self.distinct[j]:
            high = low + (values[np.minimum(low, n - 1)] == x)
        else:
            high = np.searchsorted(values, x, "right")
        low, high = low / n, high / n
        unknown = np.isnan(x) | (len(values) == 0)
        return np.where(unknown, 0.0, low), np.where(unknown, 1.0, high)


def _sd(ordered):
    if not ordered.size or ordered[0] == ordered[-1]:
        return 0.0
    unit = safe_unit(ordered[0], ordered[-1])
    return (ordered / unit).std() * unit


def _is_discrete(values):
    if (values == np.rint(values)).all():  # or without any
        return True
    return 1 + np.count_nonzero(np.diff(values)) <= _DISCRETE


class Categories:
    """The categories of one training column, in sorted order, with their shares.

    Parameters
    ----------
    column : ndarray or series
        Training values.
    """

    def __init__(self, column):
        counts = Counter(listed(cells_of(column)))
        known = [v for v in counts if not is_missing(v)]
        self.values = sorted(known, key=_sort_key)
        total = sum(counts[v] for v in known)
        self.shares = np.array([counts[v] / total for v in self.values])

    def codes(self, column):
        """Return codes into ``values``: -1 for missing, their number for unknown."""
        table = {value: code for code, value in enumerate(self.values)}

        def code(value):
            return -1 if is_missing(value) else table.get(value, len(table))

        if is_categorical(column):
            codes = [code(v) for v in column.cat.categories.tolist()]
            return np.array([*codes, -1])[column.cat.codes.to_numpy()]
        cells = listed(cells_of(column))
        lookup = {value: code(value) for value in dict.fromkeys(cells)}
        return np.fromiter(map(lookup.__getitem__, cells), np.int64, len(cells))


def cells_of(column):
    """Return the cells of a column as they are, missing marks of its type included."""
    if isinstance(column, np.ndarray):
        return column
    if hasattr(column, "iloc"):
        plain = isinstance(column.dtype, np.dtype)
        return column.to_numpy(dtype=None if plain else object)
    return object_cells(column.to_list())


def _sort_key(value):
    """Order numbers before text, each by value: the rows' order must not matter."""
    if isinstance(value, np.timedelta64):  # an integer to Python, but no float
        return (0, float(value.view(np.int64)), "")
    if isinstance(value, (numbers.Real, np.bool_)):
        return (0, float(value), "")
    return (1, 0.0, str(value))
