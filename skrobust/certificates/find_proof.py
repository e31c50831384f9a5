"""Choice of the proof for a model."""

from functools import partial

from skrobust.certificates.bayes_proof import bayes_proof
from skrobust.certificates.kernel_proof import kernel_proof
from skrobust.certificates.linear_proof import linear_proof
from skrobust.certificates.member_proofs import member_proof
from skrobust.certificates.neighbor_proof import neighbor_proof
from skrobust.certificates.net_readers import net_proof
from skrobust.certificates.proof import Proof
from skrobust.certificates.smoothing_proof import smoothing_proof
from skrobust.certificates.tree_proof import tree_proof

_FINDERS = (
    tree_proof,
    linear_proof,
    net_proof,
    smoothing_proof,
    bayes_proof,
    kernel_proof,
    neighbor_proof,
)


def find_proof(estimator, region, n_classes, ask, caller, shape=None):
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
    shape : tuple of int, default=None
        Of a row of the raw input; None: flat.

    Returns
    -------
    Proof
        Of that model and region.
    """
    for finder in _FINDERS:
        found = finder(estimator, region, ask, caller, shape)
        if found is None:
            continue
        if found.n_classes is None:  # nothing is proved, and its name says why
            found.n_classes = n_classes
        if found.n_classes == n_classes:
            return found
    find = partial(_find_member, caller=caller)
    found = member_proof(estimator, region, find, shape)
    return Proof(len(region), n_classes) if found is None else found


def _find_member(estimator, region, n_classes, ask, shape, caller):
    return find_proof(estimator, region, n_classes, ask, caller, shape)
