"""Loss of whole features."""

from types import SimpleNamespace

import numpy as np

from skrobust._parameters import Choice
from skrobust.perturbations.strength import Strength, interpolate
from skrobust.perturbations.tables.column_statistics import Categories
from skrobust.perturbations.tables.frame_table import table_of
from skrobust.perturbations.tables.table_perturbation import TablePerturbation


class FeatureLoss(TablePerturbation):
    """Loss of whole features, the same ones in every row, as when a source fails.

    Which features go is drawn from ``random_state`` alone: features lost at a low
    severity stay lost at every higher one, in every batch.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        One feature at severity 1, half of them at 5, linear between and rounded; 0
        changes nothing.
    share : float in [0, 1], default=None
        Share of the features that are lost, rounded, but at least one above 0; in place
        of severity. With neither, severity 1 holds.
    fill : {"nan", "zero", "mean", "median", "most_frequent"}, default="nan"
        What a lost feature holds: the missing mark, or one value for all rows. Mean,
        median and most frequent value are those of the training data. Features that
        are no numbers take the missing mark for ``"zero"`` and their most frequent
        value for ``"mean"`` and ``"median"``; lists and the like the missing mark.
    keep_integer : bool, default=False
        Whether the filling of integer columns is rounded, so that they stay integers.
    columns : list, str, dtype or callable, default=None
        Columns of which some are lost, see :class:`FeatureNoise`; None is every column.
    random_state : int, RandomState, Generator or None, default=None
        The same int loses the same features.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns of which some are lost.

    Raises
    ------
    NotFittedError
        Without ``fit`` where the filling is learned.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import FeatureLoss
    >>> X = np.arange(8.0).reshape(2, 4)
    >>> lost = FeatureLoss(share=0.5, random_state=0).fit_transform(X)
    >>> np.isnan(lost).sum(axis=1).tolist()
    [2, 2]
    """

    _strengths = {"share": Strength(high=1)}  # the levels depend on the columns
    _parameter_rules = {
        "fill": Choice("nan", "zero", "mean", "median", "most_frequent")
    }
    _acts_on = "all"
    _whole_table = True
    _noise = "common"
    _strong_params = {"share": 0.5}
    _test_params = ({}, {"severity": 5, "fill": "most_frequent"})

    def __init__(
        self, severity=None, *, share=None, fill="nan", keep_integer=False, **shared
    ):
        super().__init__(severity, **shared)
        self.share = share
        self.fill = fill
        self.keep_integer = keep_integer

    def _must_learn(self):
        return self.fill not in ("nan", "zero") or super()._must_learn()

    def _is_identity(self):
        return self._severity() == 0 or self.share == 0

    def _statistics(self, table, columns):
        fills = {int(j): self._filling(table, j) for j in columns}
        return SimpleNamespace(fills={j: v for j, v in fills.items() if v is not None})

    def _filling(self, table, j):
        """Return the value of a lost column; None is the missing mark."""
        numeric = self.fill != "nan" and table.kind(j) == "number"
        if self.fill in ("nan", "zero"):
            return 0.0 if numeric else None
        if numeric and self.fill in ("mean", "median"):
            column = table.numbers([j])[:, 0]
            column = column[~np.isnan(column)]
            middle = np.mean if self.fill == "mean" else np.median
            return float(middle(column)) if column.size else None
        if table.kind(j) == "other":  # no frequencies
            return None
        known = Categories(table.column(j))
        return known.values[int(known.shares.argmax())] if known.values else None

    def _n_lost(self, n_columns):
        severity = self._severity()
        if severity is None:
            return max(1, round(self.share * n_columns))
        most = max(1.0, n_columns / 2)
        return round(interpolate(severity, tuple(np.linspace(1, most, 5))))

    def _perturb_table(self, values, stats, rng):
        n_columns = len(stats.columns)
        order = rng.shared().permutation(n_columns)
        lost = np.sort(stats.columns[order[: self._n_lost(n_columns)]])
        fills = getattr(stats, "fills", None)
        if fills is None:  # nothing was learned
            fills = self._statistics(values, stats.columns).fills
        gone = [j for j in lost if j not in fills]
        out = values.copy()
        if gone:
            mask = np.ones((values.n_rows, len(gone)), dtype=bool)
            out = values.with_missing(gone, mask)
        number = [j for j in lost if isinstance(fills.get(j), float)]
        if number:
            block = np.tile([fills[j] for j in number], (values.n_rows, 1))
            whole = self.keep_integer or self.fill in ("zero", "most_frequent")
            out = table_of(out).with_numbers(number, block, whole)
        other = [j for j in lost if j in fills and j not in number]
        rows = np.ones(values.n_rows, dtype=bool)
        cells = {j: (rows, _repeat(fills[j], values.n_rows)) for j in other}
        return table_of(out).with_cells(cells) if cells else out


def _repeat(value, n):
    out = np.empty(n, dtype=object)
    out[:] = value
    return out
