"""Recalibration of scores to failure probabilities by answers."""

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

LOWEST, HIGHEST = 3e-4, 0.97  # predictions stay inside: nothing is ruled out
IDENTITY = (0.0, 1.0, 1.0)  # the coefficients that leave probabilities as they are
PRIOR_SD = (1.0, 0.3, 0.3)  # how far from it they are thought to be
PRIOR_ODDS = 1 / 9  # of the middle rank, where scores are no probabilities
STEPS = 50


def as_probabilities(scores):
    """Return scores as probabilities: unchanged in [0, 1], otherwise by rank.

    A middle rank u (ties share theirs) becomes the probability whose odds are those of
    u over nine: .1 in the middle, above .5 for the top tenth, .18 on average.
    """
    if scores.max() <= 1:
        return scores
    u = (rankdata(scores) - 0.5) / len(scores)
    return u * PRIOR_ODDS / (u * PRIOR_ODDS + 1 - u)


def score_terms(p):
    """Return log p and -log(1 - p), whose sum is the logit, shape (n, 2)."""
    p = np.clip(p, LOWEST, HIGHEST)
    return np.column_stack([np.log(p), -np.log1p(-p)])


def fit_recalibration(terms, failed):
    r"""Fit coefficients (a, b, c) to answers.

    .. math::

        \operatorname{logit} \hat p = a + b \log p - c \log(1 - p)

    the family of beta calibration (Kull, Silva Filho and Flach 2017), with normal
    priors around the identity (0, 1, 1) instead of its constraints: while there are few
    answers the scores are believed, and with many even a score that points the wrong
    way is put right.

    Parameters
    ----------
    terms : ndarray of shape (n, 2)
        ``score_terms`` of the units answered.
    failed : ndarray of shape (n,)
        Outcomes.

    Returns
    -------
    ndarray of shape (3,)
        The posterior mode.
    """
    X = np.column_stack([np.ones(len(terms)), terms])
    centre, w = np.array(IDENTITY), np.array(IDENTITY)
    precision = np.diag(np.array(PRIOR_SD) ** -2.0)
    for _ in range(STEPS):
        p = expit(X @ w)
        slope = X.T @ (p - failed) + precision @ (w - centre)
        curve = (X * (p * (1 - p))[:, None]).T @ X + precision
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, 2 / max(np.abs(step).max(), 1e-300))
        w = w - step
        if np.abs(step).max() < 1e-9:
            break
    return w


def predict(terms, w):
    """Return the predicted failure probabilities of units, in [LOWEST, HIGHEST]."""
    return np.clip(expit(w[0] + terms @ np.asarray(w[1:])), LOWEST, HIGHEST)
