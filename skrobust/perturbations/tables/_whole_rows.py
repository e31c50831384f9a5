"""Swapped columns and stale rows in tables."""

from types import SimpleNamespace

import numpy as np

from skrobust._keyed_noise.row_hash import is_categorical
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.column_selection import NoColumnsError
from skrobust.perturbations.tables.column_statistics import cells_of
from skrobust.perturbations.tables.table_perturbation import (
    NumberPerturbation,
    TablePerturbation,
)


class ColumnSwap(NumberPerturbation):
    """Swap of two columns in a share of the rows.

    As when a form is filled in the wrong place, or a file is read with its columns in
    the wrong order. Both columns hold numbers.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Share of .01, .05, .1, .2, .5 at severities 1 to 5, linear between; 0 changes
        nothing.
    share : float in [0, 1], default=None
        Share of the rows that are selected, in place of severity. With neither,
        severity 1 holds. A row selected at a low share is so at every higher one.
    columns : list, str, dtype or callable, default=None
        Columns among which the two are drawn from ``random_state`` (the same two for
        all rows); a list of two is the pair. See :class:`FeatureNoise`; None is every
        numeric column.
    keep_integer : bool, default=False
        Whether integer columns stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        The same int swaps the same two columns in the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns among which two are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import ColumnSwap
    >>> X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> ColumnSwap(share=1.0, columns=[0, 2]).perturb(None, X).tolist()
    [[3.0, 2.0, 1.0], [6.0, 5.0, 4.0]]
    """

    _strengths = {"share": Strength((0.01, 0.05, 0.1, 0.2, 0.5), high=1)}
    _strong_params = {"share": 0.5}
    _test_params = ({"share": 0.5},)

    def _select(self, table):
        places = super()._select(table)
        if len(places) < 2:
            raise NoColumnsError(
                "ColumnSwap needs two columns of numbers to swap. Got "
                f"n_features={table.n_columns}, of which it acts on {places.tolist()}."
            )
        return places

    def _perturb_table(self, values, stats, rng):
        a, b = rng.shared().permutation(values.shape[1])[:2]
        selected = rng.selected(self._strength(), len(values))
        values[np.ix_(selected, [a, b])] = values[np.ix_(selected, [b, a])]
        return values


class StaleRows(TablePerturbation):
    """Stale rows: a share of the rows replaced by training rows, as by an old cache.

    Each selected row gets the selected columns of one training row, drawn evenly by the
    row's own key. Taking the row before it in the call instead would make the result
    depend on the batch; so the training rows stand for what a cache may hold.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Share of .01, .05, .1, .2, .5 at severities 1 to 5 (our choice), linear between;
        0 changes nothing.
    share : float in [0, 1], default=None
        Share of the rows that are selected, in place of severity. With neither,
        severity 1 holds. A row selected at a low share is so at every higher one.
    columns : list, str, dtype or callable, default=None
        Columns that are replaced, see :class:`FeatureNoise`; None is every column.
    random_state : int, RandomState, Generator or None, default=None
        The same int selects the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    stats_ : object
        The selected columns of the training data.

    Raises
    ------
    NotFittedError
        Without ``fit``: the rows come from training data.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import StaleRows
    >>> stale = StaleRows(share=1.0, random_state=0).fit(np.array([[1.0, 2.0]]))
    >>> stale.transform(np.array([[5.0, 6.0], [7.0, 8.0]])).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """

    _strengths = {"share": Strength((0.01, 0.05, 0.1, 0.2, 0.5), high=1)}
    _acts_on = "all"
    _whole_table = True
    _needs = frozenset({"rows"})
    _strong_params = {"share": 0.5}
    _test_params = ({"share": 0.5},)

    def _statistics(self, table, columns):
        found = [table.column(j) for j in columns]
        levels = [list(c.cat.categories) if is_categorical(c) else () for c in found]
        return SimpleNamespace(
            rows=[np.array(cells_of(c)) for c in found], levels=levels
        )

    def _perturb_table(self, values, stats, rng):
        u = rng.random((values.n_rows, 2))
        selected = u[:, 0] < self._strength()
        n = len(stats.rows[0])
        source = np.minimum((u[selected, 1] * n).astype(int), n - 1)
        cells = {
            j: (selected, column[source])
            for j, column in zip(stats.columns, stats.rows, strict=True)
        }
        levels = dict(zip(stats.columns, stats.levels, strict=True))
        return values.with_cells(cells, levels)
