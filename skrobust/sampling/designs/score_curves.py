"""Score curves: what scores may mean for failures, weighed by the answers."""

from functools import cache

import numpy as np
from scipy.special import expit, logit, logsumexp
from scipy.stats import rankdata

LOWEST, HIGHEST = 3e-4, 0.97  # predictions stay inside: nothing is ruled out
PRIOR_ODDS = 1 / 9  # of the middle rank, where scores are no probabilities
N_CUTS = 100  # of the logit, by quantiles and evenly each
PIVOT = 0.01, 0.5  # range of the mean score around which curves turn
RATE_SPREAD = 0.15  # of log odds: how close to an expected rate a curve has to be
NEGLIGIBLE = 1e-6  # weight below which a curve is left out

# Each curve is eps + (1 - eps) expit(pivot + shift + slope (logit(score) - pivot)).
SHIFTS = np.arange(-4.5, 2.51, 0.5)
SLOPES = {-1: 0.02, -0.4: 0.04, 0: 0.19, 0.25: 0.1, 0.5: 0.12, 0.75: 0.15, 1: 0.22,
          1.3: 0.12, 1.7: 0.04}  # fmt: skip
CONFIDENT_ERRORS = {0: 0.4, 0.001: 0.15, 0.004: 0.13, 0.015: 0.12, 0.05: 0.1, 0.15: 0.1}


def as_probabilities(scores):
    """Return scores as probabilities: unchanged in [0, 1], otherwise by rank.

    A middle rank u (ties share theirs) becomes the probability whose odds are those of
    u over nine: .1 in the middle, above .5 for the top tenth, .18 on average.
    """
    if scores.max() <= 1:
        return scores
    u = (rankdata(scores) - 0.5) / len(scores)
    return u * PRIOR_ODDS / (u * PRIOR_ODDS + 1 - u)


def descending(p):
    """Return the order of numbers in [0, 1] from the largest on, to 32 bits; stable.

    Two passes of a radix sort: in large pools several times as fast as a sort.
    """
    key = (np.subtract(1.0, p) * (2**32 - 1)).astype(np.uint32)
    order = np.argsort((key & 0xFFFF).astype(np.uint16), kind="stable")
    if len(p) < 2**31:
        order = order.astype(np.int32)
    high = (key >> 16).astype(np.uint16)[order]
    return order[np.argsort(high, kind="stable")]


class ScoreGroups:
    """Pool cut into groups of like scores, from the most suspicious on.

    Parameters
    ----------
    p : ndarray of shape (n_pool,)
        Scores as probabilities. Equal ones stay together.

    Attributes
    ----------
    order : ndarray of shape (n_pool,), int
        Units from the most suspicious on.
    of : ndarray of shape (n_pool,), uint16
        Group of each unit.
    sizes : ndarray of shape (n_groups,), int
        Units of each group, 1 at least.
    logit, top : ndarray of shape (n_groups,)
        Logit of the middle unit of each group; p of its most suspicious one.
    mean : float
        Mean of p.
    """

    def __init__(self, p):
        self.mean = float(p.mean())
        self.order = descending(p)
        value = np.clip(p[self.order], LOWEST, HIGHEST)
        at = np.linspace(0, len(p) - 1, N_CUTS).astype(np.intp)
        ends = logit(value[[-1, 0]])
        cuts = np.unique(np.r_[value[at], expit(np.linspace(*ends, N_CUTS))])
        starts = len(p) - np.searchsorted(value[::-1], cuts[::-1], side="right")
        starts = np.unique(np.r_[0, starts[starts < len(p)]])
        self.sizes = np.diff(np.r_[starts, len(p)])
        self.logit = logit(value[starts + self.sizes // 2])
        self.top = value[starts]
        self.of = np.empty(len(p), dtype=np.uint16)
        self.of[self.order] = np.repeat(np.arange(len(starts)), self.sizes)

    def counts(self, ids, failed=None):
        """Return answers and failures of each group."""
        return self._counts(self.of[ids], failed)

    def counts_at(self, p, failed):
        """Return answers and failures of the groups that scores would belong to."""
        group = np.searchsorted(-self.top, -np.clip(p, LOWEST, HIGHEST), side="right")
        return self._counts(np.maximum(group - 1, 0), failed)

    def _counts(self, group, failed):
        n = len(self.sizes)
        return np.bincount(group, minlength=n), np.bincount(group, failed, minlength=n)


class ScoreCurves:
    r"""Failure probability as a function of the score, averaged over what it may be.

    Of a grid of curves

    .. math::

        p_\theta(s) = \varepsilon + (1 - \varepsilon) \operatorname{expit}\bigl(
            c + a + b\,(\operatorname{logit} s - c)\bigr)

    each has a prior weight and gains or loses by the answers (Bayes' rule). b is below
    1 for overconfident models, above 1 for underconfident ones, 0 for scores that say
    nothing and negative for those that point the wrong way; a shifts the level around
    c, the logit of the mean score; and :math:`\varepsilon` is the share of confident
    inputs that fail all the same. The grid and its weights are our choice, made on
    simulated pools.

    Parameters
    ----------
    groups : ScoreGroups
        The pool.
    known : bool
        Whether the scores are to be believed: the one curve p = s.
    """

    def __init__(self, groups, *, known=False):
        self.groups = groups
        if known:
            self.slope, self.log_prior = np.ones(1), np.zeros(1)
            p = expit(groups.logit)[None]
        else:
            shift, slope, errors, self.log_prior = _grid()
            centre = logit(np.clip(groups.mean, *PIVOT))
            line = slope[:, None] * (groups.logit - centre)
            p = expit(centre + shift[:, None] + line)
            p = errors[:, None] + (1 - errors[:, None]) * p
            self.slope = slope
        self.p = np.clip(p, LOWEST, HIGHEST)
        self.variance = self.p * (1 - self.p)
        self._log_odds, self._log_pass = logit(self.p), np.log1p(-self.p)

    def weights(self, n, failed):
        """Return the posterior weight of each curve, given counts of the groups."""
        log = self._log_posterior(n, failed)
        weight = np.exp(log - log.max())
        return weight / weight.sum()

    def evidence(self, n, failed):
        """Return the log probability of answers, averaged over the curves."""
        return float(logsumexp(self._log_posterior(n, failed)))

    def _log_posterior(self, n, failed):
        return self.log_prior + self._log_odds @ failed + self._log_pass @ n

    def of_rate(self, weights, rate):
        """Return weights of those curves whose failure rate is close to a given one."""
        found = logit(self.p @ self.groups.sizes / self.groups.sizes.sum())
        off = (found - logit(np.clip(rate, LOWEST, HIGHEST))) / RATE_SPREAD
        log = np.log(weights) - off**2 / 2
        weights = np.exp(log - log.max())
        return weights / weights.sum()

    def mean(self, weights):
        """Return the average failure probability of each group."""
        return weights @ self.p

    def outcome_variance(self, weights):
        """Return the average of p (1 - p) of each group."""
        return weights @ self.variance

    def safe_shares(self, weights, aversion, floor):
        r"""Return how often to draw from each group, relative to uniform draws.

        Shares h (of mean 1 over the pool) have, under curve :math:`\theta`, the
        variance :math:`R_\theta = \sum_g N_g v_{\theta g} / h_g` over
        :math:`\sum_g N_g v_{\theta g}`, relative to uniform draws. They minimise
        :math:`\mathrm E_\theta R_\theta^k`: for k = 1 the average error, and for
        larger k rather what is lost where the scores mislead. With
        :math:`w_\theta \propto \pi_\theta R_\theta^{k-1} / \bar v_\theta` the minimum
        has :math:`h \propto \sqrt{\sum_\theta w_\theta v_\theta}`, found by repetition.

        Parameters
        ----------
        weights : ndarray of shape (n_curves,)
            Of the curves.
        aversion : float
            k, at least 1.
        floor : float
            Least share.
        """
        kept = weights > NEGLIGIBLE
        share = self.groups.sizes / self.groups.sizes.sum()
        variance = self.variance[kept]
        variance = variance / (variance @ share)[:, None]
        weights, loss = weights[kept], np.ones(int(kept.sum()))
        for _ in range(12):
            weighed = weights * loss ** (aversion - 1)
            h = np.sqrt(weighed @ variance)
            h = np.maximum(h / (h @ share), floor)
            h /= h @ share
            loss = np.sqrt(loss * (variance @ (share / h)))
        return h


@cache
def _grid():
    """Return shift, slope, errors and log prior weight of each curve."""
    near = np.exp(-0.5 * (SHIFTS / 0.7) ** 2) / 0.7
    far = np.exp(-0.5 * (SHIFTS / 2.5) ** 2) / 2.5
    prior = 0.85 * near + 0.15 * far
    axes = SHIFTS, np.array([*SLOPES]), np.array([*CONFIDENT_ERRORS])
    odds = prior, np.array([*SLOPES.values()]), np.array([*CONFIDENT_ERRORS.values()])
    values = [v.ravel() for v in np.meshgrid(*axes, indexing="ij")]
    weight = np.prod(np.meshgrid(*odds, indexing="ij"), axis=0).ravel()
    return *values, np.log(weight / weight.sum())
