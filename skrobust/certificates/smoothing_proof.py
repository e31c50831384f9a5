"""Proofs about smoothed classifiers, of which draws tell the shares of the votes."""

from skrobust._responses import unwrap
from skrobust.certificates._smoothed_classifier import SmoothedClassifier
from skrobust.certificates.proof import Proof
from skrobust.certificates.region import diagonal_steps


class SmoothingProof(Proof):
    """Proof about a :class:`SmoothedClassifier`, bare or behind scalers.

    Parameters
    ----------
    model : SmoothedClassifier
        Fitted.
    rows : container of shape (n_samples, ...)
        As the model takes them.
    radius : ndarray of shape (n_samples,)
        How far they can move, in L2, as the model sees them.
    """

    is_statistical = True

    def __init__(self, model, rows, radius):
        super().__init__(len(radius), len(model.classes_))
        self._model, self._rows, self._radius = model, rows, radius
        self.name = (
            f"randomised smoothing: of the votes of infinitely many draws, each row "
            f"with probability {1 - model.alpha:g}"
        )

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        found = self._model.certify(self._rows)
        right = (own >= 0) & (found.label == self._model.classes_[own])
        return right & ~found.abstains & (found.radius > self._radius)

    def probabilities(self, columns=None):
        """Return least and greatest probabilities, of shape (n_samples, n_classes)."""
        return self._model.probability_bounds(self._rows, self._radius)


def smoothing_proof(estimator, region, ask, caller, shape=None):
    """Return the proof for a smoothed classifier, or None for another model.

    Parameters
    ----------
    estimator, region, ask, caller, shape : object
        As in :func:`skrobust.certificates.find_proof.find_proof`.
    """
    steps, model = unwrap(estimator)
    if not isinstance(model, SmoothedClassifier):
        return None
    parts = diagonal_steps(steps, region.rows.shape[1])
    if parts is None:
        return None
    rows, radius = region.rows * parts[0] + parts[1], region.reach(parts[0], 2)
    if shape is not None:
        rows = rows.reshape((len(rows), *shape))
    return SmoothingProof(model, rows, radius)
