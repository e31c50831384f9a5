"""Bounds of means and totals of outcomes anywhere in [0, 1]."""

import numpy as np

DRAWS = 4000  # of the random weights; their noise moves an end by about a percent
CHUNK = 2_000_000


def gaffke_bounds(y, n_pool, tail):
    r"""Return the interval of a mean of bounded outcomes, drawn uniformly.

    With weights :math:`D` uniform on the simplex (Dirichlet of ones), the upper end is
    the quantile of

    .. math:: D_0 + \sum_{i=1}^{n} D_i y_i

    at 1 - ``tail``, as if one more label had the worst outcome 1; the lower end is its
    counterpart with outcome 0. For outcomes that are all 0 or 1 this is the interval of
    Clopper and Pearson. For others no case is known in which it covers too rarely, and
    none is proved (Gaffke 2005; Learned-Miller and Thomas 2019). The distances to the
    mean are multiplied by :math:`\sqrt{1 - n/N}` for draws without replacement, our
    choice.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcomes in [0, 1].
    n_pool : int
        N.
    tail : float
        Probability of missing the mean on either side.

    Returns
    -------
    low, high : float
        In [0, 1].

    References
    ----------
    N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the
    mean of a nonnegative variable", Mathematical Methods of Statistics 2005.
    E. Learned-Miller, P. S. Thomas, "A new confidence interval for the mean of a
    bounded random variable", arXiv:1905.06208, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling.core.graded_bounds import gaffke_bounds
    >>> low, high = gaffke_bounds(np.full(50, 0.2), 10**6, 0.025)
    >>> bool(0.18 < low < 0.2 < high < 0.27)
    True
    """
    mean, n = float(y.mean()), len(y)
    shrink = np.sqrt(max(1 - n / n_pool, 0.0))
    extra, rest, total = _weighted_sums(y)
    low = float(np.quantile(rest / total, tail))
    high = float(np.quantile((rest + extra) / total, 1 - tail))
    return mean - shrink * (mean - low), mean + shrink * (high - mean)


def compound_upper(y, tail):
    r"""Bound the expected total of outcomes met at a constant rate.

    The quantile at 1 - ``tail`` of :math:`E_0 + \sum E_i y_i` with standard exponential
    E: for k outcomes of 1 it is the exact bound of a Poisson mean after k events, and
    else the counterpart of ``gaffke_bounds`` for totals.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcomes met, in [0, 1].
    tail : float
        Probability that the total is larger.
    """
    extra, rest, _ = _weighted_sums(y)
    return float(np.quantile(rest + extra, 1 - tail))


def _weighted_sums(y):
    """Return E_0, the sum of E_i y_i and the sum of all E, in each of DRAWS draws."""
    values, counts = np.unique(y, return_counts=True)
    rng = np.random.default_rng(len(y))  # the same answers give the same interval
    extra, rest = rng.standard_exponential(DRAWS), np.empty(DRAWS)
    total = extra.copy()
    step = max(1, CHUNK // max(len(values), 1))
    for first in range(0, DRAWS, step):
        part = slice(first, min(first + step, DRAWS))
        shape = part.stop - part.start, len(values)
        weights = rng.standard_gamma(counts, size=shape)
        rest[part] = weights @ values
        total[part] += weights.sum(axis=1)
    return extra, rest, total
