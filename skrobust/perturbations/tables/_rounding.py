"""Rounding and clipping of features."""

import numpy as np

from skrobust._parameters import Choice
from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.table_perturbation import FixedPerturbation


class Rounding(FixedPerturbation):
    r"""Rounding of features to equally spaced levels of their training range.

    .. math:: x' = \mathrm{low}_j + d\,\mathrm{round}((x - \mathrm{low}_j) / d),
        \quad d = w\,(\mathrm{high}_j - \mathrm{low}_j), \quad w = 1 / (L - 1)

    The grid of L levels goes on beyond the range; a constant column is left as it is.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        L of 64, 32, 16, 8, 4 at severities 1 to 5; between them the spacing w is
        linear, from 0, which changes nothing.
    levels : int, default=None
        L itself, at least 2, in place of severity. With neither, severity 1 holds.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded once more and stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : object, default=None
        Not used: nothing is random.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    stats_ : object
        Statistics of the training data, one per selected column.

    Raises
    ------
    NotFittedError
        Without ``fit``: the range is that of training data alone.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import Rounding
    >>> X = np.array([[0.0], [1.4], [1.6], [3.0]])
    >>> Rounding(levels=4).fit_transform(X).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """

    _strengths = {
        "levels": Strength(
            (64, 32, 16, 8, 4),
            zero=np.inf,
            low=2,
            whole=True,
            measure=lambda levels: 1 / (levels - 1),
        )
    }
    _needs = frozenset({"scale"})
    _strong_params = {"levels": 4}
    _test_params = ({"severity": 5},)

    def _perturb_table(self, values, stats, rng):
        width = self._strength() * (stats.high - stats.low)
        step = np.where(width > 0, width, 1.0)
        rounded = stats.low + step * np.rint((values - stats.low) / step)
        return np.where(width > 0, rounded, values)


class QuantileClipping(FixedPerturbation):
    """Clipping of features at training quantiles, as by saturated sensors.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        Quantile q of .99, .95, .9, .8, .7 at severities 1 to 5, linear between from 1;
        severity 0 changes nothing.
    quantile : float in [0.5, 1], default=None
        q itself, in place of severity. With neither, severity 1 holds.
    sides : {"both", "upper", "lower"}, default="both"
        Whether values are clipped at q from above, at 1 - q from below, or both.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded and stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : object, default=None
        Not used: nothing is random.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    stats_ : object
        The sorted training values of each selected column.

    Raises
    ------
    NotFittedError
        Without ``fit``: quantiles are those of training data alone.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import QuantileClipping
    >>> X = np.arange(11.0).reshape(-1, 1)
    >>> QuantileClipping(quantile=0.8).fit_transform(X).ravel().round(9).tolist()
    [2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 8.0, 8.0]
    """

    _strengths = {
        "quantile": Strength((0.99, 0.95, 0.9, 0.8, 0.7), zero=1.0, low=0.5, high=1)
    }
    _parameter_rules = {"sides": Choice("both", "upper", "lower")}
    _needs = frozenset({"order"})
    _strong_params = {"quantile": 0.6}
    _test_params = ({"severity": 5},)

    def __init__(self, severity=None, *, quantile=None, sides="both", **shared):
        super().__init__(severity, **shared)
        self.quantile = quantile
        self.sides = sides

    def _is_identity(self):
        return self._severity() == 0

    def _perturb_table(self, values, stats, rng):
        q = self._strength()
        if self.sides != "lower":
            values = np.minimum(values, stats.quantile(q, empty=np.inf))
        if self.sides != "upper":
            values = np.maximum(values, stats.quantile(1 - q, empty=-np.inf))
        return values
