"""Anytime-valid confidence intervals: by betting, and asymptotic ones."""

import numpy as np

from skrobust.sampling.core.draws import bisect

# Gamblers: bets in standard deviations, and shares of the largest bet that cannot ruin.
BETS = np.array([1, 0.4, 0.2, 0.1, 0.05, 0.02])[:, None]
SHARES = np.array([0.95, 0.75, 0.75, 0.5, 0.5, 0.5])[:, None]
HALVINGS = 30  # to a billionth
FEWEST = 30  # labels at which an asymptotic sequence begins
PRIOR_INFORMATION = 1.0  # of the mixture: shortest after about 100 labels


def betting_interval(z, low, high, confidence):
    r"""Return an anytime-valid confidence interval for the mean.

    Two gamblers bet against each candidate mean :math:`\theta`, one that it is too low
    and one that it is too high. Round t multiplies their capital by
    :math:`1 \pm \nu_t (z_t - \theta)`; the size of a bet depends on earlier rounds
    alone,

    .. math::

        \nu_t = \min\Bigl(\frac{\kappa}{\hat\sigma_{t-1}},\;
            \frac{c}{\text{largest loss}}\Bigr)

    so against the truth capital is a non-negative martingale, and by Ville's inequality
    it ever reaches :math:`2/\alpha` with probability at most :math:`\alpha/2`. The
    interval holds the means against which neither gambler ever got so far, so it
    covers at all rounds simultaneously with probability :math:`1 - \alpha`. Each
    spreads the capital over six pairs of kappa and c, from 1 and .95 to .02 and .5 (our
    choice: a kappa is best after about 7 / kappa squared rounds). Capital is monotone
    in :math:`\theta`, so the ends are found by bisection, on the safe side.

    Parameters
    ----------
    z : ndarray of shape (n,)
        Estimates of the mean, each unbiased given those before.
    low, high : ndarray of shape (n,)
        Bounds of each z, known before it is.
    confidence : float
        In (0, 1).

    Returns
    -------
    low, high : float
        In [0, 1], crossed only where the model of the draws is wrong or by bad luck of
        probability at most 1 - confidence.

    References
    ----------
    I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by
    betting", JRSS B 2024. S. Shekhar, Z. Xu, Z. Lipton, P. Liang, A. Ramdas,
    "Risk-limiting financial audits via weighted sampling without replacement", UAI
    2023.

    Examples
    --------
    >>> import numpy as np
    >>> from skrobust.sampling.core.anytime import betting_interval
    >>> z = np.array([0.0, 1.0] * 100)
    >>> ends = betting_interval(z, np.zeros(200), np.ones(200), 0.95)
    >>> [round(end, 2) for end in ends]
    [0.39, 0.61]
    """
    width = high - low
    certain = width <= 1e-12
    goal = np.log(2 / (1 - confidence))
    bets = _bets(z, width)
    above = _first_held(z, low, bets, goal)
    below = 1 - _first_held(1 - z, 1 - high, bets, goal)
    if certain.any():  # nothing is left to chance
        return float(z[certain][-1]), float(z[certain][-1])
    return above, below


def sequence_quantile(variance, n, confidence):
    r"""Return the quantile of an asymptotic confidence sequence.

    In place of the quantile of a fixed sample the standard error is multiplied by

    .. math::

        c = \sqrt{\Bigl(1 + \frac{\tau}{n^2 V}\Bigr) \Bigl(2 \log \frac1\alpha
            + \log \frac{n^2 V + \tau}{\tau}\Bigr)}

    (normal mixture). If sums of n labels were normal, with variance :math:`n^2 V`, the
    intervals would cover at all n simultaneously with probability
    :math:`1 - \alpha`; for other outcomes they do so in the limit of late starts. So
    they begin at 30 labels, and :math:`\tau = 1`, which makes them shortest after
    about 100, is our choice.

    Parameters
    ----------
    variance : float
        V, of the estimated mean.
    n : int
        Labels behind it.
    confidence : float
        In (0, 1).

    References
    ----------
    I. Waudby-Smith, D. Arbour, R. Sinha, E. Kennedy, A. Ramdas, "Time-uniform central
    limit theory and asymptotic confidence sequences", Annals of Statistics 2024.

    Examples
    --------
    >>> from skrobust.sampling.core.anytime import sequence_quantile
    >>> round(sequence_quantile(0.1 / 200, 200, 0.95), 2)
    3.08
    """
    information = max(n**2 * variance, 1e-12)
    looks = np.log1p(information / PRIOR_INFORMATION)
    wider = 1 + PRIOR_INFORMATION / information
    return float(np.sqrt(wider * (2 * np.log(1 / (1 - confidence)) + looks)))


def _bets(z, width):
    """Return the bets of each gambler in each round, from earlier rounds."""
    t = np.arange(1, len(z) + 1)
    mean = (width / 4 + np.cumsum(z)) / (t + 0.5)
    square = (z - mean) ** 2
    before = np.cumsum(square) - square
    variance = (np.maximum.accumulate(width) ** 2 / 4 + before) / t
    return BETS / np.sqrt(np.maximum(variance, 1e-300))


def _first_held(z, low, bets, goal):
    """Return the least mean that the bets "it is higher" never ruined."""

    def ruined(theta):
        return _capital(z, low, bets, theta) >= goal

    return bisect(ruined, 0.0, 1.0, HALVINGS) if ruined(0.0) else 0.0


def _capital(z, low, bets, theta):
    """Return the largest log capital ever of the bets that the mean is above theta."""
    loss = theta - low
    with np.errstate(divide="ignore"):
        limit = np.where(loss > 0, SHARES / np.maximum(loss, 1e-300), 1e300)
        stakes = np.minimum(bets, limit)
        logs = np.log1p(np.maximum(stakes * (z - theta), -1.0))
    largest = np.logaddexp.reduce(np.cumsum(logs, axis=1)).max()
    return float(largest - np.log(len(limit)))
