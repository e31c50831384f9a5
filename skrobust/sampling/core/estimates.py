"""Unbiased estimates per round, their weights and variances."""

from dataclasses import dataclass

import numpy as np

from skrobust.sampling.core.draws import running_sum


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated failure rate with its standard error.

    Attributes
    ----------
    rate, std_error : float
        Estimated failure rate and its standard error; nan where unknown.
    df : float
        Degrees of freedom of the standard error.
    effective_n : float
        Effective number of residuals behind the variance.
    z : ndarray of shape (n_rounds,) or None
        The estimate of each round; None where there is none.
    weights : ndarray of shape (n_rounds,) or None
        Their weights in ``rate``.

    Examples
    --------
    >>> from skrobust.sampling import Estimate
    >>> Estimate(rate=0.1, std_error=0.02, df=49.0, effective_n=50.0).rate
    0.1
    """

    rate: float
    std_error: float
    df: float
    effective_n: float
    z: np.ndarray = None
    weights: np.ndarray = None


def z_values(answered):
    r"""Return an unbiased estimate of the mean of y for each round.

    .. math::

        z_t = \frac{1}{N}\Bigl[\sum_{\text{earlier rounds}} y_j
            + \sum_{\text{free } j} m_j
            + \sum_{i \in \text{round } t} \frac{y_i - m_i}{\pi_i}\Bigr]

    Parameters
    ----------
    answered : Answered
        The rounds; each m was made without the rounds that it is used for.

    Returns
    -------
    ndarray of shape (n_rounds,)
        Given the past each has the mean of y over the pool as its expectation.
    """
    starts = answered.starts
    drawn = answered.residuals / answered.pi
    if len(starts) < answered.n:
        drawn = np.add.reduceat(drawn, starts)
    known = running_sum(answered.y)[starts] + answered.m_free
    return (known + drawn) / answered.n_pool


def sums_of_free(values, answered):
    """Return the sums of values over the units free before each round."""
    return values.sum() - running_sum(values[answered.ids])[answered.starts]


def lure_weights(answered):
    r"""Return the weights of rounds that make a census exact.

    With k units drawn before a round and l after it, of n in all,

    .. math::

        c_t = \frac{N (N - n)}{n}\Bigl(\frac{1}{N - l} - \frac{1}{N - k}\Bigr)

    and all the weight on the last round where n = N. For rounds of size one the
    weighted mean of z is the estimator LURE (Farquhar, Gal and Rainforth 2021):
    :math:`\frac1n \sum_m v_m y_m` with
    :math:`v_m = 1 + \frac{N-n}{N-m}\bigl(\frac{1}{(N-m+1) q_m} - 1\bigr)`. For larger
    rounds it is our extension; weights depend on sizes alone, so it stays unbiased.
    """
    n_pool, n, ends = answered.n_pool, answered.n, answered.ends
    if n == n_pool:
        return (ends == n).astype(np.float64)
    share = 1 / (n_pool - ends) - 1 / (n_pool - answered.starts)
    return share * n_pool * (n_pool - n) / n


def are_equal(weights):
    """Return whether all weights are the same."""
    return np.ptp(weights) <= 1e-12 * weights.max()


def weighted_mean(z, weights):
    """Return the mean, exact where all z are the same."""
    return float(z.mean() if are_equal(weights) else weights @ z)


def variance_between(z, weights):
    r"""Estimate the variance of a weighted mean of uncorrelated z with equal means.

    .. math::

        V = \sum_t \frac{w_t^2}{(1 - 2 w_t)(1 + A)} (z_t - \bar z)^2, \qquad
        A = \sum_t \frac{w_t^2}{1 - 2 w_t}

    the one unbiased combination of these squares, whatever the variance of each z; for
    n equal weights it is :math:`\sum (z_t - \bar z)^2 / (n (n - 1))`. Where a weight is
    1/2 or more there is none that is sure to be positive, and
    :math:`\sum w_t^2 (z_t - \bar z)^2 / (1 - \sum w_t^2)` stands in.
    """
    n = len(z)
    square = (z - weighted_mean(z, weights)) ** 2
    if n > 1 and are_equal(weights):
        return float(square.sum() / (n * (n - 1)))
    if weights.max() < 0.5 - 1e-9:
        share = weights**2 / (1 - 2 * weights)
        return float(share @ square / (1 + share.sum()))
    rest = 1 - weights @ weights
    return float(weights**2 @ square / rest) if rest > 1e-12 else np.nan


def hajek_variance(residuals, pi, n_pool):
    r"""Approximate the variance of a fixed-size draw with unequal probabilities.

    .. math::

        V = \frac{n}{n - 1} \frac{1}{N^2} \sum_i (1 - \pi_i)
            \Bigl(\frac{e_i}{\pi_i} - B\Bigr)^2, \qquad
        B = \frac{\sum (1 - \pi_i) e_i / \pi_i}{\sum (1 - \pi_i)}

    (Hájek 1964), exact for simple random sampling. Units drawn with certainty (pi = 1)
    add nothing and do not count in n.

    Parameters
    ----------
    residuals, pi : ndarray of shape (n,)
        y - m of the units drawn, and their inclusion probabilities.
    n_pool : int
        Size of the pool.

    Returns
    -------
    variance, df : float
        nan and 0 where only one unit was left to chance.
    """
    chance = pi < 1 - 1e-12
    n = int(chance.sum())
    if n < 2:
        return (np.nan, 0.0) if n else (0.0, np.inf)
    e, left = residuals[chance] / pi[chance], 1 - pi[chance]
    centre = (left @ e) / left.sum()
    return float(n / (n - 1) * (left @ (e - centre) ** 2) / n_pool**2), n - 1.0


def effective_number(residuals):
    """Return the effective number of residuals behind the sum of their squares."""
    square = residuals**2
    fourth = (square**2).sum()
    return float(square.sum() ** 2 / fourth) if fourth > 0 else 0.0


def combined_estimate(answered, weights=None, round_variance=None):
    """Return the estimate from rounds, weighted by their planned sizes unless told.

    Its variance is that within rounds, if ``round_variance`` gives it, or else that
    between rounds.
    """
    planned = answered.planned
    weights = planned / planned.sum() if weights is None else weights
    z = z_values(answered)
    scale = float(max(np.abs(answered.y).max(), np.abs(answered.m).max()))
    if round_variance is None:
        return between_estimate(z, weights, scale)
    return within_estimate(answered, z, weights, round_variance, scale)


def between_estimate(z, weights, scale=0.0):
    """Return the estimate with the variance between rounds.

    ``scale`` is the size of what z was made of, to tell spread from rounding.
    """
    rate = weighted_mean(z, weights)
    deviation = z - rate
    if len(z) < 2:
        return Estimate(rate, np.nan, 0.0, float(len(z)), z, weights)
    if np.abs(deviation).max() <= 1e-12 * max(abs(rate), scale):  # mere rounding
        return Estimate(rate, 0.0, len(z) - 1.0, 0.0, z, weights)
    std_error = float(np.sqrt(variance_between(z, weights)))
    n = effective_number(weights * deviation)
    return Estimate(rate, std_error, len(z) - 1.0, n, z, weights)


def within_estimate(answered, z, weights, round_variance, scale=0.0):
    """Return the estimate with the sum of the variances within rounds.

    ``round_variance(residuals, pi, design)`` gives variance and degrees of freedom of
    one round's z. Where it cannot (nan), the spread between rounds serves.
    """
    rate, parts, spread = weighted_mean(z, weights), [], np.empty(answered.n)
    residuals = answered.residuals
    for t, (start, end) in enumerate(zip(answered.starts, answered.ends, strict=True)):
        e, pi = residuals[start:end], answered.pi[start:end]
        parts.append(round_variance(e, pi, answered.designs.get(t)))
        expanded = e / pi
        spread[start:end] = weights[t] * (expanded - expanded.mean())
    variance, df = np.array(parts, dtype=np.float64).T
    used = weights > 0  # with all units drawn LURE looks at the last round alone
    if np.isnan(variance[used]).any():
        return between_estimate(z, weights, scale)
    pieces = weights**2 * np.where(used, variance, 0.0)
    total = float(pieces.sum())
    if total <= 1e-24 * max(rate**2, scale**2, 1e-300):
        return Estimate(rate, 0.0, float(answered.n - 1), 0.0, z, weights)
    # Welch and Satterthwaite
    freedom = total**2 / (pieces[used] ** 2 / np.maximum(df[used], 1e-9)).sum()
    n = effective_number(spread)
    return Estimate(rate, float(np.sqrt(total)), float(freedom), n, z, weights)
