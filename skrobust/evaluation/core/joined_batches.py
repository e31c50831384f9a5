"""Parts of batches as those of all rows."""

import numpy as np


def joined(parts, name):
    """Return a field of parts with one value a row, of all batches."""
    return np.concatenate([np.atleast_1d(part[name]) for part in parts])


def joined_effect(parts, sizes):
    """Return the share of changed rows, their mean distortion, and its unit.

    Parameters
    ----------
    parts : list of structured ndarray
        As :func:`~skrobust.evaluation.core.acted.part_of` makes them, by batch.
    sizes : ndarray of int of shape (n_batches,)
        Rows of each batch.
    """
    changed = np.array([float(part["changed"]) for part in parts])
    known = np.array([int(part["moved"]) for part in parts])
    mean = np.array([float(part["distortion"]) for part in parts])
    unit = next((str(part["unit"]) for part in parts if str(part["unit"])), "")
    share = float((np.rint(changed * sizes)).sum() / sizes.sum())
    if not known.any():
        return share, float("nan"), unit
    seen = known > 0
    return share, float((mean[seen] * known[seen]).sum() / known.sum()), unit
