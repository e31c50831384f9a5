"""Confidence sets of the ranks of models."""

import numpy as np

from skrobust._results import Results


def rank_sets(names, values, pairs, found, confidence, sign, tolerances):
    """Return the rank of each model with its confidence limits.

    A model is better than another where their difference excludes 0, simultaneously
    over all pairs; its rank lies between one more than the number of models that are
    better, and the number of models that are not worse.
    """
    n_models, repeats = values.shape
    better = np.zeros((n_models, n_models, repeats), dtype=bool)
    above, below = found.decided(confidence)
    above, below = (side.reshape(len(pairs), repeats) for side in (above, below))
    for k, (a, b) in enumerate(pairs):
        better[a, b], better[b, a] = (above[k], below[k])[::sign]
    gaps = sign * (values[:, None] - values[None])
    table = {
        "model": np.repeat(names, repeats),
        "tolerance": np.tile(tolerances, n_models),
        "value": values.ravel(),
        "rank": 1 + (gaps < -1e-12).sum(axis=1).ravel(),
        "rank_low": 1 + better.sum(axis=0).ravel(),
        "rank_high": n_models - better.sum(axis=1).ravel(),
    }
    if tolerances is None:
        del table["tolerance"]
    return Results(columns=tuple(table), **table)
