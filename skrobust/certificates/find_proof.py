"""Choice of the proof for a model."""

from skrobust.certificates.linear_proof import linear_proof
from skrobust.certificates.proof import Proof

_FINDERS = (linear_proof,)


def find_proof(estimator, region, n_classes, ask, caller):
    """Return the best proof that there is for a classifier; the trivial one for others.

    Parameters
    ----------
    estimator : fitted classifier
        The whole pipeline, from the raw input.
    region : Region
        Where rows may move.
    n_classes : int
        Columns of its probabilities, or number of its labels.
    ask : callable or None
        From flat rows of float64 to the probabilities of the whole; None where there
        are none.
    caller : str
        Name of the public function or class, for error messages.

    Returns
    -------
    Proof
        Of that model and region.
    """
    for finder in _FINDERS:
        found = finder(estimator, region, ask, caller)
        if found is not None and found.n_classes == n_classes:
            return found
    return Proof(len(region), n_classes)
