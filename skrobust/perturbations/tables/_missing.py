"""Missing values in tables, at random or not."""

from types import SimpleNamespace

import numpy as np
from scipy.special import expit

from skrobust._parameters import Choice, Instance, Number
from skrobust._validation import invalid
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.array_table import as_numbers
from skrobust.perturbations.tables.column_selection import (
    NoColumnsError,
    select_columns,
)
from skrobust.perturbations.tables.column_statistics import Categories, ColumnStatistics
from skrobust.perturbations.tables.table_perturbation import TablePerturbation


class MissingValues(TablePerturbation):
    r"""Missing values, at random or not.

    ``"mcar"`` (missing completely at random) selects every value with the same
    probability. ``"mar"`` (at random) depends on one observed column, the driver:
    the higher it is, the more goes missing in the other columns of that row. ``"mnar"``
    (not at random) depends on each value itself. The probability is logistic in
    the rank r in [0, 1] that the deciding value has in the *training* data [1]_,

    .. math:: p(r) = \frac{1}{1 + e^{-(a + b r)}},

    with b the ``steepness`` and a such that p is the share on average over the training
    distribution; a value that occurs often has the mean of p over its ranks. So the
    probability of a row does not depend on the other rows of the call. Categories are
    ranked from common to rare (our choice); a missing or unknown decider, and one that
    is neither a number nor a category (lists), has p equal to the share.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Share of .05, .1, .2, .3, .5 at severities 1 to 5, linear between; 0 changes
        nothing.
    share : float in [0, 1], default=None
        Share of the values that are selected, in place of severity. With neither,
        severity 1 holds. A value selected at a low share is so at every higher one.
    mechanism : {"mcar", "mar", "mnar"}, default="mcar"
        What decides that a value goes missing.
    driver : str or int, default=None
        Name or position of the deciding column of ``"mar"``, which is never selected
        itself; None is the first column.
    steepness : float, default=4.0
        b, from -100 to 100 and not 0; a negative one makes low values go missing.
    missing_value : object, default=None
        What a selected value becomes; None is NaN in numbers (integer columns become
        float64), None in objects and text (booleans become objects), and the missing
        mark of other types.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every column.
    random_state : int, RandomState, Generator or None, default=None
        The same int selects the same values of the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.

    Raises
    ------
    NotFittedError
        Without ``fit``, for ``"mar"`` and ``"mnar"``.

    References
    ----------
    .. [1] D. B. Rubin, "Inference and missing data", Biometrika 63, 1976, for the
       mechanisms; the logistic in ranks is our choice.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import MissingValues
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> gaps = MissingValues(share=0.2, mechanism="mnar", random_state=0).fit(X)
    >>> lost = np.isnan(gaps.transform(X))
    >>> bool(lost[X > 1].mean() > 3 * lost[X < -1].mean())
    True
    >>> round(float(lost.mean()), 1)
    0.2
    """

    _strengths = {"share": Strength((0.05, 0.1, 0.2, 0.3, 0.5), high=1)}
    _parameter_rules = {
        "mechanism": Choice("mcar", "mar", "mnar"),
        "steepness": Number(low=-100, high=100),
        "missing_value": Instance(
            (int, float, str, bool, np.generic), "one value", optional=True
        ),
    }
    _acts_on = "all"
    _drifts = "missing"
    _whole_table = True
    _strong_params = {"share": 0.5}
    _test_params = tuple(
        {"severity": 5, "mechanism": m} for m in ("mcar", "mar", "mnar")
    )

    def __init__(
        self,
        severity=None,
        *,
        share=None,
        mechanism="mcar",
        driver=None,
        steepness=4.0,
        missing_value=None,
        **shared,
    ):
        super().__init__(severity, **shared)
        self.share = share
        self.mechanism = mechanism
        self.driver = driver
        self.steepness = steepness
        self.missing_value = missing_value

    def _check_parameters(self):
        super()._check_parameters()
        if self.steepness == 0:
            rule = "a number other than 0"
            raise invalid("steepness", "MissingValues", rule, self.steepness)

    def _must_learn(self):
        return self.mechanism != "mcar" or super()._must_learn()

    def _driver(self, table):
        driver = 0 if self.driver is None else self.driver
        (place,) = select_columns([driver], table, "all", "MissingValues")
        return place

    def _select(self, table):
        places = super()._select(table)
        if self.mechanism != "mar":
            return places
        others = places[places != self._driver(table)]
        if not others.size:
            raise NoColumnsError(
                "MissingValues needs a column besides the driver for mechanism='mar'. "
                f"Got n_features={table.n_columns}, of which it acts on "
                f"{places.tolist()}."
            )
        return others

    def _statistics(self, table, columns):
        deciders = {"mcar": [], "mar": [self._driver(table)], "mnar": columns}
        ranks = [_Ranks(table, j) for j in deciders[self.mechanism]]
        return SimpleNamespace(ranks=ranks)

    def _perturb_table(self, values, stats, rng):
        share, size = self._strength(), (values.n_rows, len(stats.columns))
        if self.mechanism == "mcar":
            lost = rng.selected(share, size)
        else:
            shares = [self._probability(*r.of(values), share) for r in stats.ranks]
            lost = rng.random(size) < np.column_stack(shares)
        return values.with_missing(stats.columns, lost, self.missing_value)

    def _probability(self, low, high, share):
        """Return the mean of the logistic over the ranks from low to high."""
        b = float(self.steepness)
        if share >= 1:
            return np.ones_like(low)
        mean = np.expm1(b * share)  # a, from the integral of the logistic over [0, 1]
        a = np.log(mean / (np.exp(b) - 1 - mean))
        width = high - low
        point = expit(a + b * low)
        area = np.log1p(point * np.expm1(b * width))
        return np.where(width > 0, area / (b * np.where(width > 0, width, 1)), point)


class _Ranks:
    """The ranks that values have in one training column, as (low, high) in [0, 1]."""

    def __init__(self, table, j):
        self.place = j
        self.numeric = table.kind(j) == "number"
        self.known = None
        if table.kind(j) == "other":  # no ranks
            return
        if self.numeric:
            block = table.numbers([j])
            self.known = ColumnStatistics(block, {"order"})
            return
        self.known = Categories(table.column(j))
        order = np.argsort(-self.known.shares, kind="stable")
        above = np.empty(len(order))
        above[order] = np.cumsum(self.known.shares[order])
        # Unknown comes after the last category, missing at -1: both know nothing.
        self.high = np.r_[np.minimum(above, 1.0), 1.0, 1.0]
        self.low = np.r_[np.maximum(above - self.known.shares, 0.0), 0.0, 0.0]

    def of(self, table):
        if self.numeric:
            return self.known.share_below(0, as_numbers(table.values(self.place)))
        if self.known is None:
            return np.zeros(table.n_rows), np.ones(table.n_rows)
        codes = self.known.codes(table.column(self.place))
        return self.low[codes], self.high[codes]
