"""Rows of weight 0, which count as absent."""

import numpy as np

from skrobust._array_checks import check_same_length
from skrobust._containers import one_per_row


def present_rows(weight, clusters, caller):
    """Return where weights are not 0, and the clusters of these rows.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,) or None
        Weights.
    clusters : array-like of shape (n_samples,) or None
        Clusters of all rows.
    caller : str
        Name of the public function, for error messages.

    Returns
    -------
    kept : ndarray of int or slice
        Places of the rows; all of them as a slice.
    clusters : array-like or None
        Their clusters.
    """
    if weight is None or weight.all() or not weight.any():  # all of 0 are refused later
        return slice(None), clusters
    kept = np.flatnonzero(weight)
    if clusters is not None:
        check_same_length(caller, data=weight, clusters=clusters)
        clusters = one_per_row(clusters)[kept]
    return kept, clusters
