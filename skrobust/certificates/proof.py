"""Base class of proofs: what no point of a region can do to the answer of a model."""

import numpy as np
from scipy.special import logsumexp

from skrobust.certificates.region import SLACK


class Proof:
    """Base class of proofs about a classifier within a region.

    A subclass gives ``wins``, ``probabilities`` or both; the other follows, or is
    trivial.

    Attributes
    ----------
    n_samples, n_classes : int
        Rows and classes.
    name : str
        Where the bounds come from, for results.
    is_exact_on_labels, is_exact_on_probabilities : bool
        Whether what is not proved is known to be false.
    is_statistical : bool
        Whether a proof may be wrong, with a small probability that is known.
    """

    name = "trivial: a probability moves at most to 0 or to 1"
    is_exact_on_labels = False
    is_exact_on_probabilities = False
    is_statistical = False

    def __init__(self, n_samples, n_classes):
        self.n_samples, self.n_classes = n_samples, n_classes

    def wins(self, own):
        """Return whether a class has the label at each point of each region.

        Parameters
        ----------
        own : ndarray of shape (n_samples,), int
            The class of each row; -1 for a label that the model does not know.

        Returns
        -------
        ndarray of shape (n_samples,), dtype bool
            False where it is not known.
        """
        rows, known = np.arange(self.n_samples), own >= 0
        low, high = self.probabilities(np.where(known, own, 0))
        mine = low[rows, own]
        others = high.copy()
        others[rows, own] = -np.inf
        # Where only the class itself was bounded, the others share what is left.
        most = np.minimum(others.max(axis=1), 1 - mine)
        return known & (mine > most + SLACK)

    def probabilities(self, columns=None):
        """Return least and greatest probabilities, of shape (n_samples, n_classes).

        Parameters
        ----------
        columns : ndarray of shape (n_samples,), int, or None
            The class that matters, for each row; the bounds of the others may be
            trivial. None: all of them.
        """
        shape = self.n_samples, self.n_classes
        return np.zeros(shape), np.ones(shape)


class DifferenceProof(Proof):
    """Proof by bounds of the differences of scores, whose softmax is the answer.

    A subclass gives ``differences(own)``, and says in ``has_probabilities`` whether the
    probabilities are the softmax of the scores.
    """

    has_probabilities = True

    def differences(self, own):
        """Return bounds of the score of a class less that of each other.

        Parameters
        ----------
        own : ndarray of shape (n_samples,), int
            The class of each row.

        Returns
        -------
        low, high : ndarray of shape (n_samples, n_classes)
            0 where the other class is the class itself.
        """
        raise NotImplementedError

    def wins(self, own):
        """Return whether a class has the label at each point of each region."""
        known = own >= 0
        low = self.differences(np.where(known, own, 0))[0].copy()
        low[np.arange(len(own)), own] = np.inf
        return known & (low > 0).all(axis=1)

    def probabilities(self, columns=None):
        """Return least and greatest probabilities, of shape (n_samples, n_classes)."""
        low, high = super().probabilities()
        if not self.has_probabilities:
            return low, high
        rows = np.arange(self.n_samples)
        every = range(self.n_classes) if columns is None else [columns]
        for column in every:
            own = np.broadcast_to(column, self.n_samples)
            least, most = self.differences(own)
            low[rows, own] = np.exp(-logsumexp(-least, axis=1))
            high[rows, own] = np.exp(-logsumexp(-most, axis=1))
        return low, high
