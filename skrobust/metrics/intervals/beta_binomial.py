"""Limits of a share over clusters whose samples are alike to an unknown degree."""

import numpy as np
from scipy.special import expit, gammaln

_CORRELATIONS = (np.arange(16) + 0.5) / 16  # the middle of each of 16 equal cells
_LOGITS = np.linspace(-17.0, 17.0, 45)  # of shares, among which the peak is looked for
_N_FINE = 81  # logits over what of the posterior is above exp(-12) of its peak


def beta_binomial_limits(hits, sizes, confidence):
    r"""Return posterior limits of a share, whatever the correlation within clusters.

    The share of each cluster is drawn from a beta distribution of mean p and
    intra-class correlation r, so that its hits are beta-binomial. p has the prior of
    Jeffreys, r is uniform on (0, 1), and both tails of the posterior of p beyond the
    limits hold half of 1 - ``confidence``.

    Where few samples fail, a variance that is estimated between clusters knows nothing
    of how many would have failed together; the posterior takes every r into account
    that the data leave possible.

    Parameters
    ----------
    hits, sizes : ndarray of shape (n_clusters,)
        Successes and samples of each cluster; effective numbers may be fractional.
    confidence : float
        Wanted coverage.

    Returns
    -------
    low, high : float
        In (0, 1).
    """
    hits, sizes = np.asarray(hits, dtype=float), np.asarray(sizes, dtype=float)
    pairs, count = np.unique(np.column_stack([hits, sizes]), axis=0, return_counts=True)
    coarse = _log_posterior(_LOGITS, pairs.T, count)
    near = np.flatnonzero(coarse.max(axis=0) > coarse.max() - 12)
    ends = _LOGITS[[max(near[0] - 1, 0), min(near[-1] + 1, len(_LOGITS) - 1)]]
    fine = np.linspace(*ends, _N_FINE)
    height = _log_posterior(fine, pairs.T, count)
    density = np.exp(height - height.max()).sum(axis=0)
    mass = np.r_[0.0, np.cumsum(density[1:] + density[:-1])]
    levels = np.array([1 - confidence, 1 + confidence]) / 2
    return tuple(float(expit(z)) for z in np.interp(levels, mass / mass[-1], fine))


def _log_posterior(logit, pairs, count):
    """Return the log-posterior of logits of p and of r, of shape (n_r, n_p)."""
    k, n = pairs
    p, q = expit(logit)[:, None], expit(-logit)[:, None]
    total = np.empty((len(_CORRELATIONS), len(logit)))
    for row, r in zip(total, _CORRELATIONS, strict=True):
        s = 1 / r - 1
        a, b = s * p, s * q
        ways = gammaln(k + a) - gammaln(a) + gammaln(n - k + b) - gammaln(b)
        row[:] = (ways - gammaln(n + s) + gammaln(s)) @ count
    # Jeffreys' prior of p, as a density of its logit.
    return total + 0.5 * (np.log(p) + np.log(q))[:, 0]
