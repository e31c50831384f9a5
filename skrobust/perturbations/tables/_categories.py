"""Category flips in tables."""

import numbers
import random
from types import SimpleNamespace

import numpy as np

from skrobust._parameters import Choice, Instance
from skrobust._validation import invalid
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.column_selection import NoColumnsError, column_label
from skrobust.perturbations.tables.column_statistics import Categories, cells_of
from skrobust.perturbations.tables.table_perturbation import TablePerturbation
from skrobust.perturbations.texts._letters import one_slip


class CategoryFlip(TablePerturbation):
    """Category flips: a share of the categories replaced by others.

    Text of any dtype, categories and booleans are read by their values, so that the
    same values flip to the same values in each. Missing values stay missing.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Share of .02, .05, .1, .2, .4 at severities 1 to 5, linear between; 0 changes
        nothing.
    share : float in [0, 1], default=None
        Share of the values that are selected, in place of severity. With neither,
        severity 1 holds. A value selected at a low share is so at every higher one.
    mode : {"other", "marginal", "unseen", "typo"}, default="other"
        What a selected value becomes: one of the *other* training categories, evenly,
        so that the realised rate of change is the share (a column with one category is
        left as it is); one drawn by the frequencies p of the training data, which may
        be the value that it was, so that the realised rate is only the share times 1 -
        sum p^2; a value that training never had; or the value with one *typo*, a slip
        as those of :class:`Typos`, in columns of text (values without a letter stay).
    unseen_value : str, default="unseen"
        What a selected value becomes in mode ``"unseen"``; in a column of numbers it is
        one more than the highest. A categorical dtype gets it as a new category,
        whether it occurs or not;
        booleans have no third value and are left as they are (booleans alone are an
        error).
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every column of text,
        categories or booleans. Columns of numbers or times that are named count as
        categories; lists and other cells without a look-up are refused.
    random_state : int, RandomState, Generator or None, default=None
        The same int selects the same values of the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    categories_ : list of lists
        The training categories of each of these columns, in sorted order.

    Raises
    ------
    NotFittedError
        Without ``fit``: the categories are those of training data alone.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import CategoryFlip
    >>> colours = np.array([["red"], ["green"], ["red"]], dtype=object)
    >>> CategoryFlip(share=1.0).fit_transform(colours).ravel().tolist()
    ['green', 'red', 'green']
    """

    _strengths = {"share": Strength((0.02, 0.05, 0.1, 0.2, 0.4), high=1)}
    _parameter_rules = {
        "mode": Choice("other", "marginal", "unseen", "typo"),
        "unseen_value": Instance(str, "a str"),
    }
    _acts_on = "category"
    _whole_table = True
    _needs = frozenset({"categories"})
    _strong_params = {"share": 0.5}
    _test_params = ({"share": 0.5, "columns": "all"},)

    def __init__(
        self,
        severity=None,
        *,
        share=None,
        mode="other",
        unseen_value="unseen",
        **shared,
    ):
        super().__init__(severity, **shared)
        self.share = share
        self.mode = mode
        self.unseen_value = unseen_value

    def _select(self, table):
        places = super()._select(table)
        for j in places:
            if table.kind(j) == "other":
                rule = "columns of values that can be told apart by a look-up"
                raise invalid("columns", "CategoryFlip", rule, column_label(table, j))
        if self.mode not in ("unseen", "typo"):
            return places
        usable = places
        if self.mode == "typo":
            usable = places[[_has_text(table.column(j)) for j in places]]
        if not usable.size or all(table.kind(j) == "bool" for j in usable):
            raise NoColumnsError(
                f"CategoryFlip found no column to act on with mode={self.mode!r}: it "
                f"needs text or categories. Got {len(places)} columns without."
            )
        return usable

    def _statistics(self, table, columns):
        known = [Categories(table.column(j)) for j in columns]
        for j, categories in zip(columns, known, strict=True):
            if self.mode == "unseen" and self.unseen_value in categories.values:
                rule = f"no category of column {column_label(table, j)}"
                raise invalid("unseen_value", "CategoryFlip", rule, self.unseen_value)
        self.categories_ = [categories.values for categories in known]
        return SimpleNamespace(categories=known)

    def _perturb_table(self, values, stats, rng):
        size = (values.n_rows, len(stats.columns))
        selected, which = rng.selected(self._strength(), size), rng.random(size)
        cells, levels = {}, {}
        columns = zip(stats.columns, stats.categories, strict=True)
        for i, (j, known) in enumerate(columns):
            targets = self._targets(known.values)
            if not targets:
                continue
            codes = known.codes(values.column(j))
            rows = selected[:, i] & (codes >= 0)
            if self.mode == "typo":
                changed = _slips(values.column(j), rows, which[:, i])
                if changed[0].any():
                    cells[j] = changed
                continue
            new = self._flip(codes[rows], which[rows, i], known)
            moved = new != codes[rows]
            rows[rows] = moved
            names = np.empty(len(targets), dtype=object)
            names[:] = targets
            cells[j] = (rows, names[new[moved]])
            levels[j] = targets
        return values.with_cells(cells, levels)

    def _targets(self, known):
        """Return what codes stand for; with one target too few there is nothing."""
        if self.mode == "typo":
            return known
        if self.mode != "unseen":
            return known if len(known) > 1 else []
        if known and all(isinstance(v, (bool, np.bool_)) for v in known):
            return []
        if known and all(isinstance(v, numbers.Real) for v in known):
            return [*known, max(known) + 1]
        return [*known, self.unseen_value]

    def _flip(self, codes, u, known):
        n = len(known.values)
        if self.mode == "unseen":
            return np.full(len(codes), n)
        if self.mode == "marginal":
            new = np.searchsorted(np.cumsum(known.shares), u, side="right")
            return np.minimum(new, n - 1)
        # A value unknown to training has all n categories for others.
        unknown = codes == n
        step = 1 + np.minimum((u * (n - 1)).astype(int), n - 2)
        anything = np.minimum((u * n).astype(int), n - 1)
        return np.where(unknown, anything, (codes + step) % n)


def _has_text(column):
    return any(isinstance(v, str) for v in cells_of(column).tolist())


def _slips(column, rows, u):
    """Return which of the rows change by a slip, and their new values."""
    changed, new = np.zeros(len(rows), dtype=bool), []
    old = cells_of(column)
    for i in np.flatnonzero(rows):
        # Each cell has a seed of its own, which its row gives.
        value = old[i]
        if isinstance(value, str):
            slipped = one_slip(value, random.Random(int(u[i] * 2**53)))
            if slipped != value:
                changed[i] = True
                new.append(slipped)
    values = np.empty(len(new), dtype=object)
    values[:] = new
    return changed, values
