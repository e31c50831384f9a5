"""Brackets of robust accuracy: certified, true, attacked."""

import numpy as np

from skrobust._keyed_noise.rows import take_rows
from skrobust.evaluation import robust_accuracy_bounds
from skrobust.metrics import proportion_interval

N_ROWS = 100  # exact attacks and proofs of trees take a tenth of a second a row


def bracket(model, X, y, *, eps, norm, data_range, random_state):
    """Return certified and attacked robust accuracy on the first rows of a spread.

    Parameters
    ----------
    model : fitted classifier
        The model.
    X, y : array-like
        Rows and labels, of which at most ``N_ROWS`` evenly spaced ones are taken.
    eps, norm, data_range, random_state : object
        The ball and the seed.

    Returns
    -------
    dict
        ``lower`` (certified), ``upper`` (attacked), their intervals, ``clean``,
        ``certificate``, ``is_exact``, ``attacks``, ``eps`` and ``n_rows``.
    """
    rows = np.unique(np.linspace(0, len(y) - 1, min(N_ROWS, len(y))).astype(int))
    few, labels = take_rows(X, rows), np.asarray(y)[rows]
    ball = {"eps": eps, "norm": norm, "data_range": data_range}
    found = robust_accuracy_bounds(
        model, few, labels, random_state=random_state, **ball
    )
    n = len(rows)
    ends = {}
    for name in ("lower", "upper"):
        n_right = round(found[name] * n)
        ends[f"{name}_interval"] = tuple(proportion_interval(n_right, n))
    return {
        "lower": found.lower,
        "upper": found.upper,
        **ends,
        "clean": found.clean_accuracy,
        "certificate": found.certificate,
        "is_exact": found.is_exact,
        "attacks": [text.partition("(")[0] for text in found.attacks],
        "eps": float(eps),
        "n_rows": n,
    }
