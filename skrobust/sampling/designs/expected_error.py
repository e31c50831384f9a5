"""Error of an estimate that curves of scores expect."""

import numpy as np

from skrobust.sampling.designs.batches import batch_weights

FEW_LOSSES = 1.0  # squares behind the belief that losses vary like 0 and 1


def expected_error(answered, curves, curve_weights, *, are_believed=False):
    """Return rate and variance of the estimate that the curves expect.

    Parameters
    ----------
    answered : Answered
        The rounds.
    curves : ScoreCurves
        What the scores may mean.
    curve_weights : ndarray of shape (n_curves,)
        How far each is believed.
    are_believed : bool, default=False
        Whether the scores are taken for probabilities as they are: these may be far
        off, so that the variance is at least what the answers say.

    Returns
    -------
    rate, variance : float
        Of the failure rate in the pool.
    """
    groups = curves.groups
    drawn = np.bincount(groups.of[answered.ids], minlength=len(groups.sizes))
    rest = (groups.sizes - drawn) @ curves.mean(curve_weights)
    rate = (answered.y.sum() + rest) / answered.n_pool
    spread = curves.outcome_variance(curve_weights)[groups.of[answered.ids]]
    mean = curves.mean(curve_weights)[groups.of[answered.ids]]
    square = (answered.y - mean) ** 2
    if answered.graded:  # losses vary less than outcomes that are 0 or 1
        less = (FEW_LOSSES + square.sum()) / (FEW_LOSSES + spread.sum())
        spread = spread * less
    weight = np.repeat(batch_weights(answered.planned), answered.sizes)
    each = weight**2 * (1 - answered.pi) / answered.pi**2
    expected = each @ spread
    if are_believed:
        expected = max(expected, each @ square)
    return float(rate), float(expected) / answered.n_pool**2
