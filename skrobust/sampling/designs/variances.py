"""Variance estimators of totals."""

import numpy as np

from skrobust.sampling.core.estimates import hajek_variance
from skrobust.sampling.designs.fixed_size import SURE


def hartley_rao_variance(residuals, pi, squares):
    r"""Estimate the variance of a total from a systematic draw in random order.

    .. math::

        v = \frac{1}{n - 1} \sum_{i < j} \Bigl(1 - \pi_i - \pi_j
            + \frac{1}{n} \sum_{\text{pool}} \pi_k^2\Bigr)
            \Bigl(\frac{e_i}{\pi_i} - \frac{e_j}{\pi_j}\Bigr)^2

    (Hartley and Rao 1962, to the second order), exact where all probabilities are
    equal. Units that are sure to be drawn add nothing and count in no sum. Where it is
    not positive, as it can be with few units of large probability, Hajek's
    approximation stands in.

    Parameters
    ----------
    residuals, pi : ndarray of shape (n,)
        e of the units drawn, and their inclusion probabilities.
    squares : float
        Sum of the squared probabilities of all units that were left to chance.

    Returns
    -------
    variance, df : float
        nan and 0 where only one unit was left to chance.
    """
    chance = pi < SURE
    n = int(chance.sum())
    if n < 2:
        return (np.nan, 0.0) if n else (0.0, np.inf)
    p, t = pi[chance], residuals[chance] / pi[chance]
    t = t - t.mean()
    each = n * t**2 + (t**2).sum()  # of one against all, the mean being 0
    variance = (each.sum() / 2 * (1 + squares / n) - p @ each) / (n - 1)
    if not variance > 0:
        return hajek_variance(residuals, pi, 1)
    return float(variance), n - 1.0


def rao_hartley_cochran_variance(residuals, pi, shares, squares, n_pool):
    r"""Estimate the variance of a total from one unit of each random group.

    .. math::

        v = \frac{\sum N_g^2 - N}{N^2 - \sum N_g^2}
            \sum_g Q_g \Bigl(\frac{e_g}{p_g} - \hat E\Bigr)^2, \qquad
        \hat E = \sum_g \frac{e_g Q_g}{p_g}

    unbiased (Rao, Hartley and Cochran 1962). nan for one group of several units.

    Parameters
    ----------
    residuals, pi, shares : ndarray of shape (n,)
        e, p / Q and Q of each group.
    squares : int
        Sum of the squared group sizes.
    n_pool : int
        N, the units that were free.
    """
    if n_pool**2 == squares:
        return np.nan if n_pool > 1 else 0.0
    total = (residuals / pi).sum()
    kept = shares > 0
    ratio = residuals[kept] / (pi[kept] * shares[kept])
    spread = shares[kept] @ (ratio - total) ** 2
    return float((squares - n_pool) / (n_pool**2 - squares) * spread)


def stratified_variance(residuals, pi, counts):
    r"""Return variance and degrees of freedom of a total from a stratified sample.

    .. math:: v = \sum_h N_h^2 \Bigl(1 - \frac{n_h}{N_h}\Bigr) \frac{s_h^2}{n_h}

    unbiased; degrees of freedom after Welch and Satterthwaite. nan where a stratum has
    one label and more units.

    Parameters
    ----------
    residuals, pi : ndarray of shape (n,)
        Stratum after stratum; pi is n_h / N_h.
    counts : array-like of shape (n_strata,), int
        n_h.
    """
    counts = np.asarray(counts)
    starts = np.cumsum(counts) - counts
    share = pi[starts]
    mean = np.add.reduceat(residuals, starts) / counts
    square = (residuals - np.repeat(mean, counts)) ** 2
    spread = np.add.reduceat(square, starts) / np.maximum(counts - 1, 1)
    spread[(counts == 1) & (share < 1)] = np.nan
    parts = _of_totals(spread, share, counts)
    variance = float(parts.sum())
    if not variance > 0:
        return variance, float(len(residuals) - len(counts))
    return variance, variance**2 / float((parts**2 / np.maximum(counts - 1, 1)).sum())


def silent_variance(y, pi, counts):
    """Return the variance that strata whose outcomes all agree may hide.

    Their rate is taken as (failures + 1) / (labels + 2), Laplace's rule, where the
    plain formula takes 0 or 1 and so a variance of 0.

    Parameters
    ----------
    y, pi : ndarray of shape (n,)
        Outcomes in [0, 1], stratum after stratum, and n_h / N_h.
    counts : array-like of shape (n_strata,), int
        n_h.
    """
    counts = np.asarray(counts)
    starts = np.cumsum(counts) - counts
    p = (np.add.reduceat(y, starts) + 1) / (counts + 2)
    agree = np.maximum.reduceat(y, starts) == np.minimum.reduceat(y, starts)
    return float(_of_totals(p * (1 - p), pi[starts], counts)[agree].sum())


def _of_totals(spread, share, counts):
    """Return the variance of the total of each stratum."""
    return (1 - share) * counts * spread / share**2
