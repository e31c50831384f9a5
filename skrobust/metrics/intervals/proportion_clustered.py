"""Limits of a share of samples that come in clusters."""

import numpy as np

from skrobust.metrics.intervals.beta_binomial import beta_binomial_limits
from skrobust.metrics.intervals.bootstrap import jackknife_error
from skrobust.metrics.intervals.clusters import jackknife_df, t_quantile
from skrobust.metrics.intervals.proportion import wilson_bounds

_MANY = 30  # clusters with a success, and with a failure, that speak for themselves


def clustered_proportion_limits(hits, sizes, n, confidence):
    r"""Return limits of the share of samples, and its standard error over clusters.

    The widest of three holds on each side:

    - Wilson's limits for :math:`p (1 - p) / s^2` trials, at most the number of samples.
      s is the error of the delete-one-cluster jackknife, which stays right where
      clusters differ in size, and the quantile is that of t with its degrees of
      freedom;
    - those of the beta-binomial posterior, which does not take the few clusters with a
      failure for all that there may be; left out where 30 clusters or more have a
      success and as many a failure;
    - Wilson's limits of as many trials as there are clusters, all of which agree: a
      failure more never makes one surer, and whole clusters that fail may not have been
      seen.

    Parameters
    ----------
    hits, sizes : ndarray of shape (n_clusters,)
        (Weighted) successes and samples of each cluster, of three clusters or more.
    n : float
        Effective number of samples.
    confidence : float
        Wanted coverage.

    Returns
    -------
    low, high : float
        In [0, 1].
    error : float
        Standard error.
    """
    hits, sizes = np.asarray(hits, dtype=float), np.asarray(sizes, dtype=float)
    total, n_clusters = float(sizes.sum()), len(sizes)
    share = float(hits.sum()) / total
    left_out = (hits.sum() - hits) / (total - sizes)
    error = float(jackknife_error(left_out))
    quantile = t_quantile(confidence, n_clusters - 1)
    low, high = wilson_bounds(1.0, n_clusters, quantile)[0], 1.0
    if share < 0.5:
        low, high = 0.0, 1 - low
    if share * (1 - share) < 1e-12:
        return low, high, error
    trials = n
    if error**2 * n > share * (1 - share):
        trials = share * (1 - share) / error**2
    quantile = t_quantile(confidence, jackknife_df(left_out - left_out.mean()))
    found = [wilson_bounds(share, trials, quantile)]
    if min((hits > 0).sum(), (hits < sizes).sum()) < _MANY:
        scale = n / total
        found.append(beta_binomial_limits(scale * hits, scale * sizes, confidence))
    lows, highs = zip(*found, strict=True)
    if share < 0.5:
        return min(lows), max(*highs, high), error
    return min(*lows, low), max(highs), error
