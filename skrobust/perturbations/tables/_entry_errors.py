"""Gross errors in table cells: outliers, wrong units and wrong signs."""

import numbers

import numpy as np

from skrobust._containers import refuse_unordered
from skrobust._validation import check_number, invalid
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.table_perturbation import NumberPerturbation


class _CellErrors(NumberPerturbation):
    """Base class of errors in a share of the values."""

    _strengths = {"share": Strength((0.01, 0.02, 0.05, 0.1, 0.2), high=1)}
    _strong_params = {"share": 0.5}
    _test_params = ({"share": 0.5},)
    _added_before = "columns"


class Outliers(_CellErrors):
    r"""Outliers in place of a share of the values.

    .. math:: x' = \mathrm{median}_j \pm m\,\mathrm{IQR}_j,
        \qquad m \sim U(\mathrm{low}, \mathrm{high})

    with median and interquartile range of the training data; where the range is 0 the
    standard deviation takes its place, and a constant column is left as it is. That an
    outlier is set about the median, whatever the value was, is our choice. Missing
    values stay missing.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Share of .005, .01, .02, .05, .1 at severities 1 to 5, linear between; 0 changes
        nothing.
    share : float in [0, 1], default=None
        Share of the values that are selected, in place of severity. With neither,
        severity 1 holds. A value selected at a low share is so at every higher one.
    size : (low, high), default=(5, 10)
        Range of the distance to the median, in interquartile ranges.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded and stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        The same int selects the same values of the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    stats_ : object
        Statistics of the training data, one per selected column.

    Raises
    ------
    NotFittedError
        Without ``fit``: scales are those of training data alone.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Outliers
    >>> X = np.arange(101.0).reshape(-1, 1)
    >>> far = Outliers(share=1.0, random_state=0).fit_transform(X)
    >>> bool((np.abs(far - 50) >= 5 * 50).all())
    True
    """

    _strengths = {"share": Strength((0.005, 0.01, 0.02, 0.05, 0.1), high=1)}
    _needs = frozenset({"order"})

    def __init__(self, severity=None, *, size=(5, 10), **shared):
        super().__init__(severity, **shared)
        self.size = size

    def _check_parameters(self):
        super()._check_parameters()
        rule = "a pair (low, high) of positive numbers, low <= high"
        try:
            low, high = (check_number(s, "size", "Outliers") for s in self.size)
        except (TypeError, ValueError):
            raise invalid("size", "Outliers", rule, self.size) from None
        if not 0 < low <= high:
            raise invalid("size", "Outliers", rule, self.size)

    def _perturb_table(self, values, stats, rng):
        selected = rng.selected(self._strength(), values.shape)
        low, high = self.size
        # One draw gives the side and, from what is left of it, the distance.
        u = 2 * rng.random(values.shape) - 1
        far = np.sign(u) * (low + (high - low) * np.abs(u))
        spread = stats.iqr
        outlying = stats.quantile(0.5) + far * spread
        return np.where(selected & ~np.isnan(values) & (spread > 0), outlying, values)


class UnitError(_CellErrors):
    """Unit errors: a share of the values in a wrong unit.

    Each selected value is multiplied by one of the factors, drawn evenly, or turned
    from degrees Celsius to Fahrenheit or back.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Share of .01, .02, .05, .1, .2 at severities 1 to 5, linear between; 0 changes
        nothing.
    share : float in [0, 1], default=None
        Share of the values that are selected, in place of severity. With neither,
        severity 1 holds. A value selected at a low share is so at every higher one.
    factors : list of floats, "C->F" and "F->C", default=None
        What may happen to a selected value; None is .001, .1, 10, 100, 1000, 2.54 (inch
        to cm), 1.609 (mile to km), 0.4536 (pound to kg), "C->F" and "F->C".
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded and stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        The same int selects the same values of the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import UnitError
    >>> X = np.array([[20.0], [100.0]])
    >>> UnitError(share=1.0, factors=["C->F"]).perturb(None, X).ravel().tolist()
    [68.0, 212.0]
    """

    _FACTORS = (0.001, 0.1, 10, 100, 1000, 2.54, 1.609, 0.4536, "C->F", "F->C")

    def __init__(self, severity=None, *, factors=None, **shared):
        super().__init__(severity, **shared)
        self.factors = factors

    def _lines(self):
        """Return slopes and intercepts of what the factors do."""
        factors = self._FACTORS if self.factors is None else self.factors
        refuse_unordered(factors, "factors", "UnitError")
        scales = {"C->F": (9 / 5, 32.0), "F->C": (5 / 9, -160 / 9)}
        try:
            lines = [
                scales[f] if isinstance(f, str) else (check_number(f, "", ""), 0.0)
                for f in factors
            ]
        except (KeyError, TypeError, ValueError):
            lines = []
        if not lines or isinstance(factors, (str, numbers.Number)):
            rule = "a non-empty list of finite numbers, 'C->F' and 'F->C'"
            raise invalid("factors", "UnitError", rule, self.factors)
        return np.array(lines).T

    def _check_parameters(self):
        super()._check_parameters()
        self._lines()

    def _perturb_table(self, values, stats, rng):
        selected = rng.selected(self._strength(), values.shape)
        slope, intercept = self._lines()
        which = (rng.random(values.shape) * len(slope)).astype(int)
        which = np.minimum(which, len(slope) - 1)[selected]
        values[selected] = values[selected] * slope[which] + intercept[which]
        return values


class SignFlip(_CellErrors):
    """Sign flips in a share of the values.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Share of .01, .02, .05, .1, .2 at severities 1 to 5, linear between; 0 changes
        nothing.
    share : float in [0, 1], default=None
        Share of the values that are selected, in place of severity. With neither,
        severity 1 holds. A value selected at a low share is so at every higher one.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns stay integers; in an unsigned column a negative number
        becomes 0.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        The same int selects the same values of the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import SignFlip
    >>> SignFlip(share=1.0).perturb(None, np.array([[1.0, -2.0]])).tolist()
    [[-1.0, 2.0]]
    """

    def _perturb_table(self, values, stats, rng):
        return np.where(rng.selected(self._strength(), values.shape), -values, values)
