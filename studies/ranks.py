"""Agreement of two rankings of models, with intervals by resampling the rows."""

import numpy as np
from scipy.stats import kendalltau


def tau(a, b):
    """Return Kendall's tau-b of two lists of scores; nan where one is constant."""
    return float(kendalltau(a, b).statistic)


def tau_interval(first, second, n_rows, *, n_resamples=500, confidence=0.95, seed=0):
    """Return Kendall's tau of two scores of models, and its percentile interval.

    Parameters
    ----------
    first, second : callable
        Take positions of rows, shape (n_rows,), and return the score of each model
        computed from these rows alone.
    n_rows : int
        Rows (pictures, data sets) that are resampled jointly for all models.

    Returns
    -------
    value : float
        Of all rows.
    interval : tuple of float
        Percentiles of the resamples.
    """
    rng, everything = np.random.default_rng(seed), np.arange(n_rows)
    value = tau(first(everything), second(everything))
    draws = []
    for _ in range(n_resamples):
        rows = rng.integers(n_rows, size=n_rows)
        draws.append(tau(first(rows), second(rows)))
    tail = 50 * (1 - confidence)
    low, high = np.nanpercentile(draws, [tail, 100 - tail])
    return value, (float(low), float(high))
