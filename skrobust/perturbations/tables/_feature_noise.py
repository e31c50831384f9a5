"""Noise on table features: additive, multiplicative and by quantiles."""

import numpy as np

from skrobust.perturbations.strength import Strength
from skrobust.perturbations.tables.table_perturbation import (
    NumberPerturbation,
    TablePerturbation,
)


class FeatureNoise(NumberPerturbation):
    r"""Gaussian noise in proportion to the standard deviation of each feature.

    .. math:: x'_{ij} = x_{ij} + s\,\sigma_j\,\varepsilon_{ij},
        \qquad \varepsilon_{ij} \sim N(0, 1)

    where the standard deviation (of the population form) of feature j is learned in
    ``fit``. Missing values stay missing.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        s of .05, .1, .2, .3, .5 at severities 1 to 5, linear between; 0 changes
        nothing.
    sd : float, default=None
        s itself, in units of the feature's standard deviation, in place of severity.
        With neither, severity 1 holds.
    columns : list, str, dtype or callable, default=None
        Columns to act on: names, positions, booleans, ``"number"``, ``"missing"``
        (those that have missing values in training), a dtype, or a callable on the
        table such as ``make_column_selector``; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded and stay integers; otherwise they become
        float64 (``Float64`` of nullable ones, ``double[pyarrow]``).
    plausible : bool, default=False
        Whether changed values stay in the range that their column has in the training
        rows (or beyond it no further than they were), and are rounded where all of
        these are whole numbers; needs ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

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
    >>> from skrobust.perturbations import FeatureNoise
    >>> X = np.random.default_rng(0).normal(scale=[1, 100], size=(5000, 2))
    >>> noise = FeatureNoise(sd=0.1, random_state=0).fit(X)
    >>> (noise.transform(X) - X).std(axis=0).round().tolist()
    [0.0, 10.0]
    """

    _strengths = {"sd": Strength((0.05, 0.1, 0.2, 0.3, 0.5))}
    _needs = frozenset({"scale"})
    _noise = "normal"
    _strong_params = {"sd": 0.3}
    _test_params = ({}, {"severity": 5, "keep_integer": True})

    def _perturb_table(self, values, stats, rng):
        noise = rng.normal(size=values.shape)
        noise *= self._strength() * stats.sd
        values += noise
        return values


class MultiplicativeNoise(NumberPerturbation):
    r"""Multiplicative Gaussian noise on features.

    .. math:: x'_{ij} = x_{ij}\,(1 + s\,\varepsilon_{ij}),
        \qquad \varepsilon_{ij} \sim N(0, 1)

    Parameters
    ----------
    severity : float in [0, 5], default=None
        s of .01, .02, .05, .1, .2 at severities 1 to 5, linear between; 0 changes
        nothing.
    sd : float, default=None
        s itself, in place of severity. With neither, severity 1 holds.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    keep_integer : bool, default=False
        Whether integer columns are rounded and stay integers.
    plausible : bool, default=False
        Whether changed values stay in the range of the training rows, and whole where
        these are all whole; needs ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import MultiplicativeNoise
    >>> X = np.array([[0.0, 1000.0]])
    >>> MultiplicativeNoise(sd=0.1, random_state=0).perturb(None, X)[0, 0]
    np.float64(0.0)
    """

    _strengths = {"sd": Strength((0.01, 0.02, 0.05, 0.1, 0.2))}
    _noise = "normal"
    _strong_params = {"sd": 0.3}

    def _perturb_table(self, values, stats, rng):
        values *= rng.normal(1.0, self._strength(), size=values.shape)
        return values


class QuantileNoise(TablePerturbation):
    r"""Uniform noise on the ranks of values, for heavy-tailed features.

    With the distribution function F and the quantile function Q of the training data,

    .. math:: x' = x + Q(r') - Q(r), \quad r = F(x), \quad
        r' = \mathrm{reflect}(r + u), \quad u \sim U(-w, w)

    where ranks beyond 0 and 1 are reflected, so that uniform ranks stay uniform: noise
    on the training data keeps the distribution of each feature. In a discrete column
    (integers, or at most 20 values in training) r is drawn evenly from the ranks that
    the value holds and x' = Q(r') is a value that was observed. A value beyond the
    training range keeps its distance to it.

    Parameters
    ----------
    severity : float in [0, 5], default=None
        w of .05, .1, .2, .3, .5 at severities 1 to 5, linear between; 0 changes
        nothing.
    width : float in [0, 1], default=None
        w itself, as a share of the ranks, in place of severity. With neither, severity
        1 holds.
    columns : list, str, dtype or callable, default=None
        Columns to act on, see :class:`FeatureNoise`; None is every numeric column.
    random_state : int, RandomState, Generator or None, default=None
        The same int gives the same noise for the same rows.

    Attributes
    ----------
    columns_ : ndarray of int
        Positions of the columns acted on.
    stats_ : object
        The sorted training values of each selected column.

    Raises
    ------
    NotFittedError
        Without ``fit``: ranks are those of training data alone.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.perturbations import QuantileNoise
    >>> rooms = np.array([[1], [2], [2], [3], [5]])
    >>> noisy = QuantileNoise(width=0.5, random_state=0).fit_transform(rooms)
    >>> set(noisy.ravel().tolist()) <= {1, 2, 3, 5}
    True
    """

    _strengths = {"width": Strength((0.05, 0.1, 0.2, 0.3, 0.5), high=1)}
    _needs = frozenset({"order"})
    _keeps_integer = True
    _strong_params = {"width": 0.5}
    _test_params = ({"severity": 5},)

    def _perturb_table(self, values, stats, rng):
        step = self._strength() * (2 * rng.random(values.shape) - 1)
        inside = rng.random(values.shape)
        for j, ordered in enumerate(stats.sorted):
            if not ordered.size:
                continue
            x = values[:, j]
            if stats.discrete[j]:
                low, high = stats.share_below(j, x)
                rank = _reflect(low + inside[:, j] * (high - low) + step[:, j])
                last = len(ordered) - 1
                new = ordered[np.minimum((rank * len(ordered)).astype(int), last)]
            else:
                places = (np.arange(len(ordered)) + 0.5) / len(ordered)
                rank = np.interp(x, ordered, places)
                moved = _value_at(_reflect(rank + step[:, j]), ordered)
                new = x + (moved - np.clip(x, ordered[0], ordered[-1]))
            values[:, j] = np.where(np.isnan(x), x, new)
        return values


def _reflect(rank):
    rank = np.abs(rank)
    return np.where(rank > 1, 2 - rank, rank)


def _value_at(rank, ordered):
    """Interpolate the quantile function; the ranks of n values are (i + 1/2) / n."""
    place = np.clip(rank * len(ordered) - 0.5, 0, len(ordered) - 1)
    below = np.nan_to_num(place).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
