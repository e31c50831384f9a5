"""Scores learned from the answers: what features add to the scores of the pool."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from skrobust.sampling.core.cross_fitted import folds
from skrobust.sampling.designs.score_curves import ScoreCurves, ScoreGroups

STRENGTHS = 1e-3, 1e-2, 1e-1, 1.0  # prior variances of a standardised coefficient
WORTH = 3.0  # log of the Bayes factor from which features are used
DIGITS = 6  # of coefficients and log odds, so that rounding in sums does not matter


class LearnedScores:
    r"""Logistic regression on features, with the scores' own prediction as an offset.

    .. math::

        \operatorname{logit} s_i = \operatorname{logit} p_i + x_i^\top \beta, \qquad
        \beta \sim \mathcal N(0, \tau^2 I)

    with p the failure probability that the score curves predict and x standardised
    features. Of each :math:`\tau` the answers are predicted by cross-fitting: what a
    model of the others says of each. These predictions are scores like any others, of
    which the curves have an evidence; learned scores are used where the best evidence
    exceeds that of the given ones by a factor of :math:`e^3` (our choice).

    Parameters
    ----------
    features : ndarray of shape (n_pool, n_features)
        What is known of each input.
    given : ScoreCurves
        Of the scores of the pool.
    """

    def __init__(self, features, given):
        # Relative to the largest number, whose square would overflow or vanish.
        most = np.abs(features).max(axis=0, initial=0.0)
        features = features / np.where(most > 0, most, 1.0)
        spread = features.std(axis=0)
        # Of a constant column only rounding may be left.
        spread = np.where(spread > 1e-12, spread, np.inf)
        self.x = (features - features.mean(axis=0)) / spread
        self.given = given

    def learn(self, ids, y):
        """Return coefficients, curves and their weights; None if not worth it.

        Parameters
        ----------
        ids, y : ndarray of shape (n,)
            The inputs told and their outcomes in [0, 1].

        Returns
        -------
        dict of plain data, ScoreCurves, ndarray of shape (n_curves,); or None
        """
        if min(y.sum(), len(y) - y.sum()) < 1:
            return None
        fold = folds(ids)
        best, least = None, self.given.evidence(*self._counts(ids, y)) + WORTH
        base = self._base(ids, y)
        without = [(fold == k, self._base(ids[fold != k], y[fold != k]))
                   for k in range(fold.max() + 1)]  # fmt: skip
        for variance in STRENGTHS:
            log_odds = np.empty(len(ids))
            for here, other in without:
                beta = self._fit(other, ids[~here], y[~here], variance)
                log_odds[here] = self._log_odds(other, beta, ids[here])
            beta = self._fit(base, ids, y, variance)
            learned = {"base": base.tolist(), "beta": beta.tolist()}
            groups = self.groups(learned)
            curves, counts = ScoreCurves(groups), groups.counts_at(expit(log_odds), y)
            if (evidence := curves.evidence(*counts)) > least:
                best, least = (learned, curves, curves.weights(*counts)), evidence
        return best

    def groups(self, learned):
        """Return the pool grouped by the scores of given coefficients."""
        base, beta = np.array(learned["base"]), np.array(learned["beta"])
        return ScoreGroups(expit(self._log_odds(base, beta, slice(None))))

    def _counts(self, ids, y):
        return self.given.groups.counts(ids, y)

    def _base(self, ids, y):
        """Return the log odds of the groups by their curves, given answers."""
        mean = self.given.mean(self.given.weights(*self._counts(ids, y)))
        return np.round(logit(mean), DIGITS)

    def _fit(self, base, ids, y, variance):
        """Return the coefficients."""
        x, offset = self.x[ids], base[self.given.groups.of[ids]]

        def loss(beta):
            line = offset + x @ beta
            value = np.logaddexp(0, line).sum() - y @ line + beta @ beta / 2 / variance
            return value, x.T @ (expit(line) - y) + beta / variance

        start = np.zeros(x.shape[1])
        found = minimize(loss, start, jac=True, method="L-BFGS-B")
        return np.round(found.x, DIGITS)

    def _log_odds(self, base, beta, ids):
        line = base[self.given.groups.of[ids]] + self.x[ids] @ beta
        return np.round(line, DIGITS)
