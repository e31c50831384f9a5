"""Batches of a sampler that learns: how large they are, and what each is worth."""

import numpy as np

TRUST = 0.2  # power of the labels behind a predictor, in the weight of its batch
PILOT = 15, 0.05, 0.4  # labels, share of all, most of all
LEAST_BATCH = 12


def batch_sizes(n, n_batches, *, first=True):
    """Cut n labels into a pilot, unless there was one, and equal batches."""
    labels, share, most = PILOT
    pilot = min(int(most * n), int(labels + share * n)) if first else 0
    if n_batches == 1 or pilot == 0:
        pilot, n_equal = 0, n_batches
    else:
        n_equal = n_batches - 1
    n_equal = max(min(n_equal, (n - pilot) // LEAST_BATCH), 1)
    ends = np.round(np.linspace(pilot, n, n_equal + 1)).astype(int)
    return [size for size in [pilot, *np.diff(ends).tolist()] if size]


def batch_weights(sizes):
    """Return weights from sizes alone: the more labels before a batch, the better."""
    before = np.cumsum(sizes) - sizes
    weights = sizes * np.maximum(before, sizes[0]).astype(np.float64) ** TRUST
    return weights / weights.sum()
